use super::*;
use crate::sense::Dial;

/// What a clock of a later boot finds in the spool.
fn reboot(core: &Core, clock: ClockKind, control: &str) -> Core {
    Core::new(Settings { boot: BOOT + 1, ..settings(clock, control) }, Some(core.memory().clone()))
}

#[test]
fn row_05_an_own_clock_comes_back_paused_at_its_last_stored_face_and_says_so() {
    let mut core = own("900");
    core.directive(0, order(1, prepare("300+5")));
    play(&mut core, &[(1_000, RIGHT), (3_500, Sense::Tick), (4_000, Sense::Tick)]);
    let mut again = reboot(&core, ClockKind::Own, "900");
    assert_eq!(face(&again.face()), "302500/305000 W Paused");
    assert_eq!(again.due(), Some(0), "the alarm waits for nothing");
    assert_eq!(lines(&again.wake(50)), ["#3 @50 PowerLost 302500/305000 W Paused"]);
    assert!(again.shown().trouble[0][0].contains("set the clock"), "{:?}", again.shown().trouble);
    // It loses power once more before anybody has done anything: the notice stays.
    let third = Core::new(Settings { boot: BOOT + 2, ..settings(ClockKind::Own, "900") }, Some(again.memory().clone()));
    assert_eq!((third.due(), third.shown().trouble), (None, again.shown().trouble));
    assert_eq!((again.shown().game.as_str(), again.shown().applied_rev), ("g", 1));
    assert_eq!(events(&again.handle(60, LEFT)), [] as [String; 0], "a paused clock is not pressed");
    assert_eq!(events(&again.handle(70, Sense::StartStop)), ["#4 @70 Resumed 302500/305000 W Running"]);
    assert_eq!(
        events(&again.handle(570, LEFT)),
        ["#5 @570 Press(White) 307000/305000 B Running"],
        "5 s of its control"
    );
    assert_eq!(again.shown().trouble, [] as [Words; 0]);
}

#[test]
fn a_paused_clock_lost_nothing_and_raises_no_alarm() {
    let mut core = own("300");
    play(&mut core, &[(0, RIGHT), (1_000, Sense::StartStop)]);
    let mut again = reboot(&core, ClockKind::Own, "300");
    assert_eq!(again.wake(5), []);
    assert_eq!(face(&again.face()), "299000/300000 W Paused");
}

#[test]
fn an_idle_clock_without_a_game_takes_the_control_it_is_configured_with() {
    let mut core = own("300");
    core.handle(0, Sense::Call(None));
    assert_eq!(face(&reboot(&core, ClockKind::Own, "60").face()), "60000/60000 W Idle");
}

#[test]
fn row_07_a_directive_applied_before_the_restart_is_only_reported_after_it() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    let more = order(2, add(Colour::White, 60_000));
    core.directive(10, more.clone());
    let mut again = reboot(&core, ClockKind::Own, "300");
    let reported = lines(&again.directive(20, more));
    assert_eq!(reported, ["#3 @20 g#2 Applied from 300000/300000 W Idle 360000/300000 W Idle"]);
}

fn dial(left: i64, running: bool) -> Sense {
    let left = [Some(left), Some(300_000)];
    Sense::Dial(Dial { left, flags: [false; 2], running, turn: Some(Place::Left) })
}

/// An external clock whose device lost power after it stored a directive.
fn struck(act: Act) -> Core {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    play(&mut core, &[(0, dial(300_000, true)), (1_000, dial(290_000, true))]);
    core.directive(1_000, order(2, act));
    reboot(&core, ClockKind::External, "")
}

#[test]
fn row_06_a_directive_on_its_way_at_the_loss_of_power_is_completed_once() {
    let stopped = [
        "= g#2 Applied 289000/300000 W Paused",
        "#4 @5 g#2 Applied from 290000/300000 W Running 289000/300000 W Paused",
    ];
    let mut core = struck(stop());
    assert_eq!(lines(&core.handle(5, dial(289_000, false))), stopped, "it had arrived");
    let mut core = struck(stop());
    let asked = ["= g#2 Received 289000/300000 W Paused", "? 289000/300000 W Paused"];
    assert_eq!(lines(&core.handle(5, dial(289_000, true))), asked, "a stop changes no time and is asked for again");
    assert_eq!(core.directive(6, order(2, stop())).len(), 1, "sent again, it is reported again");
    assert_eq!(core.shown().applied_rev, 1);
    core.handle(7, Sense::DialDone(Ok(())));
    assert_eq!((core.shown().applied_rev, core.face().going), (2, Going::Paused));
}

/// An external clock whose agent was killed at 1.0 s, after it stored a directive, and began again in the same boot.
fn killed(before: Sense, act: Act) -> Core {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    play(&mut core, &[(0, dial(300_000, true)), (1_000, before)]);
    core.directive(1_000, order(2, act));
    Core::new(settings(ClockKind::External, ""), Some(core.memory().clone()))
}

fn minute() -> Act {
    add(Colour::White, 60_000)
}

const NOBODY_KNOWS: [&str; 2] =
    ["= g#2 Unknown 289000/300000 W Running", "#4 @5 g#2 Unknown Display 289000/300000 W Running"];

#[test]
fn row_06_the_reading_of_a_running_clock_after_a_loss_of_power_says_nothing_of_time_added() {
    // 290 s were left. It reads 289 s: one second has passed and it was not added, or sixty-one have and it was.
    assert_eq!(lines(&struck(minute()).handle(5, dial(289_000, true))), NOBODY_KNOWS);
    // More than before: it was added, or a move was made and its increment was.
    let more = struck(minute()).handle(5, dial(348_000, true));
    assert_eq!(
        lines(&more),
        ["= g#2 Unknown 348000/300000 W Running", "#4 @5 g#2 Unknown Display 348000/300000 W Running"]
    );
    let mut core = struck(minute());
    core.handle(5, dial(289_000, true));
    assert_eq!((core.shown().applied_rev, core.busy()), (2, false), "what comes behind it is not held up");
    assert!(core.shown().trouble[0][0].contains("call the arbiter"), "{:?}", core.shown().trouble);
    assert_eq!(lines(&core.directive(9, order(2, minute()))), ["#5 @9 g#2 Unknown Display 289000/300000 W Running"]);
}

#[test]
fn row_06_an_agent_killed_between_storing_and_asking_completes_once() {
    // Ten seconds later in the same boot: 290 s less ten are 280 s, with the minute 340 s.
    let asked = ["= g#2 Received 340000/300000 W Running", "? 340000/300000 W Running"];
    assert_eq!(lines(&killed(dial(290_000, true), minute()).handle(11_000, dial(280_000, true))), asked);
    let applied = [
        "= g#2 Applied 350000/300000 W Running",
        "#4 @11000 g#2 Applied from 290000/300000 W Running 350000/300000 W Running",
    ];
    assert_eq!(lines(&killed(dial(290_000, true), minute()).handle(11_000, dial(340_000, true))), applied);
    // Neither: somebody has played on.
    let played = killed(dial(290_000, true), minute()).handle(11_000, dial(310_000, true));
    assert!(lines(&played)[1].contains("g#2 Unknown"), "{:?}", lines(&played));
    // A clock that stands and still stands has nothing to hide, however long it was.
    assert_eq!(
        lines(&killed(dial(290_000, false), minute()).handle(99_000, dial(290_000, false))),
        ["= g#2 Received 350000/300000 W Paused", "? 350000/300000 W Paused"]
    );
}

#[test]
fn row_07_an_answer_that_was_lost_is_no_refusal() {
    let unanswered = || Sense::DialDone(Err(NotDone::Unanswered("cable".to_owned())));
    let begun = || {
        let mut core = external();
        core.directive(0, order(1, prepare("")));
        play(&mut core, &[(0, dial(300_000, true)), (1_000, dial(290_000, false))]);
        core.directive(1_000, order(2, minute()));
        core
    };
    let mut core = begun();
    assert_eq!(lines(&core.handle(4_000, unanswered())), [] as [String; 0], "nobody knows yet");
    assert!(core.busy());
    let applied = core.handle(4_100, dial(350_000, false));
    assert!(lines(&applied)[1].contains("g#2 Applied"), "{:?}", lines(&applied));
    // It reads as before: it was asked three times and did nothing.
    let mut core = begun();
    core.handle(4_000, unanswered());
    let refused = core.handle(4_100, dial(290_000, false));
    assert!(lines(&refused)[1].contains("g#2 Rejected Display"), "{:?}", lines(&refused));
    let mut core = begun();
    core.handle(4_000, unanswered());
    let played = core.handle(4_100, dial(288_000, true));
    assert_eq!(
        events(&played),
        ["#5 @4100 Resumed 288000/300000 W Running", "#6 @4100 g#2 Unknown Display 288000/300000 W Running"]
    );
}

/// What a clock shows: seconds left and right, and whose turn it is.
fn shows(left: i64, right: i64, turn: Place) -> Sense {
    let left = [Some(left * 1_000), Some(right * 1_000)];
    Sense::Dial(Dial { left, flags: [false; 2], running: true, turn: Some(turn) })
}

/// A game on a clock of 300 s with 10 s a move: White has moved once, Black thinks.
fn under_way() -> Core {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    play(&mut core, &[(0, shows(300, 300, Place::Left)), (5_000, shows(305, 300, Place::Right))]);
    core
}

#[test]
fn moves_made_while_nobody_read_the_clock_are_told_by_its_times() {
    // Dark from 5 s on, another boot.
    let dark = |now: Sense| events(&reboot(&under_way(), ClockKind::External, "").handle(5, now));
    assert_eq!(dark(shows(305, 290, Place::Right)), [] as [String; 0], "Black still thinks");
    let pressed = ["#4 @5 Press(Black) 303000/303000 W Running"];
    assert_eq!(dark(shows(303, 303, Place::Left)), pressed, "one press is that press");
    // Black thought for 4 s, White for 3 s: the turn is Black's again.
    let missed = ["#4 @5 PressesMissed 305000/300000 B Running"];
    assert_eq!(dark(shows(312, 306, Place::Right)), missed);
    // White's time alone tells of it: Black thought for 12 s.
    assert_eq!(dark(shows(312, 298, Place::Right)), missed);
    // Three presses: the turn tells of one. Black, now waiting, may have any time; White has more than he began with.
    let three = ["#4 @5 PressesMissed 305000/300000 B Running", "#5 @5 Press(Black) 309000/306000 W Running"];
    assert_eq!(dark(shows(309, 306, Place::Left)), three);
}

#[test]
fn a_cable_that_was_out_hides_presses_as_a_dark_clock_does() {
    for lost in [FaultKind::BoardLost, FaultKind::ClockLost] {
        let mut core = under_way();
        core.handle(6_000, Sense::Fault(lost, String::new()));
        let told = events(&core.handle(20_000, shows(312, 306, Place::Right)));
        assert_eq!(told, ["#5 @20000 PressesMissed 305000/300000 B Running"]);
        assert_eq!(events(&core.handle(21_000, shows(314, 306, Place::Right))), [] as [String; 0], "told once");
    }
    // A frame that says what no play explains is no gap as long as every frame is read.
    let told = events(&under_way().handle(6_000, shows(312, 306, Place::Right)));
    assert_eq!(told, [] as [String; 0]);
}

#[test]
fn a_setting_that_came_through_in_the_dark_is_no_press() {
    let struck = || {
        let mut core = under_way();
        core.directive(6_000, order(2, minute()));
        reboot(&core, ClockKind::External, "")
    };
    let told = |now: Sense| lines(&struck().handle(5, now)).join("; ");
    assert!(!told(shows(365, 296, Place::Right)).contains("Missed"), "{}", told(shows(365, 296, Place::Right)));
    assert!(!told(shows(305, 296, Place::Right)).contains("Missed"), "{}", told(shows(305, 296, Place::Right)));
    assert!(told(shows(371, 305, Place::Right)).contains("Missed"), "{}", told(shows(371, 305, Place::Right)));
}

#[test]
fn a_game_under_way_is_taken_on_as_it_stands() {
    let mut stands = Face { going: Going::Running, ..Face::unknown(Place::Left) };
    stands.hands =
        [7, 6].map(|moves| flagfall_rules::clock::Hand { moves, ..flagfall_rules::clock::Hand::fresh(Some(100_000)) });
    let under_way = |control: &str| match prepare(control) {
        Act::Prepare { control, white_place, position, words, .. } => {
            Act::Prepare { control, white_place, position, words, stands: Some(stands) }
        }
        other => other,
    };
    let mut core = own("900");
    core.directive(0, order(9, under_way("300")));
    assert_eq!((face(&core.face()).as_str(), core.face().hands[0].moves), ("100000/100000 W Paused", 7));
    // A physical clock is what it is: it was running when it was read, and runs on. Nothing of that is an event.
    let mut core = external();
    core.handle(0, dial(290_000, true));
    core.directive(0, order(9, under_way("")));
    assert_eq!((face(&core.face()).as_str(), core.face().hands[1].moves), ("290000/300000 W Running", 6));
    assert_eq!(events(&core.handle(1_000, dial(289_000, true))), [] as [String; 0]);
}

#[test]
fn row_26_another_boot_has_expired_what_it_did_not_find_carried_out() {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    core.handle(0, dial(300_000, true));
    let limit = Some(Moment { boot: BOOT, ms: 60_000 });
    core.directive(1, Directive { not_after: limit, ..order(2, stop()) });
    let mut again = reboot(&core, ClockKind::External, "");
    let expired = ["= g#2 Rejected 299000/300000 W Running", "#4 @5 g#2 Rejected Expired 299000/300000 W Running"];
    assert_eq!(lines(&again.handle(5, dial(299_000, true))), expired);
}

#[test]
fn row_06_an_agent_killed_while_it_turns_the_clock_back_after_a_press_does_not_add_again() {
    let turned = |left: i64, turn| {
        Sense::Dial(Dial { left: [Some(left), Some(300_000)], flags: [false; 2], running: true, turn: Some(turn) })
    };
    let begun = || {
        let mut core = external();
        core.directive(0, order(1, prepare("")));
        play(&mut core, &[(0, dial(300_000, true)), (1_000, dial(299_000, true))]);
        core.directive(1_000, order(2, minute()));
        core.handle(1_100, turned(299_000, Place::Right));
        core
    };
    let restarted = |core: &Core| Core::new(settings(ClockKind::External, ""), Some(core.memory().clone()));
    // White pressed at 1.1 s; the setting, 359 s and White to move, arrived after it. Nobody has heard the clock's answer.
    let asked = ["= g#2 Received 359000/300000 B Running", "? 359000/300000 B Running"];
    assert_eq!(lines(&restarted(&begun()).handle(2_000, turned(359_000, Place::Left))), asked);
    // It was heard, and the turn asked for; the clock still shows White's.
    let mut core = begun();
    core.handle(1_200, Sense::DialDone(Ok(())));
    let mut again = restarted(&core);
    assert_eq!(lines(&again.handle(2_000, turned(359_000, Place::Left))), asked);
    let done = again.handle(2_400, Sense::DialDone(Ok(())));
    assert_eq!(events(&done), ["#5 @2400 g#2 Applied from 299000/300000 W Running 359000/300000 B Running"]);
}

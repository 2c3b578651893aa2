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
    assert_ne!(again.shown().trouble, "");
    assert_eq!((again.shown().game.as_str(), again.shown().applied_rev), ("g", 1));
    assert_eq!(events(&again.handle(60, LEFT)), [] as [String; 0], "a paused clock is not pressed");
    assert_eq!(events(&again.handle(70, Sense::StartStop)), ["#4 @70 Resumed 302500/305000 W Running"]);
    assert_eq!(
        events(&again.handle(570, LEFT)),
        ["#5 @570 Press(White) 307000/305000 B Running"],
        "5 s of its control"
    );
    assert_eq!(again.shown().trouble, "");
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
    assert_eq!(lines(&core.handle(5, dial(289_000, true))), asked, "it had not");
    assert_eq!(core.directive(6, order(2, stop())).len(), 1, "sent again, it is reported again");
    assert_eq!(core.shown().applied_rev, 1);
    core.handle(7, Sense::DialDone(Ok(())));
    assert_eq!((core.shown().applied_rev, core.face().going), (2, Going::Paused));
}

#[test]
fn time_added_at_the_loss_of_power_is_not_added_twice() {
    let minute = || add(Colour::White, 60_000);
    let applied = [
        "= g#2 Applied 350000/300000 W Running",
        "#4 @5 g#2 Applied from 290000/300000 W Running 350000/300000 W Running",
    ];
    assert_eq!(lines(&struck(minute()).handle(5, dial(348_000, true))), applied);
    let asked = ["= g#2 Received 348000/300000 W Running", "? 348000/300000 W Running"];
    assert_eq!(lines(&struck(minute()).handle(5, dial(288_000, true))), asked);
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

use flagfall_rules::clock::Hand;

use super::*;
use crate::sense::Dial;

fn dial(left: i64, right: i64, turn: Place, running: bool) -> Sense {
    Sense::Dial(Dial { left: [Some(left), Some(right)], flags: [false; 2], running, turn: Some(turn) })
}

fn set(left: [i64; 2], turn: Colour, run: bool) -> Act {
    let hand = |left, moves| Hand { left: Some(left), moves, period: 0, flagged: false };
    Act::Set {
        hands: [hand(left[0], 3), hand(left[1], 2)],
        turn,
        run,
        white_place: Place::Left,
        position: AFTER_E4.to_owned(),
        words: words("Set"),
    }
}

fn over() -> Act {
    Act::Conclude { result: Some("1-0"), words: words("White wins") }
}

#[test]
fn an_own_clock_carries_out_every_directive_at_once() {
    let mut core = own("900");
    assert_eq!(
        lines(&core.directive(10, order(1, prepare("300+5")))),
        ["= g#1 Applied 305000/305000 W Idle", "#1 @10 g#1 Applied from 900000/900000 W Idle 305000/305000 W Idle"]
    );
    core.handle(1_000, RIGHT);
    let cases: &[(u64, Act, &[&str])] = &[
        (
            2_000,
            add(Colour::Black, 120_000),
            &[
                "= g#2 Applied 304000/425000 W Running",
                "#3 @2000 g#2 Applied from 304000/305000 W Running 304000/425000 W Running",
            ],
        ),
        (
            3_000,
            stop(),
            &[
                "? beep",
                "= g#3 Applied 303000/425000 W Paused",
                "#4 @3000 g#3 Applied from 303000/425000 W Running 303000/425000 W Paused",
            ],
        ),
        (
            9_000,
            set([60_000, 70_000], Colour::Black, false),
            &[
                "= g#4 Applied 60000/70000 B Paused",
                "#5 @9000 g#4 Applied from 303000/425000 W Paused 60000/70000 B Paused",
            ],
        ),
        (
            9_500,
            Act::Run { words: Words::default() },
            &[
                "= g#5 Applied 60000/70000 B Running",
                "#6 @9500 g#5 Applied from 60000/70000 B Paused 60000/70000 B Running",
            ],
        ),
        (
            10_000,
            show("Quiet, please"),
            &[
                "= g#6 Applied 60000/69500 B Running",
                "#7 @10000 g#6 Applied from 60000/69500 B Running 60000/69500 B Running",
            ],
        ),
        (
            10_500,
            over(),
            &[
                "= g#7 Applied 60000/69000 B Over",
                "#8 @10500 g#7 Applied from 60000/69000 B Running 60000/69000 B Over",
            ],
        ),
        (
            10_500,
            over(),
            &["= g#8 Applied 60000/69000 B Over", "#9 @10500 g#8 Applied from 60000/69000 B Over 60000/69000 B Over"],
        ),
    ];
    for (n, (at, act, expected)) in cases.iter().enumerate() {
        assert_eq!(lines(&core.directive(*at, order(n as u64 + 2, act.clone()))), *expected, "{act:?}");
    }
    assert_eq!(core.face().hands.map(|hand| hand.moves), [3, 2]);
    let shown = core.shown();
    assert_eq!((shown.result, shown.applied_rev, shown.words), (Some("1-0"), 8, words("White wins")));
    assert_eq!(play(&mut core, &[(11_000, LEFT), (11_000, RIGHT), (11_000, Sense::StartStop)]), []);
}

#[test]
fn words_and_position_stay_until_play_goes_on() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    assert_eq!((core.shown().words, core.shown().position.as_str()), (words("Round 1"), START));
    core.handle(1, RIGHT);
    assert_eq!((core.shown().words, core.shown().position.as_str()), (words("Round 1"), ""));
    core.handle(2, LEFT);
    assert_eq!(core.shown().words, Words::default());
}

#[test]
fn row_26_a_directive_is_refused_for_one_reason() {
    // The clock is at revision 1 with its press of White as event 3; it is 20 s after boot.
    let moment = |boot, ms| Some(Moment { boot, ms });
    let mut replaced = order(2, show("no"));
    replaced.id = "replaced".to_owned();
    let unknown = Act::Unsupported("the act is not known".to_owned());
    let nothing = Hand { left: None, moves: 0, period: 0, flagged: false };
    let blank = Act::Set {
        hands: [nothing; 2],
        turn: Colour::White,
        run: false,
        white_place: Place::Left,
        position: String::new(),
        words: Words::default(),
    };
    let ok = order(2, show("yes"));
    let cases: Vec<(Directive, Option<RejectReason>)> = vec![
        (ok.clone(), None),
        (Directive { expected_rev: 2, rev: 3, ..ok.clone() }, Some(RejectReason::Revision)),
        (Directive { expected_rev: 0, ..ok.clone() }, Some(RejectReason::Revision)),
        (Directive { rev: 1, expected_rev: 1, ..ok.clone() }, Some(RejectReason::Revision)),
        (Directive { game: "h".to_owned(), ..ok.clone() }, Some(RejectReason::Revision)),
        (order(2, unknown), Some(RejectReason::Unsupported)),
        (order(2, blank), Some(RejectReason::Unsupported)),
        (order(2, add(Colour::White, 0)), Some(RejectReason::Unsupported)),
        (Directive { not_after: moment(BOOT, 20_000), ..ok.clone() }, None),
        (Directive { not_after: moment(BOOT, 19_999), ..ok.clone() }, Some(RejectReason::Expired)),
        (Directive { not_after: moment(BOOT + 1, 99_999), ..ok.clone() }, Some(RejectReason::Expired)),
        (Directive { as_of_seq: 3, ..ok.clone() }, None),
        (Directive { as_of_seq: 2, ..ok.clone() }, Some(RejectReason::Overtaken)),
        (replaced, Some(RejectReason::Superseded)),
    ];
    let mut ready = own("300");
    let first = Directive { supersedes: vec!["replaced".to_owned()], ..order(1, prepare("300")) };
    ready.directive(0, first);
    play(&mut ready, &[(1_000, RIGHT), (2_000, LEFT)]);
    for (directive, expected) in cases {
        let mut core = ready.clone();
        let effects = core.directive(20_000, directive.clone());
        let reasons: Vec<_> = effects.iter().filter_map(reported).collect();
        let stage = if expected.is_some() { Stage::Rejected } else { Stage::Applied };
        assert_eq!(reasons, [(stage, expected)], "{directive:?}");
        // A revision that was refused is handled too, so that the one after it can follow.
        let rev = if directive.game == "g" { directive.rev.max(1) } else { 1 };
        assert_eq!(core.shown().applied_rev, rev, "{directive:?}");
    }
}

#[test]
fn a_game_that_comes_from_another_clock_is_taken_on_at_its_revision() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    play(&mut core, &[(1_000, RIGHT), (2_000, LEFT)]);
    let of = |game: &str, rev, act| Directive { id: format!("{game}#{rev}"), game: game.into(), ..order(rev, act) };
    let taken = core.directive(3_000, of("h", 9, prepare("600")));
    assert_eq!(taken.iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Applied, None)]);
    assert_eq!((core.shown().game.as_str(), core.shown().applied_rev), ("h", 9));
    let next = core.directive(3_000, of("h", 10, show("yes")));
    assert_eq!(next.iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Applied, None)]);
    // It goes to yet another clock and comes back: what was missed meanwhile was not for this one.
    let back = core.directive(4_000, of("h", 14, prepare("600")));
    assert_eq!(back.iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Applied, None)]);
    let gap = Directive { expected_rev: 17, ..of("h", 20, prepare("600")) };
    let refused = core.directive(5_000, gap);
    let revision = Some(RejectReason::Revision);
    assert_eq!(refused.iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Rejected, revision)]);
}

fn reported(effect: &Effect) -> Option<(Stage, Option<RejectReason>)> {
    match effect {
        Effect::Spool(Draft { what: What::Report(report), .. }) => Some((report.stage, report.reason)),
        _ => None,
    }
}

#[test]
fn row_09_a_number_given_twice_is_not_taken_for_the_first_one() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    core.directive(10, order(2, show("before the journal was lost")));
    let revision = Some(RejectReason::Revision);
    let other = core.directive(20, order(2, add(Colour::White, 60_000)));
    assert_eq!(other.iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Rejected, revision)]);
    assert_eq!(core.face().hand(Colour::White).left, Some(300_000));
    let again = Directive { traceparent: "00-1".to_owned(), ..order(2, show("before the journal was lost")) };
    assert_eq!(core.directive(30, again).iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Applied, None)]);
}

#[test]
fn row_27_a_press_that_races_a_correction_wins_and_the_correction_is_refused() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    play(&mut core, &[(1_000, RIGHT), (2_000, LEFT)]);
    // Drawn up from event 2, the start; the press of White is event 3.
    let late = Directive { as_of_seq: 2, ..order(2, set([60_000, 70_000], Colour::White, false)) };
    let overtaken = Some(RejectReason::Overtaken);
    assert_eq!(
        core.directive(2_500, late).iter().filter_map(reported).collect::<Vec<_>>(),
        [(Stage::Rejected, overtaken)]
    );
    assert_eq!(face(&core.face()), "299000/299500 B Running", "nothing changed but the time that passed");
    let timely = Directive { as_of_seq: 3, ..order(3, set([60_000, 70_000], Colour::White, false)) };
    assert_eq!(core.directive(2_500, timely).iter().filter_map(reported).collect::<Vec<_>>(), [(Stage::Applied, None)]);
}

#[test]
fn row_26_only_the_newest_of_what_an_offline_clock_missed_takes_effect() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    let supersedes = vec!["g#2".to_owned(), "g#3".to_owned()];
    let newest = Directive { supersedes: supersedes.clone(), ..order(4, over()) };
    assert_eq!(
        lines(&core.clone().directive(10, newest)),
        [
            "= g#2 Rejected 300000/300000 W Idle",
            "#2 @10 g#2 Rejected Superseded 300000/300000 W Idle",
            "= g#3 Rejected 300000/300000 W Idle",
            "#3 @10 g#3 Rejected Superseded 300000/300000 W Idle",
            "= g#4 Applied 300000/300000 W Over",
            "#4 @10 g#4 Applied from 300000/300000 W Idle 300000/300000 W Over",
        ]
    );
    // One that it does not replace is missing: it has to come first.
    let early = Directive { supersedes: supersedes[1..].to_vec(), ..order(4, over()) };
    let revision = Some(RejectReason::Revision);
    assert_eq!(
        core.directive(10, early).iter().filter_map(reported).collect::<Vec<_>>(),
        [(Stage::Rejected, revision)]
    );
}

#[test]
fn row_07_a_directive_sent_again_is_reported_again_and_not_applied_again() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    let more = order(2, add(Colour::White, 60_000));
    core.directive(10, more.clone());
    let again = core.directive(20, more);
    assert_eq!(lines(&again), ["#3 @20 g#2 Applied from 300000/300000 W Idle 360000/300000 W Idle"]);
}

#[test]
fn another_game_begins_at_revision_one_whatever_the_last_was_at() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    core.directive(0, order(2, over()));
    let next = Directive { id: "h#1".to_owned(), game: "h".to_owned(), ..order(1, prepare("60")) };
    core.link(LinkNews::Acked { through: 0, desired_rev: 2 });
    core.directive(1, next);
    let shown = core.shown();
    assert_eq!((shown.game.as_str(), shown.applied_rev, shown.desired_rev, shown.result), ("h", 1, 1, None));
    assert_eq!(events(&core.handle(2, RIGHT)), ["#4 @2 Started 60000/60000 W Running"]);
}

#[test]
fn a_game_the_clock_has_not_taken_on_yet_is_wanted() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    core.link(LinkNews::Up { acked: 1, game: "h".to_owned(), desired_rev: 1 });
    assert_eq!((core.shown().applied_rev, core.shown().desired_rev), (1, 2));
    core.link(LinkNews::Up { acked: 1, game: "g".to_owned(), desired_rev: 1 });
    assert_eq!((core.shown().applied_rev, core.shown().desired_rev), (1, 1));
}

#[test]
fn a_game_that_has_gone_to_another_clock_is_stopped_and_not_started_again() {
    let mut core = own("300");
    core.directive(0, order(1, prepare("300")));
    core.handle(1_000, Sense::StartStop);
    core.link(LinkNews::Up { acked: 2, game: String::new(), desired_rev: 0 });
    core.link(LinkNews::Moved("clock-2".to_owned()));
    assert_eq!(core.due(), Some(1_000), "at once");
    assert_eq!(events(&core.wake(4_000)), ["#3 @4000 Paused 297000/300000 W Paused"]);
    assert_eq!(events(&core.handle(5_000, Sense::StartStop)), [] as [String; 0]);
    assert_eq!(events(&core.handle(6_000, RIGHT)), [] as [String; 0]);
    let shown = core.shown();
    assert_eq!((shown.game.as_str(), shown.position.as_str()), ("", ""));
    assert_eq!(shown.words, ["The game goes on at clock-2", "Партия продолжается на часах clock-2"]);

    // The link that is lost brings nothing back; the next game does.
    core.link(LinkNews::Down(None));
    assert_eq!(events(&core.handle(7_000, Sense::StartStop)), [] as [String; 0]);
    let next = Directive { id: "h#1".to_owned(), game: "h".to_owned(), ..order(1, prepare("300")) };
    core.directive(8_000, next);
    assert_eq!((core.shown().game.as_str(), core.shown().words), ("h", words("Round 1")));
    assert_eq!(events(&core.handle(9_000, Sense::StartStop)), ["#5 @9000 Started 300000/300000 W Running"]);
}

/// A running external clock with a game, White to move.
fn running() -> Core {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    play(&mut core, &[(0, dial(300_000, 300_000, Place::Left, false)), (0, dial(300_000, 300_000, Place::Left, true))]);
    core
}

#[test]
fn an_external_clock_is_asked_and_only_its_answer_applies() {
    let mut core = running();
    assert_eq!(
        lines(&core.directive(1_000, order(2, stop()))),
        [
            "= g#2 Received 300000/300000 W Paused",
            "? 300000/300000 W Paused",
            "#3 @1000 g#2 Received 300000/300000 W Running",
        ]
    );
    assert_eq!(core.shown().applied_rev, 1);
    // What comes meanwhile waits, or is replaced.
    assert_eq!(core.directive(1_100, order(3, show("no"))), []);
    let newer = Directive { supersedes: vec!["g#3".to_owned()], ..order(4, set([9_000, 8_000], Colour::Black, true)) };
    assert_eq!(core.directive(1_200, newer), []);
    assert_eq!(core.handle(1_300, dial(299_000, 300_000, Place::Left, false)), [], "the echo of the stop");
    assert_eq!(
        lines(&core.handle(1_400, Sense::DialDone(Ok(())))),
        [
            "= g#2 Applied 299000/300000 W Paused",
            "#4 @1400 g#2 Applied from 300000/300000 W Running 299000/300000 W Paused",
            "= g#3 Rejected 299000/300000 W Paused",
            "#5 @1400 g#3 Rejected Superseded 299000/300000 W Paused",
            "= g#4 Received 9000/8000 B Running",
            "? 9000/8000 B Running",
            "#6 @1400 g#4 Received 299000/300000 W Paused",
        ]
    );
    let echo = [(1_500, Sense::DialDone(Ok(()))), (1_600, dial(9_000, 8_000, Place::Right, true))];
    assert_eq!(
        lines(&play(&mut core, &echo)),
        ["= g#4 Applied 9000/8000 B Running", "#7 @1500 g#4 Applied from 299000/300000 W Paused 9000/8000 B Running"]
    );
    let press = core.handle(3_000, dial(9_000, 6_000, Place::Left, true));
    assert_eq!(lines(&press), ["#8 @3000 Press(Black) 9000/6000 W Running"]);
    assert_eq!(core.face().hands.map(|hand| hand.moves), [3, 3]);
}

#[test]
fn row_28_an_external_clock_that_does_not_take_the_values_says_so() {
    let mut core = running();
    core.directive(1_000, order(2, add(Colour::Black, 60_000)));
    let refused = core.handle(2_000, Sense::DialDone(Err(NotDone::Refused("not in remote mode".to_owned()))));
    assert_eq!(
        lines(&refused),
        ["= g#2 Rejected 300000/300000 W Running", "#4 @2000 g#2 Rejected Display 300000/300000 W Running"]
    );
    let shown = core.shown();
    let text = ["the clock did not take its setting (not in remote mode)", "часы не приняли установку"];
    assert_eq!(shown.trouble, [text]);
    assert_eq!(shown.applied_rev, 2);
}

#[test]
fn the_end_of_a_game_does_not_wait_for_an_external_clock() {
    let mut core = running();
    assert_eq!(
        lines(&core.directive(1_000, order(2, over()))),
        [
            "? 300000/300000 W Over",
            "= g#2 Applied 300000/300000 W Over",
            "#3 @1000 g#2 Applied from 300000/300000 W Running 300000/300000 W Over",
        ]
    );
    assert_eq!(core.handle(2_000, dial(298_000, 300_000, Place::Left, false)), []);
    assert_eq!(core.handle(2_100, Sense::DialDone(Err(NotDone::Refused("not in remote mode".to_owned())))), []);
    assert_eq!(core.shown().trouble.len(), 1);
}

#[test]
fn what_an_external_clock_does_already_is_not_asked_of_it() {
    let mut core = external();
    core.directive(0, order(1, prepare("")));
    core.handle(0, dial(300_000, 300_000, Place::Left, false));
    assert_eq!(
        lines(&core.directive(1, order(2, stop()))),
        [
            "? beep",
            "= g#2 Applied 300000/300000 W Idle",
            "#2 @1 g#2 Applied from 300000/300000 W Idle 300000/300000 W Idle"
        ]
    );
}

#[test]
fn row_27_a_press_while_a_setting_is_on_its_way_is_one_press_and_the_clock_is_set_to_its_turn_again() {
    let minute = |core: &mut Core| core.directive(1_000, order(2, add(Colour::White, 60_000)));
    let press = dial(309_000, 300_000, Place::Right, true);
    let pressed = ["#4 @1100 Press(White) 309000/300000 B Running"];
    // 300 s, a second of thought, 10 s for the move: 309 s, and with the minute 369 s. The setting says 360 s and White to move.
    let asked = ["= g#2 Received 369000/300000 B Running", "? 369000/300000 B Running"];
    let applied = [
        "= g#2 Applied 369000/300000 B Running",
        "#5 @1500 g#2 Applied from 300000/300000 W Running 369000/300000 B Running",
    ];
    let back = dial(360_000, 300_000, Place::Left, true);
    // The clock shows what it was set to before it says that it is done, or after.
    for shown_first in [true, false] {
        let mut core = running();
        minute(&mut core);
        assert_eq!(lines(&core.handle(1_100, press.clone())), pressed);
        let done = Sense::DialDone(Ok(()));
        let (first, second) = if shown_first { (back.clone(), done) } else { (done, back.clone()) };
        let effects = play(&mut core, &[(1_200, first), (1_200, second)]);
        assert_eq!(lines(&effects), asked, "shown first: {shown_first}");
        assert!(core.busy());
        let effects = core.handle(1_500, Sense::DialDone(Ok(())));
        assert_eq!(lines(&effects), applied);
        assert_eq!(events(&core.handle(1_600, dial(369_000, 300_000, Place::Right, true))), [] as [String; 0]);
        // And the next press is told: none was lost.
        let next = core.handle(5_000, dial(369_000, 296_000, Place::Left, true));
        assert_eq!(events(&next), ["#6 @5000 Press(Black) 369000/296000 W Running"]);
    }
}

#[test]
fn row_27_a_clock_that_does_not_turn_back_after_a_press_invents_no_press() {
    let refused = || Sense::DialDone(Err(NotDone::Refused("not in remote mode".to_owned())));
    let mut core = running();
    core.directive(1_000, order(2, add(Colour::Black, 60_000)));
    let set_back = [
        (1_100, dial(309_000, 300_000, Place::Right, true)),
        (1_200, Sense::DialDone(Ok(()))),
        (1_200, dial(300_000, 360_000, Place::Left, true)),
    ];
    play(&mut core, &set_back);
    let applied = [
        "= g#2 Applied 300000/360000 B Running",
        "#5 @1500 g#2 Applied from 300000/300000 W Running 300000/360000 B Running",
    ];
    assert_eq!(
        lines(&core.handle(1_500, refused())),
        applied,
        "the minute was added, and the times are those it shows"
    );
    let told = core.shown().trouble;
    assert!(told[0][0].contains("not in remote mode"), "and the arbiter is told: {told:?}");
    // The lever shows White's turn for as long as it likes: Black pressed nothing.
    let shows = |left| dial(left, 360_000, Place::Left, true);
    assert_eq!(events(&play(&mut core, &[(2_000, shows(299_000)), (9_000, shows(292_000))])), [] as [String; 0]);
    // White presses once more, to the same end; then Black does, for the first time.
    assert_eq!(events(&core.handle(9_500, dial(301_000, 360_000, Place::Right, true))), [] as [String; 0]);
    let black = core.handle(12_000, dial(301_000, 358_000, Place::Left, true));
    assert_eq!(events(&black), ["#6 @12000 Press(Black) 301000/358000 W Running"]);
}

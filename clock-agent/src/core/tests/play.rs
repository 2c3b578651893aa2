use super::*;

#[test]
fn buttons_of_an_own_clock() {
    let mut core = own("300+5");
    let cases: &[(u64, Sense, &[&str])] = &[
        (1_000, LEFT, &[]),
        (2_000, RIGHT, &["#1 @2000 Started 305000/305000 W Running"]),
        (3_000, RIGHT, &[]),
        (12_000, LEFT, &["#2 @12000 Press(White) 300000/305000 B Running"]),
        (12_001, LEFT, &[]),
        (13_500, RIGHT, &["#3 @13500 Press(Black) 300000/308500 W Running"]),
        (14_000, Sense::StartStop, &["#4 @14000 Paused 299500/308500 W Paused"]),
        (15_000, LEFT, &[]),
        (60_000, Sense::StartStop, &["#5 @60000 Resumed 299500/308500 W Running"]),
        (60_500, LEFT, &["#6 @60500 Press(White) 304000/308500 B Running"]),
        (61_000, Sense::Call(None), &["#7 @61000 Call(None) 304000/308000 B Running"]),
        (
            61_000,
            Sense::Claim(Place::Left, crate::sense::ClaimKind::Draw),
            &["#8 @61000 Claim(White, Draw) 304000/308000 B Running"],
        ),
    ];
    for (at, sense, expected) in cases {
        assert_eq!(events(&core.handle(*at, sense.clone())), *expected, "{sense:?} at {at}");
    }
    assert_eq!(core.face().hands.map(|hand| hand.moves), [2, 1]);
    assert_eq!(core.shown().taken, 12);
}

#[test]
fn start_stop_starts_white_too_and_a_clock_without_a_control_does_nothing() {
    let started = own("60").handle(5, Sense::StartStop);
    assert_eq!(lines(&started), ["#1 @5 Started 60000/60000 W Running"]);
    let mut bare = own("");
    assert_eq!(play(&mut bare, &[(1, RIGHT), (2, Sense::StartStop)]), []);
    assert_eq!(bare.due(), None);
}

#[test]
fn an_own_clock_has_no_dial_and_an_external_one_no_buttons() {
    let dial = crate::sense::Dial { left: [Some(1), Some(1)], flags: [true; 2], running: true, turn: None };
    assert_eq!(own("60").handle(1, Sense::Dial(dial)), []);
    assert_eq!(play(&mut external(), &[(1, RIGHT), (2, Sense::StartStop), (3, Sense::DialDone(Ok(())))]), []);
}

#[test]
fn a_flag_falls_at_its_millisecond_and_before_a_press_in_it() {
    let mut core = own("60");
    core.handle(1_000, RIGHT);
    assert_eq!(core.handle(1_999, Sense::Tick), []);
    let late = core.handle(61_000, LEFT);
    let expected = ["#2 @61000 Flag(White) 0!/60000 W Running", "#3 @61000 Press(White) 0!/60000 B Running"];
    assert_eq!(events(&late), expected);
    assert_eq!(core.face().first_flag, Some(Colour::White));
    let mut core = own("60");
    core.handle(1_000, RIGHT);
    assert_eq!(events(&core.handle(60_999, LEFT)), ["#2 @60999 Press(White) 1/60000 B Running"]);
}

#[test]
fn a_board_is_told_before_the_events_it_explains() {
    let mut core = own("300");
    let script = [
        (0, board(START)),
        (2_000, RIGHT),
        (5_000, board(AFTER_E4)),
        (5_100, LEFT),
        (5_100, Sense::StartStop),
        (9_000, Sense::Tick),
    ];
    let start = format!("Scan(Scan({START}))");
    let e4 = format!("Scan(Scan({AFTER_E4}))");
    let expected = [
        format!("#1 @250 {start} 300000/300000 W Idle"),
        "#2 @1000 Quiet { since: 0 } 300000/300000 W Idle".to_owned(),
        "#3 @2000 Started 300000/300000 W Running".to_owned(),
        format!("#4 @5100 {e4} 296900/300000 W Running"),
        "#5 @5100 Press(White) 296900/300000 B Running".to_owned(),
        "#6 @5100 Paused 296900/300000 B Paused".to_owned(),
        "#7 @6100 Quiet { since: 5000 } 296900/300000 B Paused".to_owned(),
    ];
    assert_eq!(events(&play(&mut core, &script)), expected);
}

#[test]
fn a_held_board_is_told_with_the_face_before_the_flag() {
    let mut core = own("10");
    core.handle(0, RIGHT);
    let effects = play(&mut core, &[(9_900, board(AFTER_E4)), (20_000, Sense::Tick)]);
    let e4 = format!("#2 @9999 Scan(Scan({AFTER_E4})) 1/10000 W Running");
    let flag = "#3 @10000 Flag(White) 0!/10000 W Running".to_owned();
    let quiet = "#4 @10900 Quiet { since: 9900 } 0!/10000 W Running".to_owned();
    assert_eq!(events(&effects), [e4, flag, quiet]);
}

#[test]
fn time_in_one_step_or_in_many_gives_the_same_events() {
    let script = [(0, board(START)), (1_500, RIGHT), (4_000, board(AFTER_E4)), (9_000, LEFT), (90_000, Sense::Tick)];
    let control = "4/20d3:10@zero";
    let sparse = events(&play(&mut own(control), &script));
    let mut core = own(control);
    let mut dense = Vec::new();
    for (at, sense) in script {
        for tick in core.now()..at {
            dense.extend(core.wake(tick));
        }
        dense.extend(core.handle(at, sense));
    }
    assert_eq!(events(&dense), sparse);
    assert_eq!(sparse.last().map(String::as_str), Some("#8 @42000 Flag(Black) 15500/0! B Running"));
}

#[test]
fn waking_only_when_due_misses_nothing() {
    let mut core = own("5");
    let mut seen: Vec<String> = lines(&play(&mut core, &[(0, board(START)), (100, RIGHT)])).into_iter().collect();
    // The board is told before the start: it is what the game begins with.
    assert_eq!(
        seen,
        [format!("#1 @100 Scan(Scan({START})) 5000/5000 W Idle"), "#2 @100 Started 5000/5000 W Running".into()]
    );
    seen.clear();
    while let Some(due) = core.due().filter(|&due| due < 20_000) {
        let effects = core.wake(due);
        assert!(!effects.is_empty(), "woken at {due} for nothing");
        seen.extend(lines(&effects));
    }
    let expected = [
        "#3 @1000 Quiet { since: 0 } 4100/5000 W Running".to_owned(),
        "~ @2000 3100/5000 W Running".to_owned(),
        "~ @3000 2100/5000 W Running".to_owned(),
        "~ @4000 1100/5000 W Running".to_owned(),
        "~ @5000 100/5000 W Running".to_owned(),
        "#4 @5100 Flag(White) 0!/5000 W Running".to_owned(),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn an_instant_before_one_already_seen_counts_as_that_one() {
    let mut core = own("300");
    core.handle(5_000, RIGHT);
    assert_eq!(events(&core.handle(4_000, LEFT)), ["#2 @5000 Press(White) 300000/300000 B Running"]);
}

#[test]
fn a_fault_is_told_once_and_shown_until_it_is_right_again() {
    use FaultKind::{BoardBack, BoardLost, Garbled};
    let mut core = own("300");
    let fault = |kind| Sense::Fault(kind, String::new());
    let script = [(1, fault(BoardLost)), (2, fault(BoardLost)), (3, fault(Garbled)), (4, fault(Garbled))];
    let told = events(&play(&mut core, &script));
    assert_eq!(told, ["#1 @1 BoardLost 300000/300000 W Idle", "#2 @3 Garbled 300000/300000 W Idle"]);
    let shown: Vec<String> = core.shown().trouble.into_iter().flatten().collect();
    let expected = [
        "check the board's cable: it sends garbled bytes",
        "проверьте кабель доски: на линии помехи",
        "check the board's cable: it does not answer",
        "проверьте кабель доски: она не отвечает",
    ];
    assert_eq!(shown, expected, "newest first");
    play(&mut core, &[(5, fault(BoardBack)), (6, board(START))]);
    assert_eq!(core.shown().trouble, [] as [Words; 0]);
}

#[test]
fn a_board_that_no_longer_answers_is_not_called_quiet() {
    let mut core = own("300");
    core.board_answers();
    let asked = |effects: &[Effect]| lines(effects).iter().filter(|line| *line == "? board").count();
    let begun = play(&mut core, &[(0, board(START)), (1_500, RIGHT), (2_000, Sense::Tick)]);
    assert_eq!((asked(&begun), events(&begun).len()), (1, 2), "{:?}", lines(&begun));
    let quiet = events(&play(&mut core, &[(2_100, board(START)), (2_101, Sense::Tick)]));
    assert!(quiet[0].starts_with("#3 @2100 Quiet { since: 0 }"), "{quiet:?}");
    // The cable is dead, and nobody knows it yet: a move is made and pressed.
    let told = play(&mut core, &[(5_000, LEFT), (14_000, Sense::Tick)]);
    assert_eq!((asked(&told), events(&told)), (1, vec!["#4 @5000 Press(White) 296500/300000 B Running".to_owned()]));
    // It answers after all, with the move.
    let script = [(15_000, board(AFTER_E4)), (16_100, board(AFTER_E4)), (16_101, Sense::Tick)];
    let late = events(&play(&mut core, &script));
    assert!(
        late[0].starts_with("#5 @15250 Scan") && late[1].starts_with("#6 @16100 Quiet { since: 15000 }"),
        "{late:?}"
    );
}

#[test]
fn a_press_that_no_board_saw_is_followed_by_no_quiet() {
    for fault in [FaultKind::BoardLost, FaultKind::Garbled] {
        let mut core = own("300");
        play(&mut core, &[(0, board(START)), (1_000, RIGHT)]);
        let told = play(
            &mut core,
            &[
                (10_000, board(AFTER_E4)),
                (10_100, Sense::Fault(fault, "cable".into())),
                (12_000, LEFT),
                (40_000, Sense::Tick),
            ],
        );
        // What was seen before the loss is told, and nothing is said of the board after it.
        let (seen, lost) = (events(&told), format!("#5 @10100 {fault:?} 290900/300000 W Running"));
        assert!(seen[0].starts_with("#4 @10100 Scan"), "{seen:?}");
        assert_eq!(seen[1..], [&lost, "#6 @12000 Press(White) 289000/300000 B Running"]);
        // It is read again: told though it is as before, and then it stands still.
        let back = events(&play(&mut core, &[(50_000, board(AFTER_E4)), (60_000, Sense::Tick)]));
        assert!(back[0].starts_with("#7 @50250 Scan") && back[1].starts_with("#8 @51000 Quiet"), "{back:?}");
        assert_eq!(back.len(), 2);
    }
}

use super::*;

const LEFT: Option<Place> = Some(Place::Left);
const RIGHT: Option<Place> = Some(Place::Right);

/// A frame: whole seconds left and right, whose turn, running.
fn dial(left: Millis, right: Millis, turn: Option<Place>, running: bool) -> Dial {
    Dial { left: [Some(left * SECOND), Some(right * SECOND)], flags: [false; 2], running, turn }
}

fn flagged(mut dial: Dial, at: usize) -> Dial {
    dial.flags[at] = true;
    dial
}

/// White sits on the left.
fn clock() -> External {
    External::new(Face::unknown(Place::Left))
}

fn said(told: Vec<(What, Face)>) -> Vec<What> {
    told.into_iter().map(|(what, _)| what).collect()
}

#[test]
fn a_game_as_a_dgt_board_reports_it() {
    use What::{Flag, Paused, Press, Resumed, Started};
    let (white, black) = (Colour::White, Colour::Black);
    let cases: &[(Dial, &[What])] = &[
        // Set up by hand before the game, then started, then one frame a second.
        (dial(0, 0, None, false), &[]),
        (dial(300, 300, LEFT, false), &[]),
        (dial(300, 300, LEFT, true), &[Started]),
        (dial(299, 300, LEFT, true), &[]),
        (dial(299, 300, LEFT, true), &[]),
        // 5+5: the press shows the increment at once.
        (dial(304, 300, RIGHT, true), &[Press(white)]),
        (dial(304, 290, RIGHT, true), &[]),
        (dial(304, 295, LEFT, true), &[Press(black)]),
        // Stopped by hand; the lever is moved; started again for the other side: no press.
        (dial(304, 295, LEFT, false), &[Paused]),
        (dial(304, 295, RIGHT, false), &[]),
        (dial(304, 294, RIGHT, true), &[Resumed]),
        // A reading is lost and comes back.
        (Dial { left: [Some(304_000), None], flags: [false; 2], running: true, turn: RIGHT }, &[]),
        // The flag, in one frame with the stop and a lever that has moved: a flag, a pause, no press.
        (flagged(dial(304, 0, LEFT, false), 1), &[Flag(black), Paused]),
        (flagged(dial(304, 0, LEFT, false), 1), &[]),
        (flagged(dial(304, 0, RIGHT, false), 1), &[]),
    ];
    let mut clock = clock();
    for (n, (dial, expected)) in cases.iter().enumerate() {
        assert_eq!(said(clock.read(*dial)), *expected, "frame {n}");
    }
    let face = clock.face();
    assert_eq!((face.hands[0].moves, face.hands[1].moves), (1, 1));
    assert_eq!((face.first_flag, face.going, face.hands[1].flagged), (Some(black), Going::Paused, true));
}

#[test]
fn a_flag_stands_before_the_pause_and_each_has_its_own_face() {
    let mut clock = clock();
    clock.read(dial(5, 9, LEFT, true));
    let told = clock.read(flagged(dial(0, 9, LEFT, false), 0));
    let faces: Vec<_> = told.iter().map(|(what, face)| (what.clone(), face.going, face.first_flag)).collect();
    let (white, first) = (Colour::White, Some(Colour::White));
    assert_eq!(faces, [(What::Flag(white), Going::Running, first), (What::Paused, Going::Paused, first)]);
}

#[test]
fn colours_follow_the_place_of_white() {
    let mut clock = External::new(Face::unknown(Place::Right));
    clock.read(dial(60, 70, RIGHT, true));
    assert_eq!(said(clock.read(dial(60, 69, LEFT, true))), [What::Press(Colour::White)]);
    assert_eq!(clock.face().hand(Colour::White).left, Some(69_000));
}

#[test]
fn a_clock_read_again_after_a_restart_completes_the_press_that_was_lost() {
    let running = Face { going: Going::Running, ..Face::unknown(Place::Left) };
    let mut clock = External::new(running);
    assert_eq!(said(clock.read(dial(60, 70, RIGHT, true))), [What::Press(Colour::White)]);
}

/// A paused clock that is set to these values.
fn wanted(left: Millis, right: Millis, turn: Colour, going: Going) -> Face {
    Face {
        hands: [Hand::fresh(Some(left * SECOND)), Hand::fresh(Some(right * SECOND))],
        turn,
        going,
        ..Face::unknown(Place::Left)
    }
}

#[test]
fn what_was_set_comes_back_as_nothing() {
    let mut clock = clock();
    clock.read(dial(60, 70, LEFT, true));
    clock.read(dial(50, 70, RIGHT, true));
    clock.read(dial(50, 69, RIGHT, false));
    let set = wanted(52, 190, Colour::White, Going::Running);
    clock.setting(set, Colour::Black);
    // It shows the setting before it says that it is done, by way of a stop.
    assert_eq!(said(clock.read(dial(52, 190, RIGHT, false))), []);
    clock.set(100, set);
    assert_eq!(clock.due(), Some(2_100));
    assert_eq!(said(clock.read(dial(52, 190, LEFT, true))), []);
    assert_eq!(clock.due(), None, "the echo has come");
    assert_eq!(said(clock.read(dial(48, 190, RIGHT, true))), [What::Press(Colour::White)]);
}

#[test]
fn a_press_while_time_is_added_is_a_press() {
    let mut clock = clock();
    clock.read(dial(60, 70, LEFT, true));
    clock.setting(wanted(60, 130, Colour::White, Going::Running), Colour::White);
    assert_eq!(said(clock.read(dial(58, 70, RIGHT, true))), [What::Press(Colour::White)]);
    let mut after = clock.face();
    after.hand_mut(Colour::Black).left = Some(130_000);
    clock.set(1_000, after);
    assert_eq!(said(clock.read(dial(58, 129, RIGHT, true))), []);
    assert_eq!(said(clock.read(dial(58, 127, LEFT, true))), [What::Press(Colour::Black)]);
}

/// A clock that adds the next period at zero shows a flag beside its time, and it may stay there until the last time runs out.
#[test]
fn a_flag_beside_another_periods_time_falls_again() {
    let mut clock = clock();
    clock.read(dial(2, 900, LEFT, true));
    assert_eq!(said(clock.read(flagged(dial(3_600, 900, LEFT, true), 0))), [What::Flag(Colour::White)]);
    assert_eq!(clock.face().first_flag, None, "no flag is down");
    assert_eq!(said(clock.read(flagged(dial(3_599, 900, LEFT, true), 0))), []);
    assert_eq!(said(clock.read(flagged(dial(1, 900, LEFT, true), 0))), []);
    assert_eq!(said(clock.read(flagged(dial(0, 900, LEFT, true), 0))), [What::Flag(Colour::White)]);
    assert_eq!(said(clock.read(flagged(dial(0, 900, LEFT, true), 0))), []);
    assert_eq!(clock.face().first_flag, Some(Colour::White));
}

#[test]
fn a_clock_that_never_shows_what_was_set_is_read_as_it_is() {
    let mut clock = clock();
    clock.read(dial(60, 70, LEFT, true));
    clock.read(dial(60, 70, LEFT, false));
    let set = wanted(60, 70, Colour::White, Going::Running);
    clock.setting(set, Colour::White);
    clock.set(0, set);
    assert_eq!(said(clock.read(dial(60, 69, RIGHT, false))), []);
    assert_eq!(said(clock.expire(false)), [What::Paused]);
    assert_eq!(clock.face().turn, Colour::Black);
}

#[test]
fn when_the_game_is_over_frames_mean_nothing_until_another_begins() {
    let mut clock = clock();
    clock.read(dial(60, 70, LEFT, true));
    clock.conclude();
    assert_eq!(said(clock.read(flagged(dial(0, 70, LEFT, true), 0))), []);
    assert_eq!(clock.face().hand(Colour::White).left, Some(60_000), "the readings of the end stand");
    clock.prepare(Place::Left, None);
    assert_eq!(clock.face().going, Going::Idle);
    assert_eq!(said(clock.read(dial(300, 300, LEFT, false))), []);
    assert_eq!(said(clock.read(dial(300, 300, LEFT, true))), [What::Started]);
}

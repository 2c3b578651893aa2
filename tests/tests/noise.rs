//! Detection is neither deaf nor jumpy, on a small run; `cargo run --release -p flagfall-tests --bin noise` makes a large one.

use flagfall_rules::game::Irregularity;
use flagfall_tests::noise::{Hands, Rates};

#[test]
fn legal_play_on_a_noisy_board_raises_no_case_and_is_followed_move_for_move() {
    for seed in 0..40 {
        let outcome = Hands::sit(seed, Rates::default()).game(100, None);
        assert_eq!(outcome.cases, Vec::<String>::new(), "seed {seed}");
        assert!(outcome.same, "seed {seed}: {}", outcome.note);
    }
}

#[test]
fn irregularities_among_noise_are_found_and_named() {
    for kind in [Irregularity::IllegalMove, Irregularity::PressWithoutMove, Irregularity::PawnLeft] {
        let outcomes = (0..60).map(|seed| Hands::sit(seed, Rates::default()).game(100, Some(kind)));
        let injected: Vec<_> = outcomes.filter(|outcome| outcome.injected).collect();
        let first: Vec<bool> =
            injected.iter().filter_map(|o| o.cases.first()).map(|case| case.starts_with(kind.name())).collect();
        assert!(first.iter().all(|&named| named), "{} was given another name", kind.name());
        // A man that goes unseen at the very press can hide the fault; the desk is then told that the board differs.
        assert!(first.len() * 100 >= injected.len() * 95, "{}: {} of {}", kind.name(), first.len(), injected.len());
        assert!(injected.len() > 40, "{}: {}", kind.name(), injected.len());
    }
}

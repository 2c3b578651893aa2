//! How jumpy and how deaf the detection is: legal play with the noise of real boards, and irregularities among it.
//!
//! `cargo run --release -p flagfall-tests --bin noise -- --plies 100000 [--seed 1]`
//!
//! A seeded player plays random legal games on a noisy board: slides, adjustments, flicker, late settling, presses before
//! the board is read, fast replies, knocked men put back. Nothing of that is an irregularity, so every case the rules open is a
//! false alarm. Then the same with irregularities injected: found, misnamed or missed.

use flagfall_rules::game::Irregularity;
use flagfall_tests::noise::{Hands, Rates};

fn main() {
    let mut plies = 20_000u64;
    let mut seed = 1u64;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().and_then(|v| v.parse().ok());
        match (argument.as_str(), value) {
            ("--plies", Some(n)) => plies = n,
            ("--seed", Some(n)) => seed = n,
            _ => {
                eprintln!("usage: noise [--plies N] [--seed N]");
                std::process::exit(2);
            }
        }
    }
    let (mut played, mut games, mut alarms, mut wrong, mut lost) = (0, 0, 0, 0, 0);
    while played < plies {
        let mut hands = Hands::sit(seed + games, Rates::default());
        let outcome = hands.game(120, None);
        played += outcome.plies;
        games += 1;
        alarms += outcome.cases.len();
        wrong += u64::from(!outcome.same);
        lost += u64::from(outcome.lost);
        for case in &outcome.cases {
            println!("false alarm: game {} {case}", seed + games - 1);
        }
        if !outcome.same {
            println!("score differs: game {}: {}", seed + games - 1, outcome.note);
        }
    }
    println!("legal play: {played} plies in {games} games, {alarms} false alarms, {wrong} scores wrong, {lost} lost");
    for kind in
        [Irregularity::IllegalMove, Irregularity::PressWithoutMove, Irregularity::PawnLeft, Irregularity::Displaced]
    {
        let (mut found, mut misnamed, mut missed, mut tried) = (0, 0, 0, 0);
        for n in 0..400 {
            let mut hands = Hands::sit(seed + n, Rates::default());
            let outcome = hands.game(120, Some(kind));
            if !outcome.injected {
                continue;
            }
            tried += 1;
            match outcome.cases.first() {
                Some(case) if case.starts_with(kind.name()) => found += 1,
                Some(case) => {
                    misnamed += 1;
                    println!("misnamed: {} game {} as {case} {}", kind.name(), seed + n, outcome.note);
                }
                None => {
                    missed += 1;
                    println!("missed: {} game {} {}", kind.name(), seed + n, outcome.note);
                }
            }
        }
        println!("{}: {tried} injected, {found} found, {misnamed} misnamed, {missed} missed", kind.name());
    }
}

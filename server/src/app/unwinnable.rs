//! `flagfall unwinnable`: can this side still mate? A FEN a line in, a verdict a line out.

use std::{
    fmt::Write as _,
    io::{BufRead, Write},
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use flagfall_rules::{
    clock::Colour,
    unwinnable::{self, Answer, Verdict},
};
use serde_json::json;
use shakmaty::{CastlingMode, Chess, Position, PositionError, fen::Fen, san::SanPlus};

/// Arguments of `flagfall unwinnable`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Who would have to mate: white or black; without it, the side that has just moved. A word behind the FEN goes before.
    #[arg(long, value_parser = colour)]
    pub winner: Option<Colour>,
    /// Positions looked at in one question at most.
    #[arg(long, default_value_t = 10_000_000, value_name = "NODES")]
    pub budget: u64,
    /// The quick stage alone.
    #[arg(long)]
    pub quick: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// At the end, to standard error: how many of each verdict, and mean, p99 and worst time.
    #[arg(long)]
    pub summary: bool,
}

/// What was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines that are no position.
    pub malformed: u64,
    /// The side can mate.
    pub winnable: u64,
    /// It cannot.
    pub unwinnable: u64,
    /// The budget ended first.
    pub undetermined: u64,
}

fn colour(text: &str) -> Result<Colour, &'static str> {
    match text {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err("expected white or black"),
    }
}

/// Answers every line. A malformed one gets a line of its own and the others go on.
///
/// # Errors
/// The input ends in an error, or nobody reads the answers.
pub fn run(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> std::io::Result<Summary> {
    let (mut summary, mut times) = (Summary::default(), Vec::new());
    for line in input.lines() {
        let line = line?;
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        match question(text, args.winner) {
            None => {
                summary.malformed += 1;
                writeln!(out, "{}", malformed(text, args.json))?;
            }
            Some((position, side)) => {
                let begun = Instant::now();
                let answer = answer(&position, side, args);
                let took = begun.elapsed();
                times.push(took);
                match answer.verdict {
                    Verdict::Winnable(_) => summary.winnable += 1,
                    Verdict::Unwinnable(_) => summary.unwinnable += 1,
                    Verdict::Undetermined => summary.undetermined += 1,
                }
                writeln!(out, "{}", said(text, &position, side, &answer, took, args.json))?;
            }
        }
    }
    out.flush()?;
    if args.summary {
        eprintln!("{}", told(summary, &mut times));
    }
    Ok(summary)
}

/// The position and who would have to mate.
fn question(text: &str, winner: Option<Colour>) -> Option<(Chess, Colour)> {
    let (fen, named) = match text.rsplit_once(' ') {
        Some((fen, word)) if colour(word).is_ok() => (fen, colour(word).ok()),
        _ => (text, None),
    };
    let position = lenient(fen)?;
    let moved = Colour::from(position.turn()).other();
    Some((position, named.or(winner).unwrap_or(moved)))
}

/// Any position in which the question makes sense: composed ones may have more men than a game can, or a check that no move
/// gives.
fn lenient(fen: &str) -> Option<Chess> {
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?;
    let position = setup.into_position(CastlingMode::Standard);
    position
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}

fn answer(position: &Chess, side: Colour, args: &Args) -> Answer {
    if args.quick {
        Answer { verdict: unwinnable::quick(position, side), nodes: 0 }
    } else {
        unwinnable::examine(position, side, args.budget, &mut || true)
    }
}

fn malformed(text: &str, machine: bool) -> String {
    const WHY: &str = "no legal position in FEN, perhaps followed by white or black";
    if machine { json!({ "input": text, "error": WHY }).to_string() } else { format!("error: {text:?}: {WHY}") }
}

fn said(text: &str, position: &Chess, side: Colour, answer: &Answer, took: Duration, machine: bool) -> String {
    let (verdict, why) = match &answer.verdict {
        Verdict::Winnable(line) => ("winnable", san(position, line)),
        Verdict::Unwinnable(reason) => ("unwinnable", reason.name().to_owned()),
        Verdict::Undetermined => ("undetermined", String::new()),
    };
    let (nodes, us) = (answer.nodes, took.as_micros() as u64);
    if machine {
        return json!({ "input": text, "side": side.name(), "verdict": verdict, "nodes": nodes, "us": us, "why": why })
            .to_string();
    }
    format!("{verdict} {nodes} {us} {why}").trim_end().to_owned()
}

fn san(position: &Chess, line: &[shakmaty::Move]) -> String {
    let mut board = position.clone();
    let mut out = String::new();
    for &m in line {
        let gap = if out.is_empty() { "" } else { " " };
        let _ = write!(out, "{gap}{}", SanPlus::from_move_and_play_unchecked(&mut board, m));
    }
    out
}

fn told(summary: Summary, times: &mut [Duration]) -> String {
    times.sort_unstable();
    let Summary { malformed, winnable, unwinnable, undetermined } = summary;
    let mean = times.iter().sum::<Duration>().checked_div(times.len() as u32).unwrap_or_default();
    let p99 = times.get((times.len() * 99 / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default();
    let worst = times.last().copied().unwrap_or_default();
    format!(
        "{winnable} winnable, {unwinnable} unwinnable, {undetermined} undetermined, {malformed} malformed; \
         mean {mean:?}, p99 {p99:?}, worst {worst:?}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_answer_and_a_malformed_one_stops_nobody() {
        let args = Args { winner: None, budget: 100_000, quick: false, json: false, summary: false };
        let lines = "7k/6Q1/8/8/8/8/5q2/7K b - -\nnonsense\n# a remark\n\n4k3/8/8/8/8/8/8/K6R b - - 0 1\n\
                     4k3/8/8/8/8/8/8/K6R b - - 0 1 black\n7k/5Q2/6K1/8/8/8/8/8 w - - 0 1 white\n";
        let mut out = Vec::new();
        let summary = run(&args, &mut lines.as_bytes(), &mut out).expect("a vector takes everything");
        let out = String::from_utf8(out).expect("text");
        let said: Vec<&str> = out.lines().collect();
        assert!(said[0].starts_with("unwinnable"), "only Kxg7, and that is stalemate: {}", said[0]);
        assert!(said[1].starts_with("error: \"nonsense\""), "{}", said[1]);
        assert!(said[2].starts_with("winnable") && said[2].ends_with('#'), "White has just moved: {}", said[2]);
        assert!(said[3].starts_with("unwinnable 0") && said[3].ends_with("material"), "{}", said[3]);
        assert!(said[4].ends_with('#'), "{}", said[4]);
        assert_eq!(summary, Summary { malformed: 1, winnable: 2, unwinnable: 2, undetermined: 0 });
    }
}

//! `flagfall trace`: the last presses and rulings of a board in the terminal, each as a waterfall.

use std::io::{self, Write};

use serde::Serialize;

use crate::ops::{
    fetch::{FetchError, fetch},
    http::{Line, Shown, Summary},
};

/// How wide the bars are, in characters.
const BARS: usize = 32;

/// Arguments of `trace`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A board, clock or game, or the 32 digits of one trace.
    #[arg(value_name = "BOARD")]
    pub board: String,
    /// How many of the latest.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub last: u16,
    /// One JSON object a trace.
    #[arg(long)]
    pub json: bool,
    /// Where the service answers operators: `listen.ops` of its settings.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7703", env = "FLAGDESK_OPS")]
    pub ops: String,
}

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The service does not answer.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// It answers something else.
    #[error("{0}: what answers there is no Flagfall of this version")]
    Answer(#[from] serde_json::Error),
    /// It remembers nothing of it.
    #[error("{0}: nothing came in since the service was started, or it has been pushed out by later presses")]
    Nothing(String),
    /// What is shown cannot be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// A trace with the input it was found by.
#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    shown: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Summary>,
}

/// Shows them, the latest first.
///
/// # Errors
/// There is nothing to show.
pub async fn run(args: &Args, to: &mut impl Write) -> Result<(), TraceError> {
    let asked = flagfall_trace::context::parse_trace(&args.board);
    let inputs: Vec<Option<Summary>> = match asked {
        Ok(_) => vec![None],
        Err(_) => {
            // Names consist of letters that need no quoting in an address; what does not is nobody's name.
            let plain = args.board.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
            let board = if plain { args.board.as_str() } else { "" };
            if board.is_empty() {
                return Err(TraceError::Nothing(args.board.clone()));
            }
            let page = fetch(&args.ops, &format!("/traces.json?board={board}&last={}", args.last)).await?;
            let mut inputs: Vec<Summary> = serde_json::from_str(&page)?;
            // A report stands in the trace of the press that led to it: that one is shown once.
            let mut seen = std::collections::HashSet::new();
            inputs.retain(|input| seen.insert(input.trace_id.clone()));
            inputs.into_iter().map(Some).collect()
        }
    };
    if inputs.is_empty() {
        return Err(TraceError::Nothing(args.board.clone()));
    }
    for input in inputs {
        let trace_id = input.as_ref().map_or(args.board.as_str(), |input| &input.trace_id);
        let shown: Shown = serde_json::from_str(&fetch(&args.ops, &format!("/traces/{trace_id}.json")).await?)?;
        let found = Found { shown, input };
        match args.json {
            true => writeln!(to, "{}", serde_json::to_string(&found)?)?,
            false => draw(&found, to)?,
        }
    }
    Ok(())
}

fn draw(found: &Found, to: &mut impl Write) -> io::Result<()> {
    let Found { shown, input } = found;
    write!(to, "{}  {}  {:.1} ms", shown.trace_id, shown.start, shown.took_ms)?;
    if let Some(Summary { board, game, event, verdict, article, .. }) = input {
        write!(to, "  board {board}, game {game}, {event}")?;
        for said in [verdict, article].into_iter().filter(|text| !text.is_empty()) {
            write!(to, ", {said}")?;
        }
    }
    writeln!(to)?;
    for line in &shown.spans {
        let Line { name, depth, after_ms, took_ms, attributes, error, .. } = line;
        let label = format!("{}{name}", "  ".repeat(*depth));
        let said =
            ["flagfall.article", "flagfall.edition", "flagfall.verdict", "flagfall.act", "db.operation.batch.size"];
        let said = said.iter().filter_map(|key| attributes.get(*key)).cloned().collect::<Vec<_>>().join(" ");
        writeln!(to, "  {label:<24} {} {after_ms:>10.3} +{took_ms:<9.3} {said} {error}", bar(line, shown.took_ms))?;
    }
    writeln!(to)
}

fn bar(line: &Line, whole: f64) -> String {
    let at = |ms: f64| if whole > 0.0 { (ms / whole * BARS as f64) as usize } else { 0 };
    let start = at(line.after_ms).min(BARS - 1);
    let length = at(line.took_ms).clamp(1, BARS - start);
    format!("{}{}{}", "·".repeat(start), "█".repeat(length), "·".repeat(BARS - start - length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(after_ms: f64, took_ms: f64) -> Line {
        Line {
            name: "rule".to_owned(),
            span_id: String::new(),
            parent_span_id: String::new(),
            depth: 0,
            after_ms,
            took_ms,
            attributes: Default::default(),
            session: String::new(),
            error: String::new(),
        }
    }

    #[test]
    fn a_bar_is_as_wide_as_all_others_and_never_invisible() {
        for (after, took, expected) in
            [(0.0, 32.0, (0, 32)), (16.0, 8.0, (16, 8)), (32.0, 0.0, (31, 1)), (31.5, 9.0, (31, 1))]
        {
            let bar = bar(&line(after, took), 32.0);
            let start = bar.chars().take_while(|c| *c == '·').count();
            let full = bar.chars().filter(|c| *c == '█').count();
            assert_eq!((start, full, bar.chars().count()), (expected.0, expected.1, BARS), "{after} {took}");
        }
        assert_eq!(bar(&line(0.0, 0.0), 0.0).chars().count(), BARS);
    }
}

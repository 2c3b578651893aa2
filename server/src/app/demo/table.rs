//! What the audience reads: a live table while the games run, and the list of rulings afterwards.

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, time::Duration};

use flagfall_proto::clock::v1::{Face, Going, Hand};
use serde_json::{Value, json};

use super::board::{Board, Shown};

type Boards = BTreeMap<String, Board>;

/// Draws the table over itself on a terminal, and nothing elsewhere.
pub struct Painter {
    live: bool,
    lines: usize,
}

impl Painter {
    /// A painter; `live` when somebody watches.
    #[must_use]
    pub fn new(live: bool) -> Painter {
        Painter { live, lines: 0 }
    }

    /// Draws the table where it stood before.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn paint(&mut self, boards: &Boards) -> std::io::Result<()> {
        if !self.live {
            return Ok(());
        }
        let text = live(boards);
        let mut out = std::io::stderr().lock();
        if self.lines > 0 {
            write!(out, "\x1b[{}A", self.lines)?;
        }
        for line in text.lines() {
            writeln!(out, "{line}\x1b[K")?;
        }
        self.lines = text.lines().count();
        out.flush()
    }

    /// Takes the table away: the report begins with it as it stands at the end.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn clear(&mut self) -> std::io::Result<()> {
        if self.lines == 0 {
            return Ok(());
        }
        write!(std::io::stderr(), "\x1b[{}A\x1b[J", std::mem::take(&mut self.lines))
    }
}

/// The table: a line a board.
#[must_use]
pub fn live(boards: &Boards) -> String {
    let mut out = String::from("board     ply  last   white            black            state\n");
    for (name, board) in boards {
        let [white, black] = hands(&board.face);
        let mark =
            |colour: i32| if board.face.turn == colour && board.face.going() == Going::Running { "▶" } else { " " };
        let _ = writeln!(
            out,
            "{name} {:>4}  {:6} {}{:9} {:>3}    {}{:9} {:>3}    {}",
            board.plies,
            board.last,
            mark(1),
            time(&white),
            white.moves,
            mark(2),
            time(&black),
            black.moves,
            state(board)
        );
    }
    out
}

fn state(board: &Board) -> String {
    if let Some((result, why)) = &board.result {
        return format!("{result} {}", why.replace('_', " "));
    }
    match board.cases.iter().rev().find(|case| case.confirmed.is_none() && case.ruling.is_empty()) {
        Some(case) => format!("! {} {}", case.article, case.kind.replace('_', " ")),
        None if board.face.going() == Going::Paused => "paused".to_owned(),
        None => String::new(),
    }
}

/// The list of rulings.
#[must_use]
pub fn rulings(boards: &Boards, took: Duration) -> String {
    let mut out = String::from("Rulings\n");
    for (name, case) in cases(boards) {
        let _ = writeln!(
            out,
            "{name}  ply {:>3}  {}  {}  {} ({})",
            case.ply,
            case.article,
            case.kind.replace('_', " "),
            case.seen,
            case.by
        );
        let ruled = if case.ruled_by == case.article { String::new() } else { format!("{}: ", case.ruled_by) };
        let _ = writeln!(out, "          {ruled}{} (by {})", case.ruling, case.actor);
        let confirmed = match (case.after, case.confirmed) {
            (Some(after), Some(took)) => {
                format!("{} → {}  on the display after {} ms", face(&case.before), face(&after), took.as_millis())
            }
            _ => format!("{}  nothing to set", face(&case.before)),
        };
        let _ = writeln!(out, "          {confirmed}");
    }
    for (name, board) in boards {
        for alarm in &board.alarms {
            let _ = writeln!(out, "{name}  alarm for the arbiter: {alarm}");
        }
    }
    let plies: usize = boards.values().map(|board| board.plies).sum();
    let over = boards.values().filter(|board| board.is_over()).count();
    let _ = writeln!(
        out,
        "{} boards, {over} finished, {plies} plies, {} rulings of {} kinds, {:.1} s",
        boards.len(),
        cases(boards).count(),
        kinds(boards),
        took.as_secs_f64()
    );
    out
}

/// The same as JSON: one object a ruling, then one for the whole.
#[must_use]
pub fn json(boards: &Boards, took: Duration) -> String {
    let mut out = String::new();
    for (name, case) in cases(boards) {
        let ruling = json!({
            "board": name,
            "ply": case.ply,
            "side": case.by,
            "kind": case.kind,
            "article": case.article,
            "seen": case.seen,
            "ruling": case.ruling,
            "ruling_article": case.ruled_by,
            "actor": case.actor,
            "before": values(&case.before),
            "after": case.after.map(|after| values(&after)),
            "confirmed_ms": case.confirmed.map(|took| took.as_millis() as u64),
        });
        let _ = writeln!(out, "{ruling}");
    }
    let plies: usize = boards.values().map(|board| board.plies).sum();
    let results: BTreeMap<&str, &str> = boards
        .iter()
        .map(|(name, board)| (name.as_str(), board.result.as_ref().map_or("*", |(result, _)| result)))
        .collect();
    let whole = json!({
        "boards": boards.len(),
        "plies": plies,
        "rulings": cases(boards).count(),
        "kinds": kinds(boards),
        "results": results,
        "seconds": took.as_secs_f64(),
    });
    let _ = writeln!(out, "{whole}");
    out
}

fn cases(boards: &Boards) -> impl Iterator<Item = (&String, &Shown)> {
    boards.iter().flat_map(|(name, board)| board.cases.iter().map(move |case| (name, case)))
}

fn kinds(boards: &Boards) -> usize {
    cases(boards).map(|(_, case)| &case.kind).collect::<std::collections::BTreeSet<_>>().len()
}

fn hands(face: &Face) -> [Hand; 2] {
    [face.white.unwrap_or_default(), face.black.unwrap_or_default()]
}

fn values(face: &Face) -> Value {
    let [white, black] = hands(face);
    json!({ "left_ms": [white.left_ms, black.left_ms], "moves": [white.moves, black.moves] })
}

fn face(face: &Face) -> String {
    let [white, black] = hands(face);
    format!("{}/{} ({}/{})", time(&white), time(&black), white.moves, black.moves)
}

fn time(hand: &Hand) -> String {
    let Some(left) = hand.left_ms else { return "-:--".to_owned() };
    let seconds = left / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

//! A report for people.

use std::fmt::Write as _;

use super::report::Report;

/// A few lines a game.
#[must_use]
pub fn of(report: &Report) -> String {
    let mut out = String::new();
    let ending = report.ending.as_deref().map(|ending| format!(" by {}", ending.replace('_', " "))).unwrap_or_default();
    let _ = writeln!(out, "{}: {} plies, {}{ending}", report.game, report.moves.len(), report.result);
    for i in &report.irregularities {
        let (ruling, actor) = (i.ruling.as_deref().unwrap_or("not decided"), i.actor.as_deref().unwrap_or("nobody"));
        let _ = writeln!(out, "  ply {:>3} {:5} {:18} {:6} {ruling} ({actor})", i.ply, i.side, i.kind, i.article);
    }
    for d in &report.directives {
        let reason = d.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let _ = writeln!(out, "  directive {:>2} {:8} {}{reason}  {}", d.rev, d.act, d.stage, d.words);
    }
    for alarm in &report.alarms {
        let _ = writeln!(out, "  alarm {}: {}", alarm.kind, alarm.detail);
    }
    for fault in &report.faults {
        let place = if fault.ply == 0 { String::new() } else { format!(" at ply {}", fault.ply) };
        let _ = writeln!(out, "  FAULT{place}: {}", fault.what);
    }
    for note in &report.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    out
}

/// The last line: how many, and how many of them with something to look at.
#[must_use]
pub fn summary(reports: usize, faulty: usize, irregular: usize, refused: usize) -> String {
    let files = if refused == 0 { String::new() } else { format!(", {refused} files refused") };
    format!("{reports} games replayed: {irregular} with irregularities, {faulty} with faults{files}")
}

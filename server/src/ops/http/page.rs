//! Trails and traces for people: pages that work without a script.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use super::{
    Line, Shown,
    json::{Summary, ms, wall},
};
use crate::trail::Trail;

const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;color:#1d2021;background:#fbfaf7}\
a{color:#0b5394}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #dcd8cd;\
vertical-align:top}th{font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
.bad{color:#a1260d}.bar{position:relative;height:1.1rem;background:#efece4;min-width:16rem}\
.bar i{position:absolute;top:.15rem;bottom:.15rem;min-width:2px;background:#3a7d44}.bar i.clock{background:#b8860b}.bar i.wrong{background:#a1260d}\
code{font-size:.9em}small{color:#5c5a55}\
@media(prefers-color-scheme:dark){body{color:#e6e2d8;background:#1b1c1d}a{color:#8ab4f8}th,td{border-color:#3a3b3c}.bar{background:#2a2b2c}\
small{color:#a5a29b}.bad{color:#ff8a70}}";

/// A text that cannot be taken for markup.
struct Plain<'t>(&'t str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0} · Flagfall</title><style>{STYLE}</style><h1>{0}</h1>{body}</html>\n",
        Plain(title)
    )
}

pub(super) fn index() -> String {
    let links = [
        ("/traces", "the last presses and rulings"),
        ("/metrics", "figures for Prometheus"),
        ("/readyz", "whether it can rule"),
        ("/healthz", "whether it answers"),
    ];
    let items = links.map(|(path, what)| format!("<li><a href=\"{path}\">{path}</a> {what}")).concat();
    page("Operations", &format!("<ul>{items}</ul>"))
}

pub(super) fn list(board: &str, trails: &[Arc<Trail>]) -> String {
    let mut rows = String::new();
    for trail in trails {
        let Summary {
            trace_id,
            board,
            game,
            event,
            took_ms,
            commit_ms,
            found,
            verdict,
            article,
            directives,
            error,
            ..
        } = Summary::of(trail);
        let outcome = [found, verdict, article, directives.join(", ")];
        let outcome = outcome.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join(" · ");
        // Writing to a string does not fail.
        let _ = write!(
            rows,
            "<tr><td><a href=\"/traces/{trace_id}\">{}</a><td>{}<td>{}<td>{}<td class=n>{took_ms:.2}<td class=n>{commit_ms:.2}\
             <td>{} <span class=bad>{}</span>",
            Plain(&wall(trail.received.wall())),
            Plain(&board),
            Plain(&game),
            Plain(&event),
            Plain(&outcome),
            Plain(&error),
        );
    }
    let none = if trails.is_empty() {
        "<p>Nothing came in since the service was started, or nothing of this board.</p>"
    } else {
        ""
    };
    let body = format!(
        "<form><label>Board, clock or game <input name=board value=\"{}\"></label> <button>Show</button></form>{none}\
         <table><tr><th>Received<th>Board<th>Game<th>Event<th class=n>Took, ms<th class=n>Disk, ms<th>What came of it{rows}</table>\
         <p><small>The latest first. Plain presses are soon pushed out by others; what was found, ruled or went wrong is remembered \
         longer.</small></p>",
        Plain(board)
    );
    page("Presses and rulings", &body)
}

pub(super) fn trace(shown: &Shown, trails: &[Arc<Trail>]) -> String {
    let whole = shown.took_ms.max(0.001);
    let mut rows = String::new();
    for line in &shown.spans {
        let Line { name, depth, after_ms, took_ms, attributes, error, .. } = line;
        let class = match (error.is_empty(), name.as_str()) {
            (false, _) => "wrong",
            (true, "receive" | "rule" | "commit" | "directive" | "act" | "answer" | "overdue" | "notice") => "service",
            (true, _) => "clock",
        };
        let said = attributes.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        let (left, width) = (after_ms / whole * 100.0, took_ms / whole * 100.0);
        let _ = write!(
            rows,
            "<tr><td style=\"padding-left:{}rem\">{}<td class=n>{after_ms:.3}<td class=n>{took_ms:.3}<td><div class=bar>\
             <i class={class} style=\"left:{left:.3}%;width:{width:.3}%\"></i></div><td><small>{}</small> <span class=bad>{}</span>",
            *depth as f64 * 1.1 + 0.6,
            Plain(name),
            Plain(&said),
            Plain(error),
        );
    }
    let first = trails.first().map(|trail| (trail.board(), &*trail.game)).unwrap_or_default();
    let took = trails.iter().map(|trail| trail.took()).sum();
    let body = format!(
        "<p><a href=\"/traces?board={0}\">Board {0}</a>, game {1}, {2}: {3:.1} ms from first to last, of which {4:.1} ms in the service. \
         <a href=\"/traces/{5}.json\">As JSON</a></p><table><tr><th>Span<th class=n>After, ms<th class=n>Took, ms<th>\
         <th>What is known{rows}</table><p><small>Green: the service. Brown: the clock, placed by its own time stamps.</small></p>",
        Plain(first.0),
        Plain(first.1),
        Plain(&shown.start),
        shown.took_ms,
        ms(took),
        Plain(&shown.trace_id),
    );
    page(&format!("Trace {}", shown.trace_id), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stranger_wrote_is_no_markup() {
        let page = list("\"><script>alert(1)</script>", &[]);
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("&quot;&gt;&lt;script&gt;"), "{page}");
    }
}

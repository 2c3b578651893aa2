//! What pages load, built into the program.

use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// Name, kind and content of every file.
const FILES: &[(&str, &str, &str)] = &[
    ("desk.css", CSS, include_str!("assets/desk.css")),
    ("hall.css", CSS, include_str!("assets/hall.css")),
    ("calls.css", CSS, include_str!("assets/calls.css")),
    ("game.css", CSS, include_str!("assets/game.css")),
    ("sheet.css", CSS, include_str!("assets/sheet.css")),
    ("patch.js", JS, include_str!("assets/patch.js")),
    ("page.js", JS, include_str!("assets/page.js")),
    ("hall.js", JS, include_str!("assets/hall.js")),
    ("live.js", JS, include_str!("assets/live.js")),
    ("clock.js", JS, include_str!("assets/clock.js")),
    ("mark.svg", "image/svg+xml", include_str!("assets/mark.svg")),
];

/// `/assets/{file}`. Asked for again each time, so that a new program never runs with an old script.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(file, ..)| *file == name) {
        Some((_, kind, content)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *content).into_response()
        }
        None => (StatusCode::NOT_FOUND, "NOT_FOUND: there is no such file\n").into_response(),
    }
}

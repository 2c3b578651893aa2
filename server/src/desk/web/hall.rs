//! `/`: every board as a tile.

use askama::Template;
use axum::{extract::State, response::Response};

use super::{Lang, Web, show};

#[derive(Template)]
#[template(path = "hall.html")]
struct Hall {
    lang: Lang,
    here: &'static str,
}

/// `GET /`.
pub(super) async fn page(State(_web): State<Web>, lang: Lang) -> Response {
    show(&Hall { lang, here: "hall" })
}

//! `/`: every board as a tile.

use askama::Template;
use axum::response::Response;

use super::{
    Lang, Visitor,
    frame::{Frame, show},
};

#[derive(Template)]
#[template(path = "hall.html")]
struct Hall {
    frame: Frame,
}

/// `GET /`.
pub(super) async fn page(lang: Lang, visitor: Visitor) -> Response {
    show(&Hall { frame: Frame::new("hall", lang, &visitor) })
}

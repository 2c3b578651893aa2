//! The desk as pages: an arbiter sees, decides, and the clock obeys.
//!
//! ```text
//!   browser ──▶ router ──▶ Desk (flagfall.desk.v1, in process) ──▶ arena
//!      ▲                     │
//!      └── /live (SSE) ◀── Hall: one watch of all games, folded to tiles
//! ```
//!
//! The pages are a client of the desk's service like any other: nothing here touches the arena or the journal. Everything they need
//! is in the program (no script of others, nothing from another host), and every act is an ordinary form, so that a page works
//! before its script has come.

mod assets;
mod hall;
mod lang;
mod live;
mod tile;
mod wall;

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use tokio_util::sync::CancellationToken;

pub use self::{lang::Lang, tile::Tile, wall::Wall};
use super::Desk;

/// What a page may load: what comes from here, and no script or style inside a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every page is made from. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    desk: Desk,
    wall: Arc<Wall>,
}

impl Web {
    /// Pages over a desk. Streams end once `drain` is cancelled.
    #[must_use]
    pub fn new(desk: Desk, drain: CancellationToken) -> Web {
        let wall = Arc::new(Wall::new(desk.clone(), drain));
        Web { desk, wall }
    }

    /// The desk's service.
    #[must_use]
    pub fn desk(&self) -> &Desk {
        &self.desk
    }
}

/// Every page of the desk as one router; others merge theirs into it.
pub fn router(web: Web) -> Router {
    Router::new()
        .route("/", get(hall::page))
        .route("/live", get(live::stream))
        .route("/lang/{code}", get(lang::choose))
        .route("/assets/{file}", get(assets::file))
        .fallback(|| async { (StatusCode::NOT_FOUND, "NOT_FOUND: there is no such page; the hall is at /\n") })
        .with_state(web)
        .layer(middleware::from_fn(guarded))
}

/// What every answer says to the browser.
async fn guarded(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A page, filled.
fn show(page: &impl askama::Template) -> Response {
    match page.render() {
        Ok(text) => Html(text).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page cannot be filled");
            (StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be filled; see the log of the service\n")
                .into_response()
        }
    }
}

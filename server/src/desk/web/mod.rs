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

mod adjourned;
mod alarm;
mod assets;
mod board;
mod by_hand;
mod calls;
mod door;
mod frame;
pub(crate) mod game;
mod hall;
mod lang;
mod live;
mod results;
mod round;
mod seats;
mod sheet;
pub mod tile;
mod visitor;
mod wall;
pub(crate) mod words;

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, header},
    middleware::{self, Next},
    response::Response,
    routing::{get, post},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::seats::Seat;
pub use self::{lang::Lang, tile::Tile, visitor::Visitor, wall::Wall};
use super::{
    Desk,
    auth::{Caller, Gate},
};
use crate::event::Events;

/// What a page may load: what comes from here, and no script or style inside a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every page is made from. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    desk: Desk,
    events: Events,
    gate: Gate,
    wall: Arc<Wall>,
    /// Where people see traces in their browsers; `None`: nowhere.
    traces: Option<String>,
}

impl Web {
    /// Pages over a desk and the organiser's service. Streams end once `drain` is cancelled.
    #[must_use]
    pub fn new(desk: Desk, events: Events, gate: Gate, drain: CancellationToken) -> Web {
        let wall = Arc::new(Wall::new(desk.clone(), events.clone(), drain));
        Web { desk, events, gate, wall, traces: None }
    }

    /// Rulings lead to their traces on the pages of the ops port, which people reach at this address.
    #[must_use]
    pub fn with_traces(self, address: Option<String>) -> Web {
        Web { traces: address, ..self }
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
        .route("/login", get(door::page).post(door::sign_in))
        .route("/logout", post(door::sign_out))
        .route("/calls", get(calls::page))
        .route("/round", get(round::page))
        .route("/round/{event}/{round}/{what}", post(round::run))
        .route("/sheet", get(sheet::page))
        .route("/game/{game}", get(game::page))
        .route("/game/{game}/decide", post(calls::decide))
        .route("/game/{game}/heed", post(calls::heed))
        .route("/game/{game}/act", get(by_hand::preview).post(by_hand::act))
        .route("/lang/{code}", get(lang::choose))
        .route("/assets/{file}", get(assets::file))
        .fallback(frame::no_page)
        .with_state(web.clone())
        .layer(middleware::from_fn_with_state(web, visitor::identify))
}

/// Pages whose every answer tells the browser what it may do with it; those for everybody as well as those of the desk.
pub fn guard(pages: Router) -> Router {
    pages.layer(middleware::from_fn(guarded))
}

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

/// A request in the name of a visitor.
fn ask<T>(visitor: &Visitor, message: T) -> tonic::Request<T> {
    asked_by(visitor.caller.clone(), message)
}

/// A request in somebody's name; in nobody's it is refused.
fn asked_by<T>(caller: Option<Caller>, message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    if let Some(caller) = caller {
        request.extensions_mut().insert(caller);
    }
    request
}

//! What the ops port shows a person, a scraper and a probe: no secrets, and nothing that changes anything.
//!
//! ```text
//!   /metrics            OpenMetrics text          /traces                the last presses and rulings; ?board=, ?last=
//!   /healthz            the process answers       /traces/ID             one trace as a waterfall
//!   /readyz             it can rule, or why not   /traces.json, /traces/ID.json   the same for programs
//! ```
//!
//! gRPC health is answered on the same port.

mod json;
mod page;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use flagfall_trace::context::parse_trace;
use serde::Deserialize;

pub use json::{Line, Shown, Summary};

use super::{health::Health, metrics::Metrics, watchdog};
use crate::{
    arena::Walked,
    journal::{self, Journal},
    trail::{Trail, Trails, What, spans},
};

/// How many trails a list has without `last`, and at most.
const LAST: usize = 100;
const LAST_MAX: usize = 1_000;

/// The type of a scrape's answer.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is shown.
pub struct Ops {
    /// What became of presses.
    pub trails: Trails,
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// Whether everything is served.
    pub health: Health,
}

struct Shelf {
    ops: Ops,
    metrics: Metrics,
}

/// The pages.
pub fn router(ops: Ops) -> Router {
    let metrics = Metrics::new(ops.trails.clone(), Arc::clone(&ops.journal));
    Router::new()
        .route("/", get(async || Html(page::index())))
        .route("/metrics", get(scrape))
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/traces", get(list))
        .route("/traces.json", get(list_json))
        .route("/traces/{id}", get(one))
        .with_state(Arc::new(Shelf { ops, metrics }))
}

async fn scrape(State(shelf): State<Arc<Shelf>>) -> Response {
    ([(header::CONTENT_TYPE, OPENMETRICS)], shelf.metrics.scrape()).into_response()
}

/// What has to be so for a press to be ruled and acknowledged, each of it by itself.
async fn ready(State(shelf): State<Arc<Shelf>>) -> Response {
    let Ops { journal, health, .. } = &shelf.ops;
    let store = match journal.health() {
        journal::Health::Ok => Ok("writable".to_owned()),
        journal::Health::Failed(reason) => Err(format!("takes no entries: {reason}")),
    };
    let committer = match watchdog::is_alive(&**journal) {
        true => Ok("alive".to_owned()),
        false => Err("the thread that writes the journal shows no sign of life".to_owned()),
    };
    let chain = match health.walked() {
        Some(Walked { streams, entries, apart: 0 }) => Ok(format!("verified, {streams} streams, {entries} entries")),
        Some(Walked { streams, entries, apart }) => {
            Ok(format!("verified, {streams} streams, {entries} entries; {apart} streams are set apart, see the log"))
        }
        None => Err("not verified yet: the games under way are being read".to_owned()),
    };
    let service = match health.serves() {
        true => Ok("serving".to_owned()),
        false => Err("it starts or drains".to_owned()),
    };
    let parts = [("store", store), ("committer", committer), ("chain", chain), ("service", service)];
    let failing = parts.iter().filter_map(|(part, state)| Some((part, state.as_ref().err()?)));
    let failing: String = failing.map(|(part, why)| format!("{part}: {why}\n")).collect();
    if !failing.is_empty() {
        return (StatusCode::SERVICE_UNAVAILABLE, failing).into_response();
    }
    let all: String =
        parts.iter().map(|(part, state)| format!("{part}: {}\n", state.as_deref().unwrap_or(""))).collect();
    ("ok\n".to_owned() + &all).into_response()
}

/// Which trails.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    /// Of this board, clock or game.
    #[serde(default)]
    board: String,
    /// So many.
    last: Option<usize>,
}

impl Asked {
    fn find(&self, trails: &Trails) -> Vec<Arc<Trail>> {
        let board = self.board.trim();
        let named = |trail: &Trail| board.is_empty() || [trail.board(), trail.device(), &*trail.game].contains(&board);
        // A report belongs to the press that led to it: it is found on that one's page.
        let begins = |trail: &Trail| !trail.what.is_of_board() && trail.what != What::Report;
        let last = self.last.unwrap_or(LAST).clamp(1, LAST_MAX);
        trails.store().find(last, |trail| named(trail) && (begins(trail) || trail.is_of_note()))
    }
}

async fn list(State(shelf): State<Arc<Shelf>>, Query(asked): Query<Asked>) -> Html<String> {
    Html(page::list(&asked.board, &asked.find(&shelf.ops.trails)))
}

async fn list_json(State(shelf): State<Arc<Shelf>>, Query(asked): Query<Asked>) -> Response {
    let lines: Vec<Summary> = asked.find(&shelf.ops.trails).iter().map(|trail| Summary::of(trail)).collect();
    json::answer(&lines)
}

async fn one(State(shelf): State<Arc<Shelf>>, Path(id): Path<String>) -> Response {
    let (name, as_json) = id.strip_suffix(".json").map_or((id.as_str(), false), |name| (name, true));
    let trails = parse_trace(name).map(|trace_id| shelf.ops.trails.store().trace(&trace_id)).unwrap_or_default();
    if trails.is_empty() {
        let said =
            "no such trace: an id has 32 hexadecimal digits, and only the last presses and rulings are remembered\n";
        return (StatusCode::NOT_FOUND, said).into_response();
    }
    let shown = Shown::of(name, &spans::of_trace(trails.iter().map(|trail| &**trail)));
    if as_json { json::answer(&shown) } else { Html(page::trace(&shown, &trails)).into_response() }
}

//! `/live`: which tiles changed, as server-sent events.
//!
//! `all` carries every tile and comes first, and again whenever the page fell behind; `some` carries those that changed. The browser
//! connects again by itself when the stream ends.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use tokio::sync::{broadcast::error::RecvError, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::{Tile, Visitor, Wall, Web};

/// How soon a browser tries again, milliseconds.
const RETRY: Duration = Duration::from_millis(1_000);

/// How often a silent stream says that it is there.
const ALIVE: Duration = Duration::from_secs(10);

/// `GET /live`.
pub(super) async fn stream(State(web): State<Web>, visitor: Visitor, headers: HeaderMap) -> Response {
    let (sender, events) = mpsc::channel::<Result<Event, Infallible>>(4);
    tokio::spawn(async move {
        let wall = Arc::clone(&web.wall);
        tokio::select! {
            () = feed(&wall, &sender) => {}
            () = wall.drained() => {}
            () = visitor.over(&web.gate, &headers) => {}
            () = sender.closed() => {}
        }
    });
    Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

async fn feed(wall: &Arc<Wall>, sender: &mpsc::Sender<Result<Event, Infallible>>) {
    'anew: loop {
        let mut changes = wall.watch();
        let Ok(all) = wall.all().await else { return };
        let Some(first) = event("all", &all) else { return };
        if sender.send(Ok(first.retry(RETRY))).await.is_err() {
            return;
        }
        loop {
            let batch = match changes.recv().await {
                Ok(batch) => batch,
                Err(RecvError::Lagged(_)) => continue 'anew,
                Err(RecvError::Closed) => return,
            };
            let Some(next) = event("some", &batch) else { return };
            if sender.send(Ok(next)).await.is_err() {
                return;
            }
        }
    }
}

fn event(name: &str, tiles: &[Tile]) -> Option<Event> {
    Event::default().event(name).json_data(tiles).ok()
}

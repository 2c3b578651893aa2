//! The addresses of a broadcast. Nothing but a name of an event and numbers is taken from an address.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use flagfall_pairings::{NUMBER_MAX, ROUNDS_MAX};
use flagfall_rules::time::Millis;

use super::{board, follow::Follow};
use crate::{
    event::{Organiser, game_name},
    journal::{Journal, ReadError, keys::hex},
    wire::sha256,
};

/// Games that are kept folded; beyond them all are folded anew as they are asked for.
const FOLLOWED: usize = 2_000;

/// What a broadcast is made from. Cheap to clone.
#[derive(Clone)]
struct Broadcast {
    organiser: Organiser,
    journal: Arc<dyn Journal>,
    followed: Arc<Mutex<HashMap<String, Follow>>>,
}

/// A file of games, and when it last changed, milliseconds since 1970.
struct File {
    text: String,
    at_ms: Millis,
}

/// The addresses as a router, to be merged with the pages of the desk.
pub fn router(organiser: Organiser, journal: Arc<dyn Journal>) -> Router {
    let broadcast = Broadcast { organiser, journal, followed: Arc::default() };
    Router::new()
        .route("/broadcast/{event}/{round}", get(whole))
        .route("/broadcast/{event}/{round}/{board}", get(one))
        .with_state(broadcast)
}

async fn whole(
    State(broadcast): State<Broadcast>,
    Path((event, round)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match round.strip_suffix(".pgn").and_then(number_of_round) {
        Some(round) => broadcast.answer(event, round, None, &headers).await,
        None => nothing(),
    }
}

async fn one(
    State(broadcast): State<Broadcast>,
    Path((event, round, board)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Response {
    match number_of_round(&round).zip(board.strip_suffix(".pgn").and_then(|board| number(board, NUMBER_MAX))) {
        Some((round, board)) => broadcast.answer(event, round, Some(board), &headers).await,
        None => nothing(),
    }
}

fn number_of_round(text: &str) -> Option<u32> {
    number(text.strip_prefix("round-")?, ROUNDS_MAX)
}

/// A number as it is written: one address for one thing.
fn number(text: &str, most: u32) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| (1..=most).contains(number) && number.to_string() == text)
}

fn nothing() -> Response {
    const SAID: &str = "NOT_FOUND: there is no such round or board; expected /broadcast/EVENT/round-N.pgn or /broadcast/EVENT/round-N/BOARD.pgn\n";
    (StatusCode::NOT_FOUND, SAID).into_response()
}

impl Broadcast {
    async fn answer(self, event: String, round: u32, board: Option<u32>, headers: &HeaderMap) -> Response {
        let now_ms = self.journal.wall_ms();
        let written = tokio::task::spawn_blocking(move || self.write(&event, round, board, now_ms)).await;
        match written {
            Ok(Ok(Some(file))) => served(file, now_ms, headers),
            Ok(Ok(None)) => nothing(),
            Ok(Err(error)) => {
                tracing::error!(%error, "a broadcast cannot be read");
                (StatusCode::SERVICE_UNAVAILABLE, "JOURNAL_DOWN: the journal cannot be read; come back later\n")
                    .into_response()
            }
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }

    /// Writes a round, or one of its boards; `None`: there is none. Blocks.
    fn write(&self, event: &str, number: u32, only: Option<u32>, now_ms: Millis) -> Result<Option<File>, ReadError> {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.len() > FOLLOWED {
            followed.clear();
        }
        // A copy of the settings and one round: the book is not held while the disk is read.
        let known = {
            let book = self.organiser.book();
            book.events.get(event).and_then(|tournament| tournament.round_alone(number))
        };
        let Some((tournament, round)) = known else { return Ok(None) };
        let mut file = File { text: String::new(), at_ms: tournament.touched_ms.max(round.touched_ms) };
        let until = now_ms - tournament.settings.delay.ms;
        for seat in round.seats.values().filter(|seat| only.is_none_or(|only| seat.board == only)) {
            let name = game_name(event, number, seat.board);
            let follow = followed.entry(name.clone()).or_insert_with(|| Follow::new(&name));
            follow.advance(&*self.journal, until)?;
            // A result that was held back changes the file when it is let through.
            let entered = round.results.get(&seat.board).map(|entered| entered.at_ms).filter(|at| *at <= until);
            let let_through = entered.map_or(0, |at| at + tournament.settings.delay.ms);
            file.at_ms = file.at_ms.max(follow.at_ms()).max(let_through);
            if !file.text.is_empty() {
                file.text.push('\n');
            }
            file.text.push_str(&board::write(&tournament, number, &round, seat, Some(follow), until));
        }
        Ok((!file.text.is_empty()).then_some(file))
    }
}

/// The file, or that it has not changed.
fn served(file: File, now_ms: Millis, asked: &HeaderMap) -> Response {
    let etag = format!("\"{}\"", hex(&sha256(file.text.as_bytes())[..16]));
    let header = |name| asked.get(name).and_then(|value| value.to_str().ok());
    // What changed in this very second may change again in it, and the date would not show that.
    let dated = file.at_ms > 0 && now_ms / 1_000 > file.at_ms / 1_000;
    let same = match (header(header::IF_NONE_MATCH), header(header::IF_MODIFIED_SINCE)) {
        (Some(tags), _) => {
            tags.split(',').any(|tag| matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == etag)
        }
        (None, Some(date)) => dated && seconds(date).is_some_and(|since| file.at_ms / 1_000 <= since),
        (None, None) => false,
    };
    let mut response = match same {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => file.text.into_response(),
    };
    let headers = response.headers_mut();
    let mut put = |name, value: &str| drop(HeaderValue::from_str(value).map(|value| headers.insert(name, value)));
    put(header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8");
    put(header::ETAG, &etag);
    put(header::CACHE_CONTROL, "no-cache");
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Everybody may show the games.
    put(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    if dated {
        put(header::LAST_MODIFIED, &http_date(file.at_ms));
    }
    response
}

/// A date as HTTP writes it.
fn http_date(ms: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Seconds since 1970 of a date as HTTP writes it.
fn seconds(date: &str) -> Option<i64> {
    let civil = jiff::civil::DateTime::strptime("%a, %d %b %Y %H:%M:%S GMT", date).ok()?;
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_for_one_thing() {
        assert_eq!((number_of_round("round-3"), number("7", 9)), (Some(3), Some(7)));
        for text in ["round-03", "round-0", "round-100", "round-+3", "round-", "3", "round-3.pgn"] {
            assert_eq!(number_of_round(text), None, "{text}");
        }
    }

    #[test]
    fn dates_come_back() {
        // 1994-11-06 08:49:37 UTC, the example of the standard of HTTP.
        assert_eq!(http_date(784_111_777_000), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("yesterday"), None);
    }
}

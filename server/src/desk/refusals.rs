//! The desk's refusals are counted by their names where they leave it: at the door of programs and at that of browsers.

use axum::{Router, extract::State, middleware, response::Response};
use tonic::Status;

use crate::trail::Trails;

/// Counts what is refused by these answers.
pub fn counted(answers: Router, trails: Trails) -> Router {
    answers.layer(middleware::map_response_with_state(trails, count))
}

async fn count(State(trails): State<Trails>, answer: Response) -> Response {
    if let Some(status) = answer.extensions().get::<Status>() {
        trails.refused_at_desk(name(status));
    }
    answer
}

/// The named reason that a message begins with. Every one stands in this program's text, so that their number is bounded; what has none
/// of them is the transport's.
fn name(status: &Status) -> &str {
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    status.message().split_once(": ").map(|(name, _)| name).filter(is_name).unwrap_or("OTHER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_named_reason_is_a_label() {
        assert_eq!(name(&Status::aborted("ALREADY_DECIDED: r1.b07: by Ada: at noon")), "ALREADY_DECIDED");
        for other in ["", ": x", "failed to decode: x", "Ada: x", "GAME_OVER"] {
            assert_eq!(name(&Status::internal(other)), "OTHER", "{other}");
        }
    }
}

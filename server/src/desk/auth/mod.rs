//! Who may do what at the desk.
//!
//! ```text
//!   gRPC: authorization: Bearer ─┐
//!                                ├─▶ Gate ─▶ Caller ─▶ may(deed, place)? ─▶ the act, in the caller's name
//!   pages: signed cookie ────────┘
//! ```
//!
//! Without users the gate is open, and the service then listens on the loopback interface only.

mod gate;
mod keeping;
mod place;
mod secret;
pub mod users;

use serde::{Deserialize, Serialize};

pub use self::{
    gate::{Gate, SESSION},
    place::Place,
    users::{User, Users},
};
use crate::wire::Refused;

/// What a person is at the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Looks.
    Viewer,
    /// Rules on the boards that are his.
    SectorArbiter,
    /// Rules everywhere, opens and moves games.
    ChiefArbiter,
    /// Opens and moves games, runs rounds; rules on nothing.
    Organiser,
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Look.
    See,
    /// Decide, direct, report, claim, adjourn: anything that rules in a game.
    Rule,
    /// Open and move games, run rounds.
    Organise,
}

/// Somebody the service knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// His name; `None`: the gate is open, and he says himself who he is.
    pub name: Option<String>,
    /// What he is.
    pub role: Role,
    /// The boards of a sector arbiter: numbers, ranges of numbers such as `1-40`, names of boards or clocks.
    pub boards: Vec<String>,
}

impl Caller {
    /// Whoever comes through an open gate: everything is his.
    #[must_use]
    pub fn anybody() -> Caller {
        Caller { name: None, role: Role::ChiefArbiter, boards: Vec::new() }
    }

    /// The service itself, which looks for everybody.
    #[must_use]
    pub fn service() -> Caller {
        Caller { name: Some("service".to_owned()), role: Role::Viewer, boards: Vec::new() }
    }

    /// Refuses what is not his to do; `place` is that of the game that it is about.
    ///
    /// # Errors
    /// `NOT_ALLOWED`, with who may.
    pub fn may(&self, deed: Deed, place: Option<&Place>) -> Result<(), Refused> {
        let whom = match (deed, self.role) {
            _ if self.name.is_none() => return Ok(()),
            (Deed::See, _)
            | (Deed::Rule, Role::ChiefArbiter)
            | (Deed::Organise, Role::ChiefArbiter | Role::Organiser) => return Ok(()),
            (Deed::Rule, Role::SectorArbiter) if place.is_none_or(|place| self.has(place)) => return Ok(()),
            (Deed::Rule, Role::SectorArbiter) => "the arbiter of that board, or the chief arbiter,",
            (Deed::Rule, _) => "an arbiter",
            (Deed::Organise, _) => "the organiser or the chief arbiter",
        };
        let what = match (deed, place) {
            (Deed::See, _) => "look".to_owned(),
            (Deed::Rule, Some(place)) => format!("rule on {}", place.called()),
            (Deed::Rule, None) => "rule".to_owned(),
            (Deed::Organise, _) => "open or move games".to_owned(),
        };
        Err(Refused::NotAllowed { who: self.name.clone().unwrap_or_default(), what, whom })
    }

    /// The place is one of his.
    fn has(&self, place: &Place) -> bool {
        self.boards.iter().any(|own| place.is(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: Role) -> Caller {
        Caller { name: Some("x".into()), role, boards: vec!["1-40".into(), "stage".into(), "77".into()] }
    }

    fn at(board: &str) -> Option<Place> {
        Some(Place::of("table", "clock-x", Some(board)))
    }

    #[test]
    fn each_role_may_what_is_its_own() {
        use Deed::{Organise, Rule, See};
        // Look, rule on an own board, rule on another's, open and move.
        let rights = [
            (Role::Viewer, [true, false, false, false]),
            (Role::SectorArbiter, [true, true, false, false]),
            (Role::ChiefArbiter, [true, true, true, true]),
            (Role::Organiser, [true, false, false, true]),
        ];
        for (role, expected) in rights {
            let may = |deed, board: &str| caller(role).may(deed, at(board).as_ref()).is_ok();
            let found = [may(See, "board-41"), may(Rule, "board-07"), may(Rule, "board-41"), may(Organise, "board-07")];
            assert_eq!(found, expected, "{role:?}");
        }
    }

    #[test]
    fn a_refusal_says_who_may() {
        let refused = caller(Role::SectorArbiter).may(Deed::Rule, at("board-41").as_ref()).expect_err("not his");
        let said = "NOT_ALLOWED: x may not rule on board-41; the arbiter of that board, or the chief arbiter, may";
        assert_eq!(refused.to_string(), said);
    }
}

//! What an arbiter does at the desk.

use flagfall_proto::{
    clock::v1::{self, ClaimKind, Colour, Control, Directive, Period, Place, Words, directive},
    desk::v1::{
        Act, DecideRequest, EnterClaimRequest, IssueDirectiveRequest, OpenGameRequest,
        desk_service_client::DeskServiceClient,
    },
    journal::v1::{ActByHand, ClaimMade, Decision, Overlay, Play},
};
use tonic::{Code, Status, transport::Channel};

use crate::table::{BASE_MS, INCREMENT_MS};

/// A client of the desk.
pub(crate) type Client = DeskServiceClient<Channel>;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    Open {
        game: String,
        device: String,
        external: bool,
        /// What the Laws fix waits for the arbiter all the same.
        confirms: bool,
    },
    Decide {
        game: String,
        case: u32,
        choice: String,
    },
    Add {
        game: String,
        colour: Colour,
        ms: i64,
        /// The last event of the clock that the arbiter goes by: refused once a move is completed or the times are set after it;
        /// 0: whatever happens.
        as_of: u64,
    },
    /// Both times, milliseconds, as the arbiter knows them; White is to move and the clock runs.
    #[cfg(test)]
    Set {
        game: String,
        left: [i64; 2],
    },
    Stop {
        game: String,
    },
    Show {
        game: String,
    },
    Resign {
        game: String,
        by: Colour,
    },
    /// The result, by the arbiter's own word.
    Conclude {
        game: String,
        outcome: v1::Outcome,
    },
}

fn words(text: &str) -> Option<Words> {
    Some(Words { en: text.to_owned(), ru: text.to_owned() })
}

impl Deed {
    pub(crate) fn game(&self) -> &str {
        match self {
            #[cfg(test)]
            Deed::Set { game, .. } => game,
            Deed::Open { game, .. }
            | Deed::Decide { game, .. }
            | Deed::Add { game, .. }
            | Deed::Stop { game }
            | Deed::Show { game }
            | Deed::Resign { game, .. }
            | Deed::Conclude { game, .. } => game,
        }
    }

    /// Does it; the revision of the directive that followed, 0 for none.
    pub(crate) async fn carry_out(self, client: &mut Client, request: String, actor: &str) -> Result<u64, Status> {
        let act = Some(Act { request, actor: actor.to_owned(), ..Act::default() });
        let by_hand_as_of = |game: String, as_of_seq: u64, what: directive::Act| {
            let directive = Some(Directive { act: Some(what), as_of_seq, ..Directive::default() });
            IssueDirectiveRequest { act: act.clone(), game, by_hand: Some(ActByHand { directive }) }
        };
        let by_hand = |game, what| by_hand_as_of(game, 0, what);
        let issue = match self {
            Deed::Open { game, device, external, confirms } => {
                let compensation = v1::Compensation::Increment.into();
                let period = Period { base_ms: BASE_MS, compensation, amount_ms: INCREMENT_MS, moves: 0 };
                let control = Control { periods: vec![period], advance: v1::Advance::AtCount.into() };
                let request = OpenGameRequest {
                    act,
                    game,
                    device,
                    edition: "fide-2023".to_owned(),
                    play: Play::Standard.into(),
                    control: (!external).then_some(control),
                    side_binding: Place::Left.into(),
                    position: String::new(),
                    overlay: Some(Overlay { confirms, ..Overlay::default() }),
                };
                return client.open_game(request).await.map(|answer| answer.into_inner().rev);
            }
            Deed::Decide { game, case, choice } => {
                let decision = Some(Decision { case, choice, note: String::new() });
                let request = DecideRequest { act, game, decision };
                return client.decide(request).await.map(|answer| answer.into_inner().rev);
            }
            Deed::Resign { game, by } => {
                let kind = ClaimKind::Resignation.into();
                let claim = Some(ClaimMade { by: by.into(), kind, note: String::new(), facts: None });
                let request = EnterClaimRequest { act, game, claim };
                return client.enter_claim(request).await.map(|answer| answer.into_inner().rev);
            }
            Deed::Add { game, colour, ms, as_of } => {
                let add = v1::Add { colour: colour.into(), amount_ms: ms, words: words("time") };
                by_hand_as_of(game, as_of, directive::Act::Add(add))
            }
            Deed::Conclude { game, outcome } => by_hand(
                game,
                directive::Act::Conclude(v1::Conclude { outcome: outcome.into(), words: words("result") }),
            ),
            #[cfg(test)]
            Deed::Set { game, left } => {
                let [white, black] =
                    left.map(|left| Some(v1::Hand { left_ms: Some(left), moves: 1, period: 0, flagged: false }));
                let turn = Colour::White.into();
                let (white_place, position, words) = (Place::Left.into(), String::new(), words("set"));
                by_hand(
                    game,
                    directive::Act::Set(v1::Set { white, black, turn, run: true, white_place, position, words }),
                )
            }
            Deed::Stop { game } => by_hand(game, directive::Act::Stop(v1::Stop { words: words("stop") })),
            Deed::Show { game } => by_hand(game, directive::Act::Show(v1::Show { words: words("hello") })),
        };
        client.issue_directive(issue).await.map(|answer| answer.into_inner().rev)
    }
}

/// Whether the same request is to be sent again: the service could not say what became of it.
pub(crate) fn is_unknown(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::DeadlineExceeded | Code::Unknown | Code::Cancelled | Code::Internal
    )
}

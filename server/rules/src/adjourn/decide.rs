//! The decision: what follows from an act. Pure; the time comes with the act.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use shakmaty::Chess;

use super::{
    act::{Act, Deed},
    agreed,
    evolve::evolve,
    late, opening,
    procedure::Procedure,
    refusal::Refusal,
    resume, sealing,
    state::{Adjournment, Phase},
    step::{Event, Fact, Proposal, Reason, Step, Then, Way, Which},
};
use crate::{
    clock::{Colour, Hand},
    game::{Outcome, Uci, Words},
    laws::{
        articles::{flag_fall, mating},
        words,
    },
    time::Millis,
    unwinnable::{self, Verdict},
};

/// Positions looked at when it is asked whether a side can still mate: nobody waits at the clock for this answer.
pub(super) const BUDGET: u64 = 20_000;

/// What follows from an act under a procedure.
///
/// # Errors
/// A [`Refusal`] when the act does not fit what is known; nothing happened then.
pub fn decide(procedure: &Procedure, state: &Adjournment, act: &Act) -> Result<Vec<Step>, Refusal> {
    if state.is_over() {
        return Err(Refusal::Over);
    }
    let mut draft = Draft { procedure, state: state.clone(), at: act.wall_ms, steps: Vec::new() };
    let waits = |proposal: &&Proposal| match act.deed {
        Deed::Choose(_) | Deed::HandOver(_) | Deed::Presence { .. } => false,
        Deed::AgreeDraw | Deed::AcceptDraw(_) | Deed::Resign(_) => agreed::comes_first(proposal),
        _ => true,
    };
    if let Some(proposal) = state.proposal.as_ref().filter(waits) {
        return Err(Refusal::ProposalOpen(keys(proposal)));
    }
    match &act.deed {
        Deed::Announce(session) => sealing::announce(&mut draft, *session)?,
        Deed::EndSession(situation) => sealing::end_session(&mut draft, situation)?,
        Deed::AdjournEarly(situation) => sealing::adjourn_early(&mut draft, situation)?,
        Deed::Write(seal) => sealing::write(&mut draft, seal)?,
        Deed::MoveOnBoard(uci) => sealing::move_on_board(&mut draft, *uci)?,
        Deed::SheetIn { of, paper } => sealing::sheet_in(&mut draft, *of, *paper)?,
        Deed::CloseEnvelope => sealing::close(&mut draft)?,
        Deed::StopClock { hands, opponent_runs } => sealing::stop_clock(&mut draft, hands, *opponent_runs)?,
        Deed::Appoint(resumption) => sealing::appoint(&mut draft, resumption)?,
        Deed::Check(correction) => sealing::check(&mut draft, correction.as_deref())?,
        Deed::HandOver(to) => sealing::hand_over(&mut draft, to)?,
        Deed::OfferDraw(by) => agreed::offer(&mut draft, *by)?,
        Deed::AcceptDraw(by) => agreed::accept(&mut draft, *by)?,
        Deed::DeclineDraw(by) => agreed::decline(&mut draft, *by)?,
        Deed::AgreeDraw => agreed::agree(&mut draft)?,
        Deed::Resign(by) => agreed::resign(&mut draft, *by)?,
        Deed::SetUp { times } => resume::set_up(&mut draft, times.as_ref())?,
        Deed::Presence { player, here } => resume::presence(&mut draft, *player, *here)?,
        Deed::Begin => resume::begin(&mut draft)?,
        Deed::StopOnArrival => resume::stop_on_arrival(&mut draft)?,
        Deed::Opened(text) => opening::opened(&mut draft, text)?,
        Deed::Stated(text) => opening::stated(&mut draft, text)?,
        Deed::Reply(uci) => opening::reply(&mut draft, *uci)?,
        Deed::SealReply { seal, to } => opening::seal_reply(&mut draft, seal, to)?,
        Deed::ReplyOpened(text) => opening::reply_opened(&mut draft, text)?,
        Deed::FirstMove(by) => resume::first_move(&mut draft, *by)?,
        Deed::FlagFell(by) => resume::flag_fell(&mut draft, *by)?,
        Deed::LookForLate => late::look(&mut draft)?,
        Deed::Excuse(player) => late::excuse(&mut draft, *player)?,
        Deed::EnvelopeLost { position_known } => resume::envelope_lost(&mut draft, *position_known)?,
        Deed::ClockError { by, hands } => resume::clock_error(&mut draft, *by, hands)?,
        Deed::Choose(key) => choose(&mut draft, key)?,
    }
    Ok(draft.steps)
}

fn keys(proposal: &Proposal) -> String {
    proposal.ways.iter().map(|way| way.key.as_str()).collect::<Vec<_>>().join(", ")
}

fn choose(draft: &mut Draft<'_>, key: &str) -> Result<(), Refusal> {
    let proposal = draft.state.proposal.clone().ok_or(Refusal::NoProposal)?;
    let Some(way) = proposal.ways.iter().find(|way| way.key == key) else {
        return Err(Refusal::NoSuchChoice(keys(&proposal)));
    };
    let article = proposal.article.as_str();
    draft.note(article, Fact::Chosen(key.to_string()));
    match &way.then {
        Then::End(outcome, reason) => draft.end(*outcome, *reason, article),
        Then::Excuse => late::excused(draft, &Colour::BOTH, true),
        Then::Play(uci) => opening::meant(draft, *uci, article),
        Then::ReplyAnew => {
            draft.note(article, Fact::ReplyAnew);
            draft.stop(article);
            draft.run(draft.state.responder(), article);
        }
        Then::SetClock(hands) => resume::correct(draft, hands),
        Then::Run(colour) => draft.run(Some(*colour), article),
        Then::Leave => {}
    }
    Ok(())
}

/// Steps being drawn up, and the adjournment as it is after them.
pub(super) struct Draft<'p> {
    pub(super) procedure: &'p Procedure,
    pub(super) state: Adjournment,
    pub(super) at: Millis,
    pub(super) steps: Vec<Step>,
}

impl Draft<'_> {
    pub(super) fn note(&mut self, article: &str, fact: Fact) {
        let event = Event { at: self.at, fact, article: article.to_string() };
        evolve(&mut self.state, &event);
        self.steps.push(Step::Noted(event));
    }

    pub(super) fn stop(&mut self, article: &str) {
        self.steps.push(Step::Stop { article: article.to_string() });
    }

    pub(super) fn set(&mut self, hands: [Hand; 2], turn: Option<Colour>, article: &str) {
        self.steps.push(Step::SetClock { hands, turn, article: article.to_string() });
    }

    pub(super) fn board(&mut self, position: String, article: &str) {
        self.steps.push(Step::SetBoard { position, article: article.to_string() });
    }

    pub(super) fn run(&mut self, colour: Option<Colour>, article: &str) {
        let article = article.to_string();
        self.steps.extend(colour.map(|colour| Step::Run { colour, article }));
    }

    pub(super) fn open(&mut self, which: Which, article: &str) {
        self.steps.push(Step::OpenEnvelope { which, article: article.to_string() });
    }

    pub(super) fn play(&mut self, uci: Uci, article: &str) {
        self.steps.push(Step::Play { uci, article: article.to_string() });
    }

    pub(super) fn say(&mut self, words: Words, article: &str) {
        self.steps.push(Step::Say { words, article: article.to_string() });
    }

    pub(super) fn end(&mut self, outcome: Option<Outcome>, reason: Reason, article: &str) {
        self.note(article, Fact::Ended(outcome, reason));
        self.steps.push(Step::End { outcome, reason, article: article.to_string() });
    }

    pub(super) fn annul(&mut self, article: &str) {
        self.note(article, Fact::Annulled);
        self.steps.push(Step::Annul { article: article.to_string() });
    }

    pub(super) fn propose(&mut self, article: &str, ways: Vec<Way>) {
        let proposal = Proposal { article: article.to_string(), ways };
        self.note(article, Fact::Proposed(proposal.clone()));
        self.steps.push(Step::Propose(proposal));
    }

    /// Fails unless the adjournment is in one of these phases.
    pub(super) fn expect(&self, phases: &[Phase]) -> Result<(), Refusal> {
        if phases.contains(&self.state.phase) { Ok(()) } else { Err(Refusal::Phase(self.state.phase)) }
    }

    /// Before anybody loses: in a dead position the game had ended. True where it had.
    pub(super) fn had_ended(&mut self) -> bool {
        let dead = self.state.position().is_some_and(|position| mating::nobody_mates(&position, BUDGET));
        if dead {
            self.end(Some(Outcome::Draw), Reason::DeadPosition, self.procedure.articles.dead);
        }
        dead
    }

    /// `loser` has lost unless the opponent cannot mate from the position by any series of legal moves; both results for the
    /// arbiter where nobody can say.
    pub(super) fn lost_unless_unwinnable(&mut self, loser: Colour, position: &Chess, reason: Reason, article: &str) {
        let can = match unwinnable::can_mate(position, loser.other(), BUDGET) {
            Verdict::Winnable(_) => true,
            Verdict::Unwinnable(_) => false,
            Verdict::Undetermined => {
                let way = |key, can| {
                    let outcome = flag_fall::outcome(loser.other(), can);
                    ended(key, outcome, reason)
                };
                return self.propose(article, alloc::vec![way("lost", true), way("drawn", false)]);
            }
        };
        self.end(Some(flag_fall::outcome(loser.other(), can)), reason, article);
    }
}

/// A way that ends the game.
pub(super) fn ended(key: &str, outcome: Outcome, reason: Reason) -> Way {
    let text = format!("the result is {}", outcome.pgn());
    let words = words(text, format!("результат {}", outcome.pgn()));
    Way { key: key.to_string(), words, then: Then::End(Some(outcome), reason) }
}

/// Another way.
pub(super) fn way(key: &str, en: &str, ru: &str, then: Then) -> Way {
    Way { key: key.to_string(), words: words(en, ru), then }
}

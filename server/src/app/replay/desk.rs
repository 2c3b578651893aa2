//! The arbiter's desk of a replay, over gRPC like any other: opens games, follows them, and takes the default proposal of
//! every case as the actor [`ACTOR`].

use std::{collections::BTreeSet, time::Duration};

use flagfall_proto::{
    clock::v1::{Conclude, Control, Directive, Outcome, Place, Stage, Words, directive},
    desk::v1::{
        Act, CaseSnapshot, DecideRequest, GameSnapshot, IssueDirectiveRequest, OpenGameRequest, WatchGamesRequest,
        WatchGamesResponse, desk_service_client::DeskServiceClient,
    },
    journal::v1::{ActByHand, Decision, Event, Play, Proposal, Remedy, event::What},
};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Code, Status, Streaming,
    transport::{Channel, Endpoint},
};

use super::report::is_final;

/// Who acts at the desk of a replay.
pub const ACTOR: &str = "script";

/// How long an answer may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest answer, bytes: a snapshot holds a whole game with everything that was found in it.
const LONGEST_ANSWER: usize = 64 << 20;

/// Games of the same name in one journal that are tried before giving up.
const SAME_NAME: usize = 1_000;

/// What a desk cannot do.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The service cannot be reached.
    #[error("the desk's service cannot be reached: {0}")]
    Unreachable(#[from] tonic::transport::Error),
    /// The service refuses.
    #[error("the service refuses: {}", .0.message())]
    Refused(Box<Status>),
    /// The service ended what it should have gone on with.
    #[error("the service stopped telling of the game")]
    Silent,
}

impl From<Status> for DeskError {
    fn from(status: Status) -> DeskError {
        DeskError::Refused(Box::new(status))
    }
}

/// How a game is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The name wanted; another is taken when the journal has it already.
    pub game: String,
    /// The clock.
    pub device: String,
    /// The edition of the Laws.
    pub edition: String,
    /// Standard, rapid or blitz.
    pub play: Play,
    /// The time control, if one is stated.
    pub control: Option<Control>,
    /// Which half of the clock is White's.
    pub white: Place,
    /// Where the game begins, FEN; empty: the initial position.
    pub position: String,
}

/// A desk.
#[derive(Clone, Debug)]
pub struct Desk {
    client: DeskServiceClient<Channel>,
}

impl Desk {
    /// Connects to the service: a connection of its own, for one carries only so many streams.
    ///
    /// # Errors
    /// It cannot be reached.
    pub async fn connect(uri: &str) -> Result<Desk, DeskError> {
        let channel = Endpoint::from_shared(uri.to_owned())?.timeout(PATIENCE).connect().await?;
        Ok(Desk { client: DeskServiceClient::new(channel).max_decoding_message_size(LONGEST_ANSWER) })
    }

    /// Opens a game and returns the name it has got.
    ///
    /// # Errors
    /// The service refuses.
    pub async fn open(&self, opening: Opening) -> Result<String, DeskError> {
        let mut client = self.client.clone();
        for n in 1..=SAME_NAME {
            let game = if n == 1 { opening.game.clone() } else { format!("{}-{n}", opening.game) };
            let request = OpenGameRequest {
                act: act(),
                game,
                device: opening.device.clone(),
                edition: opening.edition.clone(),
                play: opening.play.into(),
                control: opening.control.clone(),
                side_binding: opening.white.into(),
                position: opening.position.clone(),
                overlay: None,
            };
            match client.open_game(request).await {
                Ok(response) => return Ok(response.into_inner().game),
                Err(status) if status.code() == Code::AlreadyExists && n < SAME_NAME => {}
                Err(status) => return Err(status.into()),
            }
        }
        Err(DeskError::Silent)
    }

    /// Enters the result of a game.
    ///
    /// # Errors
    /// The service refuses.
    pub async fn conclude(&self, game: &str, outcome: Outcome) -> Result<(), DeskError> {
        let words = Words { en: "Result".into(), ru: "Результат".into() };
        let act_ = directive::Act::Conclude(Conclude { outcome: outcome.into(), words: Some(words) });
        let directive = Directive { act: Some(act_), ..Directive::default() };
        let by_hand = Some(ActByHand { directive: Some(directive) });
        let request = IssueDirectiveRequest { act: act(), game: game.to_owned(), by_hand };
        self.client.clone().issue_directive(request).await?;
        Ok(())
    }

    /// How a game stands.
    ///
    /// # Errors
    /// The service refuses, or does not tell.
    pub async fn snapshot(&self, game: &str) -> Result<GameSnapshot, DeskError> {
        let mut updates = self.watch(game).await?;
        updates.message().await?.and_then(|update| update.snapshot).ok_or(DeskError::Silent)
    }

    /// Follows a game from now on, and decides its cases.
    ///
    /// # Errors
    /// The service refuses.
    pub async fn follow(&self, game: &str) -> Result<Follower, DeskError> {
        let updates = self.watch(game).await?;
        let (sender, followed) = watch::channel(Followed::default());
        let cancel = CancellationToken::new();
        let follow = follow(self.clone(), game.to_owned(), updates, sender);
        tokio::spawn(cancel.clone().run_until_cancelled_owned(follow));
        Ok(Follower { followed, _task: cancel.drop_guard() })
    }

    async fn watch(&self, game: &str) -> Result<Streaming<WatchGamesResponse>, DeskError> {
        let request = WatchGamesRequest { games: vec![game.to_owned()] };
        Ok(self.client.clone().watch_games(request).await?.into_inner())
    }

    async fn decide(&self, game: &str, proposal: &Proposal) -> Result<(), DeskError> {
        let Some(first) = proposal.remedies.first() else { return Ok(()) };
        let note = "default proposal, accepted by the replay".to_owned();
        let decision = Some(Decision { case: proposal.case, choice: first.key.clone(), note });
        self.client.clone().decide(DecideRequest { act: act(), game: game.to_owned(), decision }).await?;
        Ok(())
    }
}

fn act() -> Option<Act> {
    Some(Act { request: uuid::Uuid::new_v4().to_string(), actor: ACTOR.to_owned(), ..Act::default() })
}

/// What is known of a game that is followed.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// The last event of the clock that the service told of.
    pub seq: u64,
    /// The newest directive.
    pub rev: u64,
    /// Directives without a final word.
    pub waiting: BTreeSet<u64>,
    /// Cases that are not decided.
    pub open: BTreeSet<u32>,
    /// The correction that the clock would not take, for people to carry out by hand.
    pub by_hand: Option<Remedy>,
    /// Cases whose ways out have been seen.
    proposed: BTreeSet<u32>,
    /// The remedy last decided on.
    remedy: Option<Remedy>,
    /// The game was cancelled, and another one is to be played.
    pub cancelled: bool,
    /// The game is over.
    pub ended: bool,
    /// What went wrong at the desk.
    pub trouble: Option<String>,
}

impl Followed {
    /// Nothing is under way that the clock or the desk would still hear of.
    #[must_use]
    pub fn is_calm(&self) -> bool {
        self.waiting.is_empty() && (self.open.is_empty() || self.ended)
    }

    fn take(&mut self, event: Event) -> Option<Proposal> {
        match event.what? {
            What::Heard(heard) => self.seq = self.seq.max(heard.seq),
            What::Found(finding) => {
                self.open.insert(finding.case);
            }
            // What is only shown to the arbiter stops nothing, and he may leave it.
            What::Proposed(proposal) if proposal.running => {
                self.open.remove(&proposal.case);
            }
            // Drawn up anew, it is the same case, and decided already.
            What::Proposed(proposal) => return self.proposed.insert(proposal.case).then_some(proposal),
            What::Ruled(ruling) => {
                self.open.remove(&ruling.case);
                self.cancelled |= ruling.remedy.as_ref().is_some_and(|remedy| remedy.cancel);
                self.remedy = ruling.remedy;
            }
            What::Issued(directive) => {
                self.rev = directive.rev;
                self.waiting.insert(directive.rev);
                self.by_hand = None;
                if !matches!(directive.act, Some(directive::Act::Set(_))) {
                    self.remedy = None;
                }
            }
            What::Staged(staged) if is_final(staged.stage()) => {
                self.waiting.remove(&staged.rev);
                if staged.stage() == Stage::Rejected && staged.rev == self.rev {
                    self.by_hand = self.remedy.take();
                }
            }
            What::Ended(_) => self.ended = true,
            _ => {}
        }
        None
    }

    fn begin(&mut self, snapshot: &GameSnapshot) -> Vec<Proposal> {
        self.ended = snapshot.ended.is_some();
        // An event may have been heard before the first look.
        self.seq = self.seq.max(snapshot.heard_seq);
        for sent in &snapshot.directives {
            let rev = sent.directive.as_ref().map_or(0, |directive| directive.rev);
            self.rev = self.rev.max(rev);
            if matches!(sent.stage(), Stage::Sent | Stage::Received) {
                self.waiting.insert(rev);
            }
        }
        let shown = |case: &&CaseSnapshot| case.proposal.as_ref().is_some_and(|proposal| proposal.running);
        let open = snapshot.cases.iter().filter(|case| case.ruling.is_none() && !shown(case));
        self.open = open.clone().filter_map(|case| case.finding.as_ref()).map(|finding| finding.case).collect();
        open.filter_map(|case| case.proposal.clone()).filter(|proposal| self.proposed.insert(proposal.case)).collect()
    }
}

/// Follows a game until it is dropped.
#[derive(Debug)]
pub struct Follower {
    /// What is known.
    pub followed: watch::Receiver<Followed>,
    _task: DropGuard,
}

async fn follow(desk: Desk, game: String, mut updates: Streaming<WatchGamesResponse>, sender: watch::Sender<Followed>) {
    let trouble = loop {
        let update = match updates.message().await {
            Ok(Some(update)) => update,
            Ok(None) => break DeskError::Silent,
            Err(status) => break status.into(),
        };
        let mut proposals = Vec::new();
        sender.send_modify(|followed| {
            proposals.extend(update.snapshot.iter().flat_map(|snapshot| followed.begin(snapshot)));
            proposals.extend(update.events.into_iter().filter_map(|event| followed.take(event)));
        });
        for proposal in proposals {
            if let Err(error) = desk.decide(&game, &proposal).await {
                let text = format!("case {} is not decided: {error}", proposal.case);
                sender.send_modify(|followed| followed.trouble = Some(text));
            }
        }
    };
    sender.send_modify(|followed| followed.trouble = Some(trouble.to_string()));
}

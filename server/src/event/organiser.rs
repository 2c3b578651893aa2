//! Carries out what an organiser asks: one act at a time, each on disk before it is answered, whole even when the asker goes away.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use flagfall_pairings::Player;
use flagfall_proto::{
    clock::v1::Going,
    desk::v1::{self, EventPlan, GameSnapshot},
    journal::v1::{Entry, input::Source},
};
use flagfall_rules::{
    game::{DeskAct, DeskInput},
    time::Millis,
};

use super::{
    act::{Act, Input, Seat, Settings},
    book::{Book, Opened},
    decide, game_name, request_of,
    state::{Round, Tournament},
    view,
};
use crate::{
    arena::{Arena, RecoverError},
    journal::{Journal, Stored, codec},
    wire::{Refused, Unfit},
};

/// What a board's device is called when it shall have none.
pub(super) const NO_CLOCK: &str = "-";

/// Who acts, under which id, and when.
#[derive(Clone, Debug)]
pub(super) struct Who {
    pub(super) request: String,
    pub(super) actor: String,
    pub(super) reason: String,
    pub(super) wall_ms: Millis,
}

/// A round by its event and number.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) event: String,
    pub(super) round: u32,
}

/// The organiser's side of the house. Cheap to clone.
#[derive(Clone)]
pub struct Organiser {
    pub(super) arena: Arena,
    journal: Arc<dyn Journal>,
    book: Arc<RwLock<Book>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Organiser {
    /// Reads the events of a journal; those that are not whole are set apart.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn start(journal: Arc<dyn Journal>, arena: Arena) -> Result<Organiser, RecoverError> {
        let reader = Arc::clone(&journal);
        let read = arena.limits().beside.run(move || Book::read(&*reader)).await;
        let (book, troubled) = read.map_err(|_| RecoverError::Interrupted)??;
        troubled.into_iter().for_each(|(stream, trouble)| arena.set_apart(stream, trouble));
        let book = Arc::new(RwLock::new(book));
        let open = Arc::clone(&book);
        arena.keep_at_hand(move || open.read().unwrap_or_else(PoisonError::into_inner).games_of_open_rounds());
        let organiser = Organiser { arena, journal, book, turn: Arc::default() };
        let closed = organiser.book().games_of_closed_rounds();
        organiser.arena.put_away(closed.iter().map(String::as_str));
        Ok(organiser)
    }

    /// The date, milliseconds since 1970.
    pub(super) fn now(&self) -> Millis {
        self.journal.wall_ms()
    }

    /// Everything that is known of events. To be let go before anything is waited for.
    pub fn book(&self) -> RwLockReadGuard<'_, Book> {
        self.book.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work that changes something: after all that was begun before, and to its end.
    pub(super) async fn alone<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Refused>> + Send + 'static,
    ) -> Result<T, Refused> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let work = async move {
            let _turn = turn;
            work.await
        };
        tokio::spawn(work).await.unwrap_or(Err(Refused::JournalDown))
    }

    /// Keeps an act; the book goes on once it is on disk.
    pub(super) async fn keep(&self, place: Opened<'_>, who: Who, act: Act) -> Result<(), Refused> {
        self.arena.admits(&place.stream())?;
        let Who { request, actor, reason, wall_ms } = who;
        let input = Input { request, actor, wall_ms, reason, act };
        let queued = self.book().append(&*self.journal, place, &input);
        let (ticket, end) = queued.map_err(|(bytes, max)| {
            Refused::request("act", format!("{bytes} bytes, at most {max} are kept: shorten names and notes"))
        })?;
        let written = ticket.await;
        let mut book = self.book.write().unwrap_or_else(PoisonError::into_inner);
        match written {
            Ok(durable) => {
                book.written(place, input, durable.index, end);
                Ok(())
            }
            Err(error) => {
                book.unsure(&*self.journal, &error);
                Err(Refused::from(&error))
            }
        }
    }

    /// Looks at an event.
    pub(super) fn with<T>(
        &self,
        event: &str,
        look: impl FnOnce(&Tournament) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        decide::event_name(event)?;
        let book = self.book();
        let Some(known) = book.events.get(event) else {
            // Perhaps there is one, and nothing of it can be read.
            self.arena.admits(&Opened { event, round: None }.stream())?;
            return Err(Unfit::NoSuchEvent { event: event.to_owned() }.into());
        };
        look(known)
    }

    /// The acts of an event or of a round as they are kept, each with the number of its entry.
    pub(super) async fn acts(
        &self,
        event: &str,
        round: Option<u32>,
        from: u64,
        max: usize,
    ) -> Result<Vec<v1::StoredAct>, Refused> {
        self.with(event, |t| round.map_or(Ok(()), |round| decide::round(t, round).map(|_| ())))?;
        let (journal, stream) = (Arc::clone(&self.journal), Opened { event, round }.stream());
        let read = self.arena.limits().beside.run(move || {
            let stored = journal.read(&stream, from, max).map_err(|error| error.to_string())?;
            stored
                .iter()
                .map(|stored| kept(stored).map_err(|error| format!("entry {}: {error}", stored.index)))
                .collect::<Result<Vec<_>, String>>()
        });
        read.await.map_err(|_| Refused::JournalDown)?.map_err(|error| {
            tracing::error!(event, round, error, "the acts of an event cannot be read");
            Refused::JournalDown
        })
    }

    /// Creates an event.
    pub(super) async fn create(&self, who: Who, plan: EventPlan) -> Result<Settings, Refused> {
        let settings = decide::settings(plan)?;
        let event = settings.name.clone();
        if let Some(there) = self.book().events.get(&event) {
            return match there.has_admitted(&who.request) {
                true => Ok(there.settings.clone()),
                false => Err(Unfit::EventExists { event }.into()),
            };
        }
        self.keep(Opened { event: &event, round: None }, who, Act::Create(Box::new(settings.clone()))).await?;
        tracing::info!(event, "event created");
        Ok(settings)
    }

    /// Goes on with other settings.
    pub(super) async fn revise(&self, who: Who, plan: EventPlan) -> Result<Settings, Refused> {
        let settings = decide::settings(plan)?;
        let event = settings.name.clone();
        if !self.with(&event, |t| Ok(t.has_admitted(&who.request)))? {
            self.keep(Opened { event: &event, round: None }, who, Act::Revise(Box::new(settings))).await?;
        }
        self.with(&event, |t| Ok(t.settings.clone()))
    }

    /// Enters players, and says how many there are.
    pub(super) async fn players(&self, who: Who, event: &str, players: Vec<Player>) -> Result<u32, Refused> {
        if !(1..=decide::PLAYERS).contains(&players.len()) {
            return decide::bad("players", format!("expected 1 to {} a request", decide::PLAYERS));
        }
        decide::players(&players)?;
        if !self.with(event, |t| Ok(t.has_admitted(&who.request)))? {
            self.keep(Opened { event, round: None }, who, Act::Players(players)).await?;
        }
        self.with(event, |t| Ok(t.players.len() as u32))
    }

    /// Closes a round; the boards it was closed over, and how many games the clocks may forget.
    pub(super) async fn close(
        &self,
        who: Who,
        place: &Place,
        over_open: bool,
        note: String,
    ) -> Result<(Vec<u32>, u32), Refused> {
        decide::note(&note)?;
        let boards = self.boards(place, who.wall_ms).await?;
        let open: Vec<u32> = boards.iter().filter(|board| board.result == 0).map(|board| board.board).collect();
        if !self.is_done(&who, place)? {
            self.with(&place.event, |t| decide::open_round(t, place.round).map(drop))?;
            if !open.is_empty() && !over_open {
                let (event, round) = (place.event.clone(), place.round);
                let boards = open.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                return Err(Unfit::RoundOpen { event, round, boards }.into());
            }
            self.keep_round(place, who, Act::Close(open.clone(), note)).await?;
        }
        // Clocks are told by the next heartbeat. Those whose games have no result are told when these are over.
        self.arena.put_away(boards.iter().map(|board| board.game.as_str()));
        let over = boards.iter().filter(|board| !board.game.is_empty() && board.result != 0);
        Ok((open, over.count() as u32))
    }

    /// Every board of a round as it stands now.
    pub(super) async fn boards(&self, place: &Place, now_ms: Millis) -> Result<Vec<v1::Board>, Refused> {
        let mut boards = Vec::new();
        for seat in self.seats(place)? {
            let game = self.game(place, seat.board).await?;
            boards.extend(self.with(&place.event, |t| {
                let round = decide::round(t, place.round)?;
                Ok(view::board(t, round, seat.board, game.as_ref(), now_ms))
            })?);
        }
        Ok(boards)
    }

    /// A round as it stands now.
    pub(super) async fn round(&self, place: &Place, now_ms: Millis) -> Result<v1::Round, Refused> {
        let boards = self.boards(place, now_ms).await?;
        self.with(&place.event, |t| Ok(view::round(t, place.round, decide::round(t, place.round)?, boards)))
    }

    /// The boards of a round, in order.
    pub(super) fn seats(&self, place: &Place) -> Result<Vec<Seat>, Refused> {
        decide::round_number(place.round)?;
        self.with(&place.event, |t| Ok(decide::round(t, place.round)?.seats.values().cloned().collect()))
    }

    /// A board's game as it stands on disk, with the face that its clock shows; `None`: it is not open.
    pub(super) async fn game(&self, place: &Place, board: u32) -> Result<Option<GameSnapshot>, Refused> {
        match self.arena.snapshot(&game_name(&place.event, place.round, board)).await {
            Ok(mut snapshot) => {
                let runs = snapshot.face.is_some_and(|face| face.going() == Going::Running);
                let setup = snapshot.setup.as_ref().filter(|_| runs && snapshot.ended.is_none());
                let slot = setup.and_then(|setup| self.arena.roster().listed(&setup.device));
                if let (Some(setup), Some(slot)) = (setup, slot)
                    && slot.game().as_deref() == Some(setup.game.as_str())
                    && let Some((face, ago)) = slot.pulse().face().filter(|(face, _)| face.going() == Going::Running)
                {
                    snapshot.face = Some(view::counted_on(face, setup.control.as_ref(), ago));
                }
                Ok(Some(snapshot))
            }
            Err(Refused::NoSuchGame { .. }) => Ok(None),
            Err(refused) => Err(refused),
        }
    }

    /// The request was carried out before, on this round.
    pub(super) fn is_done(&self, who: &Who, place: &Place) -> Result<bool, Refused> {
        let done = |round: &Round| round.has_admitted(&who.request);
        self.with(&place.event, |t| Ok(t.rounds.get(&place.round).is_some_and(done)))
    }

    pub(super) async fn keep_round(&self, place: &Place, who: Who, act: Act) -> Result<(), Refused> {
        self.keep(Opened { event: &place.event, round: Some(place.round) }, who, act).await
    }
}

/// An act in a game that an act on a round leads to: the same one leads to it once.
pub(super) fn act_of(who: &Who, what: &str, act: DeskAct) -> DeskInput {
    let Who { request, actor, reason, wall_ms } = who.clone();
    DeskInput { request: request_of(&request, what), actor, wall_ms, reason, act }
}

/// An entry of an event or of a round as the act that it holds.
fn kept(stored: &Stored) -> Result<v1::StoredAct, codec::CodecError> {
    let entry: Entry = codec::message(&stored.bytes)?;
    let organiser = entry.inputs.into_iter().find_map(|input| match input.source {
        Some(Source::Organiser(bytes)) => Some(bytes),
        _ => None,
    });
    let act = organiser.map(|bytes| codec::message(&bytes)).transpose()?;
    Ok(v1::StoredAct { index: stored.index, act })
}

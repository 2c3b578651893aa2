//! Opening a game: the one act that makes something in the arena.

use std::sync::Arc;

use flagfall_rules::{
    game::{self, DeskAct, DeskInput, Game, Input, Setup},
    laws,
};
use tokio::sync::oneshot;

use super::{
    Arena, Games, actor,
    core::Core,
    handle::{Answer, Message},
    home::{Home, Tenant},
    roster::{Slot, lock},
};
use crate::wire::Refused;

/// A game is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Its name.
    pub game: Arc<str>,
    /// What followed.
    pub answer: Answer,
}

/// Whether a request is new.
enum Begin {
    Now(Begun),
    /// The same request opened this game.
    Before(Arc<str>),
}

/// An opening that is on its way to the disk.
struct Begun {
    game: Arc<str>,
    slot: Arc<Slot>,
    /// The clock's game before it.
    before: Option<Tenant>,
    answer: oneshot::Receiver<Result<Answer, Refused>>,
}

impl Arena {
    /// Opens a game; one without a name gets it from the device and the time of the act. `input` makes the act of a setup.
    ///
    /// # Errors
    /// `NO_SUCH_DEVICE`, `GAME_EXISTS`, `DEVICE_BUSY`, or what the rules say against the setup.
    pub async fn open(
        &self,
        request: &str,
        setup: Setup,
        input: impl Fn(DeskAct) -> DeskInput,
    ) -> Result<Opening, Refused> {
        let Begun { game, slot, before, answer } = match self.begin(request, setup.clone(), &input)? {
            Begin::Now(begun) => begun,
            Begin::Before(game) => {
                let setup = Setup { game: game.to_string(), ..setup };
                let answer = self.act(&game, input(DeskAct::Open(setup))).await?;
                return Ok(Opening { game, answer });
            }
        };
        let arena = self.clone();
        // A task of its own: when the desk goes away in the middle, a failed opening is still undone.
        let opening = self.tasks.spawn(async move {
            match answer.await.unwrap_or(Err(Refused::JournalDown)) {
                Ok(answer) => Ok(Opening { game, answer }),
                Err(refused) => {
                    slot.give_back(&game, before);
                    let mut games = lock(&arena.games);
                    games.strike(&game);
                    Err(refused)
                }
            }
        });
        opening.await.unwrap_or(Err(Refused::JournalDown))
    }

    /// Everything up to the journal happens under one lock: of two openings at once on a clock, or under a name, one is first.
    fn begin(&self, request: &str, mut setup: Setup, input: &impl Fn(DeskAct) -> DeskInput) -> Result<Begin, Refused> {
        let mut games = lock(&self.games);
        if let Some(game) = games.opens.get(request) {
            return Ok(Begin::Before(Arc::clone(game)));
        }
        let device = setup.device.clone();
        let slot = self.roster.listed(&device).ok_or(Refused::NoSuchDevice { device: device.clone() })?;
        let edition = laws::edition(&setup.edition).ok_or_else(|| Refused::edition(&setup.edition))?;
        if let Some(tenant) = slot.tenant().filter(|tenant| !tenant.is_free()) {
            return Err(Refused::DeviceBusy { device, game: tenant.name.to_string() });
        }
        let named = !setup.game.is_empty();
        let mut input = input(DeskAct::Open(setup.clone()));
        if !named {
            setup.game = games.free_name(&device, input.wall_ms);
            input.act = DeskAct::Open(setup.clone());
        } else if self.know(&mut games, &setup.game) || self.shared.quarantine.is_damaged(&setup.game) {
            return Err(Refused::GameExists { game: setup.game });
        }
        // Refused here, an opening leaves nothing behind; the actor decides the same again.
        game::decide(edition, &mut Game::new(&setup.game), &Input::Desk(input.clone()))
            .map_err(|refusal| Refused::Rules { game: setup.game.clone(), refusal })?;

        let game: Arc<str> = setup.game.into();
        let tenant = Tenant::new(Arc::clone(&game));
        // An adjourned game may have been set up on the clock this moment.
        let before =
            slot.take(tenant.clone()).map_err(|game| Refused::DeviceBusy { device, game: game.to_string() })?;
        let origin = actor::Origin::Core(Box::new(Core::new(Arc::clone(&game))));
        let home = Arc::new(Home::new(tenant.clone(), Vec::new(), Arc::clone(&slot)));
        let (handle, actor) = actor::actor(tenant.clone(), origin, Arc::clone(&home), Arc::clone(&self.shared));
        let (reply, answer) = oneshot::channel();
        // The mailbox of a new actor has room; the opening is the first thing in it, before any event of the clock, and before the
        // actor runs: one that finds nothing may go to rest.
        let _first = handle.mailbox.try_send(Message::Desk { input: Box::new(input), reply });
        self.tasks.spawn(actor.run());
        games.enlist(&game, home, Some(handle), tenant, Some(request.to_owned()));
        Ok(Begin::Now(Begun { game, slot, before, answer }))
    }
}

impl Games {
    /// The device and the time, as `clock-1-20260315T140000Z`; a number behind it when two games begin in one second.
    fn free_name(&self, device: &str, wall_ms: i64) -> String {
        let time = jiff::Timestamp::from_millisecond(wall_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let stem = format!("{device}-{}", time.strftime("%Y%m%dT%H%M%SZ"));
        let mut name = stem.clone();
        for n in 2.. {
            if !self.by_name.contains_key(name.as_str()) {
                break;
            }
            name = format!("{stem}-{n}");
        }
        name
    }
}

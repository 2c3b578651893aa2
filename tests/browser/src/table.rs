//! A board and its clock: the real agent, with hands that are played here.

use std::time::Duration;

use anyhow::{Context, anyhow};
use flagfall_clock::{
    AgentHandle, ClockKind, Hardware, MemorySpool, Server, Settings, Setup, Timeline, agent,
    agent::monotonic_ms,
    sense::{Ask, FaultKind, Sense, Sensed, Shown},
};
use flagfall_rules::{
    board::Scan,
    clock::{Colour, Place},
};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, uci::UciMove};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::PATIENCE;

/// Senses that may be on their way.
const SENSES: usize = 256;

/// A table in the hall.
pub struct Table {
    /// The clock's name.
    pub device: String,
    senses: mpsc::Sender<Sensed>,
    agent: AgentHandle,
    task: JoinHandle<()>,
    asks: JoinHandle<()>,
    position: Chess,
}

impl Table {
    /// A clock of its own, linked to a service, with White on the left.
    ///
    /// # Errors
    /// The address is none.
    pub fn new(device: &str, clocks: &str) -> anyhow::Result<Table> {
        let (senses, sensed) = mpsc::channel(SENSES);
        let (asks, mut asked) = mpsc::channel(SENSES);
        let settings = Settings {
            device: device.to_owned(),
            clock: ClockKind::Own,
            default_control: None,
            white_place: Place::Left,
            boot: uuid::Uuid::new_v4().as_u128(),
            settle_ms: 1_000,
        };
        let spool = Box::new(MemorySpool::new(*uuid::Uuid::new_v4().as_bytes()));
        let setup = Setup { settings, server: Server::uri(clocks)?, spool, timeline: Timeline::monotonic() };
        let (agent, actor) = agent(setup, Hardware { senses: sensed, asks });
        let task = tokio::spawn(async move {
            // Its end is seen by whoever waits for what it shows.
            let _ended = actor.run().await;
        });
        let asks =
            tokio::spawn(async move { while let Some(Ask::Beep | Ask::Board | Ask::Dial(_)) = asked.recv().await {} });
        Ok(Table { device: device.to_owned(), senses, agent, task, asks, position: Chess::default() })
    }

    /// Waits until the display shows something.
    ///
    /// # Errors
    /// It does not within the patience of all tests.
    pub async fn wait(&mut self, what: &str, good: impl FnMut(&Shown) -> bool) -> anyhow::Result<Shown> {
        let waited = timeout(PATIENCE, self.agent.shown.wait_for(good)).await;
        let shown = waited.map(|shown| shown.map(|shown| shown.clone()));
        let Ok(shown) = shown else {
            return Err(anyhow!("{}: never {what}; it shows {:?}", self.device, self.agent.shown.borrow()));
        };
        shown.with_context(|| format!("{}: the agent ended", self.device))
    }

    /// What the display shows now.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.agent.shown.borrow().clone()
    }

    /// Lets the hardware sense something now.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn sense(&self, sense: Sense) -> anyhow::Result<()> {
        let sensed = Sensed { at: monotonic_ms(), sense };
        self.senses.send(sensed).await.map_err(|_| anyhow!("{}: the agent ended", self.device))
    }

    /// The board shows a position, whatever was played.
    ///
    /// # Errors
    /// The agent has ended, or the text shows no board.
    pub async fn shows(&self, fen: &str) -> anyhow::Result<()> {
        self.sense(Sense::Board(Scan::from_fen(fen).ok_or_else(|| anyhow!("{fen}: no board"))?)).await
    }

    /// The board shows the position again as it was played.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn put_right(&self) -> anyhow::Result<()> {
        self.shows(&Fen::from_position(&self.position, EnPassantMode::Legal).to_string()).await
    }

    /// After a move of each White's rook jumps over its pawn and the clock is pressed: an illegal move.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn jump(&mut self) -> anyhow::Result<()> {
        /// A hand takes its time; what the arbiter is shown has it.
        const HAND: Duration = Duration::from_millis(300);
        for uci in ["e2e4", "e7e5"] {
            self.play(uci).await?;
            sleep(HAND).await;
        }
        self.shows("rnbqkbnr/pppp1ppp/8/4p3/4P3/R7/PPPP1PPP/1NBQKBNR b KQkq - 0 2").await?;
        sleep(HAND).await;
        self.press(Colour::White).await
    }

    /// Sets up the initial position and starts White's clock.
    ///
    /// # Errors
    /// The clock never gets its game.
    pub async fn start(&mut self) -> anyhow::Result<()> {
        self.set_up().await?;
        self.sense(Sense::StartStop).await
    }

    /// Waits for the game and sets up its position.
    ///
    /// # Errors
    /// The clock never gets its game.
    pub async fn set_up(&mut self) -> anyhow::Result<()> {
        self.wait("has a game", |shown| !shown.game.is_empty() && shown.online).await?;
        self.put_right().await
    }

    /// Starts or stops by hand.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn start_stop(&self) -> anyhow::Result<()> {
        self.sense(Sense::StartStop).await
    }

    /// Who moves next, as the board has it.
    #[must_use]
    pub fn to_move(&self) -> Colour {
        if self.position.turn().is_white() { Colour::White } else { Colour::Black }
    }

    /// The player to move makes a legal move and presses.
    ///
    /// # Errors
    /// It is not legal, or the agent has ended.
    pub async fn play(&mut self, uci: &str) -> anyhow::Result<()> {
        let mover = self.to_move();
        let chosen = uci.parse::<UciMove>()?.to_move(&self.position)?;
        self.position.play_unchecked(chosen);
        self.put_right().await?;
        self.press(mover).await
    }

    /// The player to move makes some legal move, the `n`th of those there are, and presses; false when there is none.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn play_any(&mut self, n: usize) -> anyhow::Result<bool> {
        let moves = self.position.legal_moves();
        if moves.is_empty() {
            return Ok(false);
        }
        let uci = moves[n % moves.len()].to_uci(CastlingMode::Standard).to_string();
        self.play(&uci).await.map(|()| true)
    }

    /// A player presses.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn press(&self, colour: Colour) -> anyhow::Result<()> {
        let place = if colour == Colour::White { Place::Left } else { Place::Right };
        self.sense(Sense::Button(place)).await
    }

    /// A player calls the arbiter.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn call(&self, colour: Colour) -> anyhow::Result<()> {
        let place = if colour == Colour::White { Place::Left } else { Place::Right };
        self.sense(Sense::Call(Some(place))).await
    }

    /// The board stops answering.
    ///
    /// # Errors
    /// The agent has ended.
    pub async fn lose_board(&self) -> anyhow::Result<()> {
        self.sense(Sense::Fault(FaultKind::BoardLost, "no answer from the board".to_owned())).await
    }

    /// The clock is switched off: its link is cut.
    pub fn switch_off(&self) {
        self.agent.cancel.cancel();
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.agent.cancel.cancel();
        self.task.abort();
        self.asks.abort();
    }
}

//! A table of the hall: a real agent with a clock of its own, and two players who press its buttons and move men on its board.

use std::net::SocketAddr;

use flagfall_clock::sense::{Sense, Sensed};
use flagfall_rules::{
    board::infer,
    clock::{Colour, Going, Place},
};
use flagfall_server::app::replay::{
    desk::{Desk, Follower},
    rig::Rig,
};
use shakmaty::{Chess, Position, san::San};

/// White sits on the left.
pub(crate) struct Table {
    rig: Rig,
    follower: Follower,
    now: u64,
    position: Chess,
}

impl Table {
    /// The clock is switched on, and a game is on it already.
    pub(crate) async fn sit(clocks: SocketAddr, desk: &str, device: &str, game: &str) -> Table {
        let rig = Rig::own(device, &format!("http://{clocks}"), Place::Left).expect("an agent");
        let follower = Desk::connect(desk).await.expect("a desk").follow(game).await.expect("a game");
        let mut table = Table { rig, follower, now: 1_000, position: Chess::default() };
        table.feed(vec![Sense::Board(infer::scan(&table.position))]).await;
        table
    }

    async fn feed(&mut self, senses: Vec<Sense>) {
        let senses = senses.into_iter().map(|sense| Sensed { at: self.now, sense }).collect();
        self.rig.feed(senses).await.expect("an agent");
        self.settle().await;
    }

    /// Everything that follows has followed.
    pub(crate) async fn settle(&mut self) {
        self.rig.settle(&mut self.follower, |_| Vec::new()).await.expect("settled");
    }

    /// The desk has started its clock. That was answered on another connection than the one that follows
    /// the game, and this one may be the slower.
    pub(crate) async fn started(&mut self) {
        loop {
            let (shown, _) = self.rig.settle(&mut self.follower, |_| Vec::new()).await.expect("settled");
            if shown.face.going == Going::Running {
                break;
            }
            self.follower.followed.changed().await.expect("a desk that follows");
        }
    }

    /// Plays moves in SAN, each thought over for so many milliseconds, and presses.
    pub(crate) async fn play(&mut self, moves: &str, thought: u64) {
        for san in moves.split(' ') {
            let mover: Colour = self.position.turn().into();
            let m = san.parse::<San>().expect(san).to_move(&self.position).expect(san);
            self.position.play_unchecked(m);
            self.now += thought;
            let place = if mover == Colour::White { Place::Left } else { Place::Right };
            self.feed(vec![Sense::Board(infer::scan(&self.position)), Sense::Button(place)]).await;
        }
    }

    pub(crate) async fn leave(self) {
        self.rig.end().await;
    }
}

//! How many moves the players have made. The record counts them. What it lacks, because presses were lost or the clock died, people say
//! by putting the counters right: their word is a fact of its own. The moves made since are counted up from it, and those taken back are
//! counted down.

use shakmaty::Position;

use super::{
    event::Act,
    reading::{board_at_rest, unpressed},
    standing::expected,
    state::Game,
};
use crate::clock::{Colour, Hand};

impl Game {
    /// Moves completed by a player, by the score, the number of the move it began with, and what people said it lacks.
    #[must_use]
    pub fn completed(&self, by: Colour) -> u32 {
        self.completed_in(self.known(), by)
    }

    /// Moves a player had completed after so many plies.
    #[must_use]
    pub fn completed_in(&self, plies: u32, by: Colour) -> u32 {
        let all = i64::from(self.on_record(plies, by)) + self.lacks(by);
        u32::try_from(all.max(0)).unwrap_or(u32::MAX)
    }

    /// Moves made by a player, pressed or not: a man that was put down and has come to rest has made one.
    #[must_use]
    pub fn made(&self, by: Colour) -> u32 {
        let followed = self.plies.iter().filter(|ply| ply.by == by && !ply.completed).count();
        let mover: Colour = self.position.turn().into();
        let on_board = if board_at_rest(self) { unpressed(self).len() } else { 0 };
        let his = if mover == by { on_board.div_ceil(2) } else { on_board / 2 };
        self.completed(by).saturating_add((followed + his) as u32)
    }

    /// Moves made before the score begins: a game that is set up at move 31 had thirty.
    pub(super) fn made_before(&self, by: Colour) -> u32 {
        let Some(first) = self.first_position() else { return 0 };
        let whole = first.fullmoves().get() - 1;
        whole + u32::from(by == Colour::White && first.turn() == shakmaty::Color::Black)
    }

    /// How many moves of each player the record lacks, by whoever puts the counters right with this; `None` where it says nothing of
    /// them. A ruling does where it goes by the scoresheets: otherwise it takes its counters from here. By hand it does where they are
    /// others than the clock's, and than those that were noted when the game was adjourned.
    pub(super) fn said_to_lack(&self, act: &Act) -> [Option<i64>; 2] {
        let Act::Set { hands, .. } = act else { return [None; 2] };
        let ruled = self.ruled(hands);
        let noted = self.adjournment.as_ref().and_then(|adjournment| adjournment.envelope.as_ref());
        let noted = noted.map(|envelope| envelope.hands);
        let shown = [self.face.hands, expected(self).face.hands];
        Colour::BOTH.map(|colour| {
            let of = |hands: &[Hand; 2]| hands[colour.index()].moves;
            let moves = of(hands);
            let says = match ruled {
                Some((finding, _)) => finding.facts.moves.is_some_and(|sheets| sheets[colour.index()] == moves),
                None => shown.iter().chain(&noted).all(|known| of(known) != moves),
            };
            says.then(|| i64::from(moves) - i64::from(self.on_record(self.known(), colour)))
        })
    }

    /// Moves of a player that the record lacks, as people said last.
    fn lacks(&self, by: Colour) -> i64 {
        let said = self.directives.iter().rev().filter(|sent| !sent.is_void());
        said.filter_map(|sent| sent.lacks[by.index()]).next().unwrap_or(0)
    }

    fn on_record(&self, plies: u32, by: Colour) -> u32 {
        let seen = self.plies.iter().take(plies as usize).filter(|ply| ply.by == by && ply.completed).count();
        let pressed = self.presses.iter().take(plies as usize).filter(|press| press.by == by).count();
        self.made_before(by) + seen.max(pressed) as u32
    }
}

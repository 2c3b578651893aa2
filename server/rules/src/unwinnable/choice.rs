//! Which move serves a picture best, by looks.
//!
//! The weights were found by trial: whichever change made the lines from the ends of ordinary games shorter was kept. Most
//! are powers of two, which are added in one go.

use shakmaty::{Move, Role, Square};

use super::{
    looks::Looks,
    picture::Picture,
    reach::{Man, Reach, sources},
    sets::{Squares, bit, king, last_rank},
};

/// A king's step towards its place, for either side, and leaving that place again.
const STEP: i32 = 8;
const WINNER_LEAVES: i32 = -4;
const LOSER_LEAVES: i32 = -8;
/// The loser's king moves although it is to be mated where it stands.
const RESTLESS: i32 = -3;
/// What has just moved moves again.
const AGAIN: i32 = -2;

/// The winner takes something; next to the loser's king.
const TAKES: i32 = 2;
const EXPOSED: i32 = -4;
/// Reaching, and leaving again, a square from which the mate could be given.
const NEAR: i32 = 4;
const LEAVES_NEAR: i32 = -4;
/// Closing a hole or guarding a post.
const GUARDS: i32 = 4;
/// Pawn moves: with a major man on the board, without one, the last one, and those of the pawn that is to promote.
const PAWN: i32 = 2;
const ONLY_PAWNS: i32 = 48;
const PROMOTES: i32 = 5;
const MARCHES: i32 = 1;

/// The loser takes something that the winner may need.
const ROBS: i32 = -8;
/// The loser's man steps into a hole; where it disturbs the mate; away from there.
const FILLS: i32 = 2;
const DISTURBS: i32 = -2;
const WITHDRAWS: i32 = 3;

/// The best move so far.
struct Best {
    score: i32,
    found: Option<(Role, Square, Squares)>,
    /// The man that moved last.
    last: Option<Square>,
}

impl Best {
    const fn new(last: Option<Square>) -> Best {
        Best { score: i32::MIN, found: None, last }
    }

    /// Weighs the moves of one man, all of which have a value of their own.
    fn weigh(&mut self, man: Man, looks: &Looks, value: i32) {
        if man.goals == 0 {
            return;
        }
        let (score, goals) = looks.best(man.goals);
        let score = score + value + if self.last == Some(man.from) { AGAIN } else { 0 };
        if score > self.score {
            self.score = score;
            self.found = Some((man.role, man.from, goals));
        }
    }

    fn into_move(self, reach: &Reach) -> Option<Move> {
        let (role, from, goals) = self.found?;
        Some(reach.to(role, from, Square::new(goals.trailing_zeros() & 63)))
    }
}

const fn of_king(reach: &Reach) -> Man {
    Man { role: Role::King, from: reach.king, goals: reach.flights }
}

fn of_a_kind(a: &Man, b: &Man) -> bool {
    a.role == b.role
}

/// The best-looking move of the winner. `looks` is what squares are worth before anything is known of them.
pub(super) fn hunt(reach: &Reach, picture: &Picture, mut looks: Looks, last: Option<Square>) -> Option<Move> {
    let (board, winner) = (reach.board, reach.own);
    let (theirs, occupied) = (board.by_color(winner.other()), board.occupied());
    let mut best = Best::new(last);
    looks.favour(theirs.0, TAKES);
    let mut steps = looks;
    steps.favour(picture.to_hunter, STEP);
    let leaves = if picture.hunter == Some(reach.king) { WINNER_LEAVES } else { 0 };
    best.weigh(of_king(reach), &steps, leaves);

    looks.favour(king((theirs & board.kings()).0), EXPOSED);
    let major = (board.by_color(winner) & board.rooks_and_queens()).any();
    let unguarded = picture.holes | picture.support;
    for men in reach.men().chunk_by(of_a_kind) {
        let role = men[0].role;
        let mut looks = looks;
        if role == Role::Pawn {
            looks.favour(picture.march, MARCHES);
            let value = if major { PAWN } else { ONLY_PAWNS };
            for &man in men {
                let promotes = man.goals & last_rank(winner) != 0;
                best.weigh(man, &looks, value + if promotes { PROMOTES } else { 0 });
            }
            continue;
        }
        if unguarded != 0 {
            looks.favour(sources(role, unguarded, occupied), GUARDS);
        }
        let near = if matches!(role, Role::Queen | Role::Rook) { sources(role, picture.posts, occupied) } else { 0 };
        let mut posted = looks;
        posted.favour(near & !picture.posts, NEAR);
        for &man in men {
            let at = bit(man.from as u32);
            if picture.men & at == 0 {
                best.weigh(man, &looks, 0);
            } else {
                best.weigh(man, &posted, if near & at == 0 { 0 } else { LEAVES_NEAR });
            }
        }
    }
    best.into_move(reach)
}

/// The move of the loser that looks best for the winner.
pub(super) fn help(reach: &Reach, picture: &Picture, mut looks: Looks, last: Option<Square>) -> Option<Move> {
    let (board, winner) = (reach.board, reach.own.other());
    let (theirs, occupied) = (board.by_color(winner), board.occupied());
    let mut best = Best::new(last);
    // Pawns matter only to a winner who has nothing else to mate with.
    let major = (theirs & board.rooks_and_queens()).any();
    looks.favour(if major { (theirs & !board.pawns()).0 } else { theirs.0 }, ROBS);
    let mut steps = looks;
    steps.favour(picture.to_prey, STEP);
    let value = match picture.hunter {
        None => RESTLESS,
        Some(_) if picture.prey == reach.king => LOSER_LEAVES,
        Some(_) => 0,
    };
    best.weigh(of_king(reach), &steps, value);

    looks.favour(picture.holes, FILLS);
    for men in reach.men().chunk_by(of_a_kind) {
        let role = men[0].role;
        let mut looks = looks;
        let mut disturbing = 0;
        if role != Role::Pawn {
            disturbing = picture.clear | sources(role, picture.clear, occupied);
            looks.favour(disturbing, DISTURBS);
        }
        for &man in men {
            let withdraws = disturbing & bit(man.from as u32) != 0;
            best.weigh(man, &looks, if withdraws { WITHDRAWS } else { 0 });
        }
    }
    best.into_move(reach)
}

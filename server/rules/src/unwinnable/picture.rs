//! The mate that a guided line heads for, as a picture: where the loser's king stands, and who gives check from where.
//!
//! Two pictures are drawn, and the one that lacks less is taken.
//!
//! - A meeting: the kings opposite each other, the loser's on the edge, and a major man anywhere on that edge. Where they
//!   meet is found by letting both kings walk everywhere at once, a step at a time.
//! - An ambush: the loser's king where it is, and a major man giving check from the square that leaves the fewest holes
//!   around it, least often taken and soonest reached.

use shakmaty::{Board, Color, Role, Square, attacks};

use super::{
    reach::{attacked, seen, sources},
    sets::{Squares, ahead, bit, each, king, officer},
};

/// See the module.
#[derive(Clone, Copy)]
pub(super) struct Picture {
    /// Where the loser's king is to stand, and squares nearer to it than where it stands now.
    pub(super) prey: Square,
    pub(super) to_prey: Squares,
    /// The same of the winner's king, which an ambush does without.
    pub(super) hunter: Option<Square>,
    pub(super) to_hunter: Squares,
    /// Men one of which gives the check.
    pub(super) men: Squares,
    /// Squares from which it is given.
    pub(super) posts: Squares,
    /// Squares that the loser's men should neither attack nor stand on.
    pub(super) clear: Squares,
    /// The way of the pawn that has to become a major man first.
    pub(super) march: Squares,
    /// Squares where the king must not flee to: a man of the loser should stand there, or one of the winner attack it.
    pub(super) holes: Squares,
    /// A post beside the king that another man has to guard.
    pub(super) support: Squares,
    /// What is lacking: the weights below.
    cost: u32,
}

/// A step of both kings on their way to a meeting, and all that a major man costs that there is not yet.
const STEP: u32 = 2;
const NO_MAJOR: u32 = 8;
/// A move of the man on its way to its post, a hole, a post unguarded, and a post or a line to it under attack.
const MOVE: u32 = 3;
const HOLE: u32 = 5;
const UNGUARDED: u32 = 14;
const HOSTILE: u32 = 2;
/// When the kings cannot meet as things stand.
const NEVER: u32 = 40;

/// Steps of each king looked ahead: nearly everything that a board without walls needs.
const STEPS: u32 = 12;

const FILE_A: Squares = 0x0101_0101_0101_0101;
const RANK_1: Squares = 0xff;

/// The picture that lacks less.
pub(super) fn nearest(board: &Board, winner: Color) -> Option<Picture> {
    let (prey, hunter) = (board.king_of(winner.other())?, board.king_of(winner)?);
    let meeting = meeting(board, winner, prey, hunter);
    Some(ambush(board, winner, prey, meeting.cost).unwrap_or(meeting))
}

/// The nearest meeting of the kings.
fn meeting(board: &Board, winner: Color, prey: Square, hunter: Square) -> Picture {
    let (ours, occupied) = (board.by_color(winner).0, board.occupied());
    let men = ours & board.rooks_and_queens().0;
    let march = if men == 0 { march(board, winner) } else { 0 };
    let none = Picture {
        prey,
        to_prey: 0,
        hunter: Some(hunter),
        to_hunter: 0,
        men,
        posts: 0,
        clear: march,
        march,
        holes: 0,
        support: 0,
        cost: NEVER,
    };
    // Each king keeps out of the other's men's way, but not of the other king's: that one is walking as well.
    let kings = board.kings().0;
    let over = [
        !attacked(board, winner, occupied.without(prey), !kings) & !occupied.0,
        !attacked(board, winner.other(), occupied.without(hunter), !kings) & !ours,
    ];
    let barrier = march & board.pawns().0 & !ours;
    if barrier != 0 {
        // First of all the winner's king takes the pawn that keeps its own from becoming a queen.
        let at = Square::new(barrier.trailing_zeros());
        return Picture { hunter: Some(at), to_hunter: nearer(at, hunter, over[1]), ..none };
    }
    let Some((steps, at, opposite, edge)) = meet(prey, hunter, over, board.pawns().0) else { return none };
    let free = occupied.without(prey).without(hunter);
    let mut posts = seen(Role::Rook, at, free) & edge & !king(bit(at as u32));
    if ours & board.queens().0 != 0 {
        posts |= attacks::between(at, opposite).0;
    }
    Picture {
        prey: at,
        to_prey: nearer(at, prey, over[0]),
        hunter: Some(opposite),
        to_hunter: nearer(opposite, hunter, over[1]),
        posts,
        clear: if march == 0 { king(bit(at as u32)) | bit(opposite as u32) } else { march },
        cost: steps * STEP + if men == 0 { NO_MAJOR } else { 0 },
        ..none
    }
}

/// After how many steps of either king they can stand opposite each other, where, and on which edge; pawns beside the
/// meeting would keep the check out on an edge where they can be.
fn meet(prey: Square, hunter: Square, over: [Squares; 2], pawns: Squares) -> Option<(u32, Square, Square, Squares)> {
    let open = (!pawns >> 8 & !pawns >> 16) | (!pawns << 8 & !pawns << 16);
    let mut near = [bit(prey as u32), bit(hunter as u32)];
    for steps in 0..STEPS {
        let [a, b] = near;
        let edges = [
            (a & b << 16, RANK_1 << 56, -16),
            (a & b >> 16, RANK_1, 16),
            (a & open & b << 2, FILE_A << 7, -2),
            (a & open & b >> 2, FILE_A, 2),
        ];
        if let Some((at, edge, offset)) = edges.into_iter().find(|(at, edge, _)| at & edge != 0) {
            let at = Square::new((at & edge).trailing_zeros());
            return Some((steps, at, at.offset(offset)?, edge));
        }
        near = [a | king(a) & over[0], b | king(b) & over[1]];
        if near == [a, b] {
            return None;
        }
    }
    None
}

/// The squares from which a king has fewer steps to its goal than from where it is.
fn nearer(goal: Square, from: Square, over: Squares) -> Squares {
    let mut near = bit(goal as u32);
    for _ in 0..STEPS {
        let next = king(near);
        if (next | near) & bit(from as u32) != 0 {
            break;
        }
        near |= next & over;
    }
    near
}

/// The way of the pawn that becomes a queen soonest: men in its way cost moves, pawns most.
fn march(board: &Board, winner: Color) -> Squares {
    let theirs = board.by_color(winner.other());
    let ways = each((board.by_color(winner) & board.pawns()).0).map(|square| ahead(square, winner));
    let work = |way: &Squares| {
        let met = |men: Squares| (way & men).count_ones();
        way.count_ones() * 2 + met(board.occupied().0) * 3 + met((theirs & board.pawns()).0) * 5
    };
    ways.min_by_key(work).unwrap_or(0)
}

/// The nearest mate of the loser's king where it stands, if it lacks less than `most`.
fn ambush(board: &Board, winner: Color, prey: Square, most: u32) -> Option<Picture> {
    let (ours, theirs) = (board.by_color(winner).0, board.by_color(winner.other()).0);
    let (at, occupied) = (bit(prey as u32), board.occupied());
    let (ring, bared) = (king(at), occupied.without(prey));
    let majors = ours & board.rooks_and_queens().0;
    let guards = attacked(board, winner.other(), occupied, !at);
    let (mut best, mut least) = (None, most);
    for man in each(majors) {
        let from = Square::new(man);
        let role = if board.queens().contains(from) { Role::Queen } else { Role::Rook };
        let covered = attacked(board, winner, bared, !bit(man));
        let first = seen(role, from, occupied) & !ours;
        let second = officer(role, first & !occupied.0, !occupied.0);
        for post in each(sources(role, at, occupied) & !ours) {
            let to = bit(post);
            let way = attacks::between(Square::new(post), prey).0;
            let moves = if first & to != 0 { 0 } else { 1 + u32::from(second & to == 0) };
            let unguarded = ring & to & !covered != 0;
            let hostile = u32::from(guards & to != 0) + u32::from(guards & way != 0);
            let cost = moves * MOVE + u32::from(unguarded) * UNGUARDED + hostile * HOSTILE;
            if cost >= least {
                continue;
            }
            let seen = seen(role, Square::new(post), bared.without(from));
            let holes = ring & !theirs & !covered & !seen & !to;
            let cost = cost + holes.count_ones() * HOLE;
            if cost < least {
                least = cost;
                best = Some(Picture {
                    prey,
                    to_prey: 0,
                    hunter: None,
                    to_hunter: 0,
                    men: bit(man),
                    posts: to,
                    clear: to | way,
                    march: 0,
                    holes,
                    support: if unguarded { to } else { 0 },
                    cost,
                });
            }
        }
    }
    best
}

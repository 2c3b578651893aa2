//! How far a position looks from a mate by the winner. Lower is nearer; nothing but the order of the search hangs on it.

use shakmaty::{Bitboard, Board, Chess, Color, Position, Square};

use super::sets::{Squares, ahead, bit, each};
use super::threat;

/// The five orders in which the search takes positions, each about in plies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// Driving the loser's king into a corner with the winner's men around it.
    pub(super) hunt: u32,
    /// The same without the winner's king, which may be unable to come: the loser's own men shut their king in.
    pub(super) lair: u32,
    /// The same, with more regard for what the mate itself still lacks.
    pub(super) den: u32,
    /// Mating it where it stands, among its own men.
    pub(super) threat: u32,
    /// Irreversible work left: men to be taken, pawns to be pushed.
    pub(super) work: u32,
}

/// What the structure says about every position of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    /// Squares the loser's king may ever reach.
    pub(super) reach: Squares,
}

/// Looks at a position from the winner's side.
pub(super) fn outlook(position: &Chess, winner: Color, ground: Ground) -> Outlook {
    let board = position.board();
    let (Some(hunter), Some(prey)) = (board.king_of(winner), board.king_of(winner.other())) else {
        return Outlook { hunt: 0, lair: 0, den: 0, threat: 0, work: 0 };
    };
    let (power, corners) = force(board, winner, prey);
    let threat = threat::defects(board, winner, prey);
    let apart = hunter.distance(prey).saturating_sub(2) * 2;
    let lair = each(corners & ground.reach).map(|corner| steps(Square::new(corner), prey)).min().unwrap_or(0);
    let cornered = each(corners).map(|corner| steps(Square::new(corner), prey)).min().unwrap_or(0);
    let shut_in = power + company(board, winner, prey);
    Outlook {
        hunt: power + cornered + apart + threat * 2,
        lair: shut_in + lair * 4 + threat * 2,
        den: shut_in + lair * 3 + threat * 3,
        threat,
        work: work(board, winner),
    }
}

const CORNERS: Squares = bit(0) | bit(7) | bit(56) | bit(63);
const DARK: Squares = 0xaa55_aa55_aa55_aa55;

/// How long until the winner has enough to mate with, and the corners in which that mates.
fn force(board: &Board, winner: Color, prey: Square) -> (u32, Squares) {
    let ours = board.by_color(winner);
    if (ours & board.rooks_and_queens()).any() {
        return (u32::from((ours & board.queens()).is_empty()), CORNERS);
    }
    let by_pawn = each((ours & board.pawns()).0).map(|square| {
        let in_the_way = (ahead(square, winner) & board.occupied().0).count_ones();
        4 + rows_left(square, winner) * 2 + in_the_way * 3
    });
    let (by_minors, corners) = minors(board, winner, prey);
    match by_pawn.min() {
        Some(pawn) if pawn < by_minors => (pawn, CORNERS),
        _ => (by_minors, corners),
    }
}

/// Minor men mate in a corner they attack, and with few exceptions only beside a man of the loser's own.
fn minors(board: &Board, winner: Color, prey: Square) -> (u32, Squares) {
    let (ours, theirs) = (board.by_color(winner), board.by_color(winner.other()));
    let bishops = (ours & board.bishops()).0;
    let knights = (ours & board.knights()).0;
    let shades = [bishops & DARK != 0, bishops & !DARK != 0];
    let corners = match shades {
        [true, false] if knights == 0 => CORNERS & DARK,
        [false, true] if knights == 0 => CORNERS & !DARK,
        _ => CORNERS,
    };
    if shades[0] && shades[1] || bishops != 0 && knights != 0 {
        return (6, corners);
    }
    let helpers = if knights != 0 {
        theirs & (board.knights() | board.bishops() | board.rooks())
    } else {
        let other_shade = if shades[0] { !DARK } else { DARK };
        theirs & (board.knights() | (board.bishops() & Bitboard(other_shade)))
    };
    let help = nearest_two(helpers, prey).map(|(first, _)| first).or_else(|| {
        let pawns = (theirs & board.pawns()).0;
        each(pawns).map(|square| 10 + rows_left(square, winner.other()) * 2).min()
    });
    let crowd = theirs.count().saturating_sub(2) as u32 + (theirs & board.queens()).count() as u32 * 2;
    (10 + help.unwrap_or(40) + crowd * 2, corners)
}

/// The way of the loser's second man to its king's side.
fn company(board: &Board, winner: Color, prey: Square) -> u32 {
    let theirs = board.by_color(winner.other()) & !board.kings() & !board.pawns();
    nearest_two(theirs, prey).map_or(0, |(_, second)| second / 2)
}

/// The way of the two nearest of some men to a square.
fn nearest_two(men: Bitboard, to: Square) -> Option<(u32, u32)> {
    let (mut first, mut second) = (None, None);
    for distance in men.into_iter().map(|square| square.distance(to)) {
        if first.is_none_or(|least| distance < least) {
            second = first;
            first = Some(distance);
        } else if second.is_none_or(|least| distance < least) {
            second = Some(distance);
        }
    }
    first.map(|least| (least, second.unwrap_or(0)))
}

fn work(board: &Board, winner: Color) -> u32 {
    let way = |color| each((board.pawns() & board.by_color(color)).0).map(|at| rows_left(at, color)).sum::<u32>();
    let ours = board.material_side(winner);
    let worth = u32::from(ours.queen) * 9
        + u32::from(ours.rook) * 5
        + u32::from(ours.bishop + ours.knight) * 3
        + u32::from(ours.pawn);
    let lost = 9u32.saturating_sub(worth);
    (way(winner) + way(winner.other())) / 2 + lost * 2 + board.by_color(winner.other()).count() as u32
}

fn rows_left(square: u32, color: Color) -> u32 {
    if color.is_white() { 7 - (square >> 3) } else { square >> 3 }
}

fn steps(a: Square, b: Square) -> u32 {
    a.file().distance(b.file()) + a.rank().distance(b.rank())
}

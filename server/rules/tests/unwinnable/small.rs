//! Small material against exhaustive enumeration: a yes is played through, a no has its whole closure searched for a mate.

use flagfall_rules::{
    clock::Colour,
    unwinnable::{self, Reason, Verdict},
};
use shakmaty::{Board, CastlingMode, Chess, Color, Piece, Position, Role, Setup, Square};

use super::{closure::mate_arises, told};

/// A debug build looks at a sample, an optimised one at everything.
const STEP: usize = if cfg!(debug_assertions) { 211 } else { 1 };

fn set_up(men: &[(Square, Piece)], turn: Color) -> Option<Chess> {
    let mut board = Board::empty();
    for &(square, piece) in men {
        if board.piece_at(square).is_some() {
            return None;
        }
        board.set_piece_at(square, piece);
    }
    let mut setup = Setup::empty();
    setup.board = board;
    setup.turn = turn;
    setup.position(CastlingMode::Standard).ok()
}

/// Asks both sides, and has every answer confirmed. Counts what was confirmed as lost by enumeration.
fn confirm(position: &Chess, most: usize, refused: &mut usize) {
    for side in Colour::BOTH {
        let verdict = unwinnable::can_mate(position, side, 2_000_000);
        match told(&verdict, position, side) {
            Some(true) => {}
            None => panic!("undetermined: {position:?} {}", side.name()),
            // Bare kings and lone minor men: see the test that no mate of theirs exists at all.
            Some(false)
                if verdict == Verdict::Unwinnable(Reason::Material) && position.board().occupied().count() < 4 => {}
            Some(false) => {
                // What material excludes has the largest closures: a glance at each is enough.
                let most = if verdict == Verdict::Unwinnable(Reason::Material) { most / 500 } else { most };
                if let Some(arises) = mate_arises(position, side.into(), most) {
                    assert!(!arises, "a mate arises: {position:?} {}", side.name());
                    *refused += 1;
                }
            }
        }
    }
}

fn three_men(role: Role) -> impl Iterator<Item = Chess> {
    (0..64 * 64 * 64 * 2_u32).filter_map(move |number| {
        let square = |shift: u32| Square::new(number >> shift & 63);
        let men =
            [(square(0), Color::White.king()), (square(6), Color::Black.king()), (square(12), Color::White.by(role))];
        set_up(&men, Color::from_white(number >> 18 == 0))
    })
}

trait By {
    fn by(self, role: Role) -> Piece;
}

impl By for Color {
    fn by(self, role: Role) -> Piece {
        Piece { color: self, role }
    }
}

#[test]
fn no_mate_exists_with_a_lone_minor_man() {
    for role in [Role::Knight, Role::Bishop] {
        for position in three_men(role).step_by(if STEP > 1 { 3 } else { 1 }) {
            assert!(!position.is_checkmate(), "{position:?}");
        }
    }
}

#[test]
fn three_men_are_judged_as_enumeration_judges_them() {
    let mut refused = 0;
    for role in [Role::Queen, Role::Rook, Role::Pawn, Role::Knight, Role::Bishop] {
        for position in three_men(role).step_by(STEP) {
            confirm(&position, usize::MAX, &mut refused);
        }
    }
    println!("three men: {refused} refusals enumerated");
    assert!(refused > 0);
}

#[test]
fn four_men_are_judged_as_enumeration_judges_them() {
    let mut refused = 0;
    let pairs = [
        (Role::Knight, Role::Rook),
        (Role::Knight, Role::Pawn),
        (Role::Bishop, Role::Knight),
        (Role::Bishop, Role::Pawn),
        (Role::Pawn, Role::Pawn),
        (Role::Rook, Role::Knight),
        (Role::Queen, Role::Bishop),
        (Role::Queen, Role::Pawn),
    ];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let (any, tight) = if cfg!(debug_assertions) { (1, 5) } else { (20, 150) };
    for (ours, theirs) in pairs {
        let mut left = (any, tight);
        while left != (0, 0) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let square = |shift: u32| Square::new((seed >> shift) as u32 & 63);
            let men = [
                (square(0), Color::White.king()),
                (square(6), Color::Black.king()),
                (square(12), Color::White.by(ours)),
                (square(18), Color::Black.by(theirs)),
            ];
            let Some(position) = set_up(&men, Color::from_white(seed >> 40 & 1 == 0)) else { continue };
            // Nobody loses the power to mate but by force, so that most of the sample has a forced move.
            if position.legal_moves().len() == 1 && left.1 > 0 {
                left.1 -= 1;
            } else if left.0 > 0 {
                left.0 -= 1;
            } else {
                continue;
            }
            confirm(&position, 300_000, &mut refused);
        }
    }
    println!("four men: {refused} refusals enumerated");
    assert!(refused > 0);
}

//! What was only shown ends with what it speaks of: a move that is taken back, a game that is played anew, a flag that is up again.
//! Nobody can claim it, rule on it or be given time for it after that.

use alloc::vec::Vec;

use super::{
    case,
    decide::Draft,
    event::Remedy,
    irregularity::{Finding, Irregularity},
    state::CasePhase,
};
use crate::{
    clock::Face,
    laws::{self, Gone},
};

/// Who decided: what a case speaks of is gone by a fact, not by anybody's choice.
const BY: (&str, &str) = (case::LAWS, "");

/// A ruling takes plies back or cancels the game: what else was shown of either is dealt with by it.
pub(super) fn ruled(draft: &mut Draft, case: u32, remedy: &Remedy, face: Face) {
    let (cancel, from) = (remedy.cancel, remedy.annul_from);
    let taken_back = |finding: &Finding| finding.kind.is_of_a_move() && from.is_some_and(|from| finding.ply >= from);
    end(draft, Gone::Ruled(case), face, |finding| cancel || taken_back(finding));
}

/// The game was annulled by hand, or by the procedure of an adjournment.
pub(super) fn annulled(draft: &mut Draft) {
    let face = draft.game.face;
    end(draft, Gone::Annulled, face, |_| true);
}

/// The clock has spoken: a flag that it shows up cannot be called.
pub(super) fn flags_up(draft: &mut Draft) {
    if draft.game.ended.is_some() {
        return;
    }
    let (face, down) = (draft.game.face, draft.game.flags.clone());
    end(draft, Gone::FlagUp, face, |finding| finding.kind == Irregularity::FlagSeen && !down.contains(&finding.by));
}

fn end(draft: &mut Draft, gone: Gone, face: Face, of: impl Fn(&Finding) -> bool) {
    let shown = draft.game.cases.iter().filter(|case| case.phase == CasePhase::Shown && of(&case.finding));
    let numbers: Vec<u32> = shown.map(|case| case.finding.case).collect();
    for number in numbers {
        let remedy = laws::lapsed(draft.game, &draft.game.cases[number as usize - 1].finding, gone);
        case::rule(draft, number, remedy, BY, face, false);
    }
}

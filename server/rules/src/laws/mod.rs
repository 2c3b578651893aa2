//! The Laws: every edition as data ([`editions`]), every article as a pure function ([`articles`]).
//!
//! An [`Edition`] is a static: parameters, the numbering of its articles, and an ordered list of [`Rule`]s. Order is
//! precedence: the first rule that finds something speaks. A new edition is a new file in `editions` and a line in
//! [`EDITIONS`]; no rule ever asks which edition it serves.

pub mod articles;
pub mod edition;
pub mod editions;
mod numbering;

use alloc::{format, string::String, vec::Vec};

pub use edition::{Edition, Penalty, Play, Rates};
pub use numbering::Articles;

use articles::{
    flag_fall::{self, BothDown},
    on_record::Against,
    quickplay_finish,
};

use crate::{
    board::Scan,
    clock::{Colour, Face},
    game::{Facts, Finding, Game, Irregularity, Outcome, Remedy, Words, replying},
};

/// A press that the settled board does not explain by a legal move.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The game before it.
    pub game: &'a Game,
    /// Who pressed.
    pub by: Colour,
    /// The board at the press.
    pub at_press: Option<&'a Scan>,
    /// The board when it had settled.
    pub board: &'a Scan,
    /// How many presses wait for it, this one included.
    pub presses: usize,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What.
    pub kind: Irregularity,
    /// The article.
    pub article: &'static str,
    /// The Laws fix what follows.
    pub fixed: bool,
    /// What was seen.
    pub seen: Words,
}

/// A rule looks at a settled board and says what it finds, citing its article in the edition's numbering.
pub type Rule = fn(&Edition, &Settled<'_>) -> Option<Found>;

/// Static words in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// English.
    pub en: &'static str,
    /// Russian.
    pub ru: &'static str,
}

impl From<Phrase> for Words {
    fn from(phrase: Phrase) -> Words {
        words(phrase.en, phrase.ru)
    }
}

/// Every edition this build knows.
pub static EDITIONS: &[&Edition] = &[
    &editions::rf_2011::EDITION,
    &editions::fide_2009::EDITION,
    &editions::fide_2014::EDITION,
    &editions::fide_2017::EDITION,
    &editions::rf_2017::EDITION,
    &editions::fide_2018::EDITION,
    &editions::fide_2023::EDITION,
];

/// The edition of an id.
#[must_use]
pub fn edition(id: &str) -> Option<&'static Edition> {
    EDITIONS.iter().copied().find(|edition| edition.id == id)
}

/// The ways to deal with an irregularity, the default first; at least one. `face` is the clock as it was stopped.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    articles::remedies(edition, game, finding, face)
}

/// A way out as it is put on the clock: no correction makes a flag fall, or leaves one down that fell after what it is for was found.
pub fn keep_flags_up(game: &Game, finding: &Finding, face: &Face, way: &mut Remedy) {
    articles::keep_flags_up(game, finding, face, way);
}

/// What a person reported, as a finding. Whether the Laws fix what follows depends on when it is found, and what the record says of it.
#[must_use]
pub fn reported(
    edition: &Edition,
    game: &Game,
    (kind, by, ply): (Irregularity, Colour, u32),
    facts: &Facts,
    note: &str,
) -> Found {
    let unsupervised = edition.unsupervised(game.setup.play).is_some();
    // Where a reply shuts the window, one that stands on the board without a press may have been made: the arbiter says.
    let replying = unsupervised && replying(game, by.other());
    let at_once = ply >= game.known() && facts.reply.is_none() && !replying;
    let shut = unsupervised && articles::unsupervised::answered(game, by, ply, facts.reply);
    let against = articles::on_record::against(game, kind, by, ply);
    let bears_out = against.is_none();
    let fixed = match kind {
        // Without supervision the window is shut by the reply, and nothing is left to judge.
        Irregularity::IllegalMove
        | Irregularity::PressWithoutMove
        | Irregularity::TwoHands
        | Irregularity::PawnLeft => (at_once && bears_out) || shut,
        Irregularity::WrongStart => {
            let cancelled = bears_out && articles::initial_position::is_fixed(game);
            cancelled || articles::unsupervised::set_up_stays(edition, game)
        }
        Irregularity::BoardTurned | Irregularity::ClockJump => true,
        // The cut-off is fixed; the times of the new game are not (case 20).
        Irregularity::ColoursReversed => articles::colours::too_late(edition, game),
        Irregularity::ClockSetting => articles::unsupervised::set_up_stays(edition, game),
        Irregularity::BothFlags => bears_out && flag_fall::both_down(edition, game) == BothDown::Drawn,
        // What stands on the board is for him who reports it to see, unless nobody steps in.
        Irregularity::IllegalPosition => articles::unsupervised::illegal_position_stays(edition, game),
        Irregularity::Displaced
        | Irregularity::DisplacedFound
        | Irregularity::ForgottenPress
        | Irregularity::DrawClaim
        | Irregularity::TouchMove
        | Irregularity::Conduct
        | Irregularity::FlagSeen
        | Irregularity::FlagInDoubt
        | Irregularity::ResignationInDoubt => false,
    };
    let said = if note.is_empty() { String::new() } else { format!(": {note}") };
    let mut seen = words(format!("reported to the arbiter{said}"), format!("сообщено арбитру{said}"));
    if let Some(against) = against.map(Against::words) {
        seen = words(format!("{}; {}", seen.en, against.en), format!("{}; {}", seen.ru, against.ru));
    }
    Found { kind, article: edition.article(kind, game.setup.play), fixed, seen }
}

/// Found after the end: nothing changes but the record.
#[must_use]
pub fn result_stands(game: &Game, article: &str) -> Remedy {
    articles::result_stands(game, article)
}

/// What was found is not upheld: play goes on as it stands, and nobody is punished.
#[must_use]
pub fn dismissed(game: &Game, finding: &Finding) -> Remedy {
    articles::dismissed(game, finding)
}

/// Why nobody can act any more on what was only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// The ruling on this case takes back the move, or cancels the game.
    Ruled(u32),
    /// The game was annulled.
    Annulled,
    /// The flag is up again.
    FlagUp,
}

/// What was shown speaks of something that is gone.
#[must_use]
pub fn lapsed(game: &Game, finding: &Finding, gone: Gone) -> Remedy {
    articles::lapsed(game, finding, gone)
}

/// The game had ended on the board before whatever is to be ruled now: nothing survives the end.
#[must_use]
pub fn ended(edition: &Edition, game: &Game) -> Option<Remedy> {
    articles::ended(edition, game)
}

/// The way out takes the game or time from somebody, and no exception of its own has asked whether anybody could still mate: in a
/// dead position, which ended the game (5.2.2), it would be wrong.
#[must_use]
pub fn needs_life(game: &Game, kind: Irregularity, remedy: &Remedy) -> bool {
    let lost = remedy.outcome.is_some_and(|(outcome, _)| outcome != Outcome::Draw);
    let fined = kind == Irregularity::DrawClaim && remedy.hands.is_some();
    game.position_is_known() && (lost || fined)
}

/// The board lies a quarter turn wrong.
#[must_use]
pub fn board_turned(edition: &Edition) -> Found {
    let seen = words(
        "the board shows the position only after a quarter turn",
        "позиция читается, только если повернуть доску на четверть",
    );
    Found { kind: Irregularity::BoardTurned, article: edition.articles.board_turned, fixed: true, seen }
}

/// A result depends on whether the opponent of this player can still mate, and nobody could say in time.
#[must_use]
pub fn in_doubt(edition: &Edition, game: &Game, kind: Irregularity, loser: Colour) -> Found {
    let seen = words(
        "it could not be determined whether the opponent can still mate",
        "не удалось определить, может ли соперник поставить мат",
    );
    let count = if kind == Irregularity::FlagInDoubt { flag_fall::count(game, loser) } else { Words::default() };
    Found { kind, article: edition.article(kind, game.setup.play), fixed: false, seen: joined(seen, &count) }
}

/// The flag of a player that nobody may call but the players, or that the arbiter must look at first.
#[must_use]
pub fn flag(edition: &Edition, game: &Game, fallen: Colour) -> Found {
    let kind = Irregularity::FlagSeen;
    let shown = joined(flag_fall::shown(game, fallen), &flag_fall::count(game, fallen));
    let seen = joined(shown, &quickplay_finish::due(game));
    Found { kind, article: edition.article(kind, game.setup.play), fixed: false, seen }
}

/// Both flags, of which nobody knows which fell first.
#[must_use]
pub fn both_flags(edition: &Edition, game: &Game) -> Found {
    let kind = Irregularity::BothFlags;
    let seen = words(
        "both flags are down and the clock does not show which fell first",
        "упали оба флажка, и часы не показывают, какой раньше",
    );
    let both = flag_fall::both_down(edition, game);
    let by = if both == BothDown::Silent { Irregularity::FlagSeen } else { kind };
    Found { kind, article: edition.article(by, game.setup.play), fixed: both == BothDown::Drawn, seen }
}

fn joined(mut seen: Words, more: &Words) -> Words {
    seen.en += &more.en;
    seen.ru += &more.ru;
    seen
}

/// Words in both languages.
#[must_use]
pub fn words(en: impl Into<String>, ru: impl Into<String>) -> Words {
    Words { en: en.into(), ru: ru.into() }
}

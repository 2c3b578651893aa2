//! What waits for a person, and the ways to deal with it.

use std::cmp::Ordering;

use flagfall_proto::{
    clock::v1::{Hand, Words},
    desk::v1::{CaseSnapshot, GameSnapshot},
    journal::v1::{AdjournmentWay, Alarmed, Remedy},
};

use crate::{
    app::replay::report::word,
    desk::{
        record::Record,
        web::{
            Lang, Tile,
            tile::{asked, attention, is_open, stuck},
            words,
        },
    },
};

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The game.
    pub game: String,
    /// What the board is called in the hall.
    pub board: String,
    /// When it came up, milliseconds since 1970; zero: not known.
    pub since: i64,
    /// What kind of thing it is.
    pub what: What,
    /// The contract's name of the irregularity or of the alarm.
    pub kind: String,
    /// The same for people.
    pub title: String,
    /// The article and the edition; empty for a player's call.
    pub article: String,
    /// What was seen, or what the player wants.
    pub seen: String,
    /// The ways to deal with it, the proposal first; empty for a player's call.
    pub ways: Vec<Way>,
}

/// What kind of thing waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A player calls; attending to it heeds every alarm up to this number.
    Player {
        /// Number of the alarm within the game, from 1.
        through: u32,
    },
    /// The clock wants somebody; it is heeded likewise.
    Clock {
        /// Number of the alarm within the game, from 1.
        through: u32,
    },
    /// A case waits for a decision.
    Case {
        /// Its number in the game.
        case: u32,
        /// The clock runs on meanwhile.
        running: bool,
    },
    /// Something about the game's adjournment is the arbiter's to choose.
    Adjournment,
}

impl Call {
    /// The oldest first.
    pub(in crate::app) fn by_age(&self, other: &Call) -> Ordering {
        (self.since, &self.game, self.what).cmp(&(other.since, &other.game, other.what))
    }
}

impl What {
    /// The same matter, whatever its clock does meanwhile.
    pub(in crate::app) const fn is_the_same(self, other: What) -> bool {
        match (self, other) {
            (What::Player { through: one }, What::Player { through: two })
            | (What::Clock { through: one }, What::Clock { through: two })
            | (What::Case { case: one, .. }, What::Case { case: two, .. }) => one == two,
            (What::Adjournment, What::Adjournment) => true,
            _ => false,
        }
    }

    /// When it came up by the game's record.
    pub(in crate::app) fn since(self, record: &Record) -> i64 {
        match self {
            What::Player { through } | What::Clock { through } => {
                through.checked_sub(1).and_then(|n| record.alarms_ms.get(n as usize).copied())
            }
            What::Case { case, .. } => record.incidents.get(&case).map(|incident| incident.found_ms),
            What::Adjournment => record.asked_ms(),
        }
        .unwrap_or(0)
    }

    /// How it stands, in a few words.
    pub(in crate::app) fn stands(self) -> String {
        match self {
            What::Player { .. } => "calls".to_owned(),
            What::Clock { .. } => "clock".to_owned(),
            What::Case { case, running: true } => format!("case {case}, clock runs"),
            What::Case { case, running: false } => format!("case {case}, stopped"),
            What::Adjournment => "adjournment".to_owned(),
        }
    }
}

/// One way to deal with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its key in the contract.
    pub key: String,
    /// In words.
    pub words: String,
    /// The article it rests on; empty: none.
    pub article: String,
    /// Both halves of the clock as they would be; `None`: they stay.
    pub hands: Option<[Hand; 2]>,
}

impl Way {
    /// Both clocks as they would be; empty: they stay.
    pub(in crate::app) fn clocks(&self) -> String {
        let said = self.hands.as_ref().and_then(|[white, black]| words::hands(Some(white), Some(black)));
        said.map(|[white, black]| format!("{white} – {black}")).unwrap_or_default()
    }
}

/// What waits in a game. When each came up is the record's to say.
pub(in crate::app) fn waiting(game: &GameSnapshot, tile: &Tile, lang: Lang) -> Vec<Call> {
    if game.ended.is_some() {
        return Vec::new();
    }
    let edition = game.setup.as_ref().map_or("", |setup| setup.edition.as_str());
    let unheeded = game.alarms.iter().enumerate().skip(game.heeded as usize);
    let players = unheeded.filter_map(|(index, alarm)| {
        let through = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let what = match () {
            () if attention(alarm) => What::Player { through },
            () if stuck(game, alarm) => What::Clock { through },
            () => return None,
        };
        Some(alarmed(tile, what, alarm, lang))
    });
    let cases = game.cases.iter().filter(|case| is_open(case)).filter_map(|case| self::case(tile, case, edition, lang));
    players.chain(cases).chain(adjournment(game, tile, edition, lang)).collect()
}

fn alarmed(tile: &Tile, what: What, alarm: &Alarmed, lang: Lang) -> Call {
    Call {
        game: tile.game.clone(),
        board: tile.board.clone(),
        since: 0,
        what,
        kind: word(alarm.alarm().as_str_name(), "ALARM_"),
        title: words::alarm(lang, alarm.alarm()).to_owned(),
        article: String::new(),
        seen: alarm.detail.clone(),
        ways: Vec::new(),
    }
}

fn case(tile: &Tile, case: &CaseSnapshot, edition: &str, lang: Lang) -> Option<Call> {
    let finding = case.finding.as_ref()?;
    let seen = finding.evidence.as_ref().and_then(|evidence| evidence.seen.as_ref());
    let proposal = case.proposal.as_ref();
    Some(Call {
        game: tile.game.clone(),
        board: tile.board.clone(),
        since: 0,
        what: What::Case { case: finding.case, running: proposal.is_some_and(|proposal| proposal.running) },
        kind: word(finding.kind().as_str_name(), "IRREGULARITY_"),
        title: words::irregularity(lang, finding.kind()).to_owned(),
        article: format!("{} {edition}", finding.article),
        seen: said(lang, seen),
        ways: proposal.map_or_else(Vec::new, |proposal| ways(&proposal.remedies, lang)),
    })
}

fn adjournment(game: &GameSnapshot, tile: &Tile, edition: &str, lang: Lang) -> Option<Call> {
    let (asked, adjournment) = asked(game).zip(game.adjournment.as_ref())?;
    let way = |way: &AdjournmentWay| Way {
        key: way.key.clone(),
        words: said(lang, way.words.as_ref()),
        article: String::new(),
        hands: None,
    };
    Some(Call {
        game: tile.game.clone(),
        board: tile.board.clone(),
        since: 0,
        what: What::Adjournment,
        kind: "adjournment".to_owned(),
        title: words::adjournment(lang).to_owned(),
        article: format!("{} {edition}", asked.article),
        seen: words::adjournment_stands(lang, adjournment),
        ways: asked.ways.iter().map(way).collect(),
    })
}

/// The ways of a proposal, and that nothing was wrong, which is always one.
fn ways(remedies: &[Remedy], lang: Lang) -> Vec<Way> {
    let mut ways: Vec<Way> = remedies.iter().map(|remedy| way(remedy, lang)).collect();
    if !ways.iter().any(|way| words::PLAY_ON.contains(&way.key.as_str())) {
        let (key, words) = (words::DISMISS.to_owned(), words::dismissed(lang).to_owned());
        ways.push(Way { key, words, article: String::new(), hands: None });
    }
    ways
}

fn way(remedy: &Remedy, lang: Lang) -> Way {
    Way {
        key: remedy.key.clone(),
        words: said(lang, remedy.words.as_ref()),
        article: remedy.article.clone(),
        hands: remedy.white.zip(remedy.black).map(<[Hand; 2]>::from),
    }
}

fn said(lang: Lang, words: Option<&Words>) -> String {
    lang.of(words).to_owned()
}

#[cfg(test)]
mod tests {
    use flagfall_proto::{
        clock::v1::{Face, Going},
        desk::v1::AdjournmentSnapshot,
        journal::v1::{AdjournmentPhase, AdjournmentProposal, Alarm, Ended, Setup},
    };

    use super::*;
    use crate::app::desk::calls::print;

    /// Both players are too late, and nobody but the arbiter can say what follows (A10).
    fn both_late() -> GameSnapshot {
        let way = |key: &str, en: &str| AdjournmentWay {
            key: key.into(),
            words: Some(Words { en: en.into(), ru: en.into() }),
            ..AdjournmentWay::default()
        };
        let ways = vec![way("both_lose", "both players lose"), way("play_on", "both may play all the same")];
        let proposal = Some(AdjournmentProposal { article: "A10".into(), ways });
        let phase = AdjournmentPhase::Waiting.into();
        let setup =
            Setup { game: "r1.b07".into(), edition: "rf-2011".into(), device: "seven".into(), ..Setup::default() };
        GameSnapshot {
            setup: Some(setup),
            adjournment: Some(AdjournmentSnapshot { phase, proposal, ..AdjournmentSnapshot::default() }),
            ..GameSnapshot::default()
        }
    }

    #[test]
    fn what_is_asked_about_an_adjournment_waits_like_a_case() {
        let game = both_late();
        let tile = Tile::of(&game);
        assert_eq!((tile.cases, tile.need), (1, crate::desk::web::tile::Need::Case));
        let waits = waiting(&game, &tile, Lang::En);
        let [call] = waits.as_slice() else { panic!("{waits:?}") };
        assert_eq!((call.what, call.article.as_str()), (What::Adjournment, "A10 rf-2011"));
        let text = print(call, false);
        assert!(
            text.contains("seven  r1.b07  adjournment  A10 rf-2011  adjourned game: a player is awaited"),
            "{text}"
        );
        assert!(text.contains("both players lose:  flagfall adjourn r1.b07 choose both_lose"), "{text}");
        assert!(print(call, true).contains(r#""key":"play_on""#));
    }

    #[test]
    fn a_clock_that_stands_after_a_fault_and_a_directive_without_a_good_word_want_somebody() {
        let alarm = |alarm: Alarm| Alarmed { alarm: alarm.into(), detail: "what it is".into() };
        let standing = |going: Going| GameSnapshot {
            alarms: vec![alarm(Alarm::Device), alarm(Alarm::Directive), alarm(Alarm::AfterEnd)],
            face: Some(Face { going: going.into(), ..Face::default() }),
            ..GameSnapshot::default()
        };
        let waits = |game: &GameSnapshot| {
            let calls = waiting(game, &Tile::of(game), Lang::En);
            calls.into_iter().map(|call| call.what).collect::<Vec<_>>()
        };
        let [device, directive] = [1, 2].map(|through| What::Clock { through });
        assert_eq!(waits(&standing(Going::Paused)), [device, directive]);
        assert_eq!(waits(&standing(Going::Running)), [directive], "it goes on as it is");
        assert_eq!(waits(&GameSnapshot { heeded: 2, ..standing(Going::Paused) }), []);
    }

    #[test]
    fn of_a_game_that_is_over_nothing_waits() {
        let game = GameSnapshot { ended: Some(Ended::default()), ..both_late() };
        assert!(waiting(&game, &Tile::of(&game), Lang::En).is_empty());
    }
}

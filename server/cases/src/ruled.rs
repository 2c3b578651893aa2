//! What the rules made of a case, in a form to be shown, written as JSON or compared.

use flagfall_rules::{
    clock::{Colour, Hand},
    game::{self, CasePhase, Proposal, Remedy, Words},
    laws::Phrase,
};
use serde::Serialize;

use crate::{
    Case, Pair,
    read::clock,
    table::Table,
    words::{self, alarm},
};

/// Words in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// English.
    pub en: String,
    /// Russian.
    pub ru: String,
}

impl From<Words> for Said {
    fn from(Words { en, ru }: Words) -> Said {
        Said { en, ru }
    }
}

impl From<Phrase> for Said {
    fn from(Phrase { en, ru }: Phrase) -> Said {
        Said { en: en.to_owned(), ru: ru.to_owned() }
    }
}

/// A name of the program's with the words for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name, such as `fide-2018`.
    pub name: &'static str,
    /// What people call it.
    pub words: Said,
}

impl Named {
    fn new(name: &'static str, words: Phrase) -> Named {
        Named { name, words: words.into() }
    }
}

/// What the rules made of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruled {
    /// The case.
    pub title: String,
    /// The edition it was ruled by.
    pub edition: Named,
    /// The kind of play.
    pub play: Named,
    /// `fixed`, `discretion`, `shown`, `decided`, `stands`, `recorded`, `nothing` or `refused:CODE`: see the README.
    pub kind: String,
    /// Everything that was found in the game, in order.
    pub found: Vec<Finding>,
    /// Which of them the ways are about, from 0; none where nothing was found, or the game ended by itself.
    pub about: Option<usize>,
    /// What was ruled, or what can be done with the default first.
    pub ways: Vec<Way>,
    /// The end, if the game is over.
    pub end: Option<TheEnd>,
    /// Strikes of each player.
    pub strikes: Pair<u32>,
    /// What the desk was alarmed of.
    pub alarms: Vec<Noted>,
    /// Why the rules refused.
    pub refused: Option<Refused>,
    /// What of the case was read with a reservation.
    pub notes: Vec<Said>,
}

/// An irregularity that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub words: Said,
    /// Whose it was.
    pub by: &'static str,
    /// At which ply of the record, from 1.
    pub ply: u32,
    /// At which move, as people number them.
    pub number: u32,
    /// The article that makes it one.
    pub article: String,
    /// The Laws fix what follows.
    pub fixed: bool,
    /// What was seen.
    pub seen: Said,
}

/// One way to deal with it: everything it changes, and how things stand after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// Its key.
    pub way: String,
    /// What it does.
    pub words: Said,
    /// The article it rests on.
    pub article: String,
    /// The clocks after it; unknown readings are absent.
    pub clocks: Pair<i64>,
    /// The same for people.
    pub shown: Shown,
    /// Completed moves after it.
    pub counters: Pair<u32>,
    /// Periods after it, from 1.
    pub period: Pair<u32>,
    /// Strikes after it.
    pub strikes: Pair<u32>,
    /// Whose time runs next.
    pub turn: &'static str,
    /// The position after it, where it is known.
    pub position: Option<String>,
    /// The move it puts on the board.
    pub place: Option<String>,
    /// How many plies it annuls.
    pub annulled: u32,
    /// The result, if the game ends with it.
    pub result: Option<&'static str>,
    /// Why it ends.
    pub ending: Option<&'static str>,
    /// The game is cancelled and a new one played.
    pub new_game: bool,
}

/// Both clocks as people read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// White's.
    pub white: String,
    /// Black's.
    pub black: String,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TheEnd {
    /// As PGN writes it.
    pub result: &'static str,
    /// Why.
    pub ending: &'static str,
    /// Why, for people.
    pub words: Said,
    /// The article.
    pub article: String,
}

/// Something the desk was alarmed of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub words: Said,
    /// More of it, in English.
    pub detail: String,
}

/// The rules refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The named reason.
    pub code: String,
    /// What it means.
    pub words: Said,
}

/// What the last thing that happened led to.
pub(crate) enum Outcome {
    Refused(Refused),
    Case(usize),
    End,
    Nothing,
}

impl Ruled {
    /// The game could not even be opened.
    pub(crate) fn refused(case: &Case, why: Refused) -> Ruled {
        let (play, named) = words::play(case.play);
        Ruled {
            title: case.title.clone(),
            edition: Named::new(case.edition.id, case.edition.title),
            play: Named::new(play, named),
            kind: format!("refused:{}", why.code),
            found: Vec::new(),
            about: None,
            ways: Vec::new(),
            end: None,
            strikes: case.strikes,
            alarms: Vec::new(),
            refused: Some(why),
            notes: notes(case),
        }
    }

    pub(crate) fn gathered(table: &Table<'_>, outcome: Outcome) -> Ruled {
        let game = &table.game;
        let (kind, about, ways, refused) = match outcome {
            Outcome::Refused(why) => (format!("refused:{}", why.code), None, Vec::new(), Some(why)),
            Outcome::Nothing => ("nothing".into(), None, Vec::new(), None),
            Outcome::End => ("fixed".into(), None, Vec::new(), None),
            Outcome::Case(index) => {
                let case = &game.cases[index];
                (kind(case).into(), Some(index), ways(table, case), None)
            }
        };
        let (play, named) = words::play(table.case.play);
        let end = game.ended.as_ref().map(|(outcome, ending, article)| {
            let (ending, named) = words::ending(*ending);
            TheEnd { result: outcome.pgn(), ending, words: named.into(), article: article.clone() }
        });
        let noted = |(kind, detail): &(game::Alarm, String)| {
            let (name, named) = alarm(*kind);
            Noted { name, words: named.into(), detail: detail.clone() }
        };
        Ruled {
            title: table.case.title.clone(),
            edition: Named::new(table.case.edition.id, table.case.edition.title),
            play: Named::new(play, named),
            kind,
            found: game.cases.iter().map(|case| finding(table, &case.finding)).collect(),
            about,
            ways,
            end,
            strikes: game.strikes.map(Some).into(),
            alarms: game.alarms.iter().map(noted).collect(),
            refused,
            notes: notes(table.case),
        }
    }

    /// What was ruled, or the default.
    #[must_use]
    pub fn default_way(&self) -> Option<&Way> {
        self.ways.first()
    }
}

fn notes(case: &Case) -> Vec<Said> {
    case.dropped.iter().map(|right| right.words().into()).collect()
}

fn kind(case: &game::Case) -> &'static str {
    match (&case.ruling, case.phase) {
        (None, CasePhase::Shown) => "shown",
        (None, _) => "discretion",
        (Some(ruling), _) => match ruling.remedy.key.as_str() {
            "stands" => "stands",
            "noted" | "result_stands" => "recorded",
            _ if ruling.actor == "laws" => "fixed",
            _ => "decided",
        },
    }
}

fn finding(table: &Table<'_>, finding: &game::Finding) -> Finding {
    let (first, black) = table.case.first_move();
    Finding {
        name: finding.kind.name(),
        words: finding.kind.words().into(),
        by: finding.by.name(),
        ply: finding.ply,
        number: first + (finding.ply.saturating_sub(1) + u32::from(black)) / 2,
        article: finding.article.clone(),
        fixed: finding.fixed,
        seen: finding.evidence.seen.clone().into(),
    }
}

fn ways(table: &Table<'_>, case: &game::Case) -> Vec<Way> {
    let game = &table.game;
    if let Some(ruling) = &case.ruling {
        let annulled = table.annulled.iter().find(|(case, _)| *case == ruling.case).map_or(0, |(_, count)| *count);
        return vec![way(table, &ruling.remedy, ruling.before.hands, game.strikes, annulled)];
    }
    let Some(Proposal { remedies, .. }) = &case.proposal else { return Vec::new() };
    let one = |remedy: &Remedy| {
        let [white, black] = game.strikes;
        let strikes = if remedy.cancel { [0, 0] } else { [white + remedy.strikes[0], black + remedy.strikes[1]] };
        let annulled = remedy.annul_from.map_or(0, |from| (game.known() + 1).saturating_sub(from));
        way(table, remedy, game.face.hands, strikes, annulled)
    };
    remedies.iter().map(one).collect()
}

fn way(table: &Table<'_>, remedy: &Remedy, before: [Hand; 2], strikes: [u32; 2], annulled: u32) -> Way {
    let hands = remedy.hands.unwrap_or(before);
    let game = &table.game;
    let known = game.position_is_known();
    let shown = |colour: Colour| hands[colour.index()].left.map_or_else(|| "–".to_owned(), clock);
    Way {
        way: remedy.key.clone(),
        words: remedy.words.clone().into(),
        article: remedy.article.clone(),
        clocks: hands.map(|hand| hand.left).into(),
        shown: Shown { white: shown(Colour::White), black: shown(Colour::Black) },
        counters: hands.map(|hand| Some(hand.moves)).into(),
        period: hands.map(|hand| Some(u32::from(hand.period) + 1)).into(),
        strikes: strikes.map(Some).into(),
        turn: remedy.turn.name(),
        position: remedy.position.clone().or_else(|| known.then(|| game.fen())),
        place: remedy.place.map(|uci| uci.to_string()),
        annulled,
        result: remedy.outcome.map(|(outcome, _)| outcome.pgn()),
        ending: remedy.outcome.map(|(_, ending)| words::ending(ending).0),
        new_game: remedy.cancel,
    }
}

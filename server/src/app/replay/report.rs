//! What is reported of a game: read off the service's own snapshot, never off the file that was played.

use flagfall_proto::{
    clock::v1::{Colour, Outcome, RejectReason, Stage, directive::Act},
    desk::v1::{AdjournmentSnapshot, CaseSnapshot, DirectiveSnapshot, GameSnapshot},
    journal::v1::{Alarm, Ending},
};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::lexer::Fault;
use crate::broadcast::pgn;

/// One game's report; with `--json` one line, in this order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name, `<file stem>#<number>`.
    pub game: String,
    /// The surviving score in UCI.
    pub moves: Vec<String>,
    /// `1-0`, `0-1`, `1/2-1/2`, `0-0` or `*`.
    pub result: &'static str,
    /// Both readings after each ply, White first, milliseconds; `null`: unknown.
    pub clocks: Vec<[Option<i64>; 2]>,
    /// What was found.
    pub irregularities: Vec<Irregular>,
    /// Everything the clock was told.
    pub directives: Vec<Directed>,
    /// The surviving score as PGN.
    pub pgn: String,
    /// What is wrong with the file, and what could not be replayed.
    pub faults: Vec<Fault>,
    /// What the desk was alarmed of.
    pub alarms: Vec<Alarmed>,
    /// What was read with a reservation.
    pub notes: Vec<String>,
    /// How the game ended, in one word; `null`: it did not.
    pub ending: Option<String>,
    /// Its name in the journal.
    pub journal: String,
    /// How its adjournment stands; left out when nothing was said of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjournment: Option<Adjourned>,
}

/// How an adjournment stands.
#[derive(Clone, Debug, Serialize)]
pub struct Adjourned {
    /// In one word.
    pub phase: String,
    /// The keys that the arbiter has to choose from.
    pub choices: Vec<String>,
}

impl From<&AdjournmentSnapshot> for Adjourned {
    fn from(snapshot: &AdjournmentSnapshot) -> Adjourned {
        let choices = snapshot.proposal.iter().flat_map(|proposal| &proposal.ways).map(|way| way.key.clone());
        Adjourned { phase: word(snapshot.phase().as_str_name(), "ADJOURNMENT_PHASE_"), choices: choices.collect() }
    }
}

/// An irregularity and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Irregular {
    /// The ply from 1.
    pub ply: u32,
    /// `white` or `black`.
    pub side: String,
    /// From the closed list of the contract.
    pub kind: String,
    /// In the edition's numbering.
    pub article: String,
    /// What was seen, in words.
    pub seen: String,
    /// What was decided, in English; `null`: nothing yet.
    pub ruling: Option<String>,
    /// Who decided; `null`: nobody yet.
    pub actor: Option<String>,
}

/// A directive and how far it came.
#[derive(Clone, Debug, Serialize)]
pub struct Directed {
    /// Its revision.
    pub rev: u64,
    /// What it told the clock to do.
    pub act: &'static str,
    /// Its words for the display, English.
    pub words: String,
    /// How far it came.
    pub stage: String,
    /// Why it was rejected; `null`: it was not.
    pub reason: Option<String>,
}

/// Something the desk should look at.
#[derive(Clone, Debug, Serialize)]
pub struct Alarmed {
    /// What.
    pub kind: String,
    /// In words.
    pub detail: String,
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Fault", 2)?;
        fields.serialize_field("ply", &self.ply)?;
        fields.serialize_field("what", &self.what)?;
        fields.end()
    }
}

/// What a report is made from besides the snapshot.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Name of the report.
    pub game: String,
    /// Tags of the file.
    pub tags: Vec<(String, String)>,
    /// See [`Report::faults`].
    pub faults: Vec<Fault>,
    /// See [`Report::notes`].
    pub notes: Vec<String>,
}

impl Report {
    /// The report of a game as the service has it; `None`: the service never had it.
    #[must_use]
    pub fn new(told: Told, snapshot: Option<&GameSnapshot>) -> Report {
        let empty = GameSnapshot::default();
        let snapshot = snapshot.unwrap_or(&empty);
        let result = snapshot.ended.as_ref().map_or("*", |ended| result(ended.outcome()));
        let moves: Vec<String> = snapshot.plies.iter().map(|ply| ply.uci.clone()).collect();
        let clocks: Vec<_> = snapshot.plies.iter().map(|ply| [ply.white_left_ms, ply.black_left_ms]).collect();
        let start = snapshot.setup.as_ref().map_or("", |setup| setup.position.as_str());
        // PGN has no word for a game that both players lost.
        let in_pgn = if result == "0-0" { "*" } else { result };
        let written: Vec<pgn::Move> = snapshot
            .plies
            .iter()
            .map(|ply| {
                let clk = if ply.by() == Colour::Black { ply.black_left_ms } else { ply.white_left_ms };
                pgn::Move { uci: ply.uci.clone(), clk, ..pgn::Move::default() }
            })
            .collect();
        let pgn = pgn::write(&told.tags, &pgn::Score { start, moves: &written, before: &[], result: in_pgn });
        Report {
            pgn,
            moves,
            result,
            clocks,
            irregularities: snapshot.cases.iter().map(irregular).collect(),
            directives: snapshot.directives.iter().map(directed).collect(),
            faults: told.faults,
            alarms: snapshot.alarms.iter().map(|a| alarmed(a.alarm(), &a.detail)).collect(),
            notes: told.notes,
            ending: snapshot.ended.as_ref().map(|ended| word(ended.ending().as_str_name(), "ENDING_")),
            journal: snapshot.setup.as_ref().map(|setup| setup.game.clone()).unwrap_or_default(),
            game: told.game,
            adjournment: snapshot.adjournment.as_ref().map(Adjourned::from),
        }
    }

    /// The whole report as one line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Strings, numbers and lists of them cannot fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A result as PGN writes it, or as a table does where both players lost.
#[must_use]
pub fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "1/2-1/2",
        Outcome::BothLose => "0-0",
        Outcome::Unspecified => "*",
    }
}

/// The outcome of a PGN's result; `None` for `*`.
#[must_use]
pub fn outcome(result: &str) -> Option<Outcome> {
    let known = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::BothLose];
    known.into_iter().find(|&outcome| self::result(outcome) == result)
}

fn irregular(case: &CaseSnapshot) -> Irregular {
    let finding = case.finding.clone().unwrap_or_default();
    let ruling = case.ruling.as_ref();
    Irregular {
        ply: finding.ply,
        side: side(finding.by()).to_owned(),
        kind: word(finding.kind().as_str_name(), "IRREGULARITY_"),
        article: finding.article.clone(),
        seen: finding.evidence.and_then(|evidence| evidence.seen).unwrap_or_default().en,
        ruling: ruling.map(|r| r.remedy.as_ref().and_then(|r| r.words.clone()).unwrap_or_default().en),
        actor: ruling.map(|ruling| ruling.actor.clone()),
    }
}

fn directed(sent: &DirectiveSnapshot) -> Directed {
    let directive = sent.directive.clone().unwrap_or_default();
    let (act, words) = match directive.act {
        None => ("none", None),
        Some(Act::Prepare(act)) => ("prepare", act.words),
        Some(Act::Stop(act)) => ("stop", act.words),
        Some(Act::Set(act)) => ("set", act.words),
        Some(Act::Add(act)) => ("add", act.words),
        Some(Act::Conclude(act)) => ("conclude", act.words),
        Some(Act::Show(act)) => ("show", act.words),
        Some(Act::Run(act)) => ("run", act.words),
    };
    let reason =
        (sent.reason() != RejectReason::Unspecified).then(|| word(sent.reason().as_str_name(), "REJECT_REASON_"));
    let stage = word(sent.stage().as_str_name(), "STAGE_");
    Directed { rev: directive.rev, act, words: words.unwrap_or_default().en, stage, reason }
}

fn alarmed(alarm: Alarm, detail: &str) -> Alarmed {
    Alarmed { kind: word(alarm.as_str_name(), "ALARM_"), detail: detail.to_owned() }
}

fn side(colour: Colour) -> &'static str {
    match colour {
        Colour::White => "white",
        Colour::Black => "black",
        Colour::Unspecified => "",
    }
}

/// The contract's name of a value without its prefix.
pub(in crate::app) fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

/// The game ended by a ruling on illegal moves: nobody expected the rest of the file to be played.
#[must_use]
pub fn lost_by_ruling(snapshot: &GameSnapshot) -> bool {
    snapshot.ended.as_ref().is_some_and(|ended| ended.ending() == Ending::Illegal)
}

/// Whether a directive's stage is its last.
#[must_use]
pub fn is_final(stage: Stage) -> bool {
    matches!(stage, Stage::Applied | Stage::Rejected | Stage::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flagfall_proto::{
        clock::v1::{Directive, Set, Words},
        journal::v1::{Alarmed as PbAlarmed, Ended, Finding, Irregularity, Ply, Remedy, Ruling},
    };

    #[test]
    fn a_report_is_one_line_with_the_keys_in_order() {
        let words = |en: &str| Some(Words { en: en.into(), ru: String::new() });
        let ply = |uci: &str, left| Ply { uci: uci.into(), white_left_ms: left, ..Ply::default() };
        let snapshot = GameSnapshot {
            plies: vec![ply("e2e4", Some(61_000)), ply("e7e5", None)],
            cases: vec![CaseSnapshot {
                finding: Some(Finding {
                    ply: 3,
                    by: Colour::White.into(),
                    kind: Irregularity::IllegalMove.into(),
                    article: "7.5.1".into(),
                    ..Finding::default()
                }),
                ruling: Some(Ruling {
                    remedy: Some(Remedy { words: words("+2:00"), ..Remedy::default() }),
                    ..Ruling::default()
                }),
                ..CaseSnapshot::default()
            }],
            directives: vec![DirectiveSnapshot {
                directive: Some(Directive {
                    rev: 2,
                    act: Some(Act::Set(Set { words: words("x"), ..Set::default() })),
                    ..Directive::default()
                }),
                stage: Stage::Rejected.into(),
                reason: RejectReason::Overtaken.into(),
                ..DirectiveSnapshot::default()
            }],
            alarms: vec![PbAlarmed { alarm: Alarm::BoardDiffers.into(), detail: "d".into() }],
            ended: Some(Ended { outcome: Outcome::Draw.into(), ending: Ending::Desk.into(), article: String::new() }),
            ..GameSnapshot::default()
        };
        let told = Told { game: "a#1".into(), faults: vec![Fault { ply: 3, what: "w".into() }], ..Told::default() };
        let line = Report::new(told, Some(&snapshot)).json();
        assert!(!line.contains('\n'));
        let keys = ["game", "moves", "result", "clocks", "irregularities", "directives", "pgn", "faults", "alarms"];
        let at: Vec<_> =
            keys.iter().map(|key| line.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key}"))).collect();
        assert!(at.is_sorted(), "{line}");
        for part in [
            r#""moves":["e2e4","e7e5"],"result":"1/2-1/2","clocks":[[61000,null],[null,null]]"#,
            r#"{"ply":3,"side":"white","kind":"illegal_move","article":"7.5.1","seen":"","ruling":"+2:00""#,
            r#"{"rev":2,"act":"set","words":"x","stage":"rejected","reason":"overtaken"}"#,
            r#"{"ply":3,"what":"w"}"#,
            r#"{"kind":"board_differs","detail":"d"}"#,
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
    }

    #[test]
    fn a_game_the_service_never_had_is_reported_too() {
        let report = Report::new(Told { game: "a#1".into(), ..Told::default() }, None);
        assert_eq!(
            (report.result, report.moves.len(), outcome("1-0"), outcome("*")),
            ("*", 0, Some(Outcome::WhiteWins), None)
        );
    }
}

//! A board as the desk's stream tells it.

use std::time::{Duration, Instant};

use flagfall_proto::{
    clock::v1::{Colour, Face, Outcome, Stage, directive::Act},
    desk::v1::WatchGamesResponse,
    journal::v1::{Event, event::What},
};

/// One game, followed.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Plies of the surviving score.
    pub plies: usize,
    /// The last move, UCI.
    pub last: String,
    /// The last face heard.
    pub face: Face,
    /// Every case.
    pub cases: Vec<Shown>,
    /// Alarms given.
    pub alarms: Vec<String>,
    /// The result and why, once there is one.
    pub result: Option<(&'static str, String)>,
    /// The directive that ends the game is on the display.
    pub concluded: bool,
    /// Revision and case of a directive that carries out a ruling.
    pending: Vec<(u64, usize)>,
    /// Revision of the directive that ends the game.
    last_rev: Option<u64>,
}

/// A case as the audience sees it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The kind, as the contract names it in lower case.
    pub kind: String,
    /// The article found.
    pub article: String,
    /// Ply from 1.
    pub ply: u32,
    /// Who committed it.
    pub by: &'static str,
    /// What was seen.
    pub seen: String,
    /// What was decided and by whom; empty until then.
    pub ruling: String,
    /// The article of the ruling.
    pub ruled_by: String,
    /// The actor.
    pub actor: String,
    /// The face when it was found.
    pub before: Face,
    /// The face that the display confirmed.
    pub after: Option<Face>,
    /// From the finding to the display's confirmation.
    pub confirmed: Option<Duration>,
    found: Instant,
}

impl Board {
    /// Takes one update in.
    pub fn apply(&mut self, update: &WatchGamesResponse, now: Instant) {
        if let Some(snapshot) = &update.snapshot {
            self.plies = snapshot.plies.len();
            self.face = snapshot.face.unwrap_or_default();
        }
        for event in &update.events {
            self.event(event, now);
        }
        // What carries a ruling out is issued in the same entry; a ruling without it set nothing.
        self.pending.retain(|(rev, _)| *rev != 0);
    }

    /// The game has ended and its clock shows it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.result.is_some() && self.concluded
    }

    fn event(&mut self, event: &Event, now: Instant) {
        match &event.what {
            Some(What::Heard(heard)) => self.face = heard.face.unwrap_or(self.face),
            Some(What::Made(ply) | What::Replaced(ply)) => {
                self.plies += usize::from(matches!(event.what, Some(What::Made(_))));
                self.last.clone_from(&ply.uci);
            }
            Some(What::Found(finding)) => {
                let evidence = finding.evidence.clone().unwrap_or_default();
                self.cases.push(Shown {
                    kind: word(finding.kind().as_str_name(), "IRREGULARITY_"),
                    article: finding.article.clone(),
                    ply: finding.ply,
                    by: if finding.by() == Colour::White { "white" } else { "black" },
                    seen: evidence.seen.unwrap_or_default().en,
                    ruling: String::new(),
                    ruled_by: String::new(),
                    actor: String::new(),
                    before: evidence.face.unwrap_or_default(),
                    after: None,
                    confirmed: None,
                    found: now,
                });
            }
            Some(What::Ruled(ruling)) => {
                let remedy = ruling.remedy.clone().unwrap_or_default();
                let index = (ruling.case as usize).saturating_sub(1);
                if let Some(case) = self.cases.get_mut(index) {
                    case.ruling = remedy.words.unwrap_or_default().en;
                    (case.ruled_by, case.actor) = (remedy.article, ruling.actor.clone());
                    // The rulings on the clock are computed from the face at the stop.
                    case.before = ruling.before.unwrap_or(case.before);
                    self.pending.push((0, index));
                }
                self.plies = match remedy.annul_from {
                    0 => self.plies,
                    from => self.plies.min(from as usize - 1),
                };
            }
            Some(What::Issued(directive)) => {
                let carries = matches!(directive.act, Some(Act::Set(_) | Act::Conclude(_)));
                if let Some(waiting) = self.pending.iter_mut().find(|(rev, _)| carries && *rev == 0) {
                    waiting.0 = directive.rev;
                }
                if matches!(directive.act, Some(Act::Conclude(_))) {
                    self.last_rev = Some(directive.rev);
                }
            }
            Some(What::Staged(staged)) if staged.stage() == Stage::Applied => {
                for &(rev, index) in &self.pending {
                    if let Some(case) = self.cases.get_mut(index).filter(|_| rev == staged.rev) {
                        (case.after, case.confirmed) = (staged.after, Some(now.duration_since(case.found)));
                    }
                }
                self.concluded |= self.last_rev == Some(staged.rev);
            }
            Some(What::Ended(ended)) => {
                let result = match ended.outcome() {
                    Outcome::WhiteWins => "1-0",
                    Outcome::BlackWins => "0-1",
                    Outcome::Draw => "1/2-1/2",
                    Outcome::BothLose => "0-0",
                    Outcome::Unspecified => "*",
                };
                self.result = Some((result, word(ended.ending().as_str_name(), "ENDING_")));
            }
            Some(What::Alarmed(alarmed)) => self.alarms.push(alarmed.detail.clone()),
            _ => {}
        }
    }
}

fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

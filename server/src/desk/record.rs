//! A game as its entries tell it: who did what, when and why, on which revision, and how far that came.
//!
//! The page of a game, the queue of calls, the sheet of rulings and `flagfall audit` all read this one fold.

use std::collections::BTreeMap;

use flagfall_proto::{
    clock::v1::{Board, DeviceEvent, Directive, Face, RejectReason, Stage, device_event},
    desk::v1::StoredEntry,
    journal::v1::{
        AdjournmentEvent, Alarm, Alarmed, Ended, Finding, Ply, Ruling, Staged, adjournment_event::Fact, desk_input,
        event::What, input::Source,
    },
};
use flagfall_trace::TraceContext;
use prost::Message;

/// Who decided where the Laws fix what follows.
pub const LAWS: &str = "laws";

/// Something that somebody did, or that the Laws did of themselves.
#[derive(Clone, Debug)]
pub struct Done {
    /// Number of its entry in the game's stream.
    pub entry: u64,
    /// Wall time, milliseconds since 1970.
    pub wall_ms: i64,
    /// Who; [`LAWS`] for a ruling that nobody had to decide.
    pub actor: String,
    /// Id of the request; empty for a ruling by the Laws.
    pub request: String,
    /// Why, in the words of who acted.
    pub reason: String,
    /// What was asked; `None` for a ruling by the Laws.
    pub act: Option<desk_input::Act>,
    /// The rulings that came of it.
    pub rulings: Vec<Ruling>,
    /// The last face heard before; see [`Record::before`].
    pub heard: Option<Face>,
    /// Revisions of the directives that came of it.
    pub revs: Vec<u64>,
}

/// A directive on its way.
#[derive(Clone, Debug)]
pub struct Order {
    /// What was sent.
    pub directive: Directive,
    /// When, milliseconds since 1970.
    pub wall_ms: i64,
    /// Who had it sent; [`LAWS`] where nobody did.
    pub actor: String,
    /// Why.
    pub reason: String,
    /// How far it has come.
    pub stage: Stage,
    /// Why it was refused.
    pub rejected: RejectReason,
    /// When the last word of it came, milliseconds since 1970; absent: none has.
    pub word_ms: Option<i64>,
    /// The face before it was applied.
    pub before: Option<Face>,
    /// The face after.
    pub after: Option<Face>,
}

/// A case in time.
#[derive(Clone, Debug)]
pub struct Incident {
    /// What was found.
    pub finding: Finding,
    /// When, milliseconds since 1970.
    pub found_ms: i64,
    /// The entry in which it was found.
    pub entry: u64,
    /// The revision of the directive that carries the ruling out; `None`: not ruled, or nothing to carry out.
    pub rev: Option<u64>,
    /// When it was ruled, milliseconds since 1970.
    pub ruled_ms: Option<i64>,
}

/// Something that the clock said or that followed, in its place in time.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Number of its entry.
    pub entry: u64,
    /// Wall time, milliseconds since 1970.
    pub wall_ms: i64,
    /// The clock's own time, milliseconds of its boot; absent for what is not the clock's.
    pub at_ms: Option<u64>,
    /// What.
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Happened {
    /// The clock said something that is no scan, with its face then.
    Clock(Box<device_event::What>, Option<Face>),
    /// The board showed this.
    Board(Board),
    /// A move was made.
    Made(Ply),
    /// An irregularity was found; the case's number.
    Found(u32),
    /// A case was ruled.
    Ruled(Box<Ruling>),
    /// A directive was sent; its revision.
    Sent(u64),
    /// Somebody acted at the desk; the place in [`Record::acts`].
    Acted(usize),
    /// The desk was alarmed; its number, from 1, and for how a directive came along where it is for that.
    Alarmed(u32, Alarmed, Option<Staged>),
    /// The game ended.
    Ended(Ended),
    /// The game went to another clock.
    Moved(String),
    /// The game was annulled.
    Annulled,
    /// Something happened in its adjournment.
    Adjourned(Box<AdjournmentEvent>),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Everything that somebody did, in order, and the rulings of the Laws among it.
    pub acts: Vec<Done>,
    /// Every case by its number.
    pub incidents: BTreeMap<u32, Incident>,
    /// Every directive by its revision.
    pub orders: BTreeMap<u64, Order>,
    /// Everything that happened, in order.
    pub moments: Vec<Moment>,
    /// When each alarm was given, milliseconds since 1970, from the first.
    pub alarms_ms: Vec<i64>,
    /// The trace behind an entry, 32 hexadecimal digits, by the entry's number; of those in which something was found, ruled or ordered.
    pub traces: BTreeMap<u64, String>,
    face: Option<Face>,
    /// The last word of a directive, and the entry in which it came.
    word: Option<(u64, Staged)>,
}

impl Record {
    /// When the arbiter was last asked about the adjournment, milliseconds since 1970.
    #[must_use]
    pub fn asked_ms(&self) -> Option<i64> {
        let asks = |moment: &&Moment| matches!(&moment.what, Happened::Adjourned(event) if matches!(event.fact, Some(Fact::Proposed(_))));
        self.moments.iter().rev().find(asks).map(|moment| moment.wall_ms)
    }

    /// The clocks before an act: as they were when its first directive was applied. A clock that runs has gone on since it was last
    /// heard, which is all that is known where nothing was applied.
    #[must_use]
    pub fn before(&self, done: &Done) -> Option<Face> {
        self.orders_of(done).find_map(|order| order.before).or(done.heard)
    }

    /// The clocks after an act: as its last directive that was applied left them; `None`: none was.
    #[must_use]
    pub fn after(&self, done: &Done) -> Option<Face> {
        self.orders_of(done).filter_map(|order| order.after).last()
    }

    fn orders_of(&self, done: &Done) -> impl Iterator<Item = &Order> {
        done.revs.iter().filter_map(|rev| self.orders.get(rev))
    }

    /// A record of entries in their order.
    #[must_use]
    pub fn of(entries: &[StoredEntry]) -> Record {
        let mut record = Record::default();
        entries.iter().for_each(|stored| record.take(stored));
        record
    }

    /// Takes in the next entry.
    pub fn take(&mut self, stored: &StoredEntry) {
        let Some(entry) = &stored.entry else { return };
        let (index, wall_ms, heard) = (stored.index, entry.wall_ms, self.face);
        if let Ok(context) = entry.traceparent.parse::<TraceContext>() {
            self.traces.insert(index, context.trace());
        }
        let mut acting = None;
        for source in entry.inputs.iter().filter_map(|input| input.source.as_ref()) {
            match source {
                Source::DeviceEvent(bytes) => self.heard(index, wall_ms, bytes),
                Source::Desk(desk) => {
                    let reason = if desk.reason.is_empty() { note(desk.act.as_ref()) } else { &desk.reason };
                    acting = Some(self.acts.len());
                    self.acts.push(Done {
                        entry: index,
                        wall_ms,
                        actor: desk.actor.clone(),
                        request: desk.request.clone(),
                        reason: reason.to_owned(),
                        act: desk.act.clone(),
                        rulings: Vec::new(),
                        heard,
                        revs: Vec::new(),
                    });
                    self.add(index, wall_ms, Happened::Acted(self.acts.len() - 1));
                }
                _ => {}
            }
        }
        for what in entry.events.iter().filter_map(|event| event.what.as_ref()) {
            self.follow(index, wall_ms, what, &mut acting);
        }
    }

    fn add(&mut self, entry: u64, wall_ms: i64, what: Happened) {
        self.moments.push(Moment { entry, wall_ms, at_ms: None, what });
    }

    fn heard(&mut self, entry: u64, wall_ms: i64, bytes: &[u8]) {
        // The journal holds nothing else.
        let Ok(DeviceEvent { at, face, what: Some(what), .. }) = DeviceEvent::decode(bytes) else { return };
        let at_ms = at.map(|at| at.monotonic_ms);
        let what = match what {
            device_event::What::Scan(scan) => Happened::Board(scan.board.unwrap_or_default()),
            device_event::What::Quiet(_) => return,
            other => Happened::Clock(Box::new(other), face),
        };
        self.moments.push(Moment { entry, wall_ms, at_ms, what });
    }

    fn follow(&mut self, index: u64, wall_ms: i64, what: &What, acting: &mut Option<usize>) {
        match what {
            What::Heard(heard) => self.face = heard.face.or(self.face),
            What::Made(ply) | What::Replaced(ply) => self.add(index, wall_ms, Happened::Made(ply.clone())),
            What::Found(finding) => {
                let (case, finding) = (finding.case, finding.clone());
                let incident = Incident { finding, found_ms: wall_ms, entry: index, rev: None, ruled_ms: None };
                self.incidents.insert(case, incident);
                self.add(index, wall_ms, Happened::Found(case));
            }
            What::Ruled(ruling) => {
                if let Some(incident) = self.incidents.get_mut(&ruling.case) {
                    incident.ruled_ms = Some(wall_ms);
                }
                // A ruling that was chosen before the clock stopped follows the stop, in the name of who chose it.
                let done = *acting.get_or_insert_with(|| {
                    self.acts.push(Done {
                        entry: index,
                        wall_ms,
                        actor: ruling.actor.clone(),
                        request: String::new(),
                        reason: ruling.note.clone(),
                        act: None,
                        rulings: Vec::new(),
                        heard: ruling.before,
                        revs: Vec::new(),
                    });
                    self.acts.len() - 1
                });
                self.acts[done].rulings.push(ruling.clone());
                self.add(index, wall_ms, Happened::Ruled(Box::new(ruling.clone())));
            }
            What::Issued(directive) => {
                let done = acting.and_then(|done| self.acts.get_mut(done));
                let (actor, reason) = match done {
                    Some(done) => {
                        done.revs.push(directive.rev);
                        let ruled = done.rulings.last().map(|ruling| ruling.case);
                        if let Some(incident) = ruled.and_then(|case| self.incidents.get_mut(&case)) {
                            incident.rev = Some(directive.rev);
                        }
                        (done.actor.clone(), done.reason.clone())
                    }
                    None => (LAWS.to_owned(), String::new()),
                };
                let (directive, stage, rejected) = (directive.clone(), Stage::Sent, RejectReason::Unspecified);
                let (word_ms, before, after) = (None, None, None);
                let rev = directive.rev;
                let order = Order { directive, wall_ms, actor, reason, stage, rejected, word_ms, before, after };
                self.orders.insert(rev, order);
                self.add(index, wall_ms, Happened::Sent(rev));
            }
            What::Staged(staged) => {
                self.word = Some((index, *staged));
                self.staged(wall_ms, staged);
            }
            What::Alarmed(alarmed) => {
                self.alarms_ms.push(wall_ms);
                let number = u32::try_from(self.alarms_ms.len()).unwrap_or(u32::MAX);
                let word =
                    self.word.as_ref().filter(|(entry, _)| *entry == index && alarmed.alarm() == Alarm::Directive);
                let staged = word.map(|(_, staged)| *staged);
                self.add(index, wall_ms, Happened::Alarmed(number, alarmed.clone(), staged));
            }
            What::Ended(ended) => self.add(index, wall_ms, Happened::Ended(ended.clone())),
            What::Moved(moved) => self.add(index, wall_ms, Happened::Moved(moved.device.clone())),
            What::Annulled(_) => self.add(index, wall_ms, Happened::Annulled),
            What::Adjournment(event) => self.add(index, wall_ms, Happened::Adjourned(Box::new(event.clone()))),
            _ => {}
        }
    }

    fn staged(&mut self, wall_ms: i64, staged: &Staged) {
        let Some(order) = self.orders.get_mut(&staged.rev) else { return };
        (order.stage, order.rejected) = (staged.stage(), staged.reason());
        (order.word_ms, order.before, order.after) = (Some(wall_ms), staged.before, staged.after);
    }
}

/// What somebody wrote with an act that has a place of its own for it.
fn note(act: Option<&desk_input::Act>) -> &str {
    match act {
        Some(desk_input::Act::Irregularity(seen)) => &seen.note,
        Some(desk_input::Act::Decide(decision)) => &decision.note,
        Some(desk_input::Act::Claim(claim)) => &claim.note,
        Some(desk_input::Act::Move(to)) => &to.note,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use flagfall_proto::{
        clock::v1::Hand,
        journal::v1::{self, DeskInput, Entry, Event, Input},
    };

    use super::*;

    fn stored(index: u64, source: Source, events: Vec<What>) -> StoredEntry {
        let events = events.into_iter().map(|what| Event { what: Some(what) }).collect();
        let inputs = vec![Input { source: Some(source) }];
        let wall_ms = i64::try_from(index).expect("small") * 1_000;
        StoredEntry { index, entry: Some(Entry { inputs, events, wall_ms, ..Entry::default() }) }
    }

    fn found(case: u32) -> What {
        What::Found(Finding { case, ..Finding::default() })
    }

    fn issued(rev: u64) -> What {
        What::Issued(Directive { rev, ..Directive::default() })
    }

    #[test]
    fn an_act_has_its_reason_its_face_before_and_what_came_of_it() {
        let face = Face { turn: 2, ..Face::default() };
        let decide = desk_input::Act::Decide(v1::Decision { case: 1, choice: "penalty".into(), note: "seen".into() });
        let desk = DeskInput { request: "r".into(), actor: "Ada".into(), act: Some(decide), ..DeskInput::default() };
        let ruling = Ruling { case: 1, actor: "Ada".into(), ..Ruling::default() };
        let applied = v1::Staged { rev: 2, stage: Stage::Applied.into(), after: Some(face), ..v1::Staged::default() };
        let heard = What::Heard(v1::Heard { face: Some(face), ..v1::Heard::default() });
        let record = Record::of(&[
            stored(1, Source::DeviceEvent(Vec::new()), vec![heard, found(1), issued(1)]),
            stored(2, Source::Desk(desk), vec![What::Ruled(ruling), issued(2)]),
            stored(3, Source::DeviceEvent(Vec::new()), vec![What::Staged(applied)]),
        ]);
        let done = &record.acts[0];
        assert_eq!((done.actor.as_str(), done.reason.as_str(), done.entry, done.wall_ms), ("Ada", "seen", 2, 2_000));
        assert_eq!((done.revs.as_slice(), done.rulings.len()), (&[2][..], 1));
        assert_eq!((record.before(done), record.after(done)), (Some(face), Some(face)));
        assert_eq!(record.orders[&1].actor, LAWS);
        let order = &record.orders[&2];
        assert_eq!((order.actor.as_str(), order.stage, order.word_ms), ("Ada", Stage::Applied, Some(3_000)));
        let incident = &record.incidents[&1];
        assert_eq!((incident.found_ms, incident.rev, incident.ruled_ms), (1_000, Some(2), Some(2_000)));
    }

    #[test]
    fn the_clocks_before_an_act_are_those_at_its_application() {
        let face = |white| {
            let white = Some(Hand { left_ms: Some(white), ..Hand::default() });
            Face { white, ..Face::default() }
        };
        let heard = What::Heard(v1::Heard { face: Some(face(5_563_000)), ..v1::Heard::default() });
        let add = DeskInput { request: "r".into(), actor: "Ada".into(), ..DeskInput::default() };
        let mut entries = vec![
            stored(1, Source::DeviceEvent(Vec::new()), vec![heard]),
            stored(2, Source::Desk(add), vec![issued(2)]),
        ];
        let sent = Record::of(&entries);
        let done = &sent.acts[0];
        assert_eq!((sent.before(done), sent.after(done)), (Some(face(5_563_000)), None), "no word of it yet");
        // White thought for 126 s since his clock was last heard, and then had two minutes more.
        let (before, after) = (Some(face(5_437_000)), Some(face(5_557_000)));
        let applied = v1::Staged { rev: 2, stage: Stage::Applied.into(), before, after, ..v1::Staged::default() };
        entries.push(stored(3, Source::DeviceEvent(Vec::new()), vec![What::Staged(applied)]));
        let record = Record::of(&entries);
        assert_eq!((record.before(&record.acts[0]), record.after(&record.acts[0])), (before, after));
    }

    #[test]
    fn a_ruling_leads_to_the_trace_of_its_entry() {
        let traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01".to_owned();
        let mut ruled = stored(3, Source::OverdueRev(0), vec![What::Ruled(Ruling::default())]);
        ruled.entry.as_mut().expect("an entry").traceparent = traceparent;
        let record = Record::of(&[stored(2, Source::OverdueRev(0), Vec::new()), ruled]);
        assert_eq!(record.traces, BTreeMap::from([(3, "0123456789abcdef0123456789abcdef".to_owned())]));
    }

    #[test]
    fn a_ruling_of_the_laws_is_an_act_of_the_laws() {
        let ruling = Ruling { case: 1, actor: LAWS.into(), ..Ruling::default() };
        let record = Record::of(&[stored(1, Source::OverdueRev(0), vec![found(1), What::Ruled(ruling), issued(1)])]);
        assert_eq!((record.acts.len(), record.acts[0].actor.as_str(), &record.acts[0].revs[..]), (1, LAWS, &[1][..]));
        assert!(record.acts[0].act.is_none() && record.orders[&1].actor == LAWS);
    }
}

//! An arbiter's desk for tests: does deeds at stated times and says in short words what followed.

use flagfall_rules::{
    adjourn::{
        Act, Adjournment, CLASSIC, Deed, Event, Procedure, Reason, Resumption, Seal, Session, Situation, Step, Which,
        decide, evolve,
    },
    clock::{Colour, Hand},
    game::Outcome,
    time::{MINUTE, Millis},
};

pub(crate) use Colour::{Black, White};

/// White to move 3; the sealed move of most tests is `Bb5`, f1b5.
pub(crate) const SPANISH: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
/// `Re8` mates.
pub(crate) const MATE: &str = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 40";
/// `Qg6` stalemates.
pub(crate) const STALEMATE: &str = "7k/5K2/8/6Q1/8/8/8/8 w - - 0 60";
/// `Kxd2` leaves the bare kings.
pub(crate) const LAST_PAWN: &str = "8/8/8/4k3/8/8/3p4/3K4 w - - 0 60";
/// Bare kings already.
pub(crate) const KINGS: &str = "8/8/4k3/8/8/3K4/8/8 w - - 0 60";
pub(crate) const LOCKED: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 60";
/// White to move has a pawn, Black a bare king: Black cannot mate.
pub(crate) const WHITE_PAWN: &str = "8/8/4k3/8/8/3KP3/8/8 w - - 0 60";
/// The other way round.
pub(crate) const BLACK_PAWN: &str = "8/8/4k3/4p3/8/3K4/8/8 w - - 0 60";
/// Two knights: the mate is far away, and nobody says at once whether there is one.
pub(crate) const BLOCKED: &str = "8/8/4k3/8/8/3K4/8/6NN w - - 0 60";
/// Both knights reach d2.
pub(crate) const KNIGHTS: &str = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 50";

/// A day of the tournament and a time of it, milliseconds since 1970.
pub(crate) const fn on(day: i64, hours: i64, minutes: i64) -> Millis {
    ((20_000 + day) * 24 * 60 + hours * 60 + minutes) * MINUTE
}

/// `1:12` in hours and minutes.
pub(crate) const fn hm(hours: i64, minutes: i64) -> Millis {
    (hours * 60 + minutes) * MINUTE
}

pub(crate) fn hands(white: Millis, black: Millis) -> [Hand; 2] {
    [Hand::fresh(Some(white)), Hand::fresh(Some(black))]
}

pub(crate) fn seal(byte: u8) -> Seal {
    Seal { commitment: [byte; 32], ciphertext: vec![byte; 5] }
}

/// Three hours each; White has 1:12 left and Black 1:30.
pub(crate) fn situation(position: &str) -> Box<Situation> {
    Box::new(Situation {
        names: [Some("Player-One".into()), Some("Player-Two".into())],
        position: position.into(),
        hands: hands(hm(1, 12), hm(1, 30)),
        allotted: [Some(hm(3, 0)); 2],
        draw_offer: None,
    })
}

/// The next day from ten to two.
pub(crate) fn resumption() -> Resumption {
    Resumption {
        date: "2 May".into(),
        time: "10:00".into(),
        venue: "the club".into(),
        session: Session { start: on(1, 10, 0), end: Some(on(1, 14, 0)) },
    }
}

pub(crate) struct Desk {
    pub(crate) procedure: Procedure,
    pub(crate) state: Adjournment,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Millis,
}

impl Desk {
    /// The session from three to eight was announced; it is half past seven.
    pub(crate) fn playing(procedure: Procedure) -> Desk {
        let mut desk = Desk { procedure, state: Adjournment::new(), events: Vec::new(), now: on(0, 15, 0) };
        let session = Session { start: on(0, 15, 0), end: Some(on(0, 20, 0)) };
        assert_eq!(desk.does(Deed::Announce(session)), "");
        desk.now = on(0, 19, 30);
        desk
    }

    /// It is eight and White is to seal.
    pub(crate) fn sealing(procedure: Procedure, position: &str) -> Desk {
        let mut desk = Desk::playing(procedure);
        desk.now = on(0, 20, 0);
        desk.does(Deed::EndSession(situation(position)));
        desk
    }

    /// White wrote, both sheets are in and the envelope is sealed.
    pub(crate) fn sealed(procedure: Procedure, position: &str) -> Desk {
        let mut desk = Desk::sealing(procedure, position);
        desk.does(Deed::Write(seal(1)));
        desk.does(Deed::SheetIn { of: White, paper: true });
        desk.does(Deed::SheetIn { of: Black, paper: false });
        desk.does(Deed::CloseEnvelope);
        desk
    }

    /// Five past eight: White stopped his clock with 1:07 left.
    pub(crate) fn adjourned(procedure: Procedure, position: &str) -> Desk {
        let mut desk = Desk::sealed(procedure, position);
        desk.now = on(0, 20, 5);
        desk.does(Deed::StopClock { hands: hands(hm(1, 7), hm(1, 30)), opponent_runs: false });
        desk
    }

    /// Ten minutes to ten the next day.
    pub(crate) fn set_up(procedure: Procedure, position: &str) -> Desk {
        let mut desk = Desk::adjourned(procedure, position);
        desk.does(Deed::Appoint(resumption()));
        desk.does(Deed::Check(None));
        desk.now = on(1, 9, 50);
        desk.does(Deed::SetUp { times: None });
        desk
    }

    /// Ten o'clock, and these players are there.
    pub(crate) fn begun(procedure: Procedure, position: &str, there: &[Colour]) -> Desk {
        let mut desk = Desk::set_up(procedure, position);
        for &player in there {
            desk.does(Deed::Presence { player, here: true });
        }
        desk.now = on(1, 10, 0);
        desk.does(Deed::Begin);
        desk
    }

    pub(crate) fn classic(position: &str, there: &[Colour]) -> Desk {
        Desk::begun(CLASSIC, position, there)
    }

    pub(crate) fn comes(&mut self, player: Colour) -> String {
        self.does(Deed::Presence { player, here: true })
    }

    pub(crate) fn opened(&mut self, text: &str) -> String {
        self.does(Deed::Opened(text.into()))
    }

    pub(crate) fn choose(&mut self, key: &str) -> String {
        self.does(Deed::Choose(key.into()))
    }

    /// What followed, without what is only noted or said.
    pub(crate) fn does(&mut self, deed: Deed) -> String {
        let act = Act { wall_ms: self.now, deed };
        let steps = decide(&self.procedure, &self.state, &act).unwrap_or_else(|e| panic!("{act:?}: {e}"));
        for step in &steps {
            if let Step::Noted(event) = step {
                evolve(&mut self.state, event);
                self.events.push(event.clone());
                assert!(!event.article.is_empty(), "{event:?}");
            }
        }
        assert_eq!(Adjournment::replay(&self.events), self.state, "replay gives the live state");
        steps.iter().filter_map(brief).collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn refuses(&mut self, deed: Deed) -> &'static str {
        let act = Act { wall_ms: self.now, deed };
        decide(&self.procedure, &self.state, &act).expect_err("is refused").code()
    }

    /// `hours:minutes` left on the envelope.
    pub(crate) fn recorded(&self) -> String {
        let envelope = self.state.envelope.as_ref().expect("an envelope");
        times(&envelope.hands)
    }
}

pub(crate) fn time(ms: Option<Millis>) -> String {
    ms.map_or("?".into(), |ms| format!("{}:{:02}", ms / hm(1, 0), ms / MINUTE % 60))
}

fn times(hands: &[Hand; 2]) -> String {
    format!("{} {}", time(hands[0].left), time(hands[1].left))
}

fn brief(step: &Step) -> Option<String> {
    Some(match step {
        Step::Noted(_) | Step::Say { .. } => return None,
        Step::Stop { article } => format!("stop {article}"),
        Step::SetBoard { article, .. } => format!("board {article}"),
        Step::SetClock { hands, turn, article } => {
            format!("set {} for {} {article}", times(hands), turn.map_or("mover", Colour::name))
        }
        Step::Run { colour, article } => format!("run {} {article}", colour.name()),
        Step::OpenEnvelope { which: Which::SealedMove, article } => format!("open {article}"),
        Step::OpenEnvelope { which: Which::Reply, article } => format!("open reply {article}"),
        Step::Play { uci, article } => format!("play {uci} {article}"),
        Step::End { outcome, reason, article } => format!("end {} {article}", ending(*outcome, *reason)),
        Step::Propose(proposal) => {
            let keys: Vec<&str> = proposal.ways.iter().map(|way| way.key.as_str()).collect();
            format!("propose {} {}", keys.join("|"), proposal.article)
        }
        Step::Annul { article } => format!("annul {article}"),
    })
}

fn ending(outcome: Option<Outcome>, reason: Reason) -> String {
    format!("{} {reason:?}", outcome.map_or("0-0", Outcome::pgn))
}

//! The procedures as data. No code asks which one it serves; what differs between them is a parameter.
//!
//! Numbers that no text at hand confirms end in a question mark: those of FIDE's appendix G of 2009 and of Guidelines I. The
//! numbers of `adjournment-classic` and what it refers to (6.10, 9.6) are those of the Russian text.

use crate::{
    laws::Phrase,
    time::{MINUTE, Millis},
};

/// Whose lateness leaves an end of the game by the sealed move standing (A10, I.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Only that of the player who sealed.
    SealerLate,
    /// Anybody's.
    AnybodyLate,
}

/// What is stopped once the envelope is sealed (A1, I.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stops {
    /// The sealer's own clock; the opponent's is not started and its reading stays.
    OwnClock,
    /// The whole clock.
    WholeClock,
}

/// When an error of the clock is still corrected though it was not raised in time (A12, I.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateCorrection {
    /// When the arbiter finds the consequences too severe.
    TooSevere,
    /// When the arbiter decides so.
    ArbiterDecides,
}

/// The numbering of a procedure, topic by topic.
#[derive(Clone, Copy, Debug)]
pub struct Articles {
    /// The session ends: the player to move seals.
    pub seal: &'static str,
    /// Adjourning early, charged to the nominal end.
    pub early: &'static str,
    /// What stands on the envelope.
    pub envelope: &'static str,
    /// The arbiter checks the envelope and keeps it.
    pub keep: &'static str,
    /// A draw offered to the player who sealed.
    pub offer: &'static str,
    /// Position and times are set up.
    pub set_up: &'static str,
    /// Agreement and resignation between the sealing and the resumption.
    pub agreed: &'static str,
    /// The envelope stays shut without the player who must reply.
    pub shut: &'static str,
    /// The sealed move is ambiguous.
    pub ambiguous: &'static str,
    /// Its meaning cannot be established.
    pub undeterminable: &'static str,
    /// It is illegal.
    pub illegal: &'static str,
    /// The player who must reply is present.
    pub present: &'static str,
    /// He is absent.
    pub absent: &'static str,
    /// The player who sealed is absent.
    pub sealer_absent: &'static str,
    /// Too late; and what the sealed move decides all the same.
    pub late: &'static str,
    /// Neither is present.
    pub both_absent: &'static str,
    /// The envelope is lost, the position known.
    pub lost: &'static str,
    /// The position cannot be recovered.
    pub annul: &'static str,
    /// Errors of the clock.
    pub clock_error: &'static str,
    /// The session is measured by the arbiter's clock.
    pub session: &'static str,
    /// A flag fell.
    pub flag: &'static str,
    /// A dead position.
    pub dead: &'static str,
    /// Mate.
    pub checkmate: &'static str,
    /// Stalemate.
    pub stalemate: &'static str,
    /// A draw agreed at the board.
    pub agreement: &'static str,
    /// Draw offers.
    pub draw: &'static str,
    /// Resignation in a position in which the opponent cannot mate.
    pub resignation: &'static str,
}

/// A procedure. The rules of an event may replace a parameter: `Procedure { default_time, ..CLASSIC }`.
#[derive(Clone, Copy, Debug)]
pub struct Procedure {
    /// Its id, such as `adjournment-classic`.
    pub id: &'static str,
    /// Its name.
    pub title: Phrase,
    /// How late a player may come after the resumption before he loses, milliseconds. An hour in A10; I.10 leaves it to the
    /// rules of the event, and where these are silent it is zero.
    pub default_time: Millis,
    /// Whose lateness leaves an end by the sealed move standing.
    pub conclusion: Conclusion,
    /// What is stopped after sealing.
    pub stops: Stops,
    /// The sealed move must stand on paper (2023).
    pub paper: bool,
    /// The end of a session is announced in advance together with its start (A13); in I.14 only the start is.
    pub end_announced: bool,
    /// When a late correction of the clock is made.
    pub late_correction: LateCorrection,
    /// A resignation is a draw when the opponent cannot mate by any series of legal moves (5.1.2 of 2023).
    pub resignation_exception: bool,
    /// The numbering.
    pub articles: Articles,
}

/// Appendix A of the older Laws, in the Russian numbering; belongs to `rf-2011`.
pub const CLASSIC: Procedure = Procedure {
    id: "adjournment-classic",
    title: Phrase {
        en: "Adjourned games, Appendix A", ru: "Отложенные партии, приложение А"
    },
    default_time: 60 * MINUTE,
    conclusion: Conclusion::SealerLate,
    stops: Stops::OwnClock,
    paper: false,
    end_announced: true,
    late_correction: LateCorrection::TooSevere,
    resignation_exception: false,
    articles: Articles {
        seal: "A1",
        early: "A1",
        envelope: "A2",
        keep: "A3",
        offer: "A4",
        set_up: "A5",
        agreed: "A6",
        shut: "A7",
        ambiguous: "A8",
        undeterminable: "A8",
        illegal: "A8",
        present: "A9",
        absent: "A9",
        sealer_absent: "A9",
        late: "A10",
        both_absent: "A9",
        lost: "A11",
        annul: "A11",
        clock_error: "A12",
        session: "A13",
        flag: "6.10",
        dead: "9.6",
        checkmate: "5.1а?",
        stalemate: "5.2а?",
        agreement: "5.2в?",
        draw: "9.1",
        resignation: "5.1б?",
    },
};

/// The same procedure as appendix G of FIDE's Laws of 2009; belongs to `fide-2009`.
pub const CLASSIC_2009: Procedure = Procedure {
    id: "adjournment-classic-2009",
    title: Phrase {
        en: "Adjourned games, Appendix G", ru: "Отложенные партии, приложение G"
    },
    articles: Articles {
        seal: "G.1?",
        early: "G.1?",
        envelope: "G.2?",
        keep: "G.3?",
        offer: "G.4?",
        set_up: "G.5?",
        agreed: "G.6?",
        shut: "G.7?",
        ambiguous: "G.8?",
        undeterminable: "G.8?",
        illegal: "G.8?",
        present: "G.9?",
        absent: "G.9?",
        sealer_absent: "G.9?",
        late: "G.10?",
        both_absent: "G.9?",
        lost: "G.11?",
        annul: "G.11?",
        clock_error: "G.12?",
        session: "G.13?",
        flag: "6.9",
        dead: "5.2b, 9.6",
        checkmate: "5.1a?",
        stalemate: "5.2a?",
        agreement: "5.2c?",
        draw: "9.1",
        resignation: "5.1b?",
    },
    ..CLASSIC
};

/// Guidelines I of FIDE's Laws, for the editions from 2014 to 2018 and the Russian one of 2017.
pub const GUIDELINES: Procedure = Procedure {
    id: "adjournment-guidelines",
    title: Phrase {
        en: "Adjourned games, Guidelines I", ru: "Отложенные партии, руководство I"
    },
    default_time: 0,
    conclusion: Conclusion::AnybodyLate,
    stops: Stops::WholeClock,
    paper: false,
    end_announced: false,
    late_correction: LateCorrection::ArbiterDecides,
    resignation_exception: false,
    articles: Articles {
        seal: "I.1.1?",
        early: "I.1.2?",
        envelope: "I.2?",
        keep: "I.3?",
        offer: "I.4?",
        set_up: "I.5?",
        agreed: "I.6?",
        shut: "I.7?",
        ambiguous: "I.8.1?",
        undeterminable: "I.8.2?",
        illegal: "I.8.3?",
        present: "I.9.1?",
        absent: "I.9.2?",
        sealer_absent: "I.9.3?",
        late: "I.10?",
        both_absent: "I.11?",
        lost: "I.12.1?",
        annul: "I.12.2?",
        clock_error: "I.13?",
        session: "I.14?",
        flag: "6.9",
        dead: "5.2.2",
        checkmate: "5.1.1",
        stalemate: "5.2.1",
        agreement: "5.2.3",
        draw: "9.1",
        resignation: "5.1.2",
    },
};

/// Guidelines I of 2023: the move is sealed on paper, and a resignation asks whether the opponent can mate.
pub const GUIDELINES_2023: Procedure = Procedure {
    id: "adjournment-guidelines-2023",
    title: Phrase {
        en: "Adjourned games, Guidelines I (2023)", ru: "Отложенные партии, руководство I (2023)"
    },
    paper: true,
    resignation_exception: true,
    ..GUIDELINES
};

/// Every procedure this build knows.
pub static PROCEDURES: &[Procedure] = &[CLASSIC, CLASSIC_2009, GUIDELINES, GUIDELINES_2023];

/// Which procedure belongs to which edition of the Laws.
static OF_EDITION: &[(&str, Procedure)] = &[
    ("rf-2011", CLASSIC),
    ("fide-2009", CLASSIC_2009),
    ("fide-2014", GUIDELINES),
    ("fide-2017", GUIDELINES),
    ("rf-2017", GUIDELINES),
    ("fide-2018", GUIDELINES),
    ("fide-2023", GUIDELINES_2023),
];

/// The procedure of an id.
#[must_use]
pub fn procedure(id: &str) -> Option<Procedure> {
    PROCEDURES.iter().copied().find(|procedure| procedure.id == id)
}

/// The procedure of an edition of the Laws, by the edition's id.
#[must_use]
pub fn of_edition(id: &str) -> Option<Procedure> {
    OF_EDITION.iter().find(|(edition, _)| *edition == id).map(|&(_, procedure)| procedure)
}

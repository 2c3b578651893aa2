//! The keys of every table of a file: what is not here is refused, and what is here stands in the README.

/// A kind of table and its keys.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// What the README calls it.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [&'static str],
}

/// Every kind of table, in the order of the README.
pub const SECTIONS: &[&Section] = &[&FILE, &CASE, &OVERLAY, &PRESS, &HAPPENED, &EXPECT, &WAY, &PAIR];

pub(super) const FILE: Section = Section { name: "file", keys: &["case"] };

pub(super) const CASE: Section = Section {
    name: "case",
    keys: &[
        "title",
        "edition",
        "play",
        "supervised",
        "control",
        "position",
        "moves",
        "log",
        "strikes",
        "overlay",
        "then",
        "expect",
    ],
};

pub(super) const OVERLAY: Section =
    Section { name: "overlay", keys: &["bonus", "loses_at", "keeps_increment", "confirms", "quickplay_finish"] };

pub(super) const PRESS: Section = Section { name: "log", keys: &["by", "white", "black", "credit", "used"] };

pub(super) const HAPPENED: Section = Section {
    name: "happened",
    keys: &[
        "happened",
        "by",
        "clocks",
        "counters",
        "period",
        "board",
        "plays",
        "pressed",
        "move",
        "ply",
        "through",
        "way",
        "first_flag",
        "answered",
        "claimed",
        "elapsed",
        "ran",
        "set_as",
        "sheets",
        "reply",
        "next",
        "note",
    ],
};

pub(super) const EXPECT: Section =
    Section { name: "expect", keys: &["kind", "found", "broken", "alarm", "annulled", "alternatives"] };

pub(super) const WAY: Section = Section {
    name: "way",
    keys: &[
        "way", "article", "clocks", "counters", "period", "strikes", "turn", "position", "place", "result", "ending",
        "new_game",
    ],
};

pub(super) const PAIR: Section = Section { name: "pair", keys: &["white", "black"] };

/// The tables whose keys a table of this kind takes besides its own.
pub(super) fn also(section: &Section) -> &'static [&'static Section] {
    match section.name {
        "file" => &[&CASE, &HAPPENED],
        "case" => &[&HAPPENED],
        "expect" => &[&WAY],
        _ => &[],
    }
}

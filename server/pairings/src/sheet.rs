//! What a file says of one round.

use std::fmt;

use crate::NAME_MAX;

/// A player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// Starting-rank number, from 1 to [`crate::NUMBER_MAX`].
    pub number: u32,
    /// Name as the file writes it, [tidied](tidy).
    pub name: String,
    /// Title such as `GM`, at most 4 characters; empty: none.
    pub title: String,
    /// Rating; 0: none known.
    pub rating: u32,
    /// Federation, at most 3 characters; empty: not known.
    pub federation: String,
    /// FIDE number, digits only, at most 11; empty: not known.
    pub fide_id: String,
}

/// Who plays whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its number, from 1.
    pub board: u32,
    /// White's number.
    pub white: u32,
    /// Black's number.
    pub black: u32,
    /// The clock that the file names for it; `None`: it names none.
    pub device: Option<String>,
    /// The result that the file has already.
    pub outcome: Option<Outcome>,
}

/// A player who does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bye {
    /// The player's number.
    pub player: u32,
    /// What for.
    pub kind: ByeKind,
}

/// Why a player does not play; the letters are those of the report file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByeKind {
    /// `H`: half a point.
    Half,
    /// `F`: a full point.
    Full,
    /// `U`: allocated by the pairing.
    Pairing,
    /// `Z`: no point, a known absence.
    Zero,
}

impl ByeKind {
    /// The letter.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            ByeKind::Half => 'H',
            ByeKind::Full => 'F',
            ByeKind::Pairing => 'U',
            ByeKind::Zero => 'Z',
        }
    }

    /// Reads a letter of either case.
    #[must_use]
    pub const fn of(letter: char) -> Option<ByeKind> {
        Some(match letter.to_ascii_uppercase() {
            'H' => ByeKind::Half,
            'F' => ByeKind::Full,
            'U' => ByeKind::Pairing,
            'Z' => ByeKind::Zero,
            _ => return None,
        })
    }
}

/// How a board ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 1-0.
    WhiteWins,
    /// 0-1.
    BlackWins,
    /// A draw.
    Draw,
    /// 0-0: played, and both lose.
    BothLose,
    /// Black forfeits.
    WhiteByForfeit,
    /// White forfeits.
    BlackByForfeit,
    /// Both forfeit.
    BothForfeit,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 7] = [
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Draw,
        Outcome::BothLose,
        Outcome::WhiteByForfeit,
        Outcome::BlackByForfeit,
        Outcome::BothForfeit,
    ];

    /// The letters of the report file for White and for Black.
    #[must_use]
    pub const fn letters(self) -> [char; 2] {
        match self {
            Outcome::WhiteWins => ['1', '0'],
            Outcome::BlackWins => ['0', '1'],
            Outcome::Draw => ['=', '='],
            Outcome::BothLose => ['0', '0'],
            Outcome::WhiteByForfeit => ['+', '-'],
            Outcome::BlackByForfeit => ['-', '+'],
            Outcome::BothForfeit => ['-', '-'],
        }
    }

    /// As tables write it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::BothLose => "0-0",
            Outcome::WhiteByForfeit => "+/-",
            Outcome::BlackByForfeit => "-/+",
            Outcome::BothForfeit => "-/-",
        }
    }

    /// Reads what tables write, and what people do: `1:0`, `1–0`, `=`, `0.5-0.5`, `½-½`, `+-`, `+:-`, `1-0F`.
    #[must_use]
    pub fn of(text: &str) -> Option<Outcome> {
        let dash = |c| if matches!(c, '–' | '—' | '−' | '‐' | '‑') { '-' } else { c };
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).map(dash).collect();
        Some(match plain.to_ascii_uppercase().as_str() {
            "1-0" | "1:0" | "1" => Outcome::WhiteWins,
            "0-1" | "0:1" | "0" => Outcome::BlackWins,
            "1/2-1/2" | "1/2:1/2" | "1/2" | "½-½" | "½:½" | "½" | "0.5-0.5" | "0,5-0,5" | "=" | "=-=" => {
                Outcome::Draw
            }
            "0-0" | "0:0" => Outcome::BothLose,
            "+/-" | "+-" | "+--" | "+:-" | "1-0F" | "1F-0F" | "+" => Outcome::WhiteByForfeit,
            "-/+" | "-+" | "--+" | "-:+" | "0-1F" | "0F-1F" => Outcome::BlackByForfeit,
            "-/-" | "--" | "---" | "-:-" | "0-0F" | "0F-0F" => Outcome::BothForfeit,
            _ => return None,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// What a file says of one round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The event's name; empty: not said.
    pub title: String,
    /// The round, from 1; 0: the file does not say.
    pub round: u32,
    /// Every player the file knows, in the order of their numbers.
    pub players: Vec<Player>,
    /// In the order of their numbers.
    pub boards: Vec<Board>,
    /// In the order of the players' numbers.
    pub byes: Vec<Bye>,
}

/// A text of a file as it may be kept: no control characters, no blanks around it, at most so many characters.
#[must_use]
pub fn tidy(text: &str, longest: usize) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let cut: String = text.trim().chars().map(shown).take(longest).collect();
    cut.trim_end().to_owned()
}

/// A name as it may be kept.
pub(crate) fn name(text: &str) -> String {
    tidy(text, NAME_MAX)
}

/// A title as it is written today; report files of old have one letter less.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    match text.to_ascii_lowercase().as_str() {
        "g" | "gm" => "GM",
        "m" | "im" => "IM",
        "f" | "fm" => "FM",
        "c" | "cm" => "CM",
        "wg" | "wgm" => "WGM",
        "wm" | "wim" => "WIM",
        "wf" | "wfm" => "WFM",
        "wc" | "wcm" => "WCM",
        _ => return tidy(text, 4),
    }
    .to_owned()
}

/// A rating; 0 where it says that there is none. `None`: it says something else.
pub(crate) fn rating(text: &str) -> Option<u32> {
    match text.trim().trim_matches('-') {
        "" => Some(0),
        text => text.parse().ok().filter(|rating| *rating <= 9_999),
    }
}

/// A FIDE number: digits, or nothing.
pub(crate) fn fide_id(text: &str) -> String {
    let text = text.trim();
    let known =
        text.len() <= 11 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0');
    if known { text.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of(outcome.text()), Some(outcome));
        }
        assert_eq!(
            (Outcome::of(" 1 : 0 "), Outcome::of("½–½"), Outcome::of("2-0")),
            (Some(Outcome::WhiteWins), Some(Outcome::Draw), None)
        );
    }

    #[test]
    fn no_rating_is_written_in_many_ways() {
        for (text, expected) in [
            ("2100", Some(2100)),
            ("", Some(0)),
            ("----", Some(0)),
            ("0", Some(0)),
            (" 0000 ", Some(0)),
            ("x", None),
            ("99999", None),
        ] {
            assert_eq!(rating(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_bounded_and_plain() {
        assert_eq!(tidy("  A\u{7}\nB  ", 100), "A\u{fffd}\u{fffd}B");
        assert_eq!(tidy(&"ж".repeat(300), 100).chars().count(), 100);
        assert_eq!((title("wg"), title(" GM "), title("NM")), ("WGM".into(), "GM".into(), "NM".into()));
        assert_eq!(
            (fide_id("  4100018 "), fide_id("0"), fide_id("a1")),
            ("4100018".into(), String::new(), String::new())
        );
    }
}

//! The preset language: edition, play and time control as organisers write them.
//!
//! ```text
//!   preset  = [edition] [play] control                     "fide-2023 rapid 15+10", "blitz 3+2", "90/40+30+30"
//!   edition = an id of the Laws; without it fide-2023
//!   play    = standard | rapid | rapid-supervised | blitz | blitz-supervised; without it what the control is by the edition
//!   control = minutes [( "+" | "d" | "b" ) seconds]        one period; + added before a move, d delay, b Bronstein
//!           | minutes "/" moves "+" … minutes ("+" | "d" | "b") seconds
//!           | the PGN tag's notation in seconds, which has a ":" or "@" in it
//! ```
//!
//! Minutes may have a half: `2.5+1`. Where there are several numbers the last one is the seconds a move, of every period; a control of
//! several periods without any ends in `+0`.
//!
//! | Written | Means |
//! |---|---|
//! | `90+30` | 90 minutes, 30 seconds a move |
//! | `90/40+30+30` | 90 minutes for 40 moves, then 30 minutes, 30 seconds a move from the first |
//! | `100/40+50/20+15+30` | three periods, 30 seconds a move |
//! | `120/40+60+0` | 40 moves in two hours, then an hour, nothing a move |
//! | `60d5`, `25b10` | a delay, Bronstein |
//! | `90` | 90 minutes for all moves |
//!
//! A kind of play that the control is not by the edition is refused: its penalties would be wrong.

use std::str::FromStr;

use flagfall_rules::{
    clock::{Advance, Compensation, Control, ControlError, Period},
    laws::{self, Edition, Play, Rates},
    time::{MINUTE, Millis, SECOND},
};

/// The edition of a preset that names none: the one in force.
pub const EDITION: &str = "fide-2023";

/// The longest preset in bytes.
pub const LONGEST: usize = 120;

/// What a preset says.
#[derive(Clone, Debug)]
pub struct Preset {
    /// The edition of the Laws.
    pub edition: &'static Edition,
    /// The kind of play.
    pub play: Play,
    /// The time control.
    pub control: Control,
}

/// Why a text is no preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// It says nothing, or too much.
    #[error("expected [edition] [play] control, such as \"fide-2023 rapid 15+10\"")]
    Shape,
    /// A word before the control is neither an edition nor a play.
    #[error(
        "{word:?} is neither an edition ({editions}) nor a play (standard, rapid, rapid-supervised, blitz, blitz-supervised)"
    )]
    Word {
        /// The word.
        word: String,
        /// The editions of this build.
        editions: String,
    },
    /// The control cannot be read.
    #[error("{text:?} is no time control: {why}; expected minutes+seconds, such as 90+30 or 90/40+30+30")]
    Control {
        /// As written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// By the edition it is another kind of play.
    #[error(
        "{control} is {is} by {edition} ({minutes} minutes for sixty moves), not {stated}: state {is}, or another control"
    )]
    Play {
        /// As written.
        control: String,
        /// What it is.
        is: &'static str,
        /// What was said.
        stated: &'static str,
        /// The edition.
        edition: &'static str,
        /// Whole minutes for a game.
        minutes: Millis,
    },
}

impl FromStr for Preset {
    type Err = PresetError;

    fn from_str(text: &str) -> Result<Preset, PresetError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((&last, before)) = words.split_last().filter(|_| words.len() <= 3 && text.len() <= LONGEST) else {
            return Err(PresetError::Shape);
        };
        let (mut edition, mut stated) = (None, None);
        for &word in before {
            match (laws::edition(word), play(word)) {
                (Some(found), _) if edition.is_none() && stated.is_none() => edition = Some(found),
                (None, Some(found)) if stated.is_none() => stated = Some(found),
                (None, None) => {
                    let editions = laws::EDITIONS.iter().map(|edition| edition.id).collect::<Vec<_>>().join(", ");
                    return Err(PresetError::Word { word: word.to_owned(), editions });
                }
                _ => return Err(PresetError::Shape),
            }
        }
        let edition = edition.or_else(|| laws::edition(EDITION)).ok_or(PresetError::Shape)?;
        let control = control(last)?;
        let is = edition.rates.play(&control);
        let play = match stated {
            None => is,
            Some(stated) if kind(stated) == kind(is) => stated,
            Some(stated) => {
                return Err(PresetError::Play {
                    control: last.to_owned(),
                    is: kind(is),
                    stated: kind(stated),
                    edition: edition.id,
                    minutes: Rates::total(&control) / MINUTE,
                });
            }
        };
        Ok(Preset { edition, play, control })
    }
}

/// A kind of play by the name that commands use.
#[must_use]
pub fn play(name: &str) -> Option<Play> {
    Some(match name {
        "standard" => Play::Standard,
        "rapid" => Play::Rapid,
        "rapid-supervised" => Play::RapidSupervised,
        "blitz" => Play::Blitz,
        "blitz-supervised" => Play::BlitzSupervised,
        _ => return None,
    })
}

/// Its name without a word on supervision.
const fn kind(play: Play) -> &'static str {
    match play {
        Play::Standard => "standard",
        Play::Rapid | Play::RapidSupervised => "rapid",
        Play::Blitz | Play::BlitzSupervised => "blitz",
    }
}

/// Reads a control in minutes and seconds.
///
/// # Errors
/// Says what is wrong with it.
pub fn control(text: &str) -> Result<Control, PresetError> {
    let refused = |why: String| PresetError::Control { text: text.chars().take(40).collect(), why };
    let built = |control: Result<Control, ControlError>| control.map_err(|error| refused(error.to_string()));
    if text.contains([':', '@']) {
        return built(text.parse());
    }
    let (text_of_periods, make, amount): (&str, fn(Millis) -> Compensation, &str) =
        match text.rfind(['+', 'd', 'b']).map(|at| (text.split_at(at), text.as_bytes()[at])) {
            None => (text, Compensation::Increment, "0"),
            Some(((periods, amount), kind)) => {
                let make = match kind {
                    b'd' => Compensation::Delay,
                    b'b' => Compensation::Bronstein,
                    _ => Compensation::Increment,
                };
                (periods, make, &amount[1..])
            }
        };
    let number = |text: &str, unit: Millis, what: &str| {
        scaled(text, unit).ok_or_else(|| refused(format!("{text:?} is no number of {what}")))
    };
    let compensation = make(number(amount, SECOND, "seconds")?);
    let mut periods = Vec::new();
    for period in text_of_periods.split('+') {
        let (minutes, moves) = match period.split_once('/') {
            None => (period, None),
            Some((minutes, moves)) => {
                let count = moves.parse().map_err(|_| refused(format!("{moves:?} is no number of moves")))?;
                (minutes, Some(count))
            }
        };
        periods.push(Period { base: number(minutes, MINUTE, "minutes")?, compensation, moves });
    }
    built(Control::new(periods, Advance::AtCount))
}

/// A number with at most one decimal, in milliseconds of so long a unit.
fn scaled(text: &str, unit: Millis) -> Option<Millis> {
    let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(whole, 4) && digits(tenth, 1)).then_some(())?;
    Some(whole.parse::<Millis>().ok()? * unit + tenth.parse::<Millis>().ok()? * unit / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> String {
        control(text).map_or_else(|error| error.to_string(), |control| control.to_string())
    }

    #[test]
    fn controls_are_read_as_organisers_write_them() {
        let table = [
            ("90+30", "5400+30"),
            ("90/40+30+30", "40/5400+30:1800+30"),
            ("100/40+50/20+15+30", "40/6000+30:20/3000+30:900+30"),
            ("120/40+60+0", "40/7200:3600"),
            ("90", "5400"),
            ("60d5", "3600d5"),
            ("25b10", "1500b10"),
            ("2.5+1", "150+1"),
            ("0+1", "0+1"),
            ("40/5400+30:1800+30", "40/5400+30:1800+30"),
            ("40/5400:1800@zero", "40/5400:1800@zero"),
        ];
        for (written, means) in table {
            assert_eq!(tag(written), means, "{written}");
        }
    }

    #[test]
    fn what_is_no_control_is_named() {
        let table = [
            ("90+", "\"\" is no number of seconds"),
            ("+30", "\"\" is no number of minutes"),
            ("90/+30+30", "\"\" is no number of moves"),
            ("90/40+30", "period 1: expected no number of moves"),
            ("90+30+30", "period 1: expected a number of moves"),
            ("x+1", "\"x\" is no number of minutes"),
            ("99999+1", "\"99999\" is no number of minutes"),
            ("700+1", "period 1: expected a base"),
            ("0+0", "period 1: expected a base, an increment"),
            ("", "\"\" is no number of minutes"),
            ("40/5400:x", "character 9: expected seconds"),
        ];
        for (written, why) in table {
            assert!(tag(written).contains(why), "{written}: {}", tag(written));
        }
    }

    #[test]
    fn the_play_is_what_the_edition_calls_it() {
        let of = |text: &str| text.parse::<Preset>().map(|preset| (preset.edition.id, preset.play));
        assert_eq!(of("90/40+30+30"), Ok(("fide-2023", Play::Standard)));
        assert_eq!(of("fide-2023 rapid 15+10"), Ok(("fide-2023", Play::Rapid)));
        assert_eq!(of("blitz 3+2"), Ok(("fide-2023", Play::Blitz)));
        assert_eq!(of("rf-2017 blitz-supervised 5"), Ok(("rf-2017", Play::BlitzSupervised)));
        // Ten minutes in all: blitz since 2014, and 5+5 too; in 2009 blitz ended below fifteen.
        assert_eq!(of("5+5"), Ok(("fide-2023", Play::Blitz)));
        assert_eq!(of("10+5"), Ok(("fide-2023", Play::Rapid)));
        assert_eq!(of("fide-2009 12"), Ok(("fide-2009", Play::Blitz)));
        assert_eq!(of("fide-2009 15"), Ok(("fide-2009", Play::Rapid)));
        // An hour: rapid by the letter of 2009, standard since 2014.
        assert_eq!(of("fide-2009 60"), Ok(("fide-2009", Play::Rapid)));
        assert_eq!(of("60"), Ok(("fide-2023", Play::Standard)));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let said = |text: &str| text.parse::<Preset>().expect_err(text).to_string();
        let contradicting = "90+30 is standard by fide-2023 (120 minutes for sixty moves), not blitz: state standard, or another control";
        assert_eq!(said("blitz 90+30"), contradicting);
        assert!(said("fide-2020 rapid 15+10").starts_with("\"fide-2020\" is neither an edition (rf-2011, "));
        for text in ["", "rapid", "rapid fide-2023 15+10", "fide-2023 fide-2018 3+2", "a b c d"] {
            assert!(text.parse::<Preset>().is_err(), "{text}");
        }
    }
}

//! Single values: texts, numbers, readings of a clock, colours, pairs.

use flagfall_rules::{
    clock::{Colour, run::LONGEST},
    time::{MINUTE, Millis, SECOND},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    keys::{PAIR, Section},
    view::{Source, View},
};
use crate::{Error, Pair};

/// A value with the key it stands under.
pub(super) struct Item<'t> {
    pub(super) source: &'t Source<'t>,
    pub(super) path: String,
    pub(super) value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Item<'t> {
    pub(super) fn at(&self) -> usize {
        self.value.span().start
    }

    pub(super) fn error(&self, what: impl Into<String>) -> Error {
        self.source.error(self.at(), &self.path, what)
    }

    fn wrong(&self, expected: &str) -> Error {
        let found = match self.value.get_ref() {
            DeValue::String(text) => return self.error(format!("{text:?} is not {expected}")),
            DeValue::Integer(number) => return self.error(format!("{number} is not {expected}")),
            DeValue::Float(_) => "a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(format!("{found} is not {expected}"))
    }

    pub(super) fn text(&self) -> Result<&'t str, Error> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong("a text in quotes")),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::String(_))
    }

    pub(super) fn yes(&self) -> Result<bool, Error> {
        match self.value.get_ref() {
            DeValue::Boolean(yes) => Ok(*yes),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// A whole number in a range.
    pub(super) fn number(&self, least: u32, most: u32) -> Result<u32, Error> {
        let expected = format!("a whole number from {least} to {most}");
        let DeValue::Integer(number) = self.value.get_ref() else { return Err(self.wrong(&expected)) };
        let value = i64::from_str_radix(number.as_str(), number.radix()).ok();
        let value = value.and_then(|value| u32::try_from(value).ok()).filter(|value| (least..=most).contains(value));
        value.ok_or_else(|| self.wrong(&expected))
    }

    pub(super) fn count(&self) -> Result<u32, Error> {
        self.number(0, 10_000)
    }

    pub(super) fn time(&self) -> Result<Millis, Error> {
        let expected = "a time such as 12:22, 1:30:00 or 0:07.250, at most 100 hours";
        match self.value.get_ref() {
            DeValue::String(text) => time(text).ok_or_else(|| self.wrong(expected)),
            _ => Err(self.wrong("a text in quotes such as \"12:22\"")),
        }
    }

    pub(super) fn colour(&self) -> Result<Colour, Error> {
        self.name(&[("white", Colour::White), ("black", Colour::Black)])
    }

    /// One of a list of names.
    pub(super) fn name<T: Copy>(&self, names: &[(&str, T)]) -> Result<T, Error> {
        let text = self.text()?;
        let known = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        known.ok_or_else(|| {
            let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.wrong(&format!("one of: {}", all.join(", ")))
        })
    }

    pub(super) fn table(&self) -> Result<&'t DeTable<'t>, Error> {
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.wrong("a table")),
        }
    }

    pub(super) fn view(&self, section: &'static Section) -> Result<View<'t>, Error> {
        View::new(self.source, section, self.path.clone(), self.table()?, None, self.at())
    }

    pub(super) fn array(&self) -> Result<Vec<Item<'t>>, Error> {
        let DeValue::Array(list) = self.value.get_ref() else { return Err(self.wrong("a list")) };
        Ok(list.iter().map(|value| Item { source: self.source, path: self.path.clone(), value }).collect())
    }

    /// White's and Black's, either of which may be missing.
    pub(super) fn pair<T>(&self, read: impl Fn(&Item<'t>) -> Result<T, Error>) -> Result<Pair<T>, Error> {
        let view = self.view(&PAIR)?;
        Ok(Pair { white: view.read("white", &read)?, black: view.read("black", &read)? })
    }
}

/// `12:22`, `1:30:00`, with up to three decimals of a second.
fn time(text: &str) -> Option<Millis> {
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, thousandths(part)?),
        None => (text, 0),
    };
    let numbers: Vec<Millis> = whole.split(':').map(number).collect::<Option<_>>()?;
    let two = |field: usize| whole.split(':').nth(field).is_some_and(|digits| digits.len() == 2);
    let total = match numbers[..] {
        [minutes, seconds] if seconds < 60 && two(1) => minutes * MINUTE + seconds * SECOND,
        [hours, minutes, seconds] if minutes < 60 && seconds < 60 && two(1) && two(2) => {
            (hours * 60 + minutes) * MINUTE + seconds * SECOND
        }
        _ => return None,
    };
    Some(total + part).filter(|&total| total <= LONGEST)
}

fn number(digits: &str) -> Option<Millis> {
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

fn thousandths(part: &str) -> Option<Millis> {
    let value = number(part)?;
    match part.len() {
        1 => Some(value * 100),
        2 => Some(value * 10),
        3 => Some(value),
        _ => None,
    }
}

/// A time as [`Item::time`] reads it.
pub(crate) fn clock(ms: Millis) -> String {
    let (seconds, part) = (ms / SECOND, ms % SECOND);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let text = if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") };
    if part == 0 { text } else { format!("{text}.{part:03}") }
}

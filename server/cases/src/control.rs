//! Time controls as arbiters say them: minutes and seconds, period after period.
//!
//! ```text
//! control = period *("," period)
//! period  = [moves "/"] minutes [("+" | "delay" | "bronstein") seconds]
//! ```
//!
//! `90+30`, `40/90+30, 30+30`, `15+10`, `25 bronstein 10`, `5 delay 3`, `15`. The project's own form in seconds is taken as well:
//! everything with a colon or `@zero` (`40/5400+30:1800+30`), and a single period of 600 and more (`5400+30`). From 181 to 599 it
//! could be either, and is refused.

use flagfall_rules::{
    clock::{Advance, Compensation, Control, Period},
    time::{MINUTE, Millis, SECOND},
};

/// The most minutes that a period is believed to have.
const MINUTES_MAX: Millis = 180;

/// From here on a bare number is seconds.
const SECONDS_FROM: Millis = 600;

/// What each move adds, by the word for it.
const KINDS: [(&str, Kind); 3] =
    [("+", Compensation::Increment), ("delay", Compensation::Delay), ("bronstein", Compensation::Bronstein)];

type Kind = fn(Millis) -> Compensation;

/// Reads a control in either form.
pub(crate) fn parse(text: &str) -> Result<Control, String> {
    let own = || text.parse::<Control>().map_err(|why| format!("{text:?} is no control in seconds: {why}"));
    if text.contains(':') || text.contains('@') {
        return own();
    }
    let mut periods = Vec::new();
    for said in text.split(',') {
        let period = period(said.trim())
            .ok_or_else(|| format!("{:?} is no period of a control such as 90+30 or 40/90+30", said.trim()))?;
        periods.push(period);
    }
    if let [one] = periods.as_slice()
        && one.base >= SECONDS_FROM * MINUTE
    {
        return own();
    }
    if let Some(period) = periods.iter().find(|period| period.base > MINUTES_MAX * MINUTE) {
        let (number, own) = (period.base / MINUTE, "write 40/5400+30:1800+30 for seconds");
        return Err(format!("{number} minutes are more than {MINUTES_MAX}: write minutes (90+30), or {own}"));
    }
    Control::new(periods, Advance::AtCount).map_err(|why| format!("{text:?} is no control: {why}"))
}

fn period(said: &str) -> Option<Period> {
    let (moves, rest) = match said.split_once('/') {
        Some((moves, rest)) => (Some(number(moves)? as u32), rest),
        None => (None, said),
    };
    let found = KINDS.iter().find_map(|(word, kind)| rest.split_once(word).map(|(base, amount)| (base, kind, amount)));
    let (base, compensation) = match found {
        Some((base, kind, amount)) => (base, kind(number(amount)? * SECOND)),
        None => (rest, Compensation::None),
    };
    Some(Period { base: number(base)? * MINUTE, compensation, moves })
}

fn number(text: &str) -> Option<Millis> {
    let text = text.trim();
    (text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_one_control() {
        for (said, own) in [
            ("90+30", "5400+30"),
            ("40/90+30, 30+30", "40/5400+30:1800+30"),
            ("40/90+30,30+30", "40/5400+30:1800+30"),
            ("3+2", "180+2"),
            ("15", "900"),
            ("25 bronstein 10", "1500b10"),
            ("5 delay 3", "300d3"),
            ("5400+30", "5400+30"),
            ("40/5400+30:1800+30@zero", "40/5400+30:1800+30@zero"),
        ] {
            assert_eq!(parse(said).map(|control| control.to_string()), Ok(own.to_owned()), "{said}");
        }
        for bad in ["", "ninety", "90+", "+30", "300+5", "40/90", "90, 30", "90+30:", "99999999+1", "3+2+1", "0"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

//! What a PGN's `TimeControl` tag says: the standard's own notation, LiveChess's words, and the words of arbiters.
//!
//! ```text
//! 40/5400+30:1800+30                              the standard: seconds
//! 15 min/game + 10 sec/move                       LiveChess
//! 90 min/40 moves + 30 min/game + 30 sec/move
//! 90 minutes for 40 moves, then 30 minutes with 30 seconds added per move from move 1
//! 90'/40 + 30' + 30"                              invitations
//! G/60;d5                                         United States: minutes
//! ```
//!
//! A tag that cannot be read states nothing: a control that was guessed wrongly would turn honest readings into findings.

use flagfall_rules::{
    clock::{Advance, Compensation, Control, Period},
    time::{MINUTE, Millis, SECOND},
};

/// What a tag says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Nothing: no tag, an empty one, or one that says so.
    Nothing,
    /// A control.
    Control(Control),
    /// Something that was not understood, and why.
    Unreadable(String),
}

/// Reads a tag's value.
#[must_use]
pub fn read(tag: &str) -> Stated {
    let text = tag.trim();
    if matches!(text, "" | "-" | "?") || text.eq_ignore_ascii_case("none") {
        return Stated::Nothing;
    }
    let compact: String = text.split_whitespace().collect();
    if let Ok(control) = compact.parse() {
        return Stated::Control(control);
    }
    if text.len() > 200 {
        return Stated::Unreadable("longer than 200 bytes".into());
    }
    match words(text) {
        Ok(control) => Stated::Control(control),
        Err(why) => Stated::Unreadable(why),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// In thousandths, so that half a minute needs no floating point.
    Number(i64),
    /// Milliseconds of one.
    Unit(Millis),
    Moves,
    End,
    PerMove,
    Delay,
    Bronstein,
    From,
    Slash,
    /// Begins the next clause.
    Join,
}

/// Words that carry nothing here.
const FILLERS: &[&str] = &[
    "for",
    "the",
    "of",
    "in",
    "a",
    "an",
    "all",
    "to",
    "first",
    "added",
    "additional",
    "addition",
    "starting",
    "beginning",
    "by",
    "time",
    "control",
    "player",
    "players",
    "is",
    "at",
    "on",
    "fischer",
    "mode",
    "simple",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, token) = if c.is_ascii_digit() {
            let (length, value) = number(rest)?;
            (length, Some(Token::Number(value)))
        } else if c.is_alphabetic() {
            let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            (length, word(&rest[..length].to_lowercase())?)
        } else {
            match c {
                '\'' | '’' | '′' | '`' => {
                    let twice = rest[c.len_utf8()..].starts_with(c);
                    let length = if twice { 2 * c.len_utf8() } else { c.len_utf8() };
                    (length, Some(Token::Unit(if twice { SECOND } else { MINUTE })))
                }
                '"' | '”' | '″' => (c.len_utf8(), Some(Token::Unit(SECOND))),
                '/' => (1, Some(Token::Slash)),
                '+' | ',' | ';' | ':' | '&' => (1, Some(Token::Join)),
                '(' | ')' | '.' | '-' => (1, None),
                c if c.is_whitespace() => (c.len_utf8(), None),
                c => return Err(format!("{c:?} is not understood")),
            }
        };
        tokens.extend(token);
        rest = &rest[length..];
    }
    Ok(tokens)
}

fn number(text: &str) -> Result<(usize, i64), String> {
    let whole = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let after = &text[whole..];
    let decimals = match after.strip_prefix('.') {
        Some(part) => part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()),
        None => 0,
    };
    if whole > 6 || decimals > 3 {
        return Err(format!("{text:.12} is too long a number"));
    }
    let thousandths = format!("{}{:0<3}", &text[..whole], if decimals > 0 { &after[1..=decimals] } else { "" });
    let value = thousandths.parse().map_err(|_| format!("{text:.12} is no number"))?;
    Ok((whole + if decimals > 0 { decimals + 1 } else { 0 }, value))
}

fn word(word: &str) -> Result<Option<Token>, String> {
    Ok(Some(match word {
        "h" | "hr" | "hrs" | "hour" | "hours" => Token::Unit(60 * MINUTE),
        "m" | "min" | "mins" | "minute" | "minutes" => Token::Unit(MINUTE),
        "s" | "sec" | "secs" | "second" | "seconds" => Token::Unit(SECOND),
        "move" | "moves" | "mv" | "mvs" => Token::Moves,
        "game" | "g" | "rest" | "end" | "finish" | "sd" | "remaining" | "remainder" => Token::End,
        "per" | "each" | "every" | "increment" | "inc" | "bonus" => Token::PerMove,
        "delay" | "d" => Token::Delay,
        "bronstein" => Token::Bronstein,
        "from" => Token::From,
        "then" | "followed" | "and" | "with" | "plus" => Token::Join,
        "one" => Token::Number(1_000),
        _ if FILLERS.contains(&word) => return Ok(None),
        _ => return Err(format!("{word:?} is not understood")),
    }))
}

/// What stands between two joints.
#[derive(Debug, Default)]
struct Clause {
    amount: Option<(i64, Option<Millis>)>,
    moves: Option<u32>,
    /// A word says that this is compensation; which.
    compensation: Option<fn(Millis) -> Compensation>,
    /// The move from which it is given.
    from: Option<u32>,
}

fn clause(tokens: &[Token]) -> Result<Clause, String> {
    let mut clause = Clause::default();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        let next = tokens.get(at + 1).copied();
        match (token, next) {
            (Token::Number(n), Some(Token::Unit(unit))) if clause.amount.is_none() => {
                clause.amount = Some((n, Some(unit)));
                at += 1;
            }
            (Token::Number(n), Some(Token::Moves)) if clause.moves.is_none() => {
                clause.moves = Some(count(n)?);
                at += 1;
            }
            // 90'/40m: what follows the slash is a count, however it is abbreviated.
            (Token::Number(n), Some(Token::Unit(MINUTE))) if clause.moves.is_none() => {
                clause.moves = Some(count(n)?);
                at += 1;
            }
            // The United States write moves, then minutes; an invitation writes 90'/40.
            (Token::Number(n), Some(Token::Slash)) if clause.moves.is_none() && clause.amount.is_none() => {
                clause.moves = Some(count(n)?);
            }
            (Token::Number(n), _) if clause.amount.is_none() => clause.amount = Some((n, None)),
            (Token::Number(n), _) if clause.moves.is_none() => clause.moves = Some(count(n)?),
            (Token::From, Some(Token::Moves)) => {
                if let Some(&Token::Number(n)) = tokens.get(at + 2) {
                    clause.from = Some(count(n)?);
                    at += 1;
                }
                at += 1;
            }
            (Token::Moves | Token::PerMove, _) => {
                clause.compensation.get_or_insert(Compensation::Increment);
            }
            (Token::Delay, _) => clause.compensation = Some(Compensation::Delay),
            (Token::Bronstein, _) => clause.compensation = Some(Compensation::Bronstein),
            (Token::End | Token::Slash | Token::From, _) => {}
            _ => return Err("one number too many".into()),
        }
        at += 1;
    }
    Ok(clause)
}

fn count(thousandths: i64) -> Result<u32, String> {
    u32::try_from(thousandths / 1_000).ok().filter(|_| thousandths % 1_000 == 0).ok_or("half a move".into())
}

fn words(text: &str) -> Result<Control, String> {
    let mut periods: Vec<Period> = Vec::new();
    let mut given: Vec<(u32, Compensation)> = Vec::new();
    for part in tokens(text)?.split(|token| *token == Token::Join).filter(|part| !part.is_empty()) {
        let Clause { amount, moves, compensation, from } = clause(part)?;
        let Some((thousandths, unit)) = amount else {
            // "then", "from move 1": what it belongs to was said before.
            match (given.last_mut(), from) {
                (Some(last), Some(from)) => last.0 = from,
                _ if moves.is_none() => {}
                _ => return Err("moves without a time for them".into()),
            }
            continue;
        };
        // Seconds that are not the first thing said are for each move, whether or not the words say so.
        let by_unit = (unit == Some(SECOND) || unit.is_none()) && !periods.is_empty() && moves.is_none();
        let ended = part.contains(&Token::End);
        match compensation.or((by_unit && !ended).then_some(Compensation::Increment)) {
            Some(kind) => given.push((from.unwrap_or(1), kind(thousandths * unit.unwrap_or(SECOND) / 1_000))),
            None => {
                let base = thousandths * unit.unwrap_or(MINUTE) / 1_000;
                periods.push(Period { base, compensation: Compensation::None, moves });
            }
        }
    }
    let mut before = 0u32;
    for period in &mut periods {
        let applies = given.iter().rev().find(|(from, _)| *from <= before.saturating_add(1));
        period.compensation = applies.map_or(Compensation::None, |(_, compensation)| *compensation);
        before = before.saturating_add(period.moves.unwrap_or(0));
    }
    Control::new(periods, Advance::AtCount).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_is_read() {
        let cases = [
            ("40/5400+30:1800+30", "40/5400+30:1800+30"),
            ("900+10", "900+10"),
            (" 180 ", "180"),
            ("40/7200:20/3600:900+30", "40/7200:20/3600:900+30"),
            ("15 min/game + 10 sec/move", "900+10"),
            ("5 min/game", "300"),
            ("3 min + 2 sec/move", "180+2"),
            ("90 min/40 moves + 30 min/game + 30 sec/move", "40/5400+30:1800+30"),
            ("120 min/40 moves + 60 min/20 moves + 15 min/game + 30 sec/move", "40/7200+30:20/3600+30:900+30"),
            ("2 h/40 moves + 1 h/game", "40/7200:3600"),
            ("1.5 hours/game + 30 sec/move", "5400+30"),
            (
                "90 minutes for 40 moves, then 30 minutes with 30 seconds added per move from move 1",
                "40/5400+30:1800+30",
            ),
            (
                "40 moves in 90 minutes, then 15 minutes for the rest of the game, 30 seconds per move from move 41",
                "40/5400:900+30",
            ),
            (
                "90 minutes for the first 40 moves followed by 30 minutes for the rest of the game with an addition of \
                 30 seconds per move starting from move one",
                "40/5400+30:1800+30",
            ),
            ("90'/40 + 30' + 30\"", "40/5400+30:1800+30"),
            ("90'/40m + 30' + 30''/move", "40/5400+30:1800+30"),
            ("G/60;d5", "3600d5"),
            ("40/90, SD/30; +30", "40/5400+30:1800+30"),
            ("25 min/game + 10 sec bronstein", "1500b10"),
        ];
        for (tag, expected) in cases {
            match read(tag) {
                Stated::Control(control) => assert_eq!(control.to_string(), expected, "{tag}"),
                other => panic!("{tag}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_not_stated_or_not_understood_is_no_control() {
        for tag in ["", "-", "?", "  ", "none"] {
            assert_eq!(read(tag), Stated::Nothing, "{tag:?}");
        }
        for tag in [
            "*180",
            "40/9000",
            "rapid",
            "15 bananas/game",
            "99999999999999999999 min/game",
            "15 min/game + 10 sec/move + 3 min/game + 1 2 3 4",
            "1.23456 min",
            "мин",
            "30 sec/move",
            "''''''",
            "/////+++",
            "\u{0}\u{7f}€€€",
        ] {
            assert!(matches!(read(tag), Stated::Unreadable(_)), "{tag:?}: {:?}", read(tag));
        }
        assert!(matches!(read(&"9".repeat(1_000)), Stated::Unreadable(_)));
    }
}

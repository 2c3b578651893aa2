//! Directives: what goes out to a clock, and stands in the journal as it went.

use flagfall_proto::{
    clock::v1::{self, directive::Act as Message},
    convert::{self, Refused},
};
use flagfall_rules::{
    clock::Colour,
    game::{Act, Directive, Words},
};

use super::{maybe, numbers::Numbered, required, text};

/// The id of a directive: the same for every sending of it.
#[must_use]
pub fn directive_id(game: &str, rev: u64) -> String {
    format!("{game}#{rev}")
}

/// The game and revision of an id.
#[must_use]
pub fn parse_directive_id(id: &str) -> Option<(&str, u64)> {
    let (game, rev) = id.rsplit_once('#')?;
    let number = rev.parse().ok()?;
    // One way only to write a number: no sign, no leading zero.
    (number > 0 && rev == u64::to_string(&number)).then_some((game, number))
}

/// The directive of a game as it goes out, but for the traceparent, which the sender adds.
#[must_use]
pub fn directive_to_proto(game: &str, directive: &Directive) -> v1::Directive {
    v1::Directive {
        id: directive_id(game, directive.rev),
        game: game.to_owned(),
        rev: directive.rev,
        expected_rev: directive.rev.saturating_sub(1),
        as_of_seq: directive.as_of_seq,
        not_after: directive.not_after.map(Into::into),
        supersedes: directive.supersedes.iter().map(|&rev| directive_id(game, rev)).collect(),
        act: Some(act_to_proto(&directive.act, &directive.words)),
        ..Default::default()
    }
}

/// A directive back, with the game it belongs to.
///
/// # Errors
/// Names the field.
pub fn directive(directive: v1::Directive) -> Result<(String, Directive), Refused> {
    let rev = directive.rev;
    if directive.id != directive_id(&directive.game, rev) {
        let why = format!("{:?} does not name revision {rev} of {:?}", directive.id, directive.game);
        return Err(Refused::new("directive.id", why));
    }
    if directive.expected_rev.checked_add(1) != Some(rev) {
        let why = format!("{} does not come before {rev}", directive.expected_rev);
        return Err(Refused::new("directive.expected_rev", why));
    }
    let (act, words) = act(required("directive.act", directive.act)?)?;
    let (as_of_seq, not_after) = (directive.as_of_seq, maybe("directive.not_after", directive.not_after)?);
    let earlier = |id: &String| match parse_directive_id(id) {
        Some((game, earlier)) if game == directive.game && earlier < rev => Ok(earlier),
        _ => Err(Refused::new("directive.supersedes", format!("{id:?} names nothing before revision {rev}"))),
    };
    let supersedes = directive.supersedes.iter().map(earlier).collect::<Result<_, _>>()?;
    Ok((directive.game, Directive { rev, as_of_seq, not_after, supersedes, act, words }))
}

/// What to do and what to say, as a message's act.
#[must_use]
pub fn act_to_proto(act: &Act, said: &Words) -> Message {
    let words = words(said);
    match act {
        Act::Prepare { control, white_place, position, stands } => Message::Prepare(v1::Prepare {
            control: control.as_ref().map(v1::Control::from),
            white_place: v1::Place::from(*white_place).into(),
            position: position.clone(),
            words,
            stands: stands.map(Into::into),
        }),
        Act::Stop => Message::Stop(v1::Stop { words }),
        Act::Set { hands: [white, black], turn, run, white_place, position } => Message::Set(v1::Set {
            white: Some((*white).into()),
            black: Some((*black).into()),
            turn: v1::Colour::from(*turn).into(),
            run: *run,
            white_place: v1::Place::from(*white_place).into(),
            position: position.clone().unwrap_or_default(),
            words,
        }),
        Act::Add(colour, amount_ms) => {
            Message::Add(v1::Add { colour: colour_number(*colour), amount_ms: *amount_ms, words })
        }
        Act::Conclude(outcome) => Message::Conclude(v1::Conclude { outcome: outcome.number(), words }),
        Act::Show => Message::Show(v1::Show { words }),
        Act::Run => Message::Run(v1::Run { words }),
    }
}

/// What to do and what to say, out of a message's act.
///
/// # Errors
/// Names the field.
pub fn act(act: Message) -> Result<(Act, Words), Refused> {
    Ok(match act {
        Message::Prepare(prepare) => {
            let act = Act::Prepare {
                control: maybe("prepare.control", prepare.control)?,
                white_place: convert::place(prepare.white_place).map_err(|e| e.at("prepare.white_place"))?,
                position: prepare.position,
                stands: maybe("prepare.stands", prepare.stands)?,
            };
            (act, read_words(prepare.words))
        }
        Message::Stop(stop) => (Act::Stop, read_words(stop.words)),
        Message::Set(set) => {
            let act = Act::Set {
                hands: convert::hands(set.white, set.black).map_err(|e| super::within("set", e))?,
                turn: convert::colour(set.turn).map_err(|e| e.at("set.turn"))?,
                run: set.run,
                white_place: convert::place(set.white_place).map_err(|e| e.at("set.white_place"))?,
                position: text(set.position),
            };
            (act, read_words(set.words))
        }
        Message::Add(add) => {
            let colour = convert::colour(add.colour).map_err(|e| e.at("add.colour"))?;
            (Act::Add(colour, add.amount_ms), read_words(add.words))
        }
        Message::Conclude(conclude) => {
            (Act::Conclude(Numbered::named("conclude.outcome", conclude.outcome)?), read_words(conclude.words))
        }
        Message::Show(show) => (Act::Show, read_words(show.words)),
        Message::Run(run) => (Act::Run, read_words(run.words)),
    })
}

/// Words as a message; no words are no message.
pub(super) fn words(words: &Words) -> Option<v1::Words> {
    let message = v1::Words { en: words.en.clone(), ru: words.ru.clone() };
    (message != v1::Words::default()).then_some(message)
}

/// Words out of a message.
pub(super) fn read_words(words: Option<v1::Words>) -> Words {
    words.map_or_else(Words::default, |words| Words { en: words.en, ru: words.ru })
}

/// The number of a colour.
pub(super) fn colour_number(colour: impl Into<Option<Colour>>) -> i32 {
    v1::Colour::from(colour.into()).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::journal::codec::samples;

    proptest! {
        #[test]
        fn a_directive_comes_back_with_its_game(game in "[A-Za-z0-9._#-]{0,9}", directive in samples::directives()) {
            let message = directive_to_proto(&game, &directive);
            prop_assert_eq!(parse_directive_id(&message.id), Some((game.as_str(), directive.rev)));
            prop_assert_eq!(super::directive(message), Ok((game, directive)));
        }
    }

    #[test]
    fn ids_have_one_form() {
        assert_eq!(parse_directive_id("a#b#12"), Some(("a#b", 12)));
        for id in ["", "a", "a#", "a#0", "a#01", "a#+1", "a#-1", "a#1 "] {
            assert_eq!(parse_directive_id(id), None, "{id}");
        }
    }

    #[test]
    fn what_is_refused_is_named() {
        let act = Act::Conclude(flagfall_rules::game::Outcome::Draw);
        let (words, supersedes) = (Words::default(), vec![2]);
        let good =
            directive_to_proto("g", &Directive { rev: 3, as_of_seq: 0, not_after: None, supersedes, act, words });
        let said = |spoil: &dyn Fn(&mut v1::Directive)| {
            let mut message = good.clone();
            spoil(&mut message);
            directive(message).expect_err("spoilt").to_string()
        };
        assert_eq!(said(&|d| d.id = "h#3".into()), "directive.id: \"h#3\" does not name revision 3 of \"g\"");
        assert_eq!(said(&|d| d.expected_rev = 3), "directive.expected_rev: 3 does not come before 3");
        assert_eq!(good.supersedes, ["g#2"]);
        for id in ["g#3", "h#2", "2"] {
            let expected = format!("directive.supersedes: {id:?} names nothing before revision 3");
            assert_eq!(said(&|d| d.supersedes = vec![id.into()]), expected);
        }
        assert_eq!(said(&|d| d.act = None), "directive.act: missing");
        assert_eq!(
            said(&|d| d.act = Some(Message::Conclude(v1::Conclude::default()))),
            "conclude.outcome: not specified"
        );
        assert_eq!(said(&|d| d.act = Some(Message::Set(v1::Set::default()))), "set: white: missing");
    }
}

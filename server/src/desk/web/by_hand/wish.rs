//! What a form about one game asks for, as the act that it is.

use flagfall_proto::{
    clock::v1::{
        Add, ClaimKind, Colour, Conclude, Directive, Face, Hand, Outcome, Place, Run, Set, Show, Stop, Words, directive,
    },
    desk::v1::GameSnapshot,
    journal::v1::{ActByHand, Annul, ClaimMade, Irregularity, MoveToClock, SeenIrregularity, desk_input::Act},
};
use tonic::Status;

use super::{
    super::{adjourned, tile::pgn},
    bad,
};
use crate::desk::reading;

/// What can be reported of a player that is no irregularity: what he says to the arbiter.
const CLAIMS: [(&str, ClaimKind); 3] =
    [("claim_draw", ClaimKind::Draw), ("claim_flag", ClaimKind::Flag), ("resignation", ClaimKind::Resignation)];

fn said(en: &str, ru: &str) -> Option<Words> {
    Some(Words { en: en.to_owned(), ru: ru.to_owned() })
}

/// The fields of a form as an act.
///
/// # Errors
/// `BAD_REQUEST`: names the field.
pub(super) fn wish(get: &impl Fn(&str) -> String, face: &Face, game: &GameSnapshot) -> Result<Act, Status> {
    let act = match get("do").as_str() {
        "stop" => directive::Act::Stop(Stop {
            words: said("Stopped by the arbiter", "Остановлено арбитром")
        }),
        "run" => directive::Act::Run(Run { words: None }),
        "show" => directive::Act::Show(Show { words: said(&get("en"), &get("ru")) }),
        "add" => {
            let amount_ms = reading(&get("amount")).map_err(|why| bad("amount", why))?;
            let colour = side(&get("side"))?.into();
            directive::Act::Add(Add { colour, amount_ms, words: said("Time added", "Добавлено время") })
        }
        "result" => {
            let outcome = match get("result").as_str() {
                "1-0" => Outcome::WhiteWins,
                "0-1" => Outcome::BlackWins,
                "1/2-1/2" => Outcome::Draw,
                "0-0" => Outcome::BothLose,
                _ => return Err(bad("result", "expected 1-0, 0-1, 1/2-1/2 or 0-0")),
            };
            directive::Act::Conclude(Conclude { outcome: outcome.into(), words: said(pgn(outcome), pgn(outcome)) })
        }
        "set" => directive::Act::Set(set(get, face)?),
        "annul" => return Ok(Act::Annul(Annul {})),
        "adjourn" => return adjourned::deed(get, game.adjournment.as_ref()).map(Act::Adjourn),
        "move" => return Ok(Act::Move(MoveToClock { device: get("device"), note: get("reason") })),
        "report" => return reported(get),
        // The contract has a side for every claim; the draw is agreed by both, whichever it is (5.2.3).
        "agreed" => return Ok(claimed(ClaimKind::Agreement, Colour::White, get("reason"))),
        other => return Err(bad("do", &format!("there is nothing called {other:?} to do"))),
    };
    let as_of_seq = match get("as_of").as_str() {
        "" => 0,
        text => text.parse().map_err(|_| bad("as_of", "expected a whole number"))?,
    };
    let directive = Some(Directive { act: Some(act), as_of_seq, ..Directive::default() });
    Ok(Act::Direct(ActByHand { directive }))
}

/// What a person saw of a player, or a player says.
fn reported(get: &impl Fn(&str) -> String) -> Result<Act, Status> {
    let (kind, by, note) = (get("kind"), side(&get("side"))?, get("reason"));
    if let Some((_, claim)) = CLAIMS.iter().find(|(name, _)| *name == kind) {
        return Ok(claimed(*claim, by, note));
    }
    let named = Irregularity::from_str_name(&format!("IRREGULARITY_{}", kind.to_ascii_uppercase()));
    let kind = named.ok_or_else(|| bad("kind", "no such irregularity"))?.into();
    Ok(Act::Irregularity(SeenIrregularity { kind, by: by.into(), ply: 0, note, facts: None }))
}

fn claimed(kind: ClaimKind, by: Colour, note: String) -> Act {
    Act::Claim(ClaimMade { by: by.into(), kind: kind.into(), note, facts: None })
}

pub(in super::super) fn side(text: &str) -> Result<Colour, Status> {
    match text {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err(bad("side", "expected white or black")),
    }
}

/// A whole face: what is left empty stays as the clock last showed it.
fn set(get: &impl Fn(&str) -> String, face: &Face) -> Result<Set, Status> {
    let hand = |now: Option<Hand>, name: &str| {
        let now = now.unwrap_or_default();
        let text = get(name);
        let left_ms = match text.as_str() {
            "" | "–:––" => now.left_ms,
            text => Some(reading(text).map_err(|why| bad(name, why))?),
        };
        let number = |field: String, now: u32| match get(&field).as_str() {
            "" => Ok(now),
            text => text.parse().map_err(|_| bad(&field, "expected a whole number")),
        };
        let moves = number(format!("{name}_moves"), now.moves)?;
        // People count periods from 1.
        let field = format!("{name}_period");
        let period = number(field.clone(), now.period.saturating_add(1))?;
        let period = period.checked_sub(1).ok_or_else(|| bad(&field, "the first period is 1"))?;
        if left_ms.is_none() {
            return Err(bad(name, "the clock has shown no reading: give it"));
        }
        Ok::<_, Status>(Some(Hand { left_ms, moves, period, flagged: false }))
    };
    let swapped = match face.white_place() {
        Place::Right => Place::Left,
        _ => Place::Right,
    };
    Ok(Set {
        white: hand(face.white, "white")?,
        black: hand(face.black, "black")?,
        turn: match get("turn").as_str() {
            "" => face.turn,
            text => side(text)?.into(),
        },
        run: get("run") == "yes",
        white_place: if get("swap") == "yes" { swapped.into() } else { face.white_place },
        position: get("position"),
        words: said("Set by the arbiter", "Установлено арбитром"),
    })
}

#[cfg(test)]
mod tests {
    use flagfall_proto::clock::v1::Going;

    use super::{
        super::{after, is_of_this_face},
        *,
    };

    fn face() -> Face {
        let hand = |left| Some(Hand { left_ms: Some(left), moves: 3, period: 0, flagged: false });
        Face { white: hand(60_000), black: hand(90_000), turn: 1, going: 2, first_flag: 0, white_place: 1 }
    }

    fn directed(fields: &[(&str, &str)]) -> Result<Directive, Status> {
        let get = |field: &str| fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| text).to_owned();
        match wish(&get, &face(), &GameSnapshot::default())? {
            Act::Direct(by_hand) => by_hand.directive.ok_or_else(|| Status::internal("no directive")),
            _ => Err(Status::internal("another act")),
        }
    }

    fn wished(fields: &[(&str, &str)]) -> Result<directive::Act, Status> {
        directed(fields).map(|directive| directive.act.expect("an act"))
    }

    #[test]
    fn times_go_by_the_reading_they_were_looked_at_with() {
        let mut face = face();
        assert_eq!(face.going(), Going::Running);
        assert!(is_of_this_face("set", &face) && !is_of_this_face("add", &face) && !is_of_this_face("stop", &face));
        face.set_going(Going::Paused);
        assert!(is_of_this_face("add", &face), "two arbiters may add for the same thing");
        let set = [("do", "set"), ("as_of", "17")];
        assert_eq!(directed(&set).expect("set").as_of_seq, 17);
        assert_eq!(directed(&set[..1]).expect("set").as_of_seq, 0);
        assert!(directed(&[("do", "stop"), ("as_of", "x")]).is_err());
    }

    #[test]
    fn what_is_left_empty_stays_as_it_is() {
        let fields =
            [("do", "set"), ("white", "1:02:30"), ("black_moves", "4"), ("black_period", "2"), ("swap", "yes")];
        let act = wished(&fields).expect("set");
        let directive::Act::Set(set) = &act else { panic!("{act:?}") };
        let (white, black) = (set.white.expect("white"), set.black.expect("black"));
        assert_eq!((white.left_ms, white.moves), (Some(3_750_000), 3));
        assert_eq!(
            (black.left_ms, black.moves, black.period, white.period),
            (Some(90_000), 4, 1, 0),
            "the second period"
        );
        assert_eq!((set.turn, set.run, set.white_place()), (1, false, Place::Right));
        let then = after(&face(), Some(&act));
        assert_eq!((then.white, then.going(), then.white_place()), (set.white, Going::Paused, Place::Right));
    }

    #[test]
    fn added_time_is_foreseen_on_its_side() {
        let act = wished(&[("do", "add"), ("side", "black"), ("amount", "2:00")]).expect("added");
        let then = after(&face(), Some(&act));
        assert_eq!(then.black.and_then(|hand| hand.left_ms), Some(210_000));
        assert_eq!((then.white, then.going()), (face().white, Going::Running));
    }

    #[test]
    fn what_players_say_is_a_claim_and_what_was_seen_is_none() {
        let act = |fields: &[(&str, &str)]| {
            let get =
                |field: &str| fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| text).to_owned();
            wish(&get, &face(), &GameSnapshot::default())
        };
        let claim = |act| match act {
            Ok(Act::Claim(claim)) => (claim.kind(), claim.by()),
            other => panic!("{other:?}"),
        };
        let resigns = [("do", "report"), ("kind", "resignation"), ("side", "black")];
        assert_eq!(claim(act(&resigns)), (ClaimKind::Resignation, Colour::Black));
        assert_eq!(claim(act(&[("do", "agreed")])).0, ClaimKind::Agreement, "no side is asked for");
        // Nobody agrees alone.
        let alone = [("do", "report"), ("kind", "agreement"), ("side", "white")];
        assert!(act(&alone).expect_err("alone").message().starts_with("BAD_REQUEST: kind: "));
        let seen = act(&[("do", "report"), ("kind", "two_hands"), ("side", "white"), ("reason", "seen")]);
        let Ok(Act::Irregularity(seen)) = seen else { panic!("{seen:?}") };
        assert_eq!((seen.kind(), seen.by(), seen.note.as_str()), (Irregularity::TwoHands, Colour::White, "seen"));
        assert!(act(&[("do", "report"), ("kind", "two_hands")]).is_err(), "by whom?");
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (fields, field) in [
            (&[("do", "add"), ("side", "black"), ("amount", "2 h")][..], "amount"),
            (&[("do", "add"), ("side", "red"), ("amount", "60")][..], "side"),
            (&[("do", "set"), ("white", "x")][..], "white"),
            (&[("do", "set"), ("white_period", "0")][..], "white_period"),
            (&[("do", "result"), ("result", "2-0")][..], "result"),
            (&[("do", "dance")][..], "do"),
        ] {
            let refused = wished(fields).expect_err(field);
            assert!(refused.message().starts_with(&format!("BAD_REQUEST: {field}: ")), "{refused}");
        }
    }
}

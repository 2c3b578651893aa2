//! What an organiser did, in one line. Names of people come from files: control characters in them are shown, not obeyed.

use flagfall_proto::journal::v1::{BoardResult, EventSettings, OrganiserInput, organiser_input::Act};

use super::super::codec;

/// An encoded act.
pub(super) fn given(bytes: &[u8]) -> String {
    match codec::message::<OrganiserInput>(bytes) {
        Ok(OrganiserInput { request, actor, reason, act: Some(act), .. }) => {
            let why = if reason.is_empty() { note(&act) } else { &reason };
            let why = if why.is_empty() { String::new() } else { format!(" {why:?}") };
            format!("{actor:?} ({request}): {}{why}", said(&act))
        }
        Ok(_) => "an organiser's act that says nothing".to_owned(),
        Err(error) => format!("an organiser's act that cannot be understood: {error}"),
    }
}

/// Why, where the act has a note of its own.
pub(crate) fn note(act: &Act) -> &str {
    match act {
        Act::Assign(to) => &to.note,
        Act::Result(entered) => &entered.note,
        Act::Close(close) => &close.note,
        _ => "",
    }
}

/// What was done.
pub(crate) fn said(act: &Act) -> String {
    match act {
        Act::Create(settings) => format!("the event is created: {}", sets(settings)),
        Act::Revise(settings) => format!("the event goes on with {}", sets(settings)),
        Act::Players(put) => format!("{} players are entered", put.players.len()),
        Act::Pair(pair) => format!("the round is paired: {} boards, {} byes", pair.boards.len(), pair.byes.len()),
        Act::Assign(to) if to.device.is_empty() => format!("board {} has no clock", to.board),
        Act::Assign(to) => format!("board {} gets {}", to.board, to.device.escape_debug()),
        Act::Prepare(of) => format!("the games of {} boards are open", of.boards.len()),
        Act::Start(of) => format!("the clocks of {} boards are started", of.boards.len()),
        Act::Result(entered) if entered.result() == BoardResult::Unspecified => {
            format!("what was entered for board {} is withdrawn", entered.board)
        }
        Act::Result(entered) => {
            let how = entered.result().as_str_name().trim_start_matches("BOARD_RESULT_").to_ascii_lowercase();
            format!("board {}: {}", entered.board, how.replace('_', " "))
        }
        Act::Close(close) if close.open.is_empty() => "the round is closed".to_owned(),
        Act::Close(close) => format!("the round is closed over boards {:?}", close.open),
    }
}

fn sets(settings: &EventSettings) -> String {
    format!("{:?}, {}", settings.title, settings.preset.escape_debug())
}

#[cfg(test)]
mod tests {
    use flagfall_proto::journal::v1::ResultEntered;
    use prost::Message;

    use super::*;

    #[test]
    fn an_act_is_one_line_whatever_is_written_in_it() {
        let note = "came\nlate".to_owned();
        let result = ResultEntered { board: 7, result: BoardResult::WhiteByForfeit.into(), note, after_rev: None };
        let act = Some(Act::Result(result));
        let input = OrganiserInput { request: "r1".into(), actor: "chief".into(), act, ..OrganiserInput::default() };
        assert_eq!(given(&input.encode_to_vec()), "\"chief\" (r1): board 7: white by forfeit \"came\\nlate\"");
        assert!(given(b"\xff").starts_with("an organiser's act that cannot be understood: "));
    }
}

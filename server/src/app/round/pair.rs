//! Pairing a round from a file.

use std::{fs::File, io::Read, path::Path};

use flagfall_pairings::{FILE_MAX, Fault, Faults, Format, Player, Sheet, Trf, csv, pgn, text};
use flagfall_proto::{
    desk::v1::{GetEventRequest, PairRoundRequest, Round},
    journal::v1::Pairing,
};

use crate::{
    app::{
        desk::{DeskError, Who},
        event::{Client, ORGANISER},
        replay::lexer,
    },
    journal::codec,
};

/// What was paired.
pub(super) struct Paired {
    /// As the service has it.
    pub(super) round: Round,
    /// Players that were new, or written otherwise before.
    pub(super) players: u32,
    /// Boards for which the file has a result already.
    pub(super) decided: Vec<u32>,
}

/// The bytes of a file, as far as one is read; in UTF-8 where they were UTF-16.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, DeskError> {
    let failed = |error| DeskError::File(file.display().to_string(), error);
    let mut bytes = Vec::new();
    // One byte more than is read shows that it is too long.
    File::open(file).map_err(failed)?.take(FILE_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(text::utf8(&bytes).into_owned())
}

pub(super) async fn pair(
    client: &mut Client,
    who: &Who,
    event: &str,
    file: &Path,
    round: Option<u32>,
) -> Result<Paired, DeskError> {
    let bytes = read(file)?;
    let known = client.get_event(GetEventRequest { event: event.to_owned() }).await?.into_inner().players;
    let known: Vec<Player> = known.into_iter().map(codec::player).collect();
    let faulty = |faults| DeskError::Faulty(file.display().to_string(), faults);
    let sheet = sheet(&bytes, round, &known).map_err(faulty)?;
    let pairing = |board: &flagfall_pairings::Board| Pairing {
        board: board.board,
        white: board.white,
        black: board.black,
        device: board.device.clone().unwrap_or_default(),
    };
    let request = PairRoundRequest {
        act: who.act(ORGANISER),
        event: event.to_owned(),
        round: sheet.round,
        boards: sheet.boards.iter().map(pairing).collect(),
        byes: sheet.byes.iter().map(codec::bye_to_proto).collect(),
        players: sheet.players.iter().map(codec::player_to_proto).collect(),
    };
    let paired = client.pair_round(request).await?.into_inner();
    let decided = sheet.boards.iter().filter(|board| board.outcome.is_some()).map(|board| board.board).collect();
    Ok(Paired { round: paired.round.unwrap_or_default(), players: paired.players, decided })
}

/// What a file says of the round that is wanted.
fn sheet(bytes: &[u8], round: Option<u32>, known: &[Player]) -> Result<Sheet, Faults> {
    let mut sheet = match Format::of(bytes) {
        Format::Trf => {
            let trf = Trf::read(bytes)?;
            let round = round.map_or_else(|| trf.current_round(), Ok)?;
            trf.sheet(round)?
        }
        Format::Csv => csv::read(bytes, known)?,
        Format::Pgn => {
            let games = lexer::games(&lexer::text(bytes));
            let games: Vec<_> =
                games.into_iter().map(|game| pgn::Headers { line: game.line, tags: game.tags }).collect();
            pgn::sheet(&games, round, known)?
        }
    };
    match (sheet.round, round) {
        (0, None) => Err(Fault::whole("the file does not say which round it is", "say it with --round").into()),
        (0, Some(round)) => {
            sheet.round = round;
            Ok(sheet)
        }
        (is, Some(wanted)) if is != wanted => {
            let what = format!("the file is about round {is}, and round {wanted} is wanted");
            Err(Fault::whole(what, "take the file of that round, or leave --round out").into())
        }
        _ => Ok(sheet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_kind_is_a_round() {
        let table = b"white,black\nA,B\n";
        let pgn = b"[Event \"x\"]\n[Round \"2.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n*\n";
        let trf = b"001    1      A                                 2000                             0.0    1     2 w\n\
                    001    2      B                                 1900                             0.0    2     1 b\n";
        let of = |bytes: &[u8], round| sheet(bytes, round, &[]).map(|sheet| (sheet.round, sheet.boards.len()));
        assert_eq!((of(table, Some(4)), of(pgn, None), of(trf, None)), (Ok((4, 1)), Ok((2, 1)), Ok((1, 1))));
        let said = |bytes: &[u8], round| sheet(bytes, round, &[]).expect_err("faulty").to_string();
        assert_eq!(said(table, None), "the file does not say which round it is; say it with --round");
        assert!(
            said(b"round,white,black\n3,A,B\n", Some(4))
                .starts_with("the file is about round 3, and round 4 is wanted")
        );
    }
}

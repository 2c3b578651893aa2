//! Files that people bring: games, logs of boards, cases.

use flagfall_cases::Lang;
use flagfall_pairings::{
    Format, Outcome, Trf, csv,
    pgn::{self as headers, Headers},
    trf::Result,
};
use flagfall_server::app::replay::{
    dgtlog, lexer, pgn,
    source::{self, Source},
};

/// A file of games, as `flagfall replay` reads it; as games even where it would be taken for a log.
pub(super) fn pgn(bytes: &[u8]) {
    if let Ok(sources) = source::recognise(bytes) {
        assert!(!sources.is_empty());
    }
    for game in lexer::games(&lexer::text(bytes)) {
        let written = game.moves.len();
        // It may be the result and no castling.
        let noughts = game.moves.last().is_some_and(|last| last.text == "0-0");
        let game = pgn::read(game);
        let all = game.moves.len() == written || noughts && game.moves.len() + 1 == written;
        assert!(all || !game.faults.is_empty(), "a move that is left out is a fault");
    }
}

/// A log of a board, as a log even where it would not be taken for one.
pub(super) fn board_log(bytes: &[u8]) {
    let text = lexer::text(bytes);
    let games = dgtlog::read(&text);
    assert!(games.iter().all(|log| log.lines.is_sorted_by_key(|line| line.at)), "time goes on");
    if dgtlog::is_log(&text) {
        let sources = source::recognise(bytes).expect("a log");
        assert!(sources.into_iter().eq(games.into_iter().map(Source::Dgt)));
    }
}

/// A file of cases, as `flagfall rule` reads and rules it, in both languages.
pub(super) fn case(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(cases) = flagfall_cases::read("case.toml", text) else { return };
    // A long file is many times the same work.
    for case in cases.iter().take(4) {
        let ruled = case.rule();
        assert!([Lang::En, Lang::Ru].iter().all(|lang| !ruled.render(*lang).is_empty()));
        drop(case.check());
    }
}

/// A file of pairings, as a report file, a table and games, whichever it would be taken for; results go back into it.
pub(super) fn pairings(bytes: &[u8]) {
    let _ = Format::of(bytes);
    if let Ok(file) = Trf::read(bytes) {
        let current = file.current_round().ok();
        for round in [Some(1), current, file.rounds()].into_iter().flatten() {
            fill(&file, round);
        }
    }
    if let Ok(sheet) = csv::read(bytes, &[]) {
        let again = csv::read(csv::write(&sheet).as_bytes(), &[]).expect("what was read can be written and read");
        let seen = |sheet: &flagfall_pairings::Sheet| (sheet.round, sheet.boards.len(), sheet.byes.clone());
        assert_eq!(seen(&again), seen(&sheet));
    }
    let games = lexer::games(&lexer::text(bytes));
    let games: Vec<Headers> = games.into_iter().map(|game| Headers { line: game.line, tags: game.tags }).collect();
    for round in [None, Some(3)] {
        let _ = headers::sheet(&games, round, &[]);
    }
}

/// Every board of a round is drawn; the file then says so, and is as long as it was.
fn fill(file: &Trf<'_>, round: u32) {
    let Ok(sheet) = file.sheet(round) else { return };
    let outcome = Outcome::Draw;
    let results: Vec<Result> =
        sheet.boards.iter().map(|board| Result { white: board.white, black: board.black, outcome }).collect();
    let Ok(filled) = file.fill(round, &results, true) else { return };
    let filled = Trf::read(&filled).expect("what was written can be read");
    let sheet = filled.sheet(round).expect("the round is still there");
    assert_eq!(sheet.boards.len(), results.len());
    assert!(sheet.boards.iter().all(|board| board.outcome == Some(outcome)), "{:?}", sheet.boards);
}

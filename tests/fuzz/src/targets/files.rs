//! Files that people bring: games, logs of boards, cases.

use flagfall_cases::Lang;
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
        let game = pgn::read(game);
        assert!(game.moves.len() == written || !game.faults.is_empty(), "a move that is left out is a fault");
    }
}

/// A log of a board, as a log even where it would not be taken for one.
pub(super) fn board_log(bytes: &[u8]) {
    let text = lexer::text(bytes);
    let log = dgtlog::read(&text);
    assert!(log.lines.is_sorted_by_key(|line| line.at), "time goes on");
    if dgtlog::is_log(&text) {
        let sources = source::recognise(bytes).expect("a log");
        assert!(matches!(&sources[..], [Source::Dgt(found)] if *found == log));
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

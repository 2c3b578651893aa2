//! What a file is, by its content, and the games in it.

use std::path::{Path, PathBuf};

use super::{
    dgtlog::{self, DgtLog},
    lexer,
    pgn::{self, PgnGame},
};

/// The longest file that is read, bytes.
pub const LONGEST: u64 = 64 << 20;

/// A game to replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// From a PGN file.
    Pgn(Box<PgnGame>),
    /// From a log of a DGT board.
    Dgt(DgtLog),
}

/// Why a file is refused.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It cannot be read at all.
    #[error("{file}: {source}", file = file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is none of the formats.
    #[error("{file}: {found}; expected chess games in PGN, or a log of a DGT board with one message a line in base64 or hex", file = file.display())]
    Unknown {
        /// The file.
        file: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
}

/// Reads a file.
///
/// # Errors
/// It cannot be read, or is none of the formats.
pub fn read(file: &Path) -> Result<Vec<Source>, Unreadable> {
    let io = |source| Unreadable::Io { file: file.to_owned(), source };
    let unknown = |found| Unreadable::Unknown { file: file.to_owned(), found };
    if std::fs::metadata(file).map_err(io)?.len() > LONGEST {
        return Err(unknown("longer than 64 MiB"));
    }
    recognise(&std::fs::read(file).map_err(io)?).map_err(unknown)
}

/// The games in a file's content, or what it is instead.
///
/// # Errors
/// It is none of the formats.
pub fn recognise(bytes: &[u8]) -> Result<Vec<Source>, &'static str> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("empty");
    }
    let text = lexer::text(bytes);
    if dgtlog::is_log(&text) {
        return Ok(dgtlog::read(&text).into_iter().map(Source::Dgt).collect());
    }
    let games = lexer::games(&text);
    // A word that happens to be a move does not make a text a game; a tag does, or moves without anything else.
    let is_game = |game: &lexer::RawGame| !game.tags.is_empty() || (!game.moves.is_empty() && game.faults.is_empty());
    if !games.iter().any(is_game) {
        return Err("no game is found in it");
    }
    Ok(games.into_iter().map(|game| Source::Pgn(Box::new(pgn::read(game)))).collect())
}

/// Names for the games of several files, `<stem>#<number>`; unique even where two files share a stem.
#[must_use]
pub fn names(file: &Path, games: usize, taken: &mut Vec<String>) -> Vec<String> {
    let stem = file.file_stem().map_or_else(|| "game".into(), |stem| stem.to_string_lossy().into_owned());
    let mut unique = stem.clone();
    let mut n = 1;
    while taken.contains(&unique) {
        n += 1;
        unique = format!("{stem}~{n}");
    }
    let names = (1..=games).map(|number| format!("{unique}#{number}")).collect();
    taken.push(unique);
    names
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = recognise(&bytes);
        }

        #[test]
        fn no_text_is_too_strange(text in "([a-hKQRBNOx1-8=+#]{2,4}|[\\[\\]{}();\"$%]|\\[%clk [0-9:.]{0,9}\\]|[0-9]{1,3}\\.|1-0|\n| ){0,80}") {
            if let Ok(sources) = recognise(text.as_bytes()) {
                prop_assert!(!sources.is_empty());
            }
        }

        #[test]
        fn no_control_is_too_strange(tag in "([0-9.]{1,7}|min|sec|moves|game|from|move|[/+:;,'\" db]){0,12}") {
            let _ = crate::app::replay::control_tag::read(&tag);
        }

        #[test]
        fn no_log_is_too_strange(lines in proptest::collection::vec("(hg|jQ|jg)AK[A-Za-z0-9+/]{0,12}={0,2}|8[de]000[5a][0-9a-f]{0,14}", 0..30)) {
            let games = dgtlog::read(&lines.join("\n"));
            prop_assert!(games.iter().all(|log| log.lines.is_sorted_by_key(|line| line.at)));
        }
    }

    #[test]
    fn content_decides() {
        let pgn = recognise(b"\xef\xbb\xbf[White \"Jos\xc3\xa9\"]\r\n\r\n1. e4 e5 *\r\n\r\n1. d4 *").expect("PGN");
        assert_eq!(pgn.len(), 2);
        assert!(recognise(b"1. e4 e5 2. Nf3 *").is_ok());
        assert!(
            matches!(recognise(b"8e00053400\n8e00052401\n"), Ok(sources) if matches!(sources[..], [Source::Dgt(_)]))
        );
        for (bytes, found) in [
            (&b" \r\n"[..], "empty"),
            (b"hello world, a4 is paper", "no game"),
            (b"\0\x01\x02\xff\xfe", "no game"),
            (b"{}", "no game"),
        ] {
            assert!(recognise(bytes).is_err_and(|error| error.starts_with(found)), "{bytes:?}");
        }
    }

    #[test]
    fn games_of_files_with_one_stem_have_their_own_names() {
        let mut taken = Vec::new();
        assert_eq!(names(Path::new("a/x.pgn"), 2, &mut taken), ["x#1", "x#2"]);
        assert_eq!(names(Path::new("b/x.pgn"), 1, &mut taken), ["x~2#1"]);
        assert_eq!(names(Path::new("b/x.dgt.b64"), 1, &mut taken), ["x.dgt#1"]);
    }
}

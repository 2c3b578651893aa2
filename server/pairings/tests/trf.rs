//! Report files: tournaments made up here, written as programs write them, and one real file where it is at hand.

mod made;

use flagfall_pairings::{ByeKind, Outcome, Trf, text, trf::Result};
use made::{Tournament, tournament};
use proptest::prelude::*;

/// Four players, two rounds; round 2 is being played. Player 4 has a bye in it, asked for before.
const SMALL: &str = "\
012 Made Up Open\n\
XXR 5\n\
001    1 m GM Alpha, Anton                      2500 FID     1000001 1990/01/01  1.0    1     3 w 1     2 b  \n\
001    2 w    Beta, Berta                       2400                             1.0    2     4 b 1     1 w  \n\
001    3      Gamma, Georg                                                       0.0    4     1 b 0     5 w  \n\
001    4  wg  Delta, Dora                       2100                             0.0    5     2 w 0  0000 - H\n\
001    5      Epsilon, Emil                     2000                             1.0    3  0000 - U     3 b  \n";

fn fault(bytes: &[u8]) -> String {
    Trf::read(bytes).map(drop).expect_err("a fault").to_string()
}

fn replaced(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    SMALL.replacen(from, to, 1)
}

#[test]
fn a_round_is_read_and_its_boards_are_in_order() {
    let trf = Trf::read(SMALL.as_bytes()).expect("a file");
    assert_eq!((trf.title(), trf.rounds(), trf.current_round()), ("Made Up Open", Some(5), Ok(2)));
    let sheet = trf.sheet(2).expect("a round");
    // Higher players: 1 with a point (sum 2), and 5 with a point (sum 1).
    assert_eq!(sheet.boards.iter().map(|b| (b.board, b.white, b.black)).collect::<Vec<_>>(), [(1, 2, 1), (2, 3, 5)]);
    assert_eq!(sheet.byes.iter().map(|bye| (bye.player, bye.kind)).collect::<Vec<_>>(), [(4, ByeKind::Half)]);
    let alpha = &sheet.players[0];
    assert_eq!((alpha.name.as_str(), alpha.title.as_str(), alpha.rating), ("Alpha, Anton", "GM", 2500));
    assert_eq!(
        (alpha.federation.as_str(), alpha.fide_id.as_str(), sheet.players[3].title.as_str()),
        ("FID", "1000001", "WGM")
    );
    let first = trf.sheet(1).expect("a round");
    let known: Vec<_> = first.boards.iter().map(|b| (b.white, b.black, b.outcome)).collect();
    assert_eq!(known, [(1, 3, Some(Outcome::WhiteWins)), (4, 2, Some(Outcome::BlackWins))]);
}

#[test]
fn results_come_back_and_nothing_else_changes() {
    let trf = Trf::read(SMALL.as_bytes()).expect("a file");
    let results = [
        Result { white: 2, black: 1, outcome: Outcome::Draw },
        Result { white: 3, black: 5, outcome: Outcome::BlackByForfeit },
    ];
    let filled = String::from_utf8(trf.fill(2, &results, false).expect("filled")).expect("text");
    // By hand: 1 and 2 have 1½, 5 has 2, and the half point of 4 was not in the file's points yet.
    let expected = SMALL
        .replace(" 1.0    1     3 w 1     2 b  ", " 1.5    1     3 w 1     2 b =")
        .replace(" 1.0    2     4 b 1     1 w  ", " 1.5    2     4 b 1     1 w =")
        .replace(" 0.0    4     1 b 0     5 w  ", " 0.0    4     1 b 0     5 w -")
        .replace(" 0.0    5     2 w 0  0000 - H", " 0.5    5     2 w 0  0000 - H")
        .replace(" 1.0    3  0000 - U     3 b  ", " 2.0    3  0000 - U     3 b +");
    assert_eq!(filled, expected);
    let again = Trf::read(filled.as_bytes()).expect("a file");
    assert_eq!(again.fill(2, &results, false).as_deref(), Ok(filled.as_bytes()), "the same results change nothing");
    let other = [Result { outcome: Outcome::WhiteWins, ..results[0] }];
    let refused = again.fill(2, &other, false).expect_err("another result").to_string();
    assert!(refused.starts_with("line 4, column 109: the file has == for 2 against 1, the service 1-0; "), "{refused}");
    let corrected = String::from_utf8(again.fill(2, &other, true).expect("filled")).expect("text");
    assert!(corrected.contains(" 2.0    2     4 b 1     1 w 1") && corrected.contains(" 1.0    1     3 w 1     2 b 0"));
    // A round that is long past: later results stay in the points.
    let first = [Result { white: 1, black: 3, outcome: Outcome::BothForfeit }];
    let corrected = String::from_utf8(again.fill(1, &first, true).expect("filled")).expect("text");
    assert!(corrected.contains(" 0.5    1     3 w -     2 b ="), "{corrected}");
}

#[test]
fn a_line_that_ends_early_grows_by_what_is_missing() {
    let short = SMALL.replace("     2 b  \n", "     2 b\r").replace("     1 w  \n", "     1 w\r");
    let trf = Trf::read(short.as_bytes()).expect("a file");
    let filled = trf.fill(2, &[Result { white: 2, black: 1, outcome: Outcome::WhiteWins }], false).expect("filled");
    let filled = String::from_utf8(filled).expect("text");
    assert!(filled.contains("     2 b 0\r001    2") && filled.contains("     1 w 1\r001    3"), "{filled}");
}

#[test]
fn points_that_are_counted_otherwise_change_by_the_result() {
    let three = replaced("XXR 5\n", "XXR 5\nXXS WW=3.0 BW=3.0 WD=1.0 BD=1.0 FW=3.0 PAB=3.0 HPB=1.0\n")
        .replace(" 1.0    1 ", " 3.0    1 ")
        .replace(" 1.0    2 ", " 7.0    2 ");
    let trf = Trf::read(three.as_bytes()).expect("a file");
    let filled = trf.fill(2, &[Result { white: 2, black: 1, outcome: Outcome::Draw }], false).expect("filled");
    let filled = String::from_utf8(filled).expect("text");
    assert!(filled.contains(" 4.0    1     3 w 1     2 b ="), "the sum of his results: {filled}");
    assert!(filled.contains(" 8.0    2     4 b 1     1 w ="), "four points from elsewhere stay: {filled}");
}

#[test]
fn faults_name_line_column_and_remedy() {
    let cases = [
        (replaced("001    3 ", "001    2 "), "line 5, column 5: number 2 is also that of line 4; "),
        (replaced("001    3 ", "001    x "), "line 5, column 5: \"   x\" is no starting-rank number; "),
        (replaced(" 2400 ", " 24o0 "), "line 4, column 49: \"24o0\" is no rating; "),
        (replaced(" 1.0    1 ", " 1;0    1 "), "line 3, column 81: \"1;0\" is no number of points; "),
        (replaced("     3 w 1     2 b", "     3 x 1     2 b"), "line 3, column 97: 'x' is no colour; "),
        (replaced("     3 w 1     2 b", "     3 w ?     2 b"), "line 3, column 99: '?' is no result; "),
        (replaced("     3 w 1     2 b", "    3x w 1     2 b"), "line 3, column 92: \"  3x\" is no opponent; "),
        ("012 Nobody\n".to_owned(), "no record 001: the file names no player; "),
    ];
    for (text, expected) in cases {
        let said = fault(text.as_bytes());
        assert!(said.starts_with(expected), "{said}\nnot {expected}");
        assert!(said.split_once("; ").is_some_and(|(_, remedy)| remedy.len() > 10), "{said}");
    }
    let contradicting = replaced("1 b 0     5 w  ", "1 b 0     5 b  ");
    let trf = Trf::read(contradicting.as_bytes()).expect("readable");
    let said = trf.sheet(2).expect_err("two with Black").to_string();
    assert!(said.starts_with("line 5, column 102: round 2: 3 plays 5, but line 7 says that 5 plays 3 b; "), "{said}");
    let stranger = replaced("1 b 0     5 w  ", "1 b 0     9 w  ");
    let said = Trf::read(stranger.as_bytes()).expect("readable").sheet(2).expect_err("nobody").to_string();
    assert!(said.contains("the opponent 9 of 3 is not in the file"), "{said}");
    let trf = Trf::read(SMALL.as_bytes()).expect("a file");
    assert_eq!(trf.sheet(3).expect_err("none").to_string(), "round 3 is not paired; the last that is paired is 2");
    let wrong = trf.fill(2, &[Result { white: 1, black: 2, outcome: Outcome::Draw }], false).expect_err("colours");
    assert!(
        wrong.to_string().starts_with("line 3, column 102: round 2: 1 has White against 2 at the service"),
        "{wrong}"
    );
    assert!(trf.fill(0, &[], false).is_err() && trf.sheet(0).is_err() && trf.sheet(100).is_err());
}

#[test]
fn byes_may_stand_in_records_of_their_own() {
    let text = replaced("XXR 5\n", "142 5\n240 Z 002  004\n").replace("0000 - H", "        ");
    let sheet = Trf::read(text.as_bytes()).expect("a file").sheet(2).expect("a round");
    assert_eq!(sheet.byes.iter().map(|bye| (bye.player, bye.kind)).collect::<Vec<_>>(), [(4, ByeKind::Zero)]);
    assert!(fault(replaced("XXR 5\n", "240 Q 002  004\n").as_bytes()).starts_with("line 2, column 5: 'Q' is no bye"));
    let stranger = replaced("XXR 5\n", "240 Z 002  044\n");
    let said = Trf::read(stranger.as_bytes()).expect("readable").sheet(2).expect_err("nobody").to_string();
    assert!(said.starts_with("line 2, column 11: the bye of round 2 names player 44"), "{said}");
}

/// What differs between two files of one length: line and column, in characters.
fn differences(before: &[u8], after: &[u8], encoding: text::Encoding) -> Vec<(usize, usize)> {
    let read = |bytes: &[u8]| text::lines(bytes).map(|line| encoding.text(line.bytes)).collect::<Vec<_>>();
    let (before, after) = (read(before), read(after));
    assert_eq!(before.len(), after.len());
    let mut found = Vec::new();
    for (number, (old, new)) in before.iter().zip(&after).enumerate() {
        let (mut old, mut new) = (old.chars(), new.chars());
        for column in 1.. {
            match (old.next(), new.next()) {
                (None, None) => break,
                (old, new) if old.unwrap_or(' ') != new.unwrap_or(' ') => found.push((number + 1, column)),
                _ => {}
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the tournament, the line ends and the letters: what was paired is read, the results come back into their columns and
    /// nowhere else, and the points are the sums.
    #[test]
    fn a_tournament_goes_round(made in tournament()) {
        let bytes = made.file(None);
        let trf = Trf::read(&bytes).expect("a file");
        let sheet = trf.sheet(made.round).expect("a round");
        let mut paired: Vec<_> = sheet.boards.iter().map(|board| (board.white, board.black)).collect();
        paired.sort_unstable();
        prop_assert_eq!(&paired, &made.pairs());
        prop_assert!(sheet.boards.iter().zip(1..).all(|(board, number)| board.board == number && board.outcome.is_none()));
        for (read, player) in sheet.players.iter().zip(&made.players) {
            prop_assert_eq!(&read.name, &player.name);
        }
        let results: Vec<Result> = made.results().collect();
        let filled = trf.fill(made.round, &results, false).expect("filled");
        prop_assert_eq!(&filled, &made.file(Some(&results)), "as if the program had written it");
        let allowed = [81, 82, 83, 84, 92 + 10 * (made.round as usize - 1) + 7];
        let changed = differences(&bytes, &filled, text::Encoding::of(&bytes));
        prop_assert!(changed.iter().all(|(_, column)| allowed.contains(column)), "{:?}", changed);
        let again = Trf::read(&filled).expect("a file").sheet(made.round).expect("a round");
        for board in &again.boards {
            let wanted = results.iter().find(|result| result.white == board.white).map(|result| result.outcome);
            prop_assert_eq!(board.outcome, wanted);
        }
    }

    /// A byte that was spoilt, cut out or put in: read or refused, never more.
    #[test]
    fn a_spoilt_file_is_read_or_refused(
        made in tournament(), at: prop::sample::Index, byte: u8, how in 0..3u8, round in 0..120u32,
    ) {
        let mut bytes = made.file(None);
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, byte),
        }
        if let Ok(trf) = Trf::read(&bytes) {
            let _ = trf.current_round();
            let _ = trf.sheet(round);
            let results: Vec<Result> = made.results().collect();
            if let Ok(filled) = trf.fill(round, &results, true) {
                prop_assert!(Trf::read(&filled).is_ok());
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut record = b"001    1 ".to_vec();
        record.extend_from_slice(&bytes);
        for bytes in [bytes, record] {
            let _ = Trf::read(&bytes).map(|trf| trf.sheet(1).map(drop));
            let _ = flagfall_pairings::csv::read(&bytes, &[]);
            let _ = flagfall_pairings::Format::of(&bytes);
        }
    }
}

/// `Łukasz, Żółć!!` with ten letters of two bytes is shifted by a whole round where columns are bytes: alone the line fits both ways.
#[test]
fn how_columns_are_counted_is_the_whole_files() {
    let row = |number: u32, name: &str, opponent: u32, colour: char, letter: char, points: &str, rating: &str| {
        let blanks = " ".repeat(33usize.saturating_sub(name.len()));
        format!(
            "001 {number:>4}      {name}{blanks} {rating:>4} POL                        {points}    1  {opponent:>4} {colour} {letter}\n"
        )
    };
    let ten = "ŁŁŁŁŁŁŁŁŁŁ";
    let file = row(1, ten, 2, 'w', '1', " 1.0", "2100") + &row(2, "Żółć", 1, 'b', '0', " 0.0", "1900");
    let trf = Trf::read(file.as_bytes()).expect("a file by bytes");
    let sheet = trf.sheet(1).expect("its round");
    let seen: Vec<_> = sheet.players.iter().map(|player| (player.name.as_str(), player.rating)).collect();
    assert_eq!((seen, sheet.boards[0].outcome), (vec![(ten, 2100), ("Żółć", 1900)], Some(Outcome::WhiteWins)));
    let result = Result { white: 1, black: 2, outcome: Outcome::WhiteWins };
    assert_eq!(trf.fill(1, &[result], false).as_deref(), Ok(file.as_bytes()));
    // Half a point without the nought, and no rating.
    let file = row(1, "A", 2, 'w', '=', "  .5", "----") + &row(2, "B", 1, 'b', '=', " 0.5", "0");
    let trf = Trf::read(file.as_bytes()).expect("a file");
    assert_eq!(trf.sheet(1).map(|sheet| sheet.players.iter().map(|p| p.rating).collect::<Vec<_>>()), Ok(vec![0, 0]));
    let result = Result { outcome: Outcome::Draw, ..result };
    assert_eq!(trf.fill(1, &[result], false).as_deref(), Ok(file.as_bytes()));
}

/// A real file of fifteen rounds, lines ended by CR alone: every round is read, and filling in what is there changes nothing.
#[test]
fn a_real_file_goes_round() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let folder = std::env::var("TEST_DATA").unwrap_or_else(|_| beside.to_owned());
    let Ok(bytes) = std::fs::read(format!("{folder}/pairings/open-60-players.trf")) else {
        println!("not run: no pairings/open-60-players.trf in {folder}");
        return;
    };
    let trf = Trf::read(&bytes).expect("a file");
    assert_eq!((trf.rounds(), trf.current_round()), (Some(15), Ok(14)));
    for round in 1..=14 {
        let sheet = trf.sheet(round).expect("a round");
        assert_eq!((sheet.players.len(), sheet.boards.len(), sheet.byes.len()), (60, 30, 0), "round {round}");
        let results: Vec<Result> = sheet
            .boards
            .iter()
            .map(|b| Result { white: b.white, black: b.black, outcome: b.outcome.expect("a result") })
            .collect();
        assert_eq!(trf.fill(round, &results, false).as_deref(), Ok(bytes.as_slice()), "round {round}");
    }
    // The last round as it was before it was played.
    let open: Vec<u8> = strike(&bytes, 14);
    let unplayed = Trf::read(&open).expect("a file");
    let sheet = unplayed.sheet(14).expect("a round");
    let results: Vec<Result> = trf
        .sheet(14)
        .expect("a round")
        .boards
        .iter()
        .map(|b| Result { white: b.white, black: b.black, outcome: b.outcome.expect("a result") })
        .collect();
    assert!(sheet.boards.iter().all(|board| board.outcome.is_none()));
    assert_eq!(unplayed.fill(14, &results, false).as_deref(), Ok(bytes.as_slice()), "letters and points come back");
}

/// Takes the results of a round out of a file, and what they gave out of the points.
fn strike(bytes: &[u8], round: usize) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for line in text::lines(bytes).filter(|line| line.bytes.starts_with(b"001")) {
        let column = line.at + 91 + 10 * (round - 1) + 7;
        let worth = match out[column] {
            b'1' | b'+' => 10,
            b'=' => 5,
            _ => 0,
        };
        out[column] = b' ';
        let points = line.at + 80..line.at + 84;
        let tenths: i32 =
            String::from_utf8_lossy(&out[points.clone()]).trim().replace('.', "").parse().expect("points");
        let left = tenths - worth;
        out.splice(points, format!("{:>4}", format!("{}.{}", left / 10, left % 10)).into_bytes());
    }
    out
}

#[test]
fn a_tournament_of_one_pair_is_enough() {
    let made = Tournament::smallest();
    assert_eq!(Trf::read(&made.file(None)).expect("a file").sheet(1).expect("a round").boards.len(), 1);
}

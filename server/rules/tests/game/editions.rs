//! The matrix: what each edition makes of the same facts, with the article in its own numbering.

use flagfall_rules::{
    clock::Colour,
    game::{DeskAct, Facts, Irregularity, Refusal},
    laws::{self, Play},
};

use crate::table::Table;

const M: i64 = 60_000;

/// One edition's column of the table on standard play.
struct Column {
    edition: &'static str,
    illegal: &'static str,
    penalty: &'static str,
    /// With which illegal move the game is lost.
    loses_at: usize,
    /// The draw exception: what a last illegal move against a bare king gives.
    bare_king: &'static str,
    /// Article of a press without a move; empty: none.
    press: &'static str,
    pawn: &'static str,
    /// The move that 7.5.2 puts on the board; empty: the pawn goes back.
    queen: &'static str,
    wrong_start: &'static str,
    turned: &'static str,
    colours: &'static str,
    displaced: &'static str,
    flag: &'static str,
}

const COLUMNS: [Column; 7] = [
    Column {
        edition: "rf-2011",
        illegal: "7.4а",
        penalty: "7.4б",
        loses_at: 3,
        bare_king: "0-1",
        press: "",
        pawn: "7.4а",
        queen: "",
        wrong_start: "7.1а",
        turned: "7.1б",
        colours: "7.2",
        displaced: "7.3",
        flag: "6.10?",
    },
    Column {
        edition: "fide-2009",
        illegal: "7.4a",
        penalty: "7.4b",
        loses_at: 3,
        bare_king: "1/2-1/2",
        press: "",
        pawn: "7.4a",
        queen: "",
        wrong_start: "7.1a",
        turned: "7.1b",
        colours: "7.2",
        displaced: "7.3",
        flag: "6.9",
    },
    Column {
        edition: "fide-2014",
        illegal: "7.5a",
        penalty: "7.5b",
        loses_at: 2,
        bare_king: "1/2-1/2",
        press: "",
        pawn: "7.5a",
        queen: "e7e8q",
        wrong_start: "7.2a",
        turned: "7.2b",
        colours: "7.3",
        displaced: "7.4",
        flag: "6.9",
    },
    Column {
        edition: "fide-2017",
        illegal: "7.5.1",
        penalty: "7.5.3?",
        loses_at: 2,
        bare_king: "1/2-1/2",
        press: "7.8.1",
        pawn: "7.5.2",
        queen: "e7e8q",
        wrong_start: "7.2.1",
        turned: "7.2.2",
        colours: "7.3",
        displaced: "7.4.1",
        flag: "6.9",
    },
    Column {
        edition: "rf-2017",
        illegal: "7.5.1",
        penalty: "7.5.5",
        loses_at: 2,
        bare_king: "1/2-1/2",
        press: "7.5.3",
        pawn: "7.5.2",
        queen: "e7e8q",
        wrong_start: "7.2.1",
        turned: "7.2.2",
        colours: "7.3",
        displaced: "7.4.1",
        flag: "6.9",
    },
    Column {
        edition: "fide-2018",
        illegal: "7.5.1",
        penalty: "7.5.5",
        loses_at: 2,
        bare_king: "1/2-1/2",
        press: "7.5.3",
        pawn: "7.5.2",
        queen: "e7e8q",
        wrong_start: "7.2.1",
        turned: "7.2.2",
        colours: "7.3",
        displaced: "7.4.1",
        flag: "6.9",
    },
    Column {
        edition: "fide-2023",
        illegal: "7.5.1",
        penalty: "7.5.5",
        loses_at: 2,
        bare_king: "1/2-1/2",
        press: "7.5.3",
        pawn: "7.5.2",
        queen: "e7e8q",
        wrong_start: "7.2.1",
        turned: "7.2.2",
        colours: "7.3",
        displaced: "7.4.1",
        flag: "6.9",
    },
];

fn ruling(t: &Table) -> String {
    t.game.cases.last().and_then(|c| c.ruling.as_ref()).map(|r| r.remedy.article.clone()).unwrap_or_default()
}

#[test]
fn the_columns_are_all_the_editions_there_are() {
    let known: Vec<&str> = laws::EDITIONS.iter().map(|edition| edition.id).collect();
    assert_eq!(known, COLUMNS.map(|column| column.edition));
}

#[test]
fn illegal_moves_cost_what_the_edition_says_and_lose_when_it_says() {
    for column in &COLUMNS {
        let mut t = Table::started(column.edition, "5400+30", Some("4k3/8/8/8/8/8/8/K6R w - - 0 1"));
        for strike in 1..=column.loses_at {
            t.carry("a1", "a3");
            t.press(None);
            t.quiet();
            t.obey();
            assert_eq!(t.game.cases[strike - 1].finding.article, column.illegal, "{}", column.edition);
            assert_eq!(ruling(&t), column.penalty, "{}", column.edition);
            if strike < column.loses_at {
                assert_eq!(t.clocks()[1], Some(90 * M + 30_000 + 2 * M * strike as i64), "{}", column.edition);
                t.resume();
            }
        }
        let expected = format!("{} {}", column.bare_king, column.penalty);
        assert_eq!(t.result(), expected, "{}: the opponent has a bare king", column.edition);
    }
}

#[test]
fn a_press_without_a_move_is_an_irregularity_from_2017_on() {
    for column in &COLUMNS {
        let mut t = Table::started(column.edition, "5400+30", None);
        t.press(None);
        t.quiet();
        let articles: Vec<&str> = t.game.cases.iter().map(|c| c.finding.article.as_str()).collect();
        let expected: Vec<&str> = Some(column.press).filter(|a| !a.is_empty()).into_iter().collect();
        assert_eq!(articles, expected, "{}", column.edition);
        let act = DeskAct::Irregularity {
            kind: Irregularity::TwoHands,
            by: Colour::White,
            ply: None,
            note: String::new(),
            facts: Facts::default(),
        };
        let mut t = Table::started(column.edition, "5400+30", None);
        t.play("e2e4");
        let known = t.desk(act);
        assert_eq!(known.is_ok(), !column.press.is_empty(), "{}", column.edition);
        if known.is_err() {
            assert_eq!(known, Err(Refusal::NotIrregular(column.edition)));
        }
    }
}

#[test]
fn case_6_a_pawn_left_becomes_a_queen_from_2014_on() {
    for column in &COLUMNS {
        let mut t = Table::started(column.edition, "5400+30", Some("7k/4P3/8/8/8/8/8/KR6 w - - 0 36"));
        t.set(3 * M + 40_000, 10 * M);
        t.carry("e7", "e8");
        t.press(Some(4 * M + 10_000));
        t.quiet();
        t.obey();
        assert_eq!(t.game.cases[0].finding.article, column.pawn, "{}", column.edition);
        assert_eq!(t.clocks(), [Some(3 * M + 40_000), Some(12 * M)], "{}", column.edition);
        assert_eq!(t.moves(), column.queen, "{}", column.edition);
    }
}

#[test]
fn the_set_up_is_put_right_by_each_editions_article() {
    for column in &COLUMNS {
        let edition = laws::edition(column.edition).expect("known");
        let cited = |kind| edition.article(kind, Play::Standard);
        assert_eq!(cited(Irregularity::WrongStart), column.wrong_start);
        assert_eq!(cited(Irregularity::BoardTurned), column.turned);
        assert_eq!(cited(Irregularity::ColoursReversed), column.colours);
        assert_eq!(cited(Irregularity::Displaced), column.displaced);
        let mut t = Table::started(column.edition, "5400+30", None);
        t.flag(Colour::White);
        assert_eq!(t.result(), format!("0-1 {}", column.flag));
    }
}

#[test]
fn before_2017_reversed_colours_are_for_the_arbiter() {
    for (edition, default) in
        [("rf-2011", "play_on"), ("fide-2009", "play_on"), ("fide-2014", "play_on"), ("fide-2017", "new_game")]
    {
        let mut t = Table::started(edition, "5400+30", None);
        t.play("e2e4 e7e5");
        let act = DeskAct::Irregularity {
            kind: Irregularity::ColoursReversed,
            by: Colour::White,
            ply: None,
            note: String::new(),
            facts: Facts::default(),
        };
        t.desk(act).expect("admitted");
        t.obey();
        let first = t.game.cases[0].proposal.as_ref().map(|p| p.remedies[0].key.as_str());
        assert_eq!(first, Some(default), "{edition}");
    }
}

#[test]
fn fivefold_ends_the_game_from_2014_on_and_consecutively_in_2014_only() {
    let back_and_forth = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
    for (edition, result) in
        [("rf-2011", "*"), ("fide-2009", "*"), ("fide-2014", "1/2-1/2 9.6a?"), ("fide-2018", "1/2-1/2 9.6.1")]
    {
        let mut t = Table::started(edition, "5400+30", None);
        t.play("e2e3 e7e6");
        t.play(&back_and_forth);
        assert_eq!(t.result(), result, "{edition}");
    }
    // The fifth time comes after a detour of the other knights: not on consecutive moves.
    let detour = "b1c3 b8c6 c3b5 c6b4 b5c3 b4c6 c3b1 c6b8";
    for (edition, result) in [("fide-2014", "*"), ("fide-2018", "1/2-1/2 9.6.1")] {
        let mut t = Table::started(edition, "5400+30", None);
        t.play("e2e3 e7e6");
        t.play(&"g1f3 g8f6 f3g1 f6g8 ".repeat(3));
        t.play(detour);
        assert_eq!(t.result(), result, "{edition}");
    }
}

#[test]
fn penalties_by_kind_of_play() {
    // Edition, then standard, rapid supervised and not, blitz supervised and not: bonus in minutes and losing strike.
    let table: [(&str, [(i64, u32); 5]); 6] = [
        ("fide-2009", [(2, 3), (2, 3), (2, 3), (2, 3), (0, 1)]),
        ("fide-2014", [(2, 2), (2, 2), (0, 1), (1, 2), (0, 1)]),
        ("fide-2017", [(2, 2), (2, 2), (0, 1), (1, 2), (0, 1)]),
        ("rf-2017", [(2, 2), (2, 2), (2, 2), (1, 2), (1, 2)]),
        ("fide-2018", [(2, 2), (2, 2), (2, 2), (1, 2), (1, 2)]),
        ("fide-2023", [(2, 2), (1, 2), (1, 2), (2, 2), (1, 2)]),
    ];
    let plays = [Play::Standard, Play::RapidSupervised, Play::Rapid, Play::BlitzSupervised, Play::Blitz];
    for (id, row) in table {
        let edition = laws::edition(id).expect("known");
        let penalties = plays.map(|play| edition.penalties.of(play)).map(|p| (p.bonus / M, p.loses_at));
        assert_eq!(penalties, row, "{id}");
    }
}

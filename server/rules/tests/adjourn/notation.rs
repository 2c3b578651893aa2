//! What stands on the sheet, read against the position.

use crate::desk::{KNIGHTS, SPANISH};
use flagfall_rules::adjourn::{Reading, read};
use flagfall_rules::game::state::position;

fn reads(fen: &str, text: &str) -> String {
    match read(&position(fen).expect("a position"), text) {
        Reading::Legal(uci) => uci.to_string(),
        Reading::Doubtful(moves) if moves.is_empty() => "Doubtful".into(),
        Reading::Doubtful(moves) => moves.iter().map(|uci| uci.as_str()).collect::<Vec<_>>().join("|"),
        other => format!("{other:?}"),
    }
}

#[test]
fn one_move_in_every_notation() {
    for text in [
        "Bb5",
        "Bf1-b5",
        "Bf1b5",
        "f1b5",
        "f1-b5",
        "Сb5",
        "Сf1–b5",
        "3. Bb5",
        "3.Сb5!?",
        "  B b5 ",
        "Bb5 (=)",
        "3 Bb5",
        "3… Bb5",
    ] {
        assert_eq!(reads(SPANISH, text), "f1b5", "{text}");
    }
    for text in ["Nxe5", "Ne5", "N:e5", "Кxe5", "Кхе5", "Кf3:e5", "Кр", "f3e5"] {
        let expected = if text == "Кр" { "Doubtful" } else { "f3e5" };
        assert_eq!(reads(SPANISH, text), expected, "{text}");
    }
    for text in ["Крe2", "Кре2", "Ke2", "Kрe2", "Ke1-e2", "e1e2"] {
        assert_eq!(reads(SPANISH, text), "e1e2", "{text}");
    }
    for text in ["d4", "d2-d4", "d2d4", "41. d4"] {
        assert_eq!(reads(SPANISH, text), "d2d4", "{text}");
    }
}

#[test]
fn castling_with_noughts_and_letters() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 30";
    for text in ["0-0", "O-O", "О-О", "0–0", "30. 0-0", "Ke1-g1", "e1g1", "0-0+"] {
        assert_eq!(reads(both, text), "e1g1", "{text}");
    }
    for text in ["0-0-0", "O-O-O", "о-о-о", "30 0-0-0", "e1c1"] {
        assert_eq!(reads(both, text), "e1c1", "{text}");
    }
    assert_eq!(reads(SPANISH, "0-0-0"), "Illegal");
    assert_eq!(reads(SPANISH, "0-0-0-0"), "Doubtful");
}

#[test]
fn two_pieces_that_can_go_there() {
    assert_eq!(reads(KNIGHTS, "Nd2"), "Ambiguous");
    assert_eq!(reads(KNIGHTS, "Кd2"), "Ambiguous");
    for (text, uci) in [("Nbd2", "b1d2"), ("N1d2", "b1d2"), ("Кfd2", "f3d2"), ("N3d2", "f3d2"), ("Крd2", "e1d2")] {
        assert_eq!(reads(KNIGHTS, text), uci, "{text}");
    }
    // A pinned knight cannot go: the other is meant.
    assert_eq!(reads("4r1k1/8/8/8/8/4N3/7N/4K3 w - - 0 50", "Ng4"), "h2g4");
}

#[test]
fn promotion_names_the_piece() {
    let pawn = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 50";
    for text in ["e8", "e7-e8", "ed"] {
        assert_eq!(reads(pawn, text), "Ambiguous", "{text}");
    }
    for text in ["e8Q", "e8=Q", "e8Ф", "e8=Ф", "e8(Q)", "e7e8q", "e7-e8=Q+", "e8/Q"] {
        assert_eq!(reads(pawn, text), "e7e8q", "{text}");
    }
    for text in ["exd8N", "edN", "e7:d8К", "e7d8n"] {
        assert_eq!(reads(pawn, text), "e7d8n", "{text}");
    }
    assert_eq!(reads(pawn, "e8K"), "e7e8n", "no pawn becomes a king: the Russian knight is meant");
}

#[test]
fn a_letter_typed_for_one_that_looks_like_it_is_read_where_it_means_one_move() {
    // The Russian К is the knight and С the bishop; in Latin letters they are a king and nothing.
    for (text, uci) in [("Kxe5", "f3e5"), ("Kc3", "b1c3"), ("Cb5", "f1b5"), ("Cf1-b5", "f1b5"), ("Ke2", "e1e2")] {
        assert_eq!(reads(SPANISH, text), uci, "{text}");
    }
    for (text, uci) in [
        ("ng1-f3", "g1f3"),
        ("nf3", "g1f3"),
        ("NF3", "g1f3"),
        ("кf3", "g1f3"),
        ("kf3", "g1f3"),
        ("cb5", "f1b5"),
        ("bf1-b5", "f1b5"),
        ("E2-E3", "e2e3"),
        ("e2E3", "e2e3"),
    ] {
        let before = "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".replace("PPPP1PPP", "PPPPPPPP");
        let before = if uci == "f1b5" { SPANISH.to_owned() } else { before };
        assert_eq!(reads(&before, text), uci, "{text}");
    }
}

#[test]
fn what_means_more_than_one_move_or_none_is_for_the_arbiter() {
    assert_eq!(reads(KNIGHTS, "Kd2"), "e1d2|b1d2|f3d2", "the king, or a Russian knight");
    assert_eq!(reads(KNIGHTS, "kd2"), "e1d2|b1d2|f3d2");
    assert_eq!(reads(KNIGHTS, "nd2"), "b1d2|f3d2");
    assert_eq!(reads(KNIGHTS, "Sd2"), "b1d2|f3d2|e1d2", "a German knight: nothing but the square is read");
    // By the Latin K an illegal move of the king, by the Russian one a knight's of two: either way it is lost.
    assert_eq!(reads("6k1/8/8/8/8/5N2/8/KN6 w - - 0 50", "Kd2"), "Ambiguous");
    // What is written is a pawn's capture, and impossible; that the bishop was meant is not guessed.
    assert_eq!(reads("4k3/8/8/8/8/2p5/8/4BK2 w - - 0 50", "bxc3"), "e1c3");
    assert_eq!(reads("4k3/8/8/2r5/1P6/b7/8/5K2 w - - 0 50", "bxc5"), "b4c5", "what is written goes first");
}

#[test]
fn en_passant_and_short_captures() {
    let passed = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30";
    for text in ["exd6", "ed6", "ed", "exd", "exd6 e.p.", "exd6ep", "e5d6", "е5:d6 э.п."] {
        assert_eq!(reads(passed, text), "e5d6", "{text}");
    }
}

#[test]
fn mate_and_check_are_only_comments() {
    for text in ["Re8#", "Re8++", "Лe8х", "Лe8 мат", "Re8 mate", "Лe1-e8×", "Re8+"] {
        assert_eq!(reads(crate::desk::MATE, text), "e1e8", "{text}");
    }
}

#[test]
fn what_is_no_move_and_what_is_no_legal_one() {
    for text in [
        "",
        "   ",
        "castles",
        "Bb",
        "bb",
        "B",
        "b",
        "e",
        "44",
        "Bf1-c6-h8",
        "?",
        "сдаюсь",
        "resigns",
        "ход",
        "\u{0}",
        "🙂",
    ] {
        assert_eq!(reads(SPANISH, text), "Doubtful", "{text:?}");
    }
    assert_eq!(reads(SPANISH, &"Bb5 ".repeat(100)), "Doubtful");
    for text in ["Bb6", "e5", "Qh5", "a8a7", "Bf8-b4", "h9h8q"] {
        let expected = if text == "h9h8q" { "Doubtful" } else { "Illegal" };
        assert_eq!(reads(SPANISH, text), expected, "{text}");
    }
}

//! What stands on the sheet, read against the position.

use crate::desk::{KNIGHTS, SPANISH};
use flagfall_rules::adjourn::{Reading, read};
use flagfall_rules::game::state::position;

fn reads(fen: &str, text: &str) -> String {
    match read(&position(fen).expect("a position"), text) {
        Reading::Legal(uci) => uci.to_string(),
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
        let expected = if text == "Кр" { "Undeterminable" } else { "f3e5" };
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
    assert_eq!(reads(SPANISH, "0-0-0-0"), "Undeterminable");
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
    assert_eq!(reads(pawn, "e8K"), "Illegal");
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
    for text in
        ["", "   ", "castles", "Bb", "B", "b", "e", "44", "Bf1-b5-c6", "?", "сдаюсь", "resigns", "ход", "\u{0}", "🙂"]
    {
        assert_eq!(reads(SPANISH, text), "Undeterminable", "{text:?}");
    }
    assert_eq!(reads(SPANISH, &"Bb5 ".repeat(100)), "Undeterminable");
    for text in ["Bb6", "e5", "Qh5", "a8a7", "Bf8-b4", "h9h8q"] {
        let expected = if text == "h9h8q" { "Undeterminable" } else { "Illegal" };
        assert_eq!(reads(SPANISH, text), expected, "{text}");
    }
}

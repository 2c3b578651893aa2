//! What is compared is compared; what is shown is shown in both languages.

use flagfall_cases::{Case, Lang, read};

const CASE: &str = r#"title = "Case 2"
edition = "fide-2018"
control = "60+30"
position = "r4rk1/ppp2ppp/2n5/3q4/3P4/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 31"
happened = "illegal_move"
by = "white"
ran = "0:40"
clocks = { white = "12:22", black = "46:09" }
"#;

fn one(text: &str) -> Case {
    read("f", text).expect("a case").remove(0)
}

#[test]
fn every_expectation_that_fails_is_a_difference() {
    for (expect, differs) in [
        ("kind = \"fixed\"", "kind: expected fixed, ruled discretion"),
        ("found = \"pawn_left\"", "found: expected pawn_left, ruled illegal_move"),
        ("broken = \"7.5.2\"", "broken: expected 7.5.2, ruled 7.5.1"),
        ("alarm = \"lost\"", "alarm: expected lost, ruled none"),
        ("annulled = 1", "annulled: expected 1, ruled 0"),
        ("way = \"play_on\"", "way: expected play_on, ruled penalty"),
        ("article = \"7.5.1\"", "article: expected 7.5.1, ruled 7.5.5"),
        ("clocks = { white = \"11:51\" }", "clocks.white: expected 11:51, ruled 11:52"),
        ("clocks = { black = \"48:09.001\" }", "clocks.black: expected 48:09.001, ruled 48:09"),
        ("counters = { white = 31 }", "counters.white: expected 31, ruled 30"),
        ("period = { white = 2 }", "period.white: expected 2, ruled 1"),
        ("strikes = { black = 1 }", "strikes.black: expected 1, ruled 0"),
        ("turn = \"black\"", "turn: expected black, ruled white"),
        (
            "position = \"4k3/8/8/8/8/8/8/K7 w\"",
            "position: expected 4k3/8/8/8/8/8/8/K7 w, ruled r4rk1/ppp2ppp/2n5/3q4/",
        ),
        ("place = \"e7e8q\"", "place: expected e7e8q, ruled nothing"),
        ("result = \"0-1\"", "result: expected 0-1, ruled *"),
        ("ending = \"illegal\"", "ending: expected illegal, ruled nothing"),
        ("new_game = true", "new_game: expected true, ruled false"),
        ("alternatives = []", "alternatives: expected none, ruled penalty_refund"),
        (
            "alternatives = [{ way = \"penalty_refund\", clocks = { black = \"48:09\" } }]",
            "alternatives.1.clocks.black: expected 48:09, ruled 48:49",
        ),
        (
            "alternatives = [{ way = \"penalty_refund\", result = \"0-1\" }]",
            "alternatives.1.result: expected 0-1, ruled *",
        ),
    ] {
        let differences = one(&format!("{CASE}[expect]\n{expect}")).check().expect_err(expect);
        assert_eq!(differences.len(), 1, "{expect}: {differences:?}");
        assert!(differences[0].to_string().starts_with(differs), "{expect}: {}", differences[0]);
    }
    assert_eq!(one(CASE).check(), Ok(()));
}

#[test]
fn a_lost_game_is_never_taken_for_one_that_goes_on() {
    let lost = one(&format!("{CASE}strikes = {{ white = 1 }}\n"));
    let differences = lost.check().expect_err("the game is lost");
    assert_eq!(differences[0].to_string(), "result: expected *, ruled 0-1");
}

#[test]
fn a_ruling_is_read_in_both_languages() {
    let ruled = one(CASE).rule();
    assert_eq!(
        ruled.render(Lang::En),
        "Case 2\n\
         FIDE Laws of Chess, 1 January 2018; standard play\n\n\
         Found: Illegal move, White, move 31 (article 7.5.1): reported to the arbiter\n\n\
         Whether the time thought meanwhile is given back is for the arbiter to say.\n\n\
         Proposed: illegal move 1: +2:00 to Black (article 7.5.5) [penalty]\n\
         \x20   clocks 11:52 – 48:09; moves 30/30; periods 1/1\n\
         \x20   to move: White\n\
         \x20   strikes 1/0\n\
         \x20   position: r4rk1/ppp2ppp/2n5/3q4/3P4/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 31\n\n\
         Or: illegal move 1: +2:00 to Black; his 0:40 of thought given back (article 7.5.5) [penalty_refund]\n\
         \x20   clocks 11:52 – 48:49; moves 30/30; periods 1/1\n\
         \x20   to move: White\n\
         \x20   strikes 1/0\n\
         \x20   position: r4rk1/ppp2ppp/2n5/3q4/3P4/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 31\n"
    );
    let russian = ruled.render(Lang::Ru);
    for words in
        ["Обнаружено: Невозможный ход, белые, ход 31 (ст. 7.5.1)", "Предлагается: невозможный ход 1: +2:00 чёрным"]
    {
        assert!(russian.contains(words), "{russian}");
    }
}

#[test]
fn no_english_is_left_in_russian() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for entry in std::fs::read_dir(folder).expect("cases") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        for case in read(&path.display().to_string(), &text).expect("cases") {
            let note = case.note.clone().unwrap_or_default();
            // Keys, codes and FEN are the same in every language; three small letters in a row elsewhere are English.
            let shown = case.rule().render(Lang::Ru).replace(&case.title, "").replace(&note, "");
            for line in shown.lines().filter(|line| !line.contains("позиция:")) {
                let words = line.split(['[', '(']).next().unwrap_or_default();
                let english = words.split(|c: char| !c.is_ascii_lowercase()).any(|word| word.len() > 5);
                assert!(!english, "{}: {line}", case.title);
            }
        }
    }
}

#[test]
fn a_ruling_is_written_as_json() {
    let json = serde_json::to_value(one(CASE).rule()).expect("json");
    assert_eq!(json["edition"]["name"], "fide-2018");
    assert_eq!(json["kind"], "discretion");
    assert_eq!(json["ways"][0]["clocks"]["white"], 712_000);
    assert_eq!(json["ways"][0]["shown"]["black"], "48:09");
    assert_eq!(json["ways"][1]["way"], "penalty_refund");
    assert_eq!(json["ways"][1]["words"]["ru"], "невозможный ход 1: +2:00 чёрным; потраченные ими 0:40 возвращаются");
}

#[test]
fn what_a_correction_could_not_take_is_said_and_a_game_that_is_over_asks_for_no_press() {
    let short = CASE.replace("12:22", "0:20").replace("ran = \"0:40\"\n", "");
    let ruled = one(&short).rule();
    assert!(ruled.render(Lang::En).contains("+2:00 to Black; White keeps 0:01, no correction makes a flag fall"));
    assert!(ruled.render(Lang::Ru).contains("+2:00 чёрным; у белых остаётся 0:01: исправление не роняет флажок"));
    let enough = one(CASE).rule().render(Lang::En);
    assert!(!enough.contains("keeps"), "{enough}");
    let left = "title = \"t\"\nedition = \"fide-2018\"\nhappened = \"press\"\nby = \"white\"\n\
                position = \"8/4P2k/8/8/8/8/6n1/K7 w - - 0 36\"\nboard = \"4P3/7k/8/8/8/8/6n1/K7\"\n";
    assert!(one(left).rule().render(Lang::En).contains("the pawn becomes a queen, press again"));
    let lost = one(&format!("{left}strikes = {{ white = 1 }}\n")).rule();
    let (en, ru) = (lost.render(Lang::En), lost.render(Lang::Ru));
    assert!(en.contains("the pawn becomes a queen (") && ru.contains("пешка становится ферзём ("), "{en}{ru}");
    let conduct = one(&CASE.replace("\"illegal_move\"", "\"conduct\"").replace("ran = \"0:40\"\n", "")).rule();
    assert!(conduct.render(Lang::En).contains("Found: Conduct, White"));
    assert!(conduct.render(Lang::Ru).contains("Поведение"));
}

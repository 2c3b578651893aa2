//! Ill-formed files are refused naming file, line and key; the README and the reader know the same keys.

use std::collections::BTreeSet;

use flagfall_cases::{SECTIONS, read};
use proptest::prelude::*;

const GOOD: &str = r#"title = "a"
edition = "fide-2018"
control = "60+30"
position = "4k3/8/8/8/8/8/8/K6R w - - 0 60"
happened = "illegal_move"
by = "white"
clocks = { white = "12:22", black = "46:09" }
"#;

fn refused(text: &str) -> String {
    match read("f.toml", text) {
        Ok(_) => "accepted".into(),
        Err(why) => why.to_string(),
    }
}

#[test]
fn ill_formed_files_are_refused_with_file_line_and_key() {
    // What is put in the place of a line of GOOD (from 1; 8: added at the end), and what the reader says.
    let table: &[(usize, &str, &str)] = &[
        (1, "", "f.toml:1: title: a case needs a title"),
        (1, "title = 5", "f.toml:1: title: 5 is not a text in quotes"),
        (1, "title = \"a\"\ncolour = \"red\"", "f.toml:2: colour: unknown key; there are: case, title, edition"),
        (1, "title = \"a", "f.toml:1: no TOML: "),
        (1, "title = \"a\"\ntitle = \"b\"", "f.toml:2: no TOML: duplicate key"),
        (2, "", "f.toml:1: edition: a case needs the edition it is played by"),
        (2, "edition = \"fide-1999\"", "f.toml:2: edition: \"fide-1999\" is not one of: rf-2011, fide-2009"),
        (3, "control = \"soon\"", "f.toml:3: control: \"soon\" is no period of a control such as 90+30"),
        (3, "control = 90", "f.toml:3: control: 90 is not a text in quotes"),
        (3, "control = \"300+5\"", "f.toml:3: control: 300 minutes are more than 180"),
        (
            3,
            "control = \"40/90+30\"",
            "f.toml:3: control: \"40/90+30\" is no control: period 1: expected no number of moves",
        ),
        (3, "control = \"40/5400:\"", "f.toml:3: control: \"40/5400:\" is no control in seconds: character 9"),
        (4, "position = \"4k3/8 w\"", "f.toml:4: position: \"4k3/8 w\" is no legal position in FEN"),
        (4, "position = \"8/8/8/8/8/8/8/K6R w - - 0 60\"", "f.toml:4: position: "),
        (4, "position = \"4k3/8/8/8/8/8/8/K6R b - - 0 60\"", "f.toml:6: by: it is black's move in the position"),
        (5, "", "f.toml:1: happened: what happened is not said"),
        (5, "happened = \"sneezed\"", "f.toml:5: happened: \"sneezed\" is not one of: claim_draw, "),
        (6, "", "f.toml:1: by: whose it was is not said"),
        (6, "by = \"red\"", "f.toml:6: by: \"red\" is not one of: white, black"),
        (7, "clocks = { white = \"12:62\" }", "f.toml:7: clocks.white: \"12:62\" is not a time such as 12:22"),
        (7, "clocks = { white = 12 }", "f.toml:7: clocks.white: 12 is not a text in quotes"),
        (7, "clocks = { white = \"-0:05\" }", "f.toml:7: clocks.white: \"-0:05\" is not a time"),
        (7, "clocks = { red = \"12:00\" }", "f.toml:7: clocks.red: unknown key; there are: white, black"),
        (7, "clocks = \"12:22\"", "f.toml:7: clocks: \"12:22\" is not a table"),
        (8, "counters = { white = -1 }", "f.toml:8: counters.white: -1 is not a whole number from 0 to 10000"),
        (8, "counters = { white = 1.5 }", "f.toml:8: counters.white: a fraction is not a whole number"),
        (8, "period = { white = 0 }", "f.toml:8: period.white: 0 is not a whole number from 1 to 8"),
        (8, "play = \"bullet\"", "f.toml:8: play: \"bullet\" is not one of: standard, rapid, blitz"),
        (8, "supervised = false", "f.toml:8: supervised: standard play is always supervised"),
        (8, "supervised = \"no\"", "f.toml:8: supervised: \"no\" is not true or false"),
        (8, "moves = \"Kb1 Kd8 Rh9\"", "f.toml:8: moves: 61. \"Rh9\" is no legal move"),
        (8, "moves = \"Kb1 Kd8\"", "f.toml:8: moves: the offending move comes after the moves on record"),
        (8, "board = \"4k3/9\"", "f.toml:8: board: \"4k3/9\" is no board of chessmen"),
        (8, "move = 3\nply = 3", "f.toml:9: ply: ply and move both say which move it was"),
        (8, "log = [{ white = \"1:00\" }]", "f.toml:8: log.by: whose press it was"),
        (
            8,
            "log = [{ by = \"white\" }]\nmoves = \"\"\nstrikes = { white = 101 }",
            "f.toml:10: strikes.white: 101 is not",
        ),
        (5, "happened = \"clock_setting\"\nsheets = { white = 3 }", "f.toml:6: sheets: both players' moves are needed"),
        (8, "plays = \"Kb1\"", "f.toml:8: plays: means nothing for what happened"),
        (8, "sheets = { white = 3, black = 3 }", "f.toml:8: sheets: means nothing for what happened"),
        (5, "happened = \"clock_setting\"\nelapsed = \"0:30:00\"\nset_as = \"15\"", "f.toml:6: elapsed: with set_as "),
        (8, "strikes = { white = 2 }", "f.toml:8: strikes: illegal move 2 has ended the game already"),
        (8, "strikes = { black = 3 }\noverlay = { loses_at = 3 }", "f.toml:8: strikes: illegal move 3 has ended"),
        (
            8,
            "moves = \"Kb1 Kd8\"\nlog = [{ by = \"white\" }, { by = \"white\" }]",
            "f.toml:9: log: press 2 is not by the player who made its move",
        ),
        (8, "moves = \"Kb1 Kd8\"\nlog = [{ by = \"white\" }]", "f.toml:9: log: press 1 is not by the player"),
        (
            8,
            "[[then]]\nhappened = \"decide\"\nway = \"penalty\"\nby = \"white\"",
            "f.toml:11: then.by: means nothing for what happened",
        ),
        (8, "overlay = { bonus = \"11:00:00\" }", "f.toml:8: overlay.bonus: more than ten hours"),
        (8, "[overlay]\nloses_at = 0", "f.toml:9: overlay.loses_at: 0 is not a whole number from 1 to 100"),
        (8, "[[then]]\nhappened = \"decide\"", "f.toml:8: then.way: which way the arbiter chose is not said"),
        (8, "[[then]]\nhappened = \"move\"", "f.toml:8: then.plays: which move was made is not said"),
        (8, "[expect]\nkind = \"fair\"", "f.toml:9: expect.kind: \"fair\" is not one of: fixed, discretion"),
        (8, "[expect]\nresult = \"2-0\"", "f.toml:9: expect.result: \"2-0\" is not one of: 1-0, 0-1, 1/2-1/2, *"),
        (8, "[expect]\nposition = \"4k3/8 w\"", "f.toml:9: expect.position: \"4k3/8 w\" is no position in FEN"),
        (8, "[expect]\nplace = \"castle\"", "f.toml:9: expect.place: \"castle\" is no move such as e7e8q"),
        (8, "[expect]\nclocks = { white = \"1\" }", "f.toml:9: expect.clocks.white: \"1\" is not a time"),
        (8, "[expect]\nalternatives = [{ clocks = {} }]", "f.toml:9: expect.alternatives.way: which way it is"),
        (8, "[expect]\nfound = \"luck\"", "f.toml:9: expect.found: \"luck\" is not one of: illegal_move"),
        (8, "case = []", "f.toml:8: case: there is no case in it"),
        (8, "case = 3", "f.toml:8: case: 3 is not a list"),
        (8, "[[case]]\n[[case]]\nsupervized = true", "f.toml:10: case.supervized: unknown key"),
        (
            8,
            "[expect]\nlind = \"fixed\"\n[[case]]\nexpect = { kind = \"fixed\" }",
            "f.toml:9: expect.lind: unknown key",
        ),
    ];
    for &(line, put, says) in table {
        let mut lines: Vec<&str> = GOOD.lines().collect();
        if line > lines.len() {
            lines.push(put)
        } else {
            lines[line - 1] = put
        }
        let answer = refused(&lines.join("\n"));
        assert!(answer.starts_with(says), "{put}\n  expected {says}\n  but it is {answer}");
    }
    assert_eq!(refused(GOOD), "accepted");
}

#[test]
fn every_key_is_read() {
    // A date is no value of any key: a key that is passed over would accept it.
    let around = |section: &str, key: &str| match section {
        "overlay" => format!("overlay = {{ {key} = 1979-05-27 }}"),
        "log" if key == "by" => "log = [{ by = 1979-05-27 }]".into(),
        "log" => format!("log = [{{ by = \"white\", {key} = 1979-05-27 }}]"),
        "expect" => format!("expect = {{ {key} = 1979-05-27 }}"),
        "way" if key == "way" => "expect = { alternatives = [{ way = 1979-05-27 }] }".into(),
        "way" => format!("expect = {{ alternatives = [{{ way = \"a\", {key} = 1979-05-27 }}] }}"),
        "pair" => format!("strikes = {{ {key} = 1979-05-27 }}"),
        _ => format!("{key} = 1979-05-27"),
    };
    for section in SECTIONS {
        for key in section.keys {
            // What must have happened for the key to mean anything.
            let happened = match *key {
                _ if section.name != "happened" => "illegal_move",
                "plays" | "pressed" => "move",
                "through" | "next" => "claim_draw",
                "way" => "decide",
                "first_flag" => "flag",
                "elapsed" | "set_as" | "sheets" => "clock_setting",
                _ => "illegal_move",
            };
            let good = GOOD.replace("\"illegal_move\"", &format!("\"{happened}\""));
            let own = format!("{key} =");
            // A decision is the arbiter's.
            let is_said = |line: &&str| !line.starts_with(&own) && (happened != "decide" || !line.starts_with("by ="));
            let rest: Vec<&str> = good.lines().filter(is_said).collect();
            let text = format!("{}\n{}", rest.join("\n"), around(section.name, key));
            let answer = refused(&text);
            let named = answer.contains("a date or time is not") && answer.contains(&format!("{key}: "));
            assert!(named, "{} of {}: {answer}", key, section.name);
        }
    }
}

#[test]
fn the_readme_and_the_reader_know_the_same_keys() {
    let readme = include_str!("../README.md");
    let mut documented: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for line in readme.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            documented.push((name, BTreeSet::new()));
        } else if let Some((key, _)) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`')) {
            documented.last_mut().expect("a heading comes first").1.insert(key);
        }
    }
    let known: Vec<_> = SECTIONS.iter().map(|section| (section.name, section.keys.iter().copied().collect())).collect();
    assert_eq!(documented, known);
}

#[test]
fn the_examples_of_the_readme_are_cases() {
    let blocks: Vec<&str> = include_str!("../README.md").split("```toml\n").skip(1).collect();
    let text = |index: usize| blocks[index].split("```").next().expect("a block ends");
    let [case] = &read("README", text(0)).expect("a case")[..] else { panic!("one case") };
    assert_eq!(case.check(), Ok(()));
    let both = format!("{}{}", text(0), text(1));
    let [case] = &read("README", &both).expect("a variant")[..] else { panic!("one case") };
    assert_eq!((case.check(), case.title.as_str()), (Ok(()), "The first illegal move, 2009"));
}

fn cases() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut texts: Vec<_> =
        std::fs::read_dir(folder).expect("cases").map(|entry| entry.expect("a file").path()).collect();
    texts.sort();
    texts.iter().map(|path| std::fs::read_to_string(path).expect("text")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_mutation_of_a_case_makes_the_reader_or_the_rules_panic(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let texts = cases();
        let mut bytes = file.get(&texts).clone().into_bytes();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                // Digits and letters get past the syntax and try the values.
                1 => bytes[at] = b'0' + byte % 10,
                2 => bytes[at] = b"wbKQRBNPkqrbnp/-+\" "[usize::from(byte) % 19],
                _ => { bytes.remove(at); }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(cases) = read("mutated", &text) {
            for case in cases.iter().take(8) {
                let _outcome = case.check();
            }
        }
    }
}

//! What the rules make of a case against what its file expects.

use std::fmt;

use flagfall_rules::{clock::Colour, time::Millis};

use crate::{
    Case, Pair, Ruled, Way,
    facts::ExpectWay,
    read::clock,
    words::{alarm, ending},
};

/// Something came out otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key under `expect`, such as `clocks.white` or `alternatives.2.way`.
    pub key: String,
    /// What the file says.
    pub expected: String,
    /// What the rules say.
    pub ruled: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, ruled {}", self.key, self.expected, self.ruled)
    }
}

impl Case {
    /// Rules it and compares with what the file expects. What the file does not state is not compared, but for the result:
    /// without one play must go on.
    ///
    /// # Errors
    /// Every difference.
    pub fn check(&self) -> Result<(), Vec<Difference>> {
        let ruled = self.rule();
        let mut list = List(Vec::new());
        list.case(self, &ruled);
        if list.0.is_empty() { Ok(()) } else { Err(list.0) }
    }
}

struct List(Vec<Difference>);

impl List {
    fn compare(&mut self, key: impl Into<String>, expected: Option<String>, ruled: Option<String>) {
        let Some(expected) = expected else { return };
        let ruled = ruled.unwrap_or_else(|| "nothing".into());
        if expected != ruled {
            self.0.push(Difference { key: key.into(), expected, ruled });
        }
    }

    fn pair<T: Copy>(&mut self, key: &str, expected: Pair<T>, ruled: Pair<T>, show: impl Fn(T) -> String) {
        for colour in Colour::BOTH {
            let path = format!("{key}.{}", colour.name());
            self.compare(path, expected.of(colour).map(&show), ruled.of(colour).map(&show));
        }
    }

    fn case(&mut self, case: &Case, ruled: &Ruled) {
        let expect = &case.expect;
        self.compare("kind", expect.kind.clone(), Some(ruled.kind.clone()));
        let found = expect.found.as_ref().map(|found| listed(found.iter().map(|kind| kind.name())));
        self.compare("found", found, Some(listed(ruled.found.iter().map(|finding| finding.name))));
        let about = ruled.about.and_then(|index| ruled.found.get(index));
        self.compare("broken", expect.broken.clone(), about.map(|finding| finding.article.clone()));
        if let Some(expected) = expect.alarm.map(|expected| alarm(expected).0) {
            let ruled = ruled.alarms.iter().map(|noted| noted.name);
            let found = ruled.clone().find(|&name| name == expected).map(str::to_owned);
            self.compare("alarm", Some(expected.into()), found.or_else(|| Some(listed(ruled))));
        }
        let default = ruled.default_way();
        let annulled = default.map(|way| way.annulled.to_string());
        self.compare("annulled", expect.annulled.map(|count| count.to_string()), annulled);
        self.compare("way", expect.key.clone(), default.map(|way| way.way.clone()));
        self.way("", &expect.way, default, ruled);
        self.alternatives(case, ruled);
    }

    fn alternatives(&mut self, case: &Case, ruled: &Ruled) {
        let Some(expected) = &case.expect.alternatives else { return };
        let rest = ruled.ways.get(1..).unwrap_or_default();
        let keys = listed(expected.iter().map(|(key, _)| key.as_str()));
        self.compare("alternatives", Some(keys), Some(listed(rest.iter().map(|way| way.way.as_str()))));
        for (index, ((_, expected), way)) in expected.iter().zip(rest).enumerate() {
            self.way(&format!("alternatives.{}.", index + 1), expected, Some(way), ruled);
        }
    }

    /// Without a way (the game ended by itself) the end itself is compared.
    fn way(&mut self, under: &str, expected: &ExpectWay, way: Option<&Way>, ruled: &Ruled) {
        let key = |name: &str| format!("{under}{name}");
        let end = ruled.end.as_ref().filter(|_| way.is_none());
        let pick = |of_way: fn(&Way) -> Option<String>| way.and_then(of_way);
        let article = pick(|way| Some(way.article.clone())).or_else(|| end.map(|end| end.article.clone()));
        self.compare(key("article"), expected.article.clone(), article);
        if let Some(way) = way {
            let number = |number: u32| number.to_string();
            self.pair::<Millis>(&key("clocks"), expected.clocks, way.clocks, clock);
            self.pair(&key("counters"), expected.counters, way.counters, number);
            self.pair(&key("period"), expected.period, way.period, number);
            self.pair(&key("strikes"), expected.strikes, way.strikes, number);
        } else {
            self.pair(&key("strikes"), expected.strikes, ruled.strikes, |number| number.to_string());
            self.pair::<Millis>(&key("clocks"), expected.clocks, Pair { white: None, black: None }, clock);
        }
        self.compare(key("turn"), expected.turn.map(|turn| turn.name().into()), pick(|way| Some(way.turn.into())));
        let stated = expected.position.as_ref().map_or(0, |text| text.split(' ').count());
        let position = way.and_then(|way| way.position.as_ref());
        let position = position.map(|text| text.split(' ').take(stated).collect::<Vec<_>>().join(" "));
        let position = position.or_else(|| way.map(|_| "unknown".into()));
        self.compare(key("position"), expected.position.clone(), position);
        self.compare(key("place"), expected.place.map(|uci| uci.to_string()), pick(|way| way.place.clone()));
        let result = expected.result.map_or("*", flagfall_rules::game::Outcome::pgn);
        let recorded = ruled.end.as_ref().filter(|_| matches!(ruled.kind.as_str(), "recorded" | "nothing"));
        let ruled_result = match way.and_then(|way| way.result) {
            None => end.or(recorded).map(|end| end.result),
            result => result,
        };
        self.compare(key("result"), Some(result.into()), Some(ruled_result.unwrap_or("*").into()));
        let ruled_ending = pick(|way| way.ending.map(str::to_owned)).or_else(|| end.map(|end| end.ending.into()));
        self.compare(key("ending"), expected.ending.map(|why| ending(why).0.into()), ruled_ending);
        self.compare(
            key("new_game"),
            expected.new_game.map(|yes| yes.to_string()),
            pick(|way| Some(way.new_game.to_string())),
        );
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

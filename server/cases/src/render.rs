//! A ruling as an arbiter reads it, in English or Russian.

use crate::{Finding, Pair, Ruled, Said, Way};

/// The language of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// English.
    En,
    /// Russian.
    Ru,
}

impl std::str::FromStr for Lang {
    type Err = String;

    fn from_str(text: &str) -> Result<Lang, String> {
        match text {
            "en" => Ok(Lang::En),
            "ru" => Ok(Lang::Ru),
            _ => Err(format!("{text:?} is not one of: en, ru")),
        }
    }
}

impl Lang {
    fn of(self, said: &Said) -> &str {
        self.pick(&said.en, &said.ru)
    }

    const fn pick<'s>(self, en: &'s str, ru: &'s str) -> &'s str {
        match self {
            Lang::En => en,
            Lang::Ru => ru,
        }
    }

    fn colour(self, name: &str) -> &'static str {
        match name {
            "white" => self.pick("White", "белые"),
            _ => self.pick("Black", "чёрные"),
        }
    }
}

impl Ruled {
    /// The ruling with its article, what was seen, why it is fixed or the arbiter's, and every way with what it leads to.
    #[must_use]
    pub fn render(&self, lang: Lang) -> String {
        let mut text = format!("{}\n{}; {}\n", self.title, lang.of(&self.edition.words), lang.of(&self.play.words));
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        for (index, finding) in self.found.iter().enumerate() {
            let earlier = self.about.is_some_and(|about| about != index);
            let what = if earlier {
                lang.pick("Before", "До этого")
            } else {
                lang.pick("Found", "Обнаружено")
            };
            line(format!("\n{what}: {}", found(lang, finding)));
        }
        if let Some(refused) = &self.refused {
            line(format!("\n{}: {} ({})", lang.pick("Refused", "Отклонено"), lang.of(&refused.words), refused.code));
        }
        if !self.ways.is_empty() || self.refused.is_none() {
            line(format!("\n{}", self.why(lang)));
        }
        let choice = matches!(self.kind.as_str(), "discretion" | "shown");
        for (index, way) in self.ways.iter().enumerate() {
            let label = match (choice, index) {
                (false, _) => lang.pick("Ruling", "Решение"),
                (true, 0) => lang.pick("Proposed", "Предлагается"),
                (true, _) => lang.pick("Or", "Или"),
            };
            line(format!("\n{label}: {}{} [{}]", lang.of(&way.words), article(lang, &way.article), way.way));
            after(lang, way).into_iter().for_each(|part| line(format!("    {part}")));
        }
        if let Some(end) = &self.end {
            let over = lang.pick("The game is over", "Партия окончена");
            line(format!("\n{over}: {}, {}{}", end.result, lang.of(&end.words), article(lang, &end.article)));
        }
        for note in &self.notes {
            line(format!("\n{}: {}", lang.pick("Note", "Примечание"), lang.of(note)));
        }
        for noted in &self.alarms {
            line(format!("\n{}: {}", lang.pick("For the arbiter", "Арбитру"), lang.of(&noted.words)));
            if lang == Lang::En && !noted.detail.is_empty() {
                line(format!("    {}", noted.detail));
            }
        }
        text
    }

    /// Why the Laws fix what follows, or why it is the arbiter's.
    fn why(&self, lang: Lang) -> &'static str {
        let has = |key: &str| self.ways.iter().any(|way| way.way == key);
        match self.kind.as_str() {
            "fixed" => lang.pick("The Laws fix what follows.", "Последствия определены Правилами."),
            "decided" => lang.pick(
                "Decided by the arbiter, or by the opponent's claim.",
                "Решено арбитром или по требованию соперника.",
            ),
            "stands" => lang.pick(
                "The opponent has made a move since, or nobody acted: what was done stands.",
                "Соперник уже сделал ход, или никто не вмешался: сделанное остаётся в силе.",
            ),
            "recorded" => lang.pick("Only put on record.", "Только заносится в протокол."),
            "shown" if !matches!(self.play.name, "rapid" | "blitz") => lang.pick(
                "Only the arbiter is shown it: the clock runs on, and the players are told nothing.",
                "Видит только арбитр: часы идут, игрокам ничего не сообщается.",
            ),
            "shown" => lang.pick(
                "No arbiter watches this game: the clock runs on, and whoever may act on it can.",
                "За партией никто не следит: часы идут, вмешаться может тот, кто имеет на это право.",
            ),
            "nothing" => lang.pick("Nothing follows from it.", "Из этого ничего не следует."),
            _ if has("accident") => lang.pick(
                "Whether the reply was an accident or an irregularity of its own is for the arbiter to say.",
                "Случайность это или новое нарушение, решает арбитр.",
            ),
            _ if has("penalty_bonus_kept") => lang.pick(
                "Taking back the increment is guidance; the bonus of the period is for the arbiter to judge.",
                "Снятие добавления рекомендовано; о добавке за период решает арбитр.",
            ),
            _ if has("penalty_refund") => lang.pick(
                "Whether the time thought meanwhile is given back is for the arbiter to say.",
                "Возвращать ли время, потраченное после нарушения, решает арбитр.",
            ),
            _ if has("penalty_times_left") || has("first_only") => lang.pick(
                "How the clocks are set is left to the arbiter's best judgement.",
                "Как установить часы, решает арбитр по своему усмотрению.",
            ),
            _ if has("lost") && has("drawn") => lang.pick(
                "It could not be determined whether the opponent can still mate.",
                "Не удалось установить, может ли соперник поставить мат.",
            ),
            _ => lang.pick("The Laws leave the choice to the arbiter.", "Правила оставляют выбор за арбитром."),
        }
    }
}

fn found(lang: Lang, finding: &Finding) -> String {
    let (who, at) = (lang.colour(finding.by), lang.pick("move", "ход"));
    let article = article(lang, &finding.article);
    let mut text = format!("{}, {who}, {at} {}{article}", lang.of(&finding.words), finding.number);
    let seen = lang.of(&finding.seen);
    if !seen.is_empty() {
        text.push_str(": ");
        text.push_str(seen);
    }
    text
}

fn article(lang: Lang, number: &str) -> String {
    match number {
        "" => String::new(),
        number => format!(" ({} {number})", lang.pick("article", "ст.")),
    }
}

/// How things stand after a way was taken.
fn after(lang: Lang, way: &Way) -> Vec<String> {
    let pair = |pair: Pair<u32>| format!("{}/{}", pair.white.unwrap_or(0), pair.black.unwrap_or(0));
    let mut lines = Vec::new();
    if let Some(result) = way.result {
        lines.push(format!("{}: {result}", lang.pick("result", "результат")));
    } else {
        let clocks = match way.clocks {
            Pair { white: None, black: None } => lang.pick("unknown", "неизвестны").to_owned(),
            _ => format!("{} – {}", way.shown.white, way.shown.black),
        };
        lines.push(format!(
            "{} {clocks}; {} {}; {} {}",
            lang.pick("clocks", "часы"),
            lang.pick("moves", "ходы"),
            pair(way.counters),
            lang.pick("periods", "периоды"),
            pair(way.period)
        ));
        let next = lang.pick("to move", "ход за");
        let whose = match lang {
            Lang::En => lang.colour(way.turn),
            Lang::Ru if way.turn == "white" => "белыми",
            Lang::Ru => "чёрными",
        };
        lines.push(format!("{next}: {whose}"));
    }
    lines.push(format!("{} {}", lang.pick("strikes", "нарушения"), pair(way.strikes)));
    if way.annulled > 0 {
        lines.push(format!("{}: {}", lang.pick("plies annulled", "отменено полуходов"), way.annulled));
    }
    if let Some(place) = &way.place {
        lines.push(format!("{}: {place}", lang.pick("put on the board", "ставится на доску")));
    }
    if let Some(position) = way.position.as_ref().filter(|_| way.result.is_none()) {
        lines.push(format!("{}: {position}", lang.pick("position", "позиция")));
    }
    lines
}

//! What is shown, as text: a pure function of [`Shown`] and the width.
//!
//! ```text
//!  game                           link
//!  ███████████████
//!    ▶▶ WHITE ◀◀          BLACK  ⚑ FLAG     the running side has bars and filled arrows
//!    5 rows of digits     5 rows of digits
//!  ███████████████
//!     moves, period        moves, period
//!               state, result
//!
//!  position to set up   the arbiter's words       nine rows at most, so that all fits into 24
//!
//!  ! what is wrong, in both languages          as many rows as are left
//! ```

use flagfall_rules::{
    board::Scan,
    clock::{Colour, Face, Going, Place},
};

use super::digits;
use crate::sense::Shown;

/// Rows for the arbiter's words and the position: a board and its letters.
const AREA: usize = 9;

/// All rows of a frame: a terminal has one more, on which the cursor rests.
const ROWS: usize = 23;

/// Lines of text, none wider than `width`, at most 23 of them.
#[must_use]
pub fn frame(shown: &Shown, width: u16) -> String {
    let width = usize::from(width);
    let mut lines = vec![header(shown, width)];
    lines.extend(clocks(&shown.face, width));
    lines.push(centred(&state(shown), width));
    let area = area(shown, width);
    if !area.is_empty() {
        lines.push(String::new());
        lines.extend(area);
    }
    let free = ROWS.saturating_sub(lines.len());
    lines.extend(trouble(&shown.trouble, width, free));
    joined(&lines)
}

/// The last picture: the clock keeps no time any more. With it the times that it stored `last`, and why.
#[must_use]
pub fn stopped(last: Option<&Shown>, why: &[String; 2], width: u16) -> String {
    let width = usize::from(width);
    let mut lines = vec![centred("CLOCK STOPPED · ЧАСЫ ОСТАНОВЛЕНЫ", width)];
    if let Some(Shown { face, .. }) = last {
        let going = if face.going == Going::Running { Going::Paused } else { face.going };
        lines.extend(clocks(&Face { going, ..*face }, width));
    }
    lines.push(String::new());
    lines.extend(why.iter().flat_map(|text| wrapped(&clean(text), width)));
    lines.truncate(ROWS);
    joined(&lines)
}

fn joined(lines: &[String]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

/// Every cause in both languages. Where that is too much, a row for each of the newest: what to do stands at its beginning.
fn trouble(causes: &[[String; 2]], width: usize, rows: usize) -> Vec<String> {
    let texts: Vec<String> = causes.iter().flatten().map(|text| format!("! {}", clean(text))).collect();
    let whole: Vec<String> = texts.iter().flat_map(|text| wrapped(text, width)).collect();
    if whole.len() <= rows {
        return whole;
    }
    let mut lines: Vec<String> = texts.iter().take(rows).map(|text| cut(text, width)).collect();
    let hidden = causes.len().saturating_sub(rows / 2);
    if let Some(last) = lines.last_mut().filter(|_| hidden > 0) {
        let more = format!(" +{hidden}");
        *last = fit(&format!("{}{more}", cut(last, width.saturating_sub(more.len()))), width);
    }
    lines
}

/// A text on one row, with a mark where it does not fit.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width { text.to_owned() } else { format!("{}…", fit(text, width.saturating_sub(1))) }
}

fn header(shown: &Shown, width: usize) -> String {
    let link = if shown.online { "online · на связи" } else { "OFFLINE · НЕТ СВЯЗИ" };
    let link = match shown.spooled.saturating_sub(shown.acked) {
        0 => link.to_owned(),
        // Not lost, only not yet there: an arbiter who looks for a press at the desk should know.
        unsent => format!("{link} · unsent {unsent}"),
    };
    let game = fit(&clean(&shown.game), width.saturating_sub(link.chars().count() + 1));
    let gap = width.saturating_sub(game.chars().count() + link.chars().count());
    fit(&format!("{game}{}{link}", " ".repeat(gap)), width)
}

fn clocks(face: &Face, width: usize) -> Vec<String> {
    let half = width / 2;
    let [left, right] = [Place::Left, Place::Right].map(|place| side(face, place.colour(face.white_place), half));
    left.into_iter().zip(right).map(|(left, right)| format!("{}{right}", padded(&left, half))).collect()
}

/// One player's half: every line is at most `width` wide, and both halves have as many.
fn side(face: &Face, colour: Colour, width: usize) -> Vec<String> {
    let hand = face.hand(colour);
    let turn = face.turn == colour;
    let running = turn && face.going == Going::Running;
    let (name, both) = match colour {
        Colour::White => ("WHITE", "WHITE · БЕЛЫЕ"),
        Colour::Black => ("BLACK", "BLACK · ЧЁРНЫЕ"),
    };
    let arrows = match (turn, face.going) {
        (true, Going::Running) => ("▶▶ ", " ◀◀"),
        (true, Going::Idle | Going::Paused) => ("▷ ", " ◁"),
        _ => ("", ""),
    };
    let (flag, both_flag) = match (hand.flagged, face.first_flag == Some(colour)) {
        (true, true) => ("  ⚑ FLAG 1st", "  ⚑ FLAG 1st · ФЛАГ"),
        (true, false) => ("  ⚑ FLAG", "  ⚑ FLAG · ФЛАГ"),
        (false, _) => ("", ""),
    };
    let title = |name, flag| format!("{}{name}{}{flag}", arrows.0, arrows.1);
    let bar = if running { format!(" {}", "█".repeat(width.saturating_sub(2))) } else { String::new() };
    let mut lines = vec![bar.clone(), roomy(title(both, both_flag), title(name, flag), width)];
    let text = digits::text(hand.left);
    let blocks = digits::blocks(&text);
    let wide = blocks.iter().map(|row| row.chars().count()).max().unwrap_or(0);
    if width >= wide {
        lines.extend(blocks.map(|row| centred(&format!("{row:wide$}"), width)));
    } else {
        let middle = digits::HEIGHT / 2;
        lines.extend((0..digits::HEIGHT).map(|row| if row == middle { centred(&text, width) } else { String::new() }));
    }
    lines.push(bar);
    let (moves, period) = (hand.moves, u16::from(hand.period) + 1);
    let both = format!("moves · ходы {moves}   period · период {period}");
    lines.push(roomy(both, format!("moves {moves}  period {period}"), width));
    lines
}

fn state(shown: &Shown) -> String {
    let state = match shown.face.going {
        Going::Idle => "ready · готово",
        Going::Running => "running · идёт",
        Going::Paused => "PAUSED · ПАУЗА",
        Going::Over => "GAME OVER · ПАРТИЯ ОКОНЧЕНА",
    };
    let result = shown.result.map(|result| format!("   {result}")).unwrap_or_default();
    let coming = if shown.desired_rev > shown.applied_rev { "   arbiter… · арбитр…" } else { "" };
    format!("{state}{result}{coming}")
}

/// The board to set up on the left, the words beside it.
fn area(shown: &Shown, width: usize) -> Vec<String> {
    let diagram = diagram(&shown.position);
    let indent = if diagram.is_empty() { 1 } else { 22 };
    let room = width.saturating_sub(indent + 1);
    let mut text: Vec<String> = shown.words.iter().flat_map(|words| wrapped(&clean(words), room)).collect();
    if !shown.position.is_empty() {
        text.extend(wrapped("Set up this position · Поставьте эту позицию:", room));
        text.extend(wrapped(&clean(&shown.position), room));
    }
    if text.len() > AREA {
        text.truncate(AREA);
        if let Some(last) = text.last_mut() {
            *last = format!("{}…", fit(last, room.saturating_sub(1)));
        }
    }
    let line = |row: usize| {
        let [diagram, text] = [&diagram, &text].map(|lines| lines.get(row).map_or("", String::as_str));
        fit(&format!("{}{text}", padded(diagram, indent)), width)
    };
    (0..diagram.len().max(text.len())).map(line).collect()
}

/// A small board from White's side; empty when the text is no position.
fn diagram(fen: &str) -> Vec<String> {
    let Some(scan) = Scan::from_fen(fen) else { return Vec::new() };
    let rank = |rank: u8| {
        let men = (0..8).map(|file| scan.at(rank * 8 + file).map_or('·', |man| man.letter()));
        men.fold(format!(" {} ", rank + 1), |line, man| format!("{line} {man}"))
    };
    (0..8).rev().map(rank).chain(["    a b c d e f g h".to_owned()]).collect()
}

/// Nothing that comes over the network may move the cursor.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn fit(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

fn padded(text: &str, width: usize) -> String {
    format!("{:width$}", fit(text, width))
}

fn centred(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let gap = width.saturating_sub(text.chars().count()) / 2;
    format!("{}{text}", " ".repeat(gap))
}

/// Both languages where there is room for them, else the short text; a gap stays between the halves.
fn roomy(long: String, short: String, width: usize) -> String {
    centred(if long.chars().count() < width { &long } else { &short }, width)
}

/// Breaks at spaces; a word that is longer than a line is broken where the line ends.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if width == 0 {
        return lines;
    }
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.len() <= width => {
                line.push(' ');
                line.extend(word);
            }
            _ => loop {
                let rest = word.split_off(word.len().min(width));
                lines.push(word.iter().collect());
                if rest.is_empty() {
                    break;
                }
                word = rest;
            },
        }
    }
    lines
}

/// A display with nothing but a face on it.
#[cfg(test)]
pub(super) fn sample(face: Face) -> Shown {
    Shown {
        face,
        words: Default::default(),
        position: String::new(),
        result: None,
        game: String::new(),
        applied_rev: 0,
        desired_rev: 0,
        spooled: 0,
        acked: 0,
        online: true,
        trouble: Vec::new(),
        taken: 0,
    }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::clock::Hand;
    use proptest::prelude::*;

    use super::*;

    fn face(white: Option<i64>, black: Option<i64>, going: Going, white_place: Place) -> Face {
        Face { hands: [Hand::fresh(white), Hand::fresh(black)], going, ..Face::unknown(white_place) }
    }

    #[test]
    fn a_running_clock() {
        let mut face = face(Some(3_723_000), Some(12_340), Going::Running, Place::Left);
        face.turn = Colour::Black;
        face.hands[0].moves = 40;
        face.hands[0].period = 1;
        let shown = Shown { game: "Open, round 3, board 7".into(), spooled: 12, acked: 10, ..sample(face) };
        let expected = [
            "Open, round 3, board 7                              online · на связи · unsent 2",
            "                                         ██████████████████████████████████████",
            "             WHITE · БЕЛЫЕ                        ▶▶ BLACK · ЧЁРНЫЕ ◀◀",
            "     █     █████ █████   █████ █████       █████ █████     █   █████   █████",
            "    ██   █ █   █     █ █ █   █     █       █   █ █   █ █  ██       █       █",
            "     █     █   █ █████   █   █  ████       █   █ █   █     █   █████    ████",
            "     █   █ █   █ █     █ █   █     █       █   █ █   █ █   █   █           █",
            "    ███    █████ █████   █████ █████       █████ █████    ███  █████ █ █████",
            "                                         ██████████████████████████████████████",
            "  moves · ходы 40   period · период 2      moves · ходы 0   period · период 1",
            "                                 running · идёт",
        ];
        assert_eq!(frame(&shown, 80).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_position_to_restore_with_white_on_the_right() {
        let shown = Shown {
            words: [
                "Illegal move: Black gets two minutes. Restore the position.".into(),
                "Невозможный ход: чёрным две минуты. Восстановите позицию.\x1b[2J".into(),
            ],
            position: "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".into(),
            desired_rev: 5,
            applied_rev: 4,
            online: false,
            trouble: vec![
                [
                    "check the board's cable: it does not answer (/dev/ttyACM0: unexpected end of file, and more)"
                        .into(),
                    "проверьте кабель доски: она не отвечает".into(),
                ],
                ["replace the battery: it is low".into(), "замените батарею: она разряжена".into()],
            ],
            ..sample(face(None, Some(305_000), Going::Paused, Place::Right))
        };
        let expected = [
            "                                                             OFFLINE · НЕТ СВЯЗИ",
            "",
            "             BLACK · ЧЁРНЫЕ                        ▷ WHITE · БЕЛЫЕ ◁",
            "       █████ █████   █████ █████",
            "       █   █ █     █ █   █ █                            █",
            "       █   █ █████   █   █ █████                  █████   █████ █████",
            "       █   █     █ █ █   █     █                        █",
            "       █████ █████   █████ █████",
            "",
            "   moves · ходы 0   period · период 1      moves · ходы 0   period · период 1",
            "                      PAUSED · ПАУЗА   arbiter… · арбитр…",
            "",
            " 8  r n b q k b n r   Illegal move: Black gets two minutes. Restore the",
            " 7  p p p p · p p p   position.",
            " 6  · · · · · · · ·   Невозможный ход: чёрным две минуты. Восстановите позицию.",
            " 5  · · · · p · · ·   [2J",
            " 4  · · · · P · · ·   Set up this position · Поставьте эту позицию:",
            " 3  · · · · · · · ·   rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
            " 2  P P P P · P P P   0 2",
            " 1  R N B Q K B N R",
            "    a b c d e f g h",
            "! check the board's cable: it does not answer (/dev/ttyACM0: unexpected end of …",
            "! проверьте кабель доски: она не отвечает +1",
        ];
        assert_eq!(frame(&shown, 80).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_fallen_flag_on_a_narrow_screen() {
        let mut face = face(Some(36_061_000), Some(0), Going::Over, Place::Left);
        face.hands[1].flagged = true;
        face.first_flag = Some(Colour::Black);
        let shown = Shown { result: Some("1-0"), ..sample(face) };
        let expected = [
            "                                           online · на связи",
            "",
            "        WHITE · БЕЛЫЕ               BLACK  ⚑ FLAG 1st",
            "",
            "",
            "           10:01:01                      00:00.0",
            "",
            "",
            "",
            "      moves 0  period 1             moves 0  period 1",
            "             GAME OVER · ПАРТИЯ ОКОНЧЕНА   1-0",
        ];
        assert_eq!(frame(&shown, 60).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn trouble_is_told_whole_where_there_is_room() {
        let trouble =
            vec![["one two three".to_owned(), "раз два".to_owned()], ["four".to_owned(), "четыре".to_owned()]];
        let shown = Shown { trouble, ..sample(face(Some(1), Some(1), Going::Idle, Place::Left)) };
        let text = frame(&shown, 10);
        let told: Vec<&str> = text.lines().skip(11).collect();
        assert_eq!(told, ["! one two", "three", "! раз два", "! four", "! четыре"]);
    }

    #[test]
    fn a_stopped_clock_says_so_over_the_times_that_it_last_stored() {
        let shown = sample(face(Some(3_723_000), Some(12_340), Going::Running, Place::Left));
        let why = ["Call the arbiter. The disk is full.".to_owned(), "Позовите арбитра.".to_owned()];
        let text = stopped(Some(&shown), &why, 80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].trim(), "CLOCK STOPPED · ЧАСЫ ОСТАНОВЛЕНЫ");
        assert_eq!(
            lines[2], "           ▷ WHITE · БЕЛЫЕ ◁                         BLACK · ЧЁРНЫЕ",
            "it was White's turn"
        );
        assert_eq!(lines[10..], ["", "Call the arbiter. The disk is full.", "Позовите арбитра."]);
        assert!(!text.contains('▶') && lines[3].contains("█████"), "{text}");
        assert_eq!(stopped(None, &why, 80).lines().count(), 4);
    }

    proptest! {
        #[test]
        fn a_frame_fits_its_screen(
            width in 0..200u16,
            words in ".{0,400}",
            fen in "[1-8pnbrqkPNBRQK/ -]{0,80}",
            causes in 0..5usize,
        ) {
            let face = face(Some(359_999_000), None, Going::Running, Place::Left);
            let both = [words.clone(), words];
            let trouble = vec![both.clone(); causes];
            let shown = Shown { words: both.clone(), position: fen, trouble, ..sample(face) };
            for text in [frame(&shown, width), stopped(Some(&shown), &both, width)] {
                prop_assert!(text.lines().count() <= ROWS);
                prop_assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)));
                prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
            }
        }
    }
}

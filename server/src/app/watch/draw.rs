//! The screen as text: nothing here decides anything.

use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Cell, Clear, Paragraph, Row, Table, TableState, Wrap},
};

use super::screen::{Asking, Screen, View};
use crate::{
    app::desk::{Call, What, clock, players, state},
    desk::web::tile::{Need, State},
};

/// A need's sign and colour; a sign each, so that colour is not all there is.
const fn sign(need: Need) -> (&'static str, Color) {
    match need {
        Need::Case => ("■", Color::Red),
        Need::Call => ("▲", Color::Yellow),
        Need::Unconfirmed => ("◆", Color::Magenta),
        Need::Fault => ("✖", Color::LightRed),
        Need::Look => ("●", Color::Blue),
        Need::Nothing => (" ", Color::Reset),
    }
}

/// Draws everything. `ago` is how many milliseconds ago the tiles were told.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen, ago: u64) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(3), Constraint::Length(1)]).areas(frame.area());
    frame.render_widget(title(screen), head);
    match screen.view {
        View::Hall => hall(frame, screen, ago, body),
        View::Calls => calls(frame, screen, body),
    }
    frame.render_widget(keys(screen), foot);
    match &screen.asking {
        Asking::Way(call) => ask(frame, call, None, ""),
        Asking::Sure(call, way, note) => ask(frame, call, Some(*way), note),
        Asking::Nothing | Asking::Filter => {}
    }
}

fn title(screen: &Screen) -> Line<'static> {
    let running = screen.tiles.iter().filter(|tile| tile.state == State::Running).count();
    let over = screen.tiles.iter().filter(|tile| tile.state == State::Over).count();
    let tab = |view, name: String| {
        let style = if screen.view == view { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Span::styled(name, style)
    };
    Line::from(vec![
        tab(View::Hall, format!(" 1 hall ({}) ", screen.tiles.len())),
        tab(View::Calls, format!(" 2 calls ({}) ", screen.calls.len())),
        Span::raw(format!("   {running} running, {over} over   ")),
        Span::styled(screen.said.clone(), Style::new().fg(Color::Yellow)),
    ])
}

fn keys(screen: &Screen) -> Line<'static> {
    let text = match (&screen.asking, screen.view) {
        (Asking::Filter, _) => format!("filter: {}▏  Enter keeps it, Esc clears it", screen.filter),
        (Asking::Way(call), _) if matches!(call.what, What::Player { .. } | What::Clock { .. }) => {
            "Enter: attended to   Esc: back".to_owned()
        }
        (Asking::Way(_), _) => "a, b, c …: choose   Enter: the proposal   Esc: back".to_owned(),
        (Asking::Sure(..), _) => "type why, if you like   Enter: decide   Esc: back".to_owned(),
        (Asking::Nothing, View::Hall) => "↑ ↓ move   Enter its call   / filter   2 calls   q quit".to_owned(),
        (Asking::Nothing, View::Calls) => "↑ ↓ move   Enter decide   1 hall   q quit".to_owned(),
    };
    Line::styled(text, Style::new().add_modifier(Modifier::DIM))
}

fn hall(frame: &mut Frame<'_>, screen: &Screen, ago: u64, area: Rect) {
    let rows = screen.shown().into_iter().map(|tile| {
        let (sign, colour) = sign(tile.need);
        let names = players(tile);
        let heard = match (tile.connected, tile.heard) {
            (false, _) => "no clock".to_owned(),
            (true, Some(heard)) => format!("{} s", heard.saturating_add(ago) / 1_000),
            (true, None) => "–".to_owned(),
        };
        let end = if tile.result.is_empty() { state(tile.state) } else { tile.result };
        Row::new(vec![
            Cell::from(Span::styled(sign, Style::new().fg(colour))),
            Cell::from(tile.board.clone()),
            Cell::from(if names.is_empty() { tile.game.clone() } else { names }),
            Cell::from(clock(tile, 0, ago)),
            Cell::from(clock(tile, 1, ago)),
            Cell::from(tile.plies.div_ceil(2).to_string()),
            Cell::from(end),
            Cell::from(if tile.sending { "sending" } else { "" }),
            Cell::from(heard),
        ])
    });
    let widths = [
        Constraint::Length(1),
        Constraint::Length(12),
        Constraint::Min(16),
        Constraint::Length(11),
        Constraint::Length(11),
        Constraint::Length(4),
        Constraint::Length(9),
        Constraint::Length(7),
        Constraint::Length(8),
    ];
    let head = Row::new(["", "board", "players", "White", "Black", "move", "state", "", "heard"]);
    table(frame, area, rows, &widths, head, screen.marked);
}

fn table<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    rows: impl Iterator<Item = Row<'a>>,
    widths: &[Constraint],
    head: Row<'a>,
    marked: usize,
) {
    let table = Table::new(rows, widths)
        .header(head.style(Style::new().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    frame.render_stateful_widget(table, area, &mut TableState::new().with_selected(marked));
}

fn calls(frame: &mut Frame<'_>, screen: &Screen, area: Rect) {
    let rows = screen.calls.iter().map(|call| {
        let (sign, colour) = sign(match call.what {
            What::Player { .. } => Need::Call,
            What::Clock { .. } => Need::Fault,
            What::Case { .. } | What::Adjournment => Need::Case,
        });
        Row::new(vec![
            Cell::from(Span::styled(sign, Style::new().fg(colour))),
            Cell::from(call.board.clone()),
            Cell::from(call.what.stands()),
            Cell::from(call.article.clone()),
            Cell::from(format!("{}: {}", call.title, call.seen)),
        ])
    });
    let widths = [
        Constraint::Length(1),
        Constraint::Length(12),
        Constraint::Length(20),
        Constraint::Length(18),
        Constraint::Min(20),
    ];
    table(frame, area, rows, &widths, Row::new(["", "board", "", "article", "what was seen"]), screen.marked);
}

/// The call in front, its ways, and whether one is meant.
fn ask(frame: &mut Frame<'_>, call: &Call, sure: Option<usize>, note: &str) {
    let area = frame.area();
    let height = u16::try_from(call.ways.len() * 2 + 8).unwrap_or(u16::MAX).min(area.height);
    let width = area.width.saturating_sub(4).min(100);
    let place = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut lines = vec![Line::styled(call.title.clone(), bold), Line::raw(call.seen.clone()), Line::raw("")];
    for (index, way) in call.ways.iter().enumerate() {
        let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
        let style = if sure == Some(index) { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        lines.push(Line::styled(format!("{letter}  {}", way.words), style));
        let clocks = way.clocks();
        if !clocks.is_empty() {
            lines.push(Line::styled(format!("     {clocks}"), Style::new().fg(Color::Cyan)));
        }
    }
    if call.ways.is_empty() && matches!(call.what, What::Case { .. }) {
        lines.push(Line::raw("Nothing can be decided yet: the clock has not said where it stopped."));
    }
    if sure.is_some() {
        lines.extend([Line::raw(""), Line::from(format!("Why: {note}▏"))]);
    }
    let block = Block::bordered().title(format!(" {}  {} ", call.board, call.article));
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block).wrap(Wrap { trim: false }), place);
}

#[cfg(test)]
mod tests {
    use flagfall_proto::{
        clock::v1::{Colour, Face, Going, Hand},
        desk::v1::{ClockSnapshot, GameSnapshot},
        journal::v1::Setup,
    };
    use ratatui::{Terminal, backend::TestBackend};

    use super::*;
    use crate::{
        app::{desk::Way, watch::screen::Key},
        desk::web::Tile,
    };

    fn tile() -> Tile {
        let hand = |left_ms| Some(Hand { left_ms: Some(left_ms), moves: 12, ..Hand::default() });
        let (turn, going) = (Colour::White.into(), Going::Running.into());
        let face = Face { white: hand(125_000), black: hand(3_725_000), turn, going, ..Face::default() };
        let setup = Setup { game: "r1.b07".into(), device: "clock-7".into(), ..Setup::default() };
        let mut tile = Tile::of(&GameSnapshot { setup: Some(setup), face: Some(face), ..GameSnapshot::default() });
        let (connected, game, board) = (true, "r1.b07".into(), "seven".into());
        let clock = ClockSnapshot {
            connected,
            game,
            board,
            face: Some(face),
            face_ago_ms: 1_000,
            heard_ago_ms: Some(2_000),
            ..ClockSnapshot::default()
        };
        tile.clock(Some(&clock));
        tile
    }

    fn drawn(screen: &Screen, ago: u64) -> String {
        let mut terminal = Terminal::new(TestBackend::new(100, 20)).expect("a screen in memory");
        terminal.draw(|frame| draw(frame, screen, ago)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn a_clock_that_runs_is_counted_on_and_the_other_stands() {
        let mut screen = Screen::default();
        screen.take(vec![tile()], Vec::new());
        // 2:05 when the clock showed it, a second before the service told it, four before now.
        let text = drawn(&screen, 4_000);
        assert!(text.contains("▶ 2:00") && text.contains("1:02:05") && text.contains("seven"), "{text}");
        assert!(text.contains("r1.b07"), "no pairing names the players: {text}");
    }

    #[test]
    fn players_are_named_where_a_pairing_names_them() {
        let mut screen = Screen::default();
        let mut tile = tile();
        (tile.white, tile.black) = ("Anker, Anna".into(), "Ebbe, Emil".into());
        screen.take(vec![tile], Vec::new());
        let text = drawn(&screen, 0);
        assert!(text.contains("Anker, Anna – Ebbe, Emil") && !text.contains("r1.b07"), "{text}");
    }

    #[test]
    fn a_call_is_shown_with_its_ways_before_it_is_decided() {
        let hand = |left_ms| Hand { left_ms: Some(left_ms), moves: 12, ..Hand::default() };
        let hands = Some([hand(5_000), hand(127_000)]);
        let (key, words, article) = ("penalty".into(), "two minutes for Black".into(), "7.5.5".into());
        let way = Way { key, words, article, hands };
        let call = Call {
            game: "r1.b07".into(),
            board: "seven".into(),
            since: 0,
            kind: "illegal_move".into(),
            what: What::Case { case: 1, running: false },
            title: "illegal move".into(),
            article: "7.5.5 fide-2018".into(),
            seen: "Ke1-e3".into(),
            ways: vec![way],
        };
        let mut screen = Screen::default();
        screen.take(Vec::new(), vec![call]);
        screen.press(Key::Tab);
        assert!(drawn(&screen, 0).contains("case 1, stopped"));
        screen.press(Key::Enter);
        let text = drawn(&screen, 0);
        assert!(text.contains("a  two minutes for Black") && text.contains("7.5.5 fide-2018"), "{text}");
        assert!(text.contains("0:05 (12) – 2:07 (12)"), "{text}");
    }
}

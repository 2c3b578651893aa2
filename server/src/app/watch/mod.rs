//! `flagfall watch`: the hall and the calls for those who live in a terminal. A client of `flagfall.desk.v1` like any other.
//!
//! ```text
//!   keyboard ──▶ Screen ──▶ Act ──▶ the desk's service
//!                  ▲
//!   Feed ──────────┘ draw, five times a second
//! ```

mod draw;
mod feed;
pub mod screen;

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use flagfall_proto::desk::v1::WatchGamesRequest;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use tokio::{sync::mpsc, time::interval};

use self::{
    feed::{Feed, Shown},
    screen::{Act, Key, Screen},
};
use super::desk::{self, At, DecideArgs, DeskError, HeedArgs, Service, Who, lang};
use crate::desk::web::Lang;

/// How often the clocks on the screen go on.
const DRAW: Duration = Duration::from_millis(200);

/// How long after a closed connection the next is tried.
const AGAIN: Duration = Duration::from_secs(2);

/// Arguments of `flagfall watch`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Games to follow with --lines or --json; none: all.
    pub games: Vec<String>,
    /// What happens in the games as it happens, a line each, until Ctrl-C; with --json one object a line.
    #[arg(long)]
    pub lines: bool,
    /// The language of findings and ways: en or ru.
    #[arg(long, default_value = "en", value_parser = lang)]
    pub lang: Lang,
    /// Who acts.
    #[command(flatten)]
    pub who: Who,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
}

/// What the follower tells the screen.
enum Told {
    Shown(Shown),
    /// The service is away, or says no.
    Away(String),
}

/// Shows the screen until `q`, or prints what happens until Ctrl-C.
///
/// # Errors
/// The service cannot be reached at the start, or there is no terminal.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    if args.lines || args.at.json {
        return lines(args, out).await;
    }
    if !args.games.is_empty() {
        return Err(DeskError::Usage("the screen shows every game: follow some with --lines or --json".to_owned()));
    }
    if !std::io::stdout().is_terminal() {
        let instead = "this is a screen and needs a terminal; with --lines or --json it prints what happens";
        return Err(DeskError::Usage(instead.to_owned()));
    }
    // A wrong address or token is said before the screen is taken.
    let mut service = args.at.connect().await?;
    let (told, mut heard) = mpsc::channel(4);
    tokio::spawn(follow(Feed::new(service.clone(), args.lang), told));
    let (pressed, mut keys) = mpsc::channel(64);
    std::thread::spawn(move || listen(&pressed));
    let mut terminal = ratatui::try_init()?;
    let done = async {
        let (mut screen, mut since) = (Screen::default(), Instant::now());
        let mut beat = interval(DRAW);
        loop {
            tokio::select! {
                _ = beat.tick() => {}
                key = keys.recv() => match key.and_then(|key| screen.press(key)) {
                    Some(Act::Quit) => return Ok(()),
                    Some(act) => screen.said = carry_out(&mut service, args, &act).await,
                    None => {}
                },
                Some(told) = heard.recv() => match told {
                    Told::Shown(Shown { tiles, calls }) => {
                        since = Instant::now();
                        screen.take(tiles, calls);
                    }
                    Told::Away(why) => screen.said = why,
                },
            }
            let ago = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            terminal.draw(|frame| draw::draw(frame, &screen, ago))?;
        }
    };
    let done: Result<(), DeskError> = done.await;
    ratatui::try_restore()?;
    done
}

/// Follows the games, and begins anew when the service was away.
async fn follow(mut feed: Feed, told: mpsc::Sender<Told>) {
    while !told.is_closed() {
        let followed = feed.follow(|shown| told.try_send(Told::Shown(shown)).is_ok() || !told.is_closed()).await;
        let Err(why) = followed else { return };
        if told.send(Told::Away(format!("the service: {why}"))).await.is_err() {
            return;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn carry_out(service: &mut Service, args: &Args, act: &Act) -> String {
    let done = match act {
        Act::Decide { game, case, choice, note } => {
            let who = Who { note: note.clone(), ..args.who.clone() };
            let (game, case, choice) = (game.clone(), *case, choice.clone());
            desk::decide(service, &who, &DecideArgs { game, case, choice }).await
        }
        Act::Choose { game, key, note } => {
            let who = Who { note: note.clone(), ..args.who.clone() };
            desk::choose(service, &who, game, key).await
        }
        Act::Heed { game, through } => {
            desk::heed(service, &args.who, &HeedArgs { game: game.clone(), through: Some(*through) }).await
        }
        Act::Quit => return String::new(),
    };
    match done {
        Ok(answer) => desk::answer(&answer, false),
        Err(error) => error.to_string(),
    }
}

/// Prints what happens in the games that are asked for.
async fn lines(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    let mut service = args.at.connect().await?;
    let request = WatchGamesRequest { games: args.games.clone() };
    let mut updates = service.desk.watch_games(request).await?.into_inner();
    while let Some(update) = updates.message().await? {
        for line in desk::update(&update, args.at.json) {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
    }
    Ok(())
}

/// Reads the keyboard until nobody listens. A thread of its own: reading a terminal waits.
fn listen(pressed: &mpsc::Sender<Key>) {
    while !pressed.is_closed() {
        let Ok(true) = event::poll(DRAW) else { continue };
        let Ok(Event::Key(key)) = event::read() else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let key = match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
            KeyCode::Char(letter) => Key::Char(letter),
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Back,
            KeyCode::Backspace => Key::Erase,
            KeyCode::Tab => Key::Tab,
            _ => continue,
        };
        if pressed.blocking_send(key).is_err() {
            return;
        }
    }
}

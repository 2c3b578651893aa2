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
    io::IsTerminal,
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use tokio::{sync::mpsc, time::interval};

use self::{
    feed::{Feed, Shown},
    screen::{Act, Key, Screen},
};
use super::desk::{self, Command, DecideArgs, DeskError};
use crate::desk::web::Lang;

/// How often the clocks on the screen go on.
const DRAW: Duration = Duration::from_millis(200);

/// How long after a closed connection the next is tried.
const AGAIN: Duration = Duration::from_secs(2);

/// Arguments of `flagfall watch`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Where the service listens for desks.
    #[arg(long, default_value = "http://127.0.0.1:7702", env = "FLAGDESK_URI", value_name = "URI")]
    pub desk: String,
    /// Who acts, as the journal shall name him.
    #[arg(long, default_value = "arbiter", env = "FLAGDESK_ACTOR", value_name = "NAME")]
    pub actor: String,
    /// The token of a user, where the service has users.
    #[arg(long, env = "FLAGDESK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// The language of findings and ways: en or ru.
    #[arg(long, default_value = "en", value_parser = lang)]
    pub lang: Lang,
}

fn lang(code: &str) -> Result<Lang, String> {
    Lang::named(code).ok_or_else(|| "expected en or ru".to_owned())
}

/// What the follower tells the screen.
enum Told {
    Shown(Shown),
    /// The service is away, or says no.
    Away(String),
}

/// Shows the screen until `q`.
///
/// # Errors
/// The service cannot be reached at the start, or there is no terminal.
pub async fn run(args: &Args) -> Result<(), DeskError> {
    if !std::io::stdout().is_terminal() {
        let instead = "this is a screen and needs a terminal; `flagfall desk list` prints the same for a program";
        return Err(DeskError::Missing(instead.to_owned()));
    }
    // A wrong address or token is said before the screen is taken.
    let mut client = desk::connect(&args.desk, args.token.as_deref()).await?;
    let (told, mut heard) = mpsc::channel(4);
    tokio::spawn(follow(Feed::new(client.clone(), args.lang), told));
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
                    Some(act) => screen.said = carry_out(&mut client, args, &act).await,
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
        let Err(status) = followed else { return };
        if told.send(Told::Away(format!("the service: {}", status.message()))).await.is_err() {
            return;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn carry_out(client: &mut desk::Client, args: &Args, act: &Act) -> String {
    let command = match act {
        Act::Decide { game, case, choice, note } => {
            let (game, case, choice, note) = (game.clone(), *case, choice.clone(), note.clone());
            Command::Decide(DecideArgs { game, case, choice, note })
        }
        Act::Heed { game, through } => Command::Heed { game: game.clone(), through: Some(*through) },
        Act::Quit => return String::new(),
    };
    match desk::act(client, (&args.actor, ""), &command).await {
        Ok(answer) => answer,
        Err(error) => error.to_string(),
    }
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

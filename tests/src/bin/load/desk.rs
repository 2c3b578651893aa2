//! The organiser: opens games, and looks at the end whether the service followed them.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context as _, ensure};
use flagfall_proto::{
    clock::v1::{Control, Place},
    desk::v1::{Act, ListGamesRequest, OpenGameRequest, WatchGamesRequest, desk_service_client::DeskServiceClient},
    journal::v1::Play,
};
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};

use crate::player::Player;

/// How often an opening is tried: the clock hears of a game's end a moment before the next one may be opened.
const TRIES: u32 = 20;

/// One connection to the desk's side, shared by all clocks.
#[derive(Clone)]
pub(crate) struct Desk(DeskServiceClient<Channel>);

impl Desk {
    /// Connects.
    pub(crate) async fn connect(port: u16) -> anyhow::Result<Desk> {
        let channel = Endpoint::from_shared(format!("http://{}:{port}", Ipv4Addr::LOCALHOST))?.connect().await?;
        Ok(Desk(DeskServiceClient::new(channel)))
    }

    /// The service has read its journal and serves.
    pub(crate) async fn answers(&mut self) -> bool {
        self.0.list_games(ListGamesRequest::default()).await.is_ok()
    }

    /// Opens a game on a clock.
    pub(crate) async fn open(&mut self, game: &str, number: u32, control: &Control) -> anyhow::Result<()> {
        for tried in 1.. {
            let open = OpenGameRequest {
                act: Some(Act { request: format!("open-{game}-{tried}"), actor: "load".to_owned(), ..Act::default() }),
                game: game.to_owned(),
                device: Player::device(number),
                edition: "fide-2018".to_owned(),
                play: Play::Standard.into(),
                control: Some(control.clone()),
                side_binding: Place::Left.into(),
                position: String::new(),
                overlay: None,
            };
            match self.0.open_game(open).await {
                Ok(_) => return Ok(()),
                Err(status) if status.code() == Code::AlreadyExists && tried < TRIES => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                Err(status) => return Err(status).with_context(|| format!("opening {game}")),
            }
        }
        Ok(())
    }

    /// The service's score of a game has as many plies as were played, its cases are the presses without a move, and it was
    /// alarmed of nothing: otherwise what was measured is not what it says.
    pub(crate) async fn check(&mut self, game: &str, plies: usize, slips: u32) -> anyhow::Result<()> {
        let watch = WatchGamesRequest { games: vec![game.to_owned()] };
        let mut updates = self.0.watch_games(watch).await?.into_inner();
        let snapshot =
            updates.message().await?.and_then(|update| update.snapshot).context("a watch begins with a snapshot")?;
        let (found, cases) = (snapshot.plies.len(), snapshot.cases.len());
        ensure!(
            found == plies && cases == slips as usize && snapshot.alarms.is_empty(),
            "{game}: {found} plies of {plies}, {cases} cases of {slips}, alarms {:?}",
            snapshot.alarms
        );
        Ok(())
    }
}

//! Makes the journal: games under way, each played by the rules themselves.

use std::{io::Read as _, path::Path, sync::Arc};

use anyhow::Context as _;
use flagfall_rules::{
    board::Scan,
    clock::Place,
    game::{DeskInput, Overlay, Setup},
    laws::Play,
};
use flagfall_server::{
    arena::{Arena, Device, Heard, Limits, Message, Origin, ToSession},
    journal::{
        SledJournal,
        codec::{self, Kept, Session},
        sled,
    },
    trail::{Trail, Trails},
};
use tokio::{sync::mpsc, task::JoinSet};

use crate::{
    boards,
    sitting::{CONTROL, Sitting},
};

/// Games that are played at once: enough to share syncs.
const AT_ONCE: usize = 200;

/// Makes the journal in a directory, says `made`, and waits to be killed.
pub(crate) fn run(dir: &Path, games: u32, plies: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let journal = Arc::new(SledJournal::open(&sled::Options::new(dir))?);
    let _arena = runtime.block_on(play(journal, games, plies))?;
    println!("made");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

async fn play(journal: Arc<SledJournal>, games: u32, plies: usize) -> anyhow::Result<Arena> {
    let device = |number| Device { device: Sitting::device(number), board: Sitting::device(number) };
    let arena = Arena::start(journal, (0..games).map(device).collect(), Limits::default(), Trails::default()).await?;
    let boards = Arc::new(boards::games(plies));
    let mut playing = JoinSet::new();
    let mut done = 0u32;
    for number in 0..games {
        if playing.len() >= AT_ONCE {
            finished(playing.join_next().await, &mut done, games)?;
        }
        playing.spawn(one(arena.clone(), number, Arc::clone(&boards), plies));
    }
    while !playing.is_empty() {
        finished(playing.join_next().await, &mut done, games)?;
    }
    Ok(arena)
}

type Joined = Option<Result<anyhow::Result<()>, tokio::task::JoinError>>;

fn finished(joined: Joined, done: &mut u32, of: u32) -> anyhow::Result<()> {
    joined.context("nothing is played")???;
    *done += 1;
    if done.is_multiple_of(100) || *done == of {
        eprintln!("made {done} of {of} games");
    }
    Ok(())
}

/// One game, from the session of its clock to its last ply.
async fn one(arena: Arena, number: u32, boards: Arc<Vec<Vec<Scan>>>, plies: usize) -> anyhow::Result<()> {
    let (device, game) = (Sitting::device(number), Sitting::game(number));
    let boards = &boards[number as usize % boards.len()][..=plies];
    let mut sitting = Sitting::new(number, CONTROL.parse()?);
    let slot = arena.roster().listed(&device).context("listed")?;
    let origin = Origin { epoch: 1, spool: sitting.spool };
    {
        let mut lane = slot.lane().await;
        let session_epoch = lane.next_epoch();
        let (spool_id, boot) = (sitting.spool, sitting.boot);
        let session = Session { device: device.clone(), session_epoch, spool_id, boot };
        lane.append(arena.journal(), &[Kept::Session(session)], origin).await?;
    }
    let setup = Setup {
        game: game.clone(),
        device,
        edition: "fide-2018".into(),
        play: Play::Standard,
        control: Some(CONTROL.parse()?),
        white_place: Place::Left,
        position: None,
        overlay: Overlay::default(),
    };
    let act = |act| DeskInput { request: game.clone(), actor: "bench".into(), wall_ms: 1_000, act };
    arena.open(&game, setup, act).await?;
    let (session, mut inbox) = mpsc::channel(1_024);
    let handle = arena.game(&game).context("the game is open")?;
    for bytes in sitting.events(&game, boards) {
        let input = codec::device_input(codec::message(&bytes)?)?;
        let heard = Heard {
            trail: Box::new(Trail::unseen(&input)),
            input,
            bytes,
            slot: Arc::clone(&slot),
            origin,
            session: session.clone(),
        };
        let seq = heard.input.seq;
        handle.room().await.context("the game is awake")?.send(Message::Heard(Box::new(heard)));
        while let Ok(told) = inbox.try_recv() {
            known(&told)?;
        }
        if seq == sitting.seq {
            handle.room().await.context("the game is awake")?.send(Message::Flush);
        }
    }
    loop {
        if known(&inbox.recv().await.context("the game answers")?)? >= sitting.seq {
            return Ok(());
        }
    }
}

/// How far the events are on disk.
fn known(told: &ToSession) -> anyhow::Result<u64> {
    match told {
        ToSession::Durable { seq, .. } => Ok(*seq),
        ToSession::Directive(_) => Ok(0),
        ToSession::Lost(refused) => Err(anyhow::anyhow!("{refused}")),
    }
}

//! Makes the journal: games under way, each played by the rules themselves.

use std::{io::Read as _, ops::Range, path::Path, sync::Arc, time::Duration};

use anyhow::Context as _;
use flagfall_rules::{
    board::Scan,
    clock::Place,
    game::{Act, DeskAct, DeskInput, Outcome, Overlay, Setup},
    laws::Play,
};
use flagfall_server::{
    arena::{Arena, Device, Heard, Limits, Message, Origin, ToSession},
    journal::{
        Journal as _, SledJournal,
        codec::{self, Kept, Session},
        sled,
    },
    trail::{Trail, Trails},
};
use tokio::{sync::mpsc, task::JoinSet};

use crate::{
    Args, boards,
    sitting::{CONTROL, Sitting},
};

/// For what is on its way to the disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// Games that are played at once: enough to share syncs.
const AT_ONCE: usize = 200;

/// Makes the journal in a directory, says `made`, and waits to be killed.
pub(crate) fn run(dir: &Path, args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let journal = Arc::new(SledJournal::open(&sled::Options::new(dir))?);
    let _arena = runtime.block_on(async {
        // Round after round on the same clocks, each laid on the shelf before the next, as at an open.
        let (first, end) = (args.games, args.games + args.over);
        for round in (first..end).step_by(args.games as usize) {
            over(&journal, round..end.min(round + args.games), args).await?;
        }
        play(&journal, 0..args.games, args, Limits::default()).await
    })?;
    println!("made");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Games that are played, ended at the desk, and laid on the shelf.
async fn over(journal: &Arc<SledJournal>, numbers: Range<u32>, args: &Args) -> anyhow::Result<()> {
    let laid_before = journal.shelved()?.len();
    let at_once = Limits { idle_s: 1, shelve_s: 0, directive_ms: 1, ..Limits::default() };
    let arena = play(journal, numbers.clone(), args, at_once).await?;
    for number in numbers.clone() {
        let act = DeskAct::Direct(Act::Conclude(Outcome::Draw), Default::default(), Default::default());
        let request = format!("end {number}");
        let input = DeskInput { request, actor: "bench".into(), wall_ms: 2_000, reason: String::new(), act };
        arena.act(&Sitting::game(number), input).await?;
    }
    // They rest a second after the last word; the arena lays them down by itself too.
    let mut laid = 0;
    while laid < numbers.len() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        arena.shelve().await.context("a shelf")?;
        let before = std::mem::replace(&mut laid, journal.shelved()?.len().saturating_sub(laid_before));
        if laid != before {
            eprintln!("laid down {laid} of {} games", numbers.len());
        }
    }
    arena.stop(PATIENCE).await;
    Ok(())
}

async fn play(journal: &Arc<SledJournal>, numbers: Range<u32>, args: &Args, limits: Limits) -> anyhow::Result<Arena> {
    let (clocks, plies) = (args.games, args.plies);
    let device = |number| Device { device: Sitting::device(number), board: Sitting::device(number) };
    let devices = (0..clocks).map(device).collect();
    let arena = Arena::start(Arc::clone(journal) as _, devices, limits, Trails::default()).await?;
    let boards = Arc::new(boards::games(plies));
    let (mut playing, mut done, of) = (JoinSet::new(), 0u32, numbers.end - numbers.start);
    for number in numbers {
        if playing.len() >= AT_ONCE {
            finished(playing.join_next().await, &mut done, of)?;
        }
        playing.spawn(one(arena.clone(), number, Sitting::device(number % clocks), Arc::clone(&boards), plies));
    }
    while !playing.is_empty() {
        finished(playing.join_next().await, &mut done, of)?;
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
async fn one(
    arena: Arena,
    number: u32,
    device: String,
    boards: Arc<Vec<Vec<Scan>>>,
    plies: usize,
) -> anyhow::Result<()> {
    let game = Sitting::game(number);
    let boards = &boards[number as usize % boards.len()][..=plies];
    let mut sitting = Sitting::new(number, CONTROL.parse()?);
    let slot = arena.roster().listed(&device).context("listed")?;
    let origin = {
        let mut lane = slot.lane().await;
        let session_epoch = lane.next_epoch();
        let (spool_id, boot) = (sitting.spool, sitting.boot);
        let session = Session { device: device.clone(), session_epoch, spool_id, boot };
        let origin = Origin { epoch: session_epoch, spool: sitting.spool };
        lane.append(arena.journal(), &[Kept::Session(session)], origin).await?;
        origin
    };
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
    let act =
        |act| DeskInput { request: game.clone(), actor: "bench".into(), wall_ms: 1_000, reason: String::new(), act };
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
        handle.room().await.context("the game is awake")?.send(Message::Heard(vec![heard]));
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

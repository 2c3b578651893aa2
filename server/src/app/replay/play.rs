//! One game: opened at the desk, played on a real agent, reported from the service's snapshot.

use flagfall_clock::sense::{FaultKind, Sense, Sensed, Shown};
use flagfall_proto::{
    clock::v1 as pb,
    convert,
    desk::v1::GameSnapshot,
    journal::v1::{Ending, Play},
};
use flagfall_rules::clock::{Control, Going, Place};

use super::{
    desk::{Desk, Followed, Follower, Opening},
    dgtlog::DgtLog,
    inject::Injection,
    lexer::Fault,
    pgn::PgnGame,
    player::{Deed, Player, View},
    report::{self, Report, Told},
    rig::{Rig, Speed, Stuck},
    source::Source,
};

/// After the end of a source the board gets this long to settle, milliseconds of device time.
const AFTER: u64 = 2_000;

/// Everything the games of a replay have in common.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Where desks connect.
    pub desk: String,
    /// Where clocks connect.
    pub clocks: String,
    /// The edition of the Laws.
    pub edition: String,
    /// Standard, rapid or blitz; `None` where each game says so itself.
    pub play: Option<Play>,
    /// How fast device time runs.
    pub speed: Speed,
}

/// A game to replay.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name in the report.
    pub name: String,
    /// The device it is played on.
    pub device: String,
    /// What is played.
    pub source: Source,
    /// What is committed in it.
    pub injections: Vec<Injection>,
}

/// Replays a game. Whatever happens there is a report: what went wrong is a fault in it.
pub async fn play(stage: &Stage, job: Job) -> Report {
    let Job { name, device, source, injections } = job;
    let mut told = Told { game: name, ..Told::default() };
    let snapshot = match source {
        Source::Pgn(game) => {
            told.tags.clone_from(&game.tags);
            told.faults.clone_from(&game.faults);
            told.notes.clone_from(&game.notes);
            pgn(stage, &device, &game, &injections, &mut told).await
        }
        Source::Dgt(log) => {
            told.faults.clone_from(&log.faults);
            told.notes.clone_from(&log.notes);
            if !injections.is_empty() {
                told.notes.push("a recording is played as it is: nothing is injected".into());
            }
            dgt(stage, &device, &log, &mut told).await
        }
    };
    told.faults.sort_by_key(|fault| fault.ply);
    Report::new(told, snapshot.as_ref())
}

async fn pgn(
    stage: &Stage,
    device: &str,
    game: &PgnGame,
    injections: &[Injection],
    told: &mut Told,
) -> Option<GameSnapshot> {
    let play = stage.play.unwrap_or(Play::Standard);
    let table = Table::open(stage, device, told, play, Place::Left, game.control.as_ref(), game.fen.as_deref());
    let mut table = match table.await {
        Ok(table) => table,
        Err(error) => return failed(told, 0, &error),
    };
    let mut player = Player::new(game, injections);
    let played = match Rig::hands(device, &stage.clocks, Place::Left, stage.speed) {
        Ok(mut rig) => {
            let played = play_pgn(&mut rig, &mut table, &mut player, game.result).await;
            rig.end().await;
            played
        }
        Err(error) => Err(error),
    };
    told.faults.extend_from_slice(player.faults());
    if let Err(error) = played {
        failed(told, player.played() + 1, &error);
    }
    let snapshot = table.snapshot(told).await;
    if let Some(snapshot) = &snapshot {
        told.faults.extend(cut_short(snapshot, &player, game, injections.is_empty()));
        let found = snapshot.ended.as_ref().map_or("*", |ended| report::result(ended.outcome()));
        if injections.is_empty() && game.result != "*" && found != game.result {
            told.notes.push(format!("the file's result is {}; the game on the board ended {found}", game.result));
        }
    }
    snapshot
}

async fn play_pgn(rig: &mut Rig, table: &mut Table, player: &mut Player, result: &str) -> Result<(), Stuck> {
    rig.settle(&mut table.follower, |face| player.answer(face)).await?;
    rig.feed(player.opening()).await?;
    let mut lingered = false;
    let ended = loop {
        let (shown, followed) = rig.settle(&mut table.follower, |face| player.answer(face)).await?;
        match player.next(&view(&shown, &followed)) {
            Deed::Act(senses) => {
                lingered = false;
                rig.feed(senses).await?;
            }
            Deed::Done if !lingered => {
                lingered = true;
                rig.feed(player.linger()).await?;
            }
            Deed::Done => break followed.ended,
        }
    };
    if let Some(outcome) = report::outcome(result).filter(|_| !ended) {
        table.desk.conclude(&table.game, outcome).await?;
        table.ended().await?;
        rig.settle(&mut table.follower, |face| player.answer(face)).await?;
    }
    rig.feed(player.leave()).await?;
    rig.settle(&mut table.follower, |face| player.answer(face)).await?;
    Ok(())
}

/// What a player is told: by the display, and by the arbiter himself where the clock would not take his correction.
fn view<'a>(shown: &'a Shown, followed: &'a Followed) -> View<'a> {
    let face = &shown.face;
    let left = face.hands.map(|hand| hand.left);
    let view = View { going: face.going, turn: face.turn, left, position: &shown.position };
    match &followed.by_hand {
        Some(remedy) if face.going == Going::Paused => {
            let set = [&remedy.white, &remedy.black].map(|hand| hand.as_ref().and_then(|hand| hand.left_ms));
            let turn = convert::colour(remedy.turn).unwrap_or(view.turn);
            View {
                turn,
                left: std::array::from_fn(|side| set[side].or(left[side])),
                position: &remedy.position,
                ..view
            }
        }
        _ => view,
    }
}

/// The service ended the game before the file did, and nobody asked for that.
fn cut_short(snapshot: &GameSnapshot, player: &Player, game: &PgnGame, clean: bool) -> Option<Fault> {
    let ended = snapshot.ended.as_ref()?;
    let asked = ended.ending() == Ending::Desk || (report::lost_by_ruling(snapshot) && !clean);
    if asked || player.played() >= game.moves.len() {
        return None;
    }
    let how = ended.ending().as_str_name().trim_start_matches("ENDING_").to_ascii_lowercase();
    let what = format!(
        "the service ended the game before this ply ({how}, {}); the file goes on",
        report::result(ended.outcome())
    );
    Some(Fault { ply: player.played() + 1, what })
}

async fn dgt(stage: &Stage, device: &str, log: &DgtLog, told: &mut Told) -> Option<GameSnapshot> {
    let play = stage.play.unwrap_or_else(|| log.play());
    let mut table = match Table::open(stage, device, told, play, log.white, None, log.position.as_deref()).await {
        Ok(table) => table,
        Err(error) => return failed(told, 0, &error),
    };
    let played = match Rig::board(device, &stage.clocks, log.white, stage.speed) {
        Ok(mut rig) => {
            let played = play_dgt(&mut rig, &mut table, log).await;
            rig.end().await;
            played
        }
        Err(error) => Err(error),
    };
    match played {
        Ok(played) if played < log.lines.len() => {
            let what =
                "the game was cancelled; the recording goes on with it all the same, and that is not played".to_owned();
            told.faults.push(Fault { ply: 1, what });
        }
        Ok(_) => {}
        Err(error) => drop(failed(told, 0, &error)),
    }
    table.snapshot(told).await
}

/// Plays a recording, as long as it is one of this game. Returns how many of its lines were played.
async fn play_dgt(rig: &mut Rig, table: &mut Table, log: &DgtLog) -> Result<usize, Stuck> {
    rig.settle(&mut table.follower, |_| Vec::new()).await?;
    for (played, line) in (1..).zip(&log.lines) {
        rig.say(&line.bytes, line.at).await?;
        if rig.settle(&mut table.follower, |_| Vec::new()).await?.1.cancelled {
            return Ok(played);
        }
    }
    let at = log.lines.last().map_or(0, |line| line.at) + AFTER;
    let ended = Sense::Fault(FaultKind::SourceEnded, String::new());
    for sense in [Sense::Tick, ended] {
        rig.feed(vec![Sensed { at, sense }]).await?;
        rig.settle(&mut table.follower, |_| Vec::new()).await?;
    }
    Ok(log.lines.len())
}

/// A game at the desk.
struct Table {
    desk: Desk,
    game: String,
    follower: Follower,
}

impl Table {
    async fn open(
        stage: &Stage,
        device: &str,
        told: &Told,
        play: Play,
        white: Place,
        control: Option<&Control>,
        fen: Option<&str>,
    ) -> Result<Table, Stuck> {
        let white = match white {
            Place::Left => pb::Place::Left,
            Place::Right => pb::Place::Right,
        };
        let opening = Opening {
            game: journal_name(&told.game),
            device: device.to_owned(),
            edition: stage.edition.clone(),
            play,
            control: control.map(pb::Control::from),
            white,
            position: fen.unwrap_or("").to_owned(),
        };
        let desk = Desk::connect(&stage.desk).await?;
        let game = desk.open(opening).await?;
        let follower = desk.follow(&game).await?;
        Ok(Table { desk, game, follower })
    }

    async fn ended(&mut self) -> Result<(), Stuck> {
        let ended = self.follower.followed.wait_for(|followed: &Followed| followed.ended || followed.trouble.is_some());
        ended.await.map(drop).map_err(|_| Stuck::Waiting("the desk follows no more".into()))
    }

    async fn snapshot(&self, told: &mut Told) -> Option<GameSnapshot> {
        match self.desk.snapshot(&self.game).await {
            Ok(snapshot) => Some(snapshot),
            Err(error) => failed(told, 0, &error.into()),
        }
    }
}

fn failed(told: &mut Told, ply: usize, error: &Stuck) -> Option<GameSnapshot> {
    told.faults.push(Fault { ply, what: error.to_string() });
    None
}

/// A name the contract allows: `#` and everything else it does not becomes a dot.
fn journal_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    // The number at the end tells games apart, so a long stem loses its beginning.
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '.' }).collect();
    name[name.len().saturating_sub(100)..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_report_is_a_name_in_the_journal() {
        assert_eq!(journal_name("livechess rapid#12"), "livechess.rapid.12");
        let long = journal_name(&format!("{}é#7", "x".repeat(300)));
        assert!(long.len() == 100 && long.ends_with("x..7"));
    }
}

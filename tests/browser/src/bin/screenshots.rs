//! Pictures of every page of the desk: `cargo run -p flagfall-browser --bin screenshots -- server/docs/desk/`.
//!
//! A small hall plays the games of the demo; what goes wrong in it is made to.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::Parser;
use flagfall_browser::{
    browser::{Driver, Look, Window},
    hall::Hall,
    plain::Visitor,
    table::Table,
};
use flagfall_rules::clock::{Colour, Going};
use flagfall_server::{
    app::replay::{lexer, pgn},
    seal::Identity,
};
use shakmaty::CastlingMode;
use tokio::time::sleep;

/// The games of the demo.
const GAMES: &str = include_str!("../../../../server/src/app/demo/games.pgn");

/// Boards in the hall.
const BOARDS: u32 = 20;

/// The largest picture, bytes.
const LARGEST: usize = 150_000;

/// Pictures of every page of the desk, as PNG.
#[derive(Debug, Parser)]
#[command(after_help = "Example: cargo run -p flagfall-browser --bin screenshots -- server/docs/desk/")]
struct Args {
    /// The folder they go to.
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    std::fs::create_dir_all(&args.folder)?;
    let Some(driver) = Driver::start().await else { return Ok(ExitCode::from(1)) };
    let recipient = Identity::generate().recipient();
    let hall = Hall::with(BOARDS as usize, |settings| settings.recipient = Some(recipient)).await?;
    let _tables = play(&hall).await?;
    let laptop = driver.window(Look::LAPTOP).await?;
    laptop.open(&hall.page("/")).await?;
    laptop.until("document.querySelectorAll('.tile.need-case').length >= 2").await?;
    laptop.until("document.querySelector('.tile.need-unconfirmed') !== null").await?;
    let folder = &args.folder;
    take(&laptop, folder, "hall").await?;
    laptop.open(&hall.page("/calls")).await?;
    laptop.until("document.querySelectorAll('form.decide').length >= 2").await?;
    take(&laptop, folder, "calls").await?;
    laptop.open(&hall.page("/game/open.r1.b07")).await?;
    laptop.until("document.querySelectorAll('.score tr').length > 5").await?;
    take(&laptop, folder, "game").await?;
    laptop.open(&hall.page("/game/open.r1.b07/act?do=add&side=black&amount=2:00")).await?;
    take(&laptop, folder, "by-hand").await?;
    laptop.open(&hall.page("/sheet")).await?;
    take(&laptop, folder, "sheet").await?;
    laptop.open(&hall.page("/round")).await?;
    laptop.says("Harbour Open").await?;
    take(&laptop, folder, "round").await?;
    adjourn(&hall, "open.r1.b06").await?;
    laptop.open(&hall.page("/game/open.r1.b06")).await?;
    laptop.until("document.querySelector('form[data-of=seal]') !== null").await?;
    laptop.eval("(document.getElementById('adjourned').scrollIntoView(), true)").await?;
    take(&laptop, folder, "adjourned").await?;
    laptop.close().await?;

    let dark = driver.window(Look { dark: true, ..Look::LAPTOP }).await?;
    dark.open(&hall.page("/")).await?;
    dark.until("document.querySelectorAll('.tile').length >= 20").await?;
    take(&dark, folder, "dark").await?;
    dark.open(&hall.page("/calls")).await?;
    dark.until("document.querySelectorAll('form.decide').length >= 2").await?;
    take(&dark, folder, "dark-calls").await?;
    dark.close().await?;
    let russian = driver.window(Look { lang: "ru", ..Look::LAPTOP }).await?;
    russian.open(&hall.page("/calls")).await?;
    russian.until("document.querySelectorAll('form.decide').length >= 2").await?;
    take(&russian, folder, "russian").await?;
    russian.close().await?;
    let phone = driver.window(Look::PHONE).await?;
    phone.open(&hall.page("/")).await?;
    phone.until("document.querySelectorAll('.tile').length >= 20").await?;
    take(&phone, folder, "phone").await?;
    phone.open(&hall.page("/calls")).await?;
    phone.until("document.querySelectorAll('form.decide').length >= 2").await?;
    take(&phone, folder, "phone-calls").await?;
    phone.open(&hall.page("/game/open.r1.b06#adjourned")).await?;
    phone.until("document.querySelector('form[data-of=seal]') !== null").await?;
    take(&phone, folder, "phone-adjourned").await?;
    phone.close().await?;
    driver.end().await;
    Ok(ExitCode::SUCCESS)
}

/// The session of a game ends: its player is to seal.
async fn adjourn(hall: &Hall, game: &str) -> anyhow::Result<()> {
    let mut arbiter = Visitor::at(&hall.page("/"));
    let announce = [("do", "adjourn"), ("step", "announce"), ("start", "2026-05-01T10:00")];
    let end = [("do", "adjourn"), ("step", "end-session"), ("white_name", "Player 006"), ("black_name", "Player 026")];
    for fields in [&announce[..], &end[..]] {
        let answer = arbiter.look_and_do(game, fields, "").await?;
        anyhow::ensure!(answer.status == 303, "{}", answer.body);
    }
    Ok(())
}

async fn take(window: &Window, folder: &Path, name: &str) -> anyhow::Result<()> {
    let picture = window.picture().await?;
    let file = folder.join(format!("{name}.png"));
    println!("{} · {} bytes", file.display(), picture.len());
    anyhow::ensure!(picture.len() <= LARGEST, "{}: more than {LARGEST} bytes", file.display());
    Ok(std::fs::write(file, picture)?)
}

/// Every board with a few moves of its game, and some with trouble.
async fn play(hall: &Hall) -> anyhow::Result<Vec<Table>> {
    let mut tables = hall.event(BOARDS, |number| format!("Player {number:03}")).await?;
    for table in &mut tables {
        table.set_up().await?;
    }
    // Board 16 has lost its clock before the round.
    tables[15].switch_off();
    hall.start_round(BOARDS).await?;
    for (table, (index, game)) in tables.iter_mut().zip(lexer::games(GAMES).into_iter().map(pgn::read).enumerate()) {
        if index + 1 == 16 {
            continue;
        }
        table.wait("runs", |shown| shown.face.going == Going::Running).await?;
        let moves = if [3, 5, 11].contains(&(index + 1)) { 0 } else { 8 + index * 2 };
        for made in game.moves.iter().take(moves) {
            table.play(&made.m.to_uci(CastlingMode::Standard).to_string()).await?;
            // Pace, not synchronisation: nobody moves at once.
            sleep(Duration::from_millis(120)).await;
        }
        match index + 1 {
            3 | 5 | 11 => table.jump().await?,
            8 => table.call(Colour::Black).await?,
            12 => table.lose_board().await?,
            14 => table.start_stop().await?,
            19 => {
                table.wait("is heard", |shown| shown.acked == shown.spooled).await?;
                table.switch_off();
                hall.stop_clock("open.r1.b19").await?;
            }
            _ => {}
        }
    }
    tables[2].wait("is stopped", |shown| shown.face.going == Going::Paused).await?;
    let applied = tables[2].shown().applied_rev;
    // The proposal comes with the clock's report of its stop.
    while hall.confirm("open.r1.b03").await.is_err() {
        sleep(Duration::from_millis(50)).await;
    }
    tables[2].wait("is set", |shown| shown.applied_rev > applied).await?;
    hall.conclude("open.r1.b02").await?;
    Ok(tables)
}

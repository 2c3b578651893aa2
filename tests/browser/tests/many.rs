//! Five hundred boards at blitz pace: the hall stays smooth.

use std::time::Duration;

use flagfall_browser::{
    browser::{Driver, Look},
    hall::{Games, Hall},
};
use flagfall_proto::journal::v1::Play;
use flagfall_server::desk::auth::Users;
use tokio::{task::JoinSet, time::sleep};

/// Boards in the hall.
const BOARDS: usize = 500;

/// A player thinks so long: a blitz game of three minutes with two seconds a move has about eighty plies a side.
const THINKS: Duration = Duration::from_millis(4_000);

/// Frames that are measured.
const FRAMES: usize = 300;

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_boards_at_blitz_pace() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let hall = Hall::start(BOARDS, Users::default()).await?;
    let blitz = Games { control: "180+2", play: Play::BlitzSupervised, confirms: false };
    let mut tables = JoinSet::new();
    for number in 1..=BOARDS {
        let mut table = hall.table(number, &blitz, None).await?;
        tables.spawn(async move {
            table.start().await?;
            let mut n = number;
            loop {
                // Pace, not synchronisation: players think.
                sleep(THINKS).await;
                n = n.wrapping_mul(31).wrapping_add(7);
                if !table.play_any(n).await? {
                    return anyhow::Ok(());
                }
            }
        });
    }
    let window = driver.window(Look::LAPTOP).await?;
    window.open(&hall.page("/")).await?;
    window.until(&format!("document.getElementById('boards').textContent === '{BOARDS}'")).await?;
    window.until("document.querySelectorAll('.tile.state-running').length > 400").await?;
    let measure = format!(
        "new Promise((done) => {{ const times = []; let last = performance.now(); const frame = (now) => {{ times.push(now - last); \
         last = now; if (times.length < {FRAMES}) requestAnimationFrame(frame); else done(times.sort((a, b) => a - b)); }}; \
         requestAnimationFrame(frame); }})"
    );
    let times = window.eval(&measure).await?;
    let at = |part: f64| {
        let times = times.as_array().map(Vec::as_slice).unwrap_or_default();
        let index = ((times.len() as f64 - 1.0) * part) as usize;
        times.get(index).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN)
    };
    let (half, most, last) = (at(0.5), at(0.95), at(1.0));
    println!("{BOARDS} boards, {FRAMES} frames: p50 {half:.1} ms, p95 {most:.1} ms, longest {last:.1} ms");
    // A frame every tenth of a second at least for half of them, whatever else this machine does.
    assert!(half < 100.0, "half of the frames took longer than {half} ms");
    window.close().await?;
    tables.abort_all();
    driver.end().await;
    Ok(())
}

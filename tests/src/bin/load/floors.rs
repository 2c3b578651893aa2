//! What the disk takes by itself: one sync of a frame, one commit of sled.

use std::{
    fs::File,
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use crate::stats::{Quantiles, Samples};

/// A floor is measured as often as this, or as long.
const TIMES: u32 = 4_000;
const LONGEST: Duration = Duration::from_secs(5);

/// As the service opens its own.
const SEGMENT_BYTES: usize = 8 << 20;
const CACHE_BYTES: u64 = 32 << 20;

/// Appends a frame to a file and syncs it, one after the other.
pub(crate) fn fdatasync(dir: &Path, frame: &[u8]) -> anyhow::Result<Quantiles> {
    let mut file = File::create(dir.join("frames"))?;
    measure(|_| {
        file.write_all(frame)?;
        Ok(file.sync_data()?)
    })
}

/// Commits a frame as the journal does: a batch, `flush`, and `sync_data` on sled's log, which `flush` does not sync.
pub(crate) fn sled_commit(dir: &Path, frame: &[u8]) -> anyhow::Result<Quantiles> {
    let dir = dir.join("sled");
    let config = sled::Config::new().path(&dir).cache_capacity(CACHE_BYTES).segment_size(SEGMENT_BYTES);
    let db = config.flush_every_ms(None).open()?;
    let log = File::options().write(true).open(dir.join("db")).context("sled's log")?;
    measure(|n| {
        let mut batch = sled::Batch::default();
        batch.insert(&n.to_be_bytes(), frame);
        db.apply_batch(batch)?;
        db.flush()?;
        Ok(log.sync_data()?)
    })
}

fn measure(mut act: impl FnMut(u32) -> anyhow::Result<()>) -> anyhow::Result<Quantiles> {
    let (begun, mut samples) = (Instant::now(), Samples::default());
    for n in 0..TIMES {
        let before = Instant::now();
        act(n)?;
        samples.add(before.elapsed());
        if begun.elapsed() > LONGEST {
            break;
        }
    }
    Ok(samples.quantiles())
}

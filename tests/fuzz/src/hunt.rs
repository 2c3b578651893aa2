//! A bounded time of strange bytes, on any toolchain.
//!
//! What counts as broken: a panic, more than [`LONGEST_INPUT`] of processor time for one input, more than [`MOST_MEMORY`] at
//! once, and whatever else ends a process, a stack that overflows for one. Each input is written down before it is tried, so
//! that the process may die of it.

use std::{
    fs,
    io::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use rustix::{
    process::{Resource, getrlimit, setrlimit},
    time::{ClockId, clock_gettime},
};

use crate::{
    Target,
    corpus::{self, Sample},
    edit,
};

/// Processor time that one input may take. Tests are built without optimisation and run beside others.
pub const LONGEST_INPUT: Duration = Duration::from_secs(10);

/// Memory that the process may have for its data, bytes.
pub const MOST_MEMORY: u64 = 1 << 30;

/// How long a finding is shrunk.
const SHRINKING: Duration = Duration::from_secs(20);

/// Exit code when an input took too long.
const TOO_LONG: i32 = 3;

/// What a hunt did.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// Kept samples that were tried as they are.
    pub samples: usize,
    /// Spoilt ones.
    pub spoilt: u64,
    /// The input that took longest, and how long.
    pub slowest: (Duration, usize),
}

/// Tries every kept sample, then spoilt ones until the time is over. One seed spoils alike.
///
/// # Errors
/// Something broke; names the file that has the bytes. Some breaks end the process instead.
pub fn hunt(target: &'static Target, time: Duration, seed: u64, findings: &Path) -> anyhow::Result<Hunted> {
    let mut limit = getrlimit(Resource::Data);
    limit.current = Some(limit.maximum.unwrap_or(u64::MAX).min(MOST_MEMORY));
    setrlimit(Resource::Data, limit).context("limiting the memory")?;
    let folder = findings.join(target.name);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let trial = Trial { target, last: folder.join("last-tried"), count: Arc::default() };
    let count = Arc::clone(&trial.count);
    let last = trial.last.clone();
    let (done, hunted) = mpsc::channel();
    // The stack of a worker of the service.
    let worker = thread::Builder::new().stack_size(2 << 20);
    worker.spawn(move || done.send(work(trial, time, seed, &folder)))?;
    watch(&count, &last, &hunted)
}

/// Waits for the hunt, and watches that no input takes too long: then it ends the process, for nothing else can break it off.
fn watch(count: &AtomicU64, last: &Path, hunted: &Receiver<anyhow::Result<Hunted>>) -> anyhow::Result<Hunted> {
    let (mut at, mut since) = (0, processor_time());
    loop {
        match hunted.recv_timeout(Duration::from_millis(100)) {
            Ok(hunted) => return hunted,
            Err(RecvTimeoutError::Disconnected) => bail!("the hunt itself broke"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let (now, used) = (count.load(Ordering::Relaxed), processor_time());
        if now != at {
            (at, since) = (now, used);
        } else if used.saturating_sub(since) > LONGEST_INPUT {
            eprintln!("fuzz: an input takes more than {LONGEST_INPUT:?} of processor time: {}", last.display());
            std::process::exit(TOO_LONG);
        }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Tries inputs, one after the other.
struct Trial {
    target: &'static Target,
    /// Where an input stands before it is tried.
    last: PathBuf,
    count: Arc<AtomicU64>,
}

impl Trial {
    /// Tries one; what broke, when something did.
    fn of(&self, bytes: &[u8]) -> Result<Duration, String> {
        self.count.fetch_add(1, Ordering::Relaxed);
        fs::write(&self.last, bytes).map_err(|error| format!("{}: {error}", self.last.display()))?;
        let begun = processor_time();
        match catch_unwind(AssertUnwindSafe(|| (self.target.run)(bytes))) {
            Ok(()) => Ok(processor_time().saturating_sub(begun)),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                Err(text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned())
            }
        }
    }
}

fn work(trial: Trial, time: Duration, seed: u64, findings: &Path) -> anyhow::Result<Hunted> {
    let samples = corpus::read(trial.target).with_context(|| format!("the samples of {}", trial.target.name))?;
    let mut hunted = Hunted { samples: samples.len(), spoilt: 0, slowest: (Duration::ZERO, 0) };
    for Sample { path, bytes } in &samples {
        match trial.of(bytes) {
            Ok(took) => hunted.slowest = hunted.slowest.max((took, bytes.len())),
            Err(why) => bail!("{}: {why}", path.display()),
        }
    }
    let mut seeded = [0; 32];
    seeded[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seeded));
    let strategy = edit::spoilt(&samples);
    let (begun, mut told) = (Instant::now(), Instant::now());
    while begun.elapsed() < time {
        let mut tree = strategy.new_tree(&mut runner).map_err(|why| anyhow::anyhow!("{why}"))?;
        let bytes = tree.current();
        match trial.of(&bytes) {
            Ok(took) => hunted.slowest = hunted.slowest.max((took, bytes.len())),
            Err(first) => {
                let (bytes, why) = shrunk(&trial, &mut tree, (bytes, first));
                let name = findings.join(format!("found-{:08x}", crc32c::crc32c(&bytes)));
                fs::File::create(&name).and_then(|mut file| file.write_all(&bytes)).context("writing the finding")?;
                bail!("{} bytes break {}, seed {seed}: {why}\n  {}", bytes.len(), trial.target.name, name.display());
            }
        }
        hunted.spoilt += 1;
        if told.elapsed() > Duration::from_secs(30) {
            told = Instant::now();
            eprintln!(
                "fuzz: {}: {} tried, {} s left",
                trial.target.name,
                hunted.spoilt,
                (time - begun.elapsed().min(time)).as_secs()
            );
        }
    }
    Ok(hunted)
}

/// Fewer and simpler edits that still break something.
fn shrunk(
    trial: &Trial,
    tree: &mut impl proptest::strategy::ValueTree<Value = Vec<u8>>,
    mut worst: (Vec<u8>, String),
) -> (Vec<u8>, String) {
    let begun = Instant::now();
    let mut going = tree.simplify();
    while going && begun.elapsed() < SHRINKING {
        let bytes = tree.current();
        going = match trial.of(&bytes) {
            Ok(_) => tree.complicate(),
            Err(why) => {
                worst = (bytes, why);
                tree.simplify()
            }
        };
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_is_found_and_made_small() {
        fn breaks(bytes: &[u8]) {
            assert!(bytes.is_ascii(), "a byte");
        }
        let target: &'static Target =
            Box::leak(Box::new(Target { name: "case", about: "", beside: None, run: breaks }));
        let findings = tempfile::tempdir().expect("a folder");
        let error = hunt(target, Duration::from_secs(600), 1, findings.path()).expect_err("it is found").to_string();
        assert!(error.contains("bytes break case, seed 1: a byte"), "{error}");
        let path = error.rsplit_once("  ").expect("where it is").1;
        let bytes = fs::read(path).expect("the bytes");
        assert_eq!(bytes.iter().filter(|byte| !byte.is_ascii()).count(), 1, "nothing else was needed");
    }
}

//! `cargo run -p flagfall-fuzz --bin fuzz -- --help`

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use flagfall_fuzz::{TARGETS, Target, corpus, hunt::hunt, samples, targets};

/// Strange bytes for everything that reads bytes from outside.
#[derive(Parser)]
#[command(name = "fuzz", version, after_help = EXAMPLES)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  cargo run -p flagfall-fuzz --bin fuzz -- list
  cargo run -p flagfall-fuzz --bin fuzz -- hunt pgn --seconds 60
  cargo run -p flagfall-fuzz --bin fuzz -- try pgn target/fuzz/pgn/found-1a2b3c4d

Exit codes: 0 nothing broke, 1 something did, 2 usage, 3 an input took too long; a process that died of an input left it in
last-tried in the folder of findings.";

#[derive(Subcommand)]
enum Command {
    /// The targets.
    List,
    /// Tries every kept sample, then spoilt ones for a while.
    Hunt {
        /// One of the list.
        #[arg(value_parser = target)]
        target: &'static Target,
        /// For how long.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Spoils as another hunt did; without it anew each time.
        #[arg(long)]
        seed: Option<u64>,
        /// Where findings go.
        #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
        findings: PathBuf,
    },
    /// Tries files as they are.
    Try {
        /// One of the list.
        #[arg(value_parser = target)]
        target: &'static Target,
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Writes valid samples of every kind into the corpus, by our own encoders.
    Samples,
}

fn target(name: &str) -> Result<&'static Target, String> {
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    targets::named(name).ok_or_else(|| format!("there is no such target; there are {}", known()))
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fuzz: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List => {
            for target in TARGETS {
                println!("{:10} {}", target.name, target.about);
            }
        }
        Command::Hunt { target, seconds, seed, findings } => {
            let seed = seed.unwrap_or_else(rand::random);
            let hunted = hunt(target, Duration::from_secs(seconds), seed, &findings)?;
            let (took, length) = hunted.slowest;
            println!(
                "{}: {} samples and {} spoilt ones, seed {seed}; the slowest took {took:?} for {length} bytes",
                target.name, hunted.samples, hunted.spoilt
            );
        }
        Command::Try { target, files } => {
            for file in files {
                let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
                (target.run)(&bytes);
                println!("{}: nothing broke", file.display());
            }
        }
        Command::Samples => {
            for (name, bytes) in samples::all()? {
                write(&name, &bytes)?;
            }
        }
    }
    Ok(())
}

/// `TARGET/NAME` under the corpus.
fn write(name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let (target, file) = name.split_once('/').context("a sample belongs to a target")?;
    let folder = corpus::folder(targets::named(target).context("a target")?);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let path = Path::new(&folder).join(file);
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    println!("{} bytes  {}", bytes.len(), path.display());
    Ok(())
}

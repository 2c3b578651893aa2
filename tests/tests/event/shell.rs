//! The commands of organisers and arbiters, as they type them, in this process.

use clap::Parser;
use flagfall_server::app::{
    audit,
    cli::{Cli, Command},
    desk::{self, DeskError},
    event, round,
};

/// What a command printed, and whether all went as it was asked.
pub(crate) async fn typed(desk: &str, line: &[&str]) -> Result<(String, bool), DeskError> {
    let words = ["flagfall"].into_iter().chain(line.iter().copied()).chain(["--desk", desk]);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let mut out = Vec::new();
    let clean = match cli.command {
        Command::Desk(command) => desk::run(&command, &mut out).await?,
        Command::Audit(args) => audit::run(&args, &mut out).await.map(|()| true)?,
        Command::Event(args) => event::run(&args, &mut out).await.map(|()| true)?,
        Command::Round(args) => round::run(&args, &mut out).await?,
        other => panic!("{other:?} is typed by no test"),
    };
    Ok((String::from_utf8(out).expect("text"), clean))
}

/// What a command printed that went as it was asked.
pub(crate) async fn told(desk: &str, line: &[&str]) -> String {
    let (text, clean) = typed(desk, line).await.unwrap_or_else(|error| panic!("{line:?}: {error}"));
    assert!(clean, "{line:?}: {text}");
    text
}

/// Why a command was refused.
pub(crate) async fn refused(desk: &str, line: &[&str]) -> String {
    typed(desk, line).await.expect_err("a refusal").to_string()
}

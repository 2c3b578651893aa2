//! The commands of an organiser, as he types them, in this process.

use clap::Parser;
use flagfall_server::app::{
    cli::{Cli, Command},
    event::{self, OrganiseError},
    round,
};

/// What a command printed, and whether all went as it was asked.
pub(crate) async fn typed(desk: &str, line: &[&str]) -> Result<(String, bool), OrganiseError> {
    let words = ["flagfall"].into_iter().chain(line.iter().copied()).chain(["--desk", desk]);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let mut out = Vec::new();
    let clean = match cli.command {
        Command::Event(args) => event::run(&args, &mut out).await.map(|()| true)?,
        Command::Round(args) => round::run(&args, &mut out).await?,
        other => panic!("{other:?} is no command of an organiser"),
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

/// Every command says how it is used, with an example.
#[test]
fn every_command_has_an_example() {
    let event = ["create", "revise", "show", "list"].map(|command| ["event", command]);
    let round =
        ["pair", "prepare", "start", "show", "result", "move", "close", "export"].map(|command| ["round", command]);
    for line in event.into_iter().chain(round) {
        let help = Cli::try_parse_from(["flagfall", line[0], line[1], "--help"]).expect_err("help").to_string();
        assert!(help.contains(&format!("Example: flagfall {} {}", line[0], line[1])), "{line:?}: {help}");
    }
}

//! `flagfall doctor`: looks at what a service needs of this machine before a round depends on it, and says what to do.

mod checks;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use serde::Serialize;

use super::config::Config;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXITS)]
pub struct Args {
    /// The settings of the service.
    #[arg(long, value_name = "FILE", default_value = "/etc/flagfall/flagfall.toml")]
    pub config: PathBuf,
    /// One JSON object a check.
    #[arg(long)]
    pub json: bool,
}

const EXITS: &str = "\
Example: flagfall doctor --config /etc/flagfall/flagfall.toml --json

Exit codes: 0 nothing is wrong (there may be something to look at), 1 something is wrong.";

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// It works, and somebody should know.
    Look,
    /// A service would not start, or not keep its promises.
    Wrong,
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to do; empty when nothing is.
    pub advice: String,
}

impl Finding {
    fn new(check: &'static str, state: State, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { check, state, found: found.into(), advice: advice.into() }
    }

    fn ok(check: &'static str, found: impl Into<String>) -> Finding {
        Finding::new(check, State::Ok, found, "")
    }
}

/// Looks, and tells; true when nothing is wrong.
///
/// # Errors
/// What was found cannot be written.
pub fn run(args: &Args, to: &mut impl Write) -> io::Result<bool> {
    let mut sound = true;
    let mut tell = |finding: Finding| -> io::Result<()> {
        sound &= finding.state != State::Wrong;
        if args.json {
            return writeln!(to, "{}", serde_json::to_string(&finding)?);
        }
        let Finding { check, state, found, advice } = finding;
        let mark = match state {
            State::Ok => "ok   ",
            State::Look => "look ",
            State::Wrong => "WRONG",
        };
        writeln!(to, "{mark} {check:<13} {found}")?;
        if advice.is_empty() { Ok(()) } else { writeln!(to, "      {:<13} → {advice}", "") }
    };
    let config = match Config::read(&args.config) {
        Ok(config) => config,
        Err(error) => {
            let advice = "put the key right; deploy/flagfall.toml explains every one";
            tell(Finding::new("settings", State::Wrong, error.to_string(), advice))?;
            return Ok(sound);
        }
    };
    let clocks = config.clocks.len();
    tell(match clocks {
        0 => Finding::new(
            "settings",
            State::Look,
            "no clock is listed",
            "add [[clocks]]; a clock that is not listed is refused",
        ),
        _ => Finding::ok("settings", format!("{}: {clocks} clocks", args.config.display())),
    })?;
    tell(checks::directory(&config.data_dir))?;
    for file in [&args.config, &config.users] {
        tell(checks::readable(file, &config.data_dir))?;
    }
    tell(checks::space(&config.data_dir))?;
    tell(checks::disk(&config.data_dir))?;
    tell(checks::clock_source())?;
    tell(checks::calendar())?;
    for finding in checks::ports(&config.listen) {
        tell(finding)?;
    }
    tell(checks::files(super::files::most(), clocks, &config.limits))?;
    tell(checks::backlog(clocks))?;
    tell(checks::certificates())?;
    tell(checks::collector(flagfall_trace::export::collector()))?;
    Ok(sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(text: &str, dir: &std::path::Path) -> (bool, Vec<serde_json::Value>) {
        let config = dir.join("flagfall.toml");
        std::fs::write(&config, text).expect("written");
        let mut page = Vec::new();
        let sound = run(&Args { config, json: true }, &mut page).expect("written");
        let lines = String::from_utf8(page).expect("text");
        (sound, lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect())
    }

    fn of<'f>(findings: &'f [serde_json::Value], check: &str) -> Vec<&'f serde_json::Value> {
        findings.iter().filter(|finding| finding["check"] == check).collect()
    }

    #[test]
    fn a_port_that_is_taken_and_a_directory_that_is_none_are_wrong_and_the_rest_is_said() {
        let dir = tempfile::tempdir().expect("a directory");
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let desk = taken.local_addr().expect("an address");
        let data = dir.path().join("flagfall.toml");
        let listen = format!("[listen]\nclocks='127.0.0.1:0'\ndesk='{desk}'\nweb='127.0.0.1:0'\nops='127.0.0.1:0'");
        let (sound, findings) = looked(&format!("data_dir = {data:?}\n{listen}"), dir.path());
        assert!(!sound);
        assert_eq!(of(&findings, "settings")[0]["state"], "look", "no clocks");
        assert_eq!(of(&findings, "data_dir")[0]["state"], "wrong");
        let ports: Vec<_> = of(&findings, "port").iter().map(|finding| finding["state"].clone()).collect();
        assert_eq!(ports, ["ok", "wrong", "ok", "ok"]);
        assert!(of(&findings, "certificates")[0]["found"].as_str().expect("a text").starts_with("none are configured"));
    }

    #[test]
    fn a_directory_that_takes_writes_is_sound_and_what_its_disk_takes_is_said() {
        let dir = tempfile::tempdir().expect("a directory");
        let (_, findings) = looked(&format!("data_dir = {:?}", dir.path().join("new")), dir.path());
        assert_eq!(of(&findings, "data_dir")[0]["state"], "ok");
        let disk = of(&findings, "disk")[0]["found"].as_str().expect("a text").to_owned();
        assert!(
            disk.contains(" syncs: median ") && disk.contains(" ms, p99 ") && disk.contains(" ms, worst "),
            "{disk}"
        );
    }

    #[test]
    fn settings_that_cannot_be_read_are_wrong() {
        let dir = tempfile::tempdir().expect("a directory");
        let (sound, findings) = looked("data_dir = 7", dir.path());
        assert!(!sound && findings.len() == 1 && findings[0]["state"] == "wrong", "{findings:?}");
    }
}

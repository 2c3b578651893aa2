//! The service under load: `flagfall serve` itself, with settings that list every clock.

use std::{fmt::Write as _, net::Ipv4Addr, path::Path};

use anyhow::Context as _;
use flagfall_server::app::cli::{self, Cli, Command, Exit, ServeArgs};

use crate::{args::Args, player::Player};

/// The device of the agent that is measured at rest.
pub(crate) const AGENT: &str = "agent-1";

/// Where the service listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    /// For clocks.
    pub(crate) clocks: u16,
    /// For desks.
    pub(crate) desk: u16,
    /// For probes.
    pub(crate) ops: u16,
}

/// Serves until the process is ended.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let serve = ServeArgs { config: args.config.clone(), check: false, accept_loss: false, log_json: false };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match runtime.block_on(cli::run(Cli { command: Command::Serve(serve) })) {
        Ok(Exit::Ok) => Ok(()),
        Ok(exit) => anyhow::bail!("the service ended: {exit:?}"),
        Err(failure) => Err(failure.reason),
    }
}

/// Settings for so many clocks, each on a board of its own, and an agent.
pub(crate) fn settings(data: &Path, ports: Ports, clocks: u32) -> String {
    let at = |port| format!("{}:{port}", Ipv4Addr::LOCALHOST);
    // Nobody browses, and another service on this machine may have the usual address.
    let (clocks_at, desk, ops, web) = (at(ports.clocks), at(ports.desk), at(ports.ops), at(0));
    let mut text = format!(
        "data_dir = {:?}\n\n[listen]\nclocks = \"{clocks_at}\"\ndesk = \"{desk}\"\nops = \"{ops}\"\nweb = \"{web}\"\n",
        data.display().to_string()
    );
    for device in (0..clocks).map(Player::device).chain([AGENT.to_owned()]) {
        // Writing to a String does not fail.
        let _ = write!(text, "\n[[clocks]]\ndevice = \"{device}\"\nboard = \"board-{device}\"\n");
    }
    text
}

/// Waits until the service answers a desk.
pub(crate) async fn ready(ports: Ports) -> anyhow::Result<()> {
    let patience = std::time::Duration::from_secs(30);
    let asking = async {
        loop {
            if let Ok(mut desk) = crate::desk::Desk::connect(ports.desk).await
                && desk.answers().await
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(patience, asking).await.context("the service does not answer within 30 s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_takes_its_settings() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("flagfall.toml");
        let ports = Ports { clocks: 20_001, desk: 20_002, ops: 20_003 };
        std::fs::write(&file, settings(&dir.path().join("data"), ports, 3)).expect("written");
        let config = flagfall_server::app::config::Config::read(&file).expect("settings");
        assert_eq!((config.clocks.len(), config.listen.desk.port()), (4, 20_002));
    }
}

//! The ruling service and its tools.

use std::process::ExitCode;

use clap::Parser;
use flagfall_server::app::cli::{self, Cli, Exit};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("flagfall: cannot start its threads: {error}");
            return Exit::Usage.into();
        }
    };
    match runtime.block_on(cli::run(cli)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("flagfall: {:#}", failure.reason);
            failure.exit.into()
        }
    }
}

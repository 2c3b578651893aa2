//! The ruling service and its tools.

use std::process::ExitCode;

use clap::Parser;
use flagfall_server::app::cli::{self, Cli, Exit};

/// Hundreds of small messages a press: glibc's allocator spent a seventh of the service's time on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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

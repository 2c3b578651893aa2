//! The ruling service and its tools.

use std::process::ExitCode;

fn main() -> ExitCode {
    flagfall_server::app::cli::main()
}

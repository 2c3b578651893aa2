//! The service as it is, with a moment at which it stands still for the test to kill it.

use std::process::ExitCode;

fn main() -> ExitCode {
    flagfall_crash::armed::arm();
    flagfall_server::app::cli::main()
}

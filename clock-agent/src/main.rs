//! `flagfall-clock`, the agent on a clock.

use std::process::ExitCode;

fn main() -> ExitCode {
    flagfall_clock::cli::main()
}

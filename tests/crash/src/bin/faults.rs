//! Reads what `cargo test` prints and tells how every fault of the table stands.

use std::{
    io::{self, BufRead, Write},
    process::ExitCode,
};

use clap::Parser;
use flagfall_crash::faults::{Line, Report, Shown};

/// Reads the output of `cargo test … row_ -- --show-output` on standard input and prints the table of faults.
#[derive(Parser)]
#[command(after_help = "\
Example: bash tests/run --faults

Exit codes: 0 every fault is borne or could not be tried here, 1 a row failed or has no test, 2 the tests could not be built.")]
struct Args {
    /// Print a JSON array of rows.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> io::Result<ExitCode> {
    let (mut report, mut tail) = (Report::default(), Vec::new());
    for line in io::stdin().lock().lines() {
        let line = line?;
        if let Some((row, name, shown)) = report.take(&line) {
            eprintln!("row {row:2} … {shown}  {name}");
        } else if line.starts_with("error") || line.starts_with("warning: unused") {
            eprintln!("{line}");
        }
        if line.starts_with("failures:") || !tail.is_empty() {
            tail.push(line);
        }
    }
    let table = report.table();
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &table)?;
        writeln!(out)?;
    } else {
        tail.iter().try_for_each(|line| writeln!(io::stderr(), "{line}"))?;
        print(&mut out, &table)?;
    }
    if let Some(broken) = report.broken {
        eprintln!("faults: {broken}");
        return Ok(ExitCode::from(2));
    }
    let bad = table.iter().any(|line| matches!(line.shown, Shown::Fail | Shown::NoTest));
    Ok(ExitCode::from(u8::from(bad)))
}

fn print(out: &mut impl Write, table: &[Line]) -> io::Result<()> {
    writeln!(out, "row           fault, and the tests that show it")?;
    for Line { row, fault, shown, tests, reasons } in table {
        writeln!(out, "{row:>3}  {:8} {fault}", shown.to_string())?;
        for (name, ended) in tests {
            let mark = if ended == shown { String::new() } else { format!(" ({ended})") };
            writeln!(out, "{:14}{name}{mark}", "")?;
        }
        for reason in reasons {
            writeln!(out, "{:14}not run: {reason}", "")?;
        }
    }
    let count = |wanted| table.iter().filter(|line| line.shown == wanted).count();
    let [pass, fail, not_run, none] = [Shown::Pass, Shown::Fail, Shown::NotRun, Shown::NoTest].map(count);
    writeln!(out, "{pass} borne, {fail} failed, {not_run} not run in full here, {none} without a test")
}

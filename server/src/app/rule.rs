//! `flagfall rule`: what the Laws make of a case that an arbiter has written down. No service, no journal.

use std::{io::Write, path::PathBuf};

use clap::Args as ClapArgs;
use flagfall_cases::{Failure, Lang, Report, check_dir, check_file, rule_file};

/// Arguments of `flagfall rule`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// A case, or with --check a folder of them; `server/cases/README.md` documents how one is written.
    #[arg(value_name = "CASE.toml")]
    pub path: PathBuf,
    /// Compare what is ruled with what each case expects; a folder is checked whole.
    #[arg(long)]
    pub check: bool,
    /// English or Russian: en, ru.
    #[arg(long, default_value = "en")]
    pub lang: Lang,
    /// JSON for machines: one object a case, times in milliseconds.
    #[arg(long)]
    pub json: bool,
}

/// Why nothing was ruled.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The case cannot be read; names file, line and key.
    #[error("{0}")]
    Case(Failure),
    /// The folder cannot be read.
    #[error("{0}: {1}")]
    Folder(PathBuf, std::io::Error),
    /// Nobody reads what is printed.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
    /// The answer is no JSON.
    #[error("the answer cannot be encoded: {0}")]
    Json(#[from] serde_json::Error),
}

/// Rules a file, or checks a file or folder; true when everything came out as expected.
///
/// # Errors
/// The case is ill-formed, or nothing can be read or written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<bool, RuleError> {
    if args.check {
        return check(args, out);
    }
    let ruled = rule_file(&args.path).map_err(RuleError::Case)?;
    for (index, ruled) in ruled.iter().enumerate() {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(ruled)?)?;
        } else {
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{}", ruled.render(args.lang).trim_end())?;
        }
    }
    Ok(true)
}

fn check(args: &Args, out: &mut dyn Write) -> Result<bool, RuleError> {
    let report = if args.path.is_dir() {
        check_dir(&args.path).map_err(|error| RuleError::Folder(args.path.clone(), error))?
    } else {
        let mut report = Report::default();
        check_file(&args.path, &mut report);
        report
    };
    if args.json {
        let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
        let summary = serde_json::json!({ "files": report.files, "cases": report.cases, "failures": failures });
        writeln!(out, "{summary}")?;
    } else {
        writeln!(out, "{report}")?;
    }
    Ok(report.is_clean())
}

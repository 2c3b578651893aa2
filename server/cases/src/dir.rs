//! Checking a folder of cases at once.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{Case, Difference, Error, Ruled, read};

/// What became of the cases of a folder.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Files read.
    pub files: usize,
    /// Cases checked.
    pub cases: usize,
    /// What went wrong, file by file.
    pub failures: Vec<Failure>,
}

/// Something went wrong.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A file could not be read from the disk.
    File(PathBuf, String),
    /// A file is ill-formed.
    IllFormed(Error),
    /// A case came out otherwise than its file expects.
    Differs {
        /// The file.
        file: String,
        /// The line at which the case begins.
        line: usize,
        /// The case.
        title: String,
        /// How.
        differences: Vec<Difference>,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::File(path, why) => write!(f, "{}: {why}", path.display()),
            Failure::IllFormed(why) => why.fmt(f),
            Failure::Differs { file, line, title, differences } => {
                write!(f, "{file}:{line}: {title}")?;
                differences.iter().try_for_each(|difference| write!(f, "\n    {difference}"))
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failures.iter().try_for_each(|failure| writeln!(f, "{failure}"))?;
        write!(f, "{} cases in {} files, {} wrong", self.cases, self.files, self.failures.len())
    }
}

impl Report {
    /// There was something to check, and everything came out as expected.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.cases > 0
    }
}

/// Checks every case of every `.toml` file in a folder (not in the folders within), in the order of the names.
///
/// # Errors
/// The folder cannot be listed.
pub fn check_dir(folder: &Path) -> io::Result<Report> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut report = Report::default();
    files.iter().for_each(|path| check_file(path, &mut report));
    Ok(report)
}

/// Rules every case of a file, in its order.
///
/// # Errors
/// The file cannot be read or is ill-formed.
pub fn rule_file(path: &Path) -> Result<Vec<Ruled>, Failure> {
    Ok(open(path)?.iter().map(Case::rule).collect())
}

fn open(path: &Path) -> Result<Vec<Case>, Failure> {
    let text = fs::read_to_string(path).map_err(|why| Failure::File(path.to_owned(), why.to_string()))?;
    read(&path.display().to_string(), &text).map_err(Failure::IllFormed)
}

/// Checks every case of a file and adds what became of them to a report.
pub fn check_file(path: &Path, report: &mut Report) {
    report.files += 1;
    let cases = match open(path) {
        Ok(cases) => cases,
        Err(why) => return report.failures.push(why),
    };
    for case in cases {
        report.cases += 1;
        if let Err(differences) = case.check() {
            let (file, line, title) = (case.file, case.line, case.title);
            report.failures.push(Failure::Differs { file, line, title, differences });
        }
    }
}

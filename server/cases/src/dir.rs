//! Checking a folder of cases at once.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{Difference, Error, read};

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

/// Checks every case of a file.
pub fn check_file(path: &Path, report: &mut Report) {
    report.files += 1;
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(why) => return report.failures.push(Failure::File(path.to_owned(), why.to_string())),
    };
    let cases = match read(&path.display().to_string(), &text) {
        Ok(cases) => cases,
        Err(why) => return report.failures.push(Failure::IllFormed(why)),
    };
    for case in cases {
        report.cases += 1;
        if let Err(differences) = case.check() {
            let (file, line, title) = (case.file, case.line, case.title);
            report.failures.push(Failure::Differs { file, line, title, differences });
        }
    }
}

//! Why a file of cases is refused: where, which key, and what was expected.

use std::fmt;

/// A file of cases is ill-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key with its tables, such as `case.expect.clocks.white`; empty where the text is no TOML at all.
    pub key: String,
    /// What was found and what was expected.
    pub what: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {}

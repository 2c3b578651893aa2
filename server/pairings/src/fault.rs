//! What is wrong with a file, and where.

use std::fmt;

/// Faults that are reported of one file; a file of another kind would have one a line.
const FAULTS_MAX: usize = 20;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1; 0: the file as a whole.
    pub line: usize,
    /// The column, from 1: a character of the line, or in a table a field; 0: the line as a whole.
    pub column: usize,
    /// What was found and what was expected.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    /// A fault at a place.
    pub fn at(line: usize, column: usize, what: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault { line, column, what: what.into(), remedy: remedy.into() }
    }

    /// A fault of the file as a whole.
    pub fn whole(what: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault::at(0, 0, what, remedy)
    }
}

/// `line 12, column 92: what; remedy`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => {}
            (line, 0) => write!(f, "line {line}: ")?,
            (line, column) => write!(f, "line {line}, column {column}: ")?,
        }
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

/// Everything that is wrong with a file; at least one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Faults {
    /// In the order of the file, at most 20.
    pub faults: Vec<Fault>,
    /// How many more there are.
    pub more: usize,
}

impl Faults {
    pub(crate) fn push(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX { self.faults.push(fault) } else { self.more += 1 }
    }

    /// What was read, unless something is wrong with it.
    pub(crate) fn unless<T>(self, read: T) -> Result<T, Faults> {
        if self.faults.is_empty() { Ok(read) } else { Err(self) }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults { faults: vec![fault], more: 0 }
    }
}

/// A line each.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "\n" })?;
        }
        if self.more > 0 { write!(f, "\nand {} more", self.more) } else { Ok(()) }
    }
}

//! Pages whose commands are typed by tests as they stand there.

use std::path::Path;

use crate::terminal::{bash, binaries};

/// The fenced blocks of a page with an info string, its addresses replaced by free ones.
///
/// # Panics
/// The page is not there.
#[must_use]
pub fn blocks(page: &str, info: &str, addresses: &[(&str, String)]) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let fence = format!("```{info}\n");
    let found = text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
    found.map(|block| addresses.iter().fold(block.to_owned(), |block, (old, new)| block.replace(old, new))).collect()
}

/// Types a block in a folder; what it printed.
///
/// # Panics
/// One of its commands fails.
#[must_use]
pub fn ran(block: &str, folder: &Path, env: &[(&str, &str)]) -> String {
    let output = bash(&format!("{block}\n"), folder, &binaries(), env).output().expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{block}\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

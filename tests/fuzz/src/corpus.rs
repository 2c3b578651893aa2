//! The kept samples of a target.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Target, targets::LONGEST};

/// A sample and where it stands.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its file.
    pub path: PathBuf,
    /// At most [`LONGEST`] bytes: a longer file is cut.
    pub bytes: Vec<u8>,
}

/// The folder of a target's own samples.
#[must_use]
pub fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// All samples of a target in the order of their names, its own and those that the tree has anyway.
///
/// # Errors
/// A folder or file cannot be read.
pub fn read(target: &Target) -> io::Result<Vec<Sample>> {
    let beside = target.beside.map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let mut files = Vec::new();
    for folder in [Some(folder(target)), beside].into_iter().flatten() {
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.retain(|path| path.is_file());
    files.sort();
    let sample = |path: PathBuf| {
        let mut bytes = fs::read(&path)?;
        bytes.truncate(LONGEST);
        Ok(Sample { path, bytes })
    };
    files.into_iter().map(sample).collect()
}

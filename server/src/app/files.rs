//! How many files this process may have open: every connection is one, and so is the journal's mark whenever it is written.

use rustix::process::{Resource, getrlimit, setrlimit};

/// The most that can be had without asking anybody.
#[must_use]
pub fn most() -> usize {
    told(getrlimit(Resource::Nofile).maximum)
}

/// Takes as many as can be had, and says how many that is. The usual limit of a shell is a thousand, for old programs' sake.
pub fn raise() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let before = limit.current;
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "no more files can be opened than before");
            return told(before);
        }
    }
    most()
}

/// No limit is one that nothing reaches.
fn told(limit: Option<u64>) -> usize {
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

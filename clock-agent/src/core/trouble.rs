//! What is wrong with the device, for the person who stands before it.

use std::fmt;

/// Where trouble comes from; each has one line at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Link,
    Power,
    Display,
    Board,
    Clock,
    Battery,
    Garbled,
    Source,
}

/// The list, newest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble(Vec<(Cause, String)>);

impl Trouble {
    /// Something is wrong; the same as before does not become new by being said again.
    pub(super) fn set(&mut self, cause: Cause, text: String) {
        if !self.0.iter().any(|line| *line == (cause, text.clone())) {
            self.clear(cause);
            self.0.insert(0, (cause, text));
        }
    }

    /// It is right again.
    pub(super) fn clear(&mut self, cause: Cause) {
        self.0.retain(|(is, _)| *is != cause);
    }

    pub(super) fn has(&self, cause: Cause) -> bool {
        self.0.iter().any(|(is, _)| *is == cause)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (_, text)) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            f.write_str(text)?;
        }
        Ok(())
    }
}

//! What is wrong with the device, for the person who stands before it.

use super::Words;

/// Where trouble comes from; each is told once at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Link,
    Display,
    Board,
    Clock,
    Battery,
    Garbled,
    Source,
}

/// The list, newest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble(Vec<(Cause, Words)>);

impl Trouble {
    /// Something is wrong; the same as before does not become new by being said again.
    pub(super) fn set(&mut self, cause: Cause, text: Words) {
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

    pub(super) fn texts(&self) -> impl Iterator<Item = Words> {
        self.0.iter().map(|(_, text)| text.clone())
    }
}

/// What is said in both languages, with what the hardware says of it behind the English.
pub(super) fn words([english, russian]: [&str; 2], detail: &str) -> Words {
    let english = if detail.is_empty() { english.to_owned() } else { format!("{english} ({detail})") };
    [english, russian.to_owned()]
}

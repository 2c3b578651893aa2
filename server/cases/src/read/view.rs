//! A table of a file together with the table whose keys it overrides.

use toml::de::DeTable;

use super::{
    keys::{Section, also},
    value::Item,
};
use crate::Error;

/// The text being read.
pub(super) struct Source<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
}

impl Source<'_> {
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|&byte| byte == b'\n').count()
    }

    pub(super) fn error(&self, at: usize, key: &str, what: impl Into<String>) -> Error {
        Error { file: self.name.to_owned(), line: self.line(at), key: key.to_owned(), what: what.into() }
    }
}

/// A table: its own keys, and those it shares where it has none of its own.
pub(super) struct View<'t> {
    pub(super) source: &'t Source<'t>,
    path: String,
    section: &'static Section,
    own: &'t DeTable<'t>,
    shared: Option<&'t DeTable<'t>>,
    at: usize,
}

impl<'t> View<'t> {
    /// Refuses the first key that the section does not know.
    pub(super) fn new(
        source: &'t Source<'t>,
        section: &'static Section,
        path: String,
        own: &'t DeTable<'t>,
        shared: Option<&'t DeTable<'t>>,
        at: usize,
    ) -> Result<View<'t>, Error> {
        let view = View { source, path, section, own, shared, at };
        let mut unknown: Vec<_> = own.iter().filter(|(key, _)| !view.knows(key.get_ref())).collect();
        unknown.sort_by_key(|(key, _)| key.span().start);
        match unknown.first() {
            None => Ok(view),
            Some((key, _)) => {
                let (at, name) = (key.span().start, key.get_ref());
                Err(source.error(
                    at,
                    &view.path_of(name),
                    format!("unknown key; there are: {}", view.keys().join(", ")),
                ))
            }
        }
    }

    fn keys(&self) -> Vec<&'static str> {
        let more = also(self.section).iter().flat_map(|section| section.keys);
        self.section.keys.iter().chain(more).copied().collect()
    }

    fn knows(&self, key: &str) -> bool {
        self.keys().contains(&key)
    }

    fn path_of(&self, key: &str) -> String {
        under(&self.path, key)
    }

    /// A value that is shared stands at the head of the file, under the path without the case.
    fn shared(&self, key: &str) -> Option<Item<'t>> {
        let value = self.shared.and_then(|shared| shared.get(key))?;
        let path = self.path.strip_prefix("case").map_or(&*self.path, |path| path.trim_start_matches('.'));
        Some(Item { source: self.source, path: under(path, key), value })
    }

    /// The value of a key, its own or shared.
    pub(super) fn get(&self, key: &str) -> Option<Item<'t>> {
        debug_assert!(self.knows(key), "{key} is no key of {}", self.section.name);
        self.own(key).or_else(|| self.shared(key))
    }

    /// A value that stands in the table itself.
    pub(super) fn own(&self, key: &str) -> Option<Item<'t>> {
        self.own.get(key).map(|value| Item { source: self.source, path: self.path_of(key), value })
    }

    /// A table of its own under a key, each of whose keys overrides the shared one.
    pub(super) fn table(&self, key: &str, section: &'static Section) -> Result<Option<View<'t>>, Error> {
        let Some(item) = self.get(key) else { return Ok(None) };
        let shared = match self.shared(key) {
            Some(item) => Some(item.view(section)?.own),
            None => None,
        };
        let path = item.path.clone();
        let (own, at) = (item.table()?, item.at());
        View::new(self.source, section, path, own, shared, at).map(Some)
    }

    /// Reads a key where it is stated.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Item<'t>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.get(key).map(|item| read(&item)).transpose()
    }

    /// Something is wrong with the table as a whole, or a key is missing.
    pub(super) fn error(&self, key: &str, what: impl Into<String>) -> Error {
        match self.get(key) {
            Some(item) => item.error(what),
            None => self.source.error(self.at, &self.path_of(key), what),
        }
    }

    pub(super) fn line(&self) -> usize {
        self.source.line(self.at)
    }
}

fn under(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

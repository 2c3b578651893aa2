//! Reading files of cases. An ill-formed one is refused naming file, line and key; nothing unknown is ever passed over.

mod case;
mod expect;
mod keys;
mod names;
mod step;
mod value;
mod view;

use toml::de::DeTable;

pub use keys::{SECTIONS, Section};
use value::Item;
pub(crate) use value::clock;
use view::{Source, View};

use crate::{Case, Error};

/// The most cases of a file.
const MOST: usize = 1_000;

/// Reads every case of a file; `name` is what errors call it. A file without `[[case]]` is one case itself.
///
/// # Errors
/// Names the first thing that is wrong, with line and key.
pub fn read(name: &str, text: &str) -> Result<Vec<Case>, Error> {
    let source = Source { name, text };
    let document = DeTable::parse(text).map_err(|why| {
        let at = why.span().map_or(0, |span| span.start);
        source.error(at, "", format!("no TOML: {}", why.message()))
    })?;
    let top = document.get_ref();
    let shared = View::new(&source, &keys::FILE, String::new(), top, None, 0)?;
    let Some(cases) = shared.get("case") else {
        let only = View::new(&source, &keys::CASE, String::new(), top, None, 0)?;
        return Ok(vec![case::read(&only)?]);
    };
    let mut read = Vec::new();
    let items = cases.array()?;
    if items.len() > MOST {
        return Err(cases.error(format!("{} cases: a file holds at most {MOST}", items.len())));
    }
    for item in items {
        let (own, at) = (item.table()?, item.at());
        let view = View::new(&source, &keys::CASE, "case".into(), own, Some(top), at)?;
        read.push(case::read(&view)?);
    }
    match read.is_empty() {
        true => Err(cases.error("there is no case in it")),
        false => Ok(read),
    }
}

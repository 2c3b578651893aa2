//! What is worth noting of an input's events: what was found, by which article, and how it was decided.

use flagfall_rules::{
    game::{Act, Event},
    laws::Edition,
};

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Note {
    /// The edition of the Laws that the game plays under.
    pub edition: &'static str,
    /// The article of the ruling, else of the finding, else of the end.
    pub article: String,
    /// The irregularity found, or decided on here.
    pub found: Option<&'static str>,
    /// What came of it: the key of the way out that was taken, `proposed`, the result of the game, or an alarm.
    pub verdict: String,
    /// Who ruled: `laws`, or the arbiter.
    pub actor: String,
}

impl Note {
    /// `None` when nothing was found, ruled or ended, and nobody is to look.
    pub(super) fn of(events: &[Event], edition: Option<&'static Edition>) -> Option<Box<Note>> {
        let mut note = Note::default();
        let mut noted = false;
        for event in events {
            match event {
                Event::Found(finding) => {
                    (note.found, note.article) = (Some(finding.kind.name()), finding.article.clone());
                    "found".clone_into(&mut note.verdict);
                }
                Event::Proposed(_) => "proposed".clone_into(&mut note.verdict),
                Event::Chosen { choice, actor, .. } => {
                    (note.verdict, note.actor) = (choice.clone(), actor.clone());
                }
                Event::Ruled(ruling) => {
                    (note.verdict, note.actor) = (ruling.remedy.key.clone(), ruling.actor.clone());
                    if !ruling.remedy.article.is_empty() {
                        note.article.clone_from(&ruling.remedy.article);
                    }
                }
                Event::Ended { outcome, article, .. } => {
                    outcome.pgn().clone_into(&mut note.verdict);
                    note.article.clone_from(article);
                }
                Event::Alarmed(..) if note.verdict.is_empty() => "alarm".clone_into(&mut note.verdict),
                Event::Alarmed(..) => {}
                _ => continue,
            }
            noted = true;
        }
        note.edition = edition.map_or("", |edition| edition.id);
        noted.then(|| Box::new(note))
    }
}

/// What a directive asks for, in a word.
#[must_use]
pub const fn word(act: &Act) -> &'static str {
    match act {
        Act::Prepare { .. } => "prepare",
        Act::Stop => "stop",
        Act::Set { .. } => "set",
        Act::Add(..) => "add",
        Act::Conclude(_) => "conclude",
        Act::Show => "show",
        Act::Run => "run",
    }
}

//! Where trails end.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};

use flagfall_rules::game::Stage;
use flagfall_trace::{Export, Kind, Sampler, Span, Traced};

use super::{Figures, Presence, Stamp, Store, Trail, What, spans};
use crate::wire::Refused;

/// From how long on a commit is slow: a disk in good order takes a hundredth of it.
pub(super) const SLOW_COMMIT: Duration = Duration::from_millis(100);

/// What is exported.
#[derive(Debug)]
pub enum Exported {
    /// A trail.
    Trail(Arc<Trail>),
    /// A span of a session.
    Span(Box<Span>),
}

impl Traced for Exported {
    fn count(&self) -> u64 {
        match self {
            Exported::Trail(trail) => spans::count(trail),
            Exported::Span(_) => 1,
        }
    }

    fn spans(&self) -> Vec<Span> {
        match self {
            Exported::Trail(trail) => spans::of_service(trail),
            Exported::Span(span) => vec![(**span).clone()],
        }
    }
}

/// See the module. Cheap to clone; the default one exports nothing.
#[derive(Clone, Debug, Default)]
pub struct Trails(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    figures: Figures,
    store: Store,
    sampler: Sampler,
    export: Option<Export<Exported>>,
    presences: Mutex<Vec<Arc<Presence>>>,
}

impl Trails {
    /// Trails that are exported as the sampler says, if there is somewhere to.
    #[must_use]
    pub fn new(sampler: Sampler, export: Option<Export<Exported>>) -> Trails {
        Trails(Arc::new(Inner { sampler, export, ..Inner::default() }))
    }

    /// The figures.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.0.figures
    }

    /// The last ones.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Which are exported though nothing came of them.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        &self.0.sampler
    }

    /// Where they go, if anywhere.
    #[must_use]
    pub fn export(&self) -> Option<&Export<Exported>> {
        self.0.export.as_ref()
    }

    /// A trail has come to its end.
    pub fn end(&self, trail: Box<Trail>) -> Arc<Trail> {
        self.0.figures.note(&trail);
        let trail = Arc::new(*trail);
        self.0.store.push(Arc::clone(&trail));
        if trail.is_of_note() {
            self.0.store.keep(Arc::clone(&trail));
            self.send(&trail);
        } else if self.0.export.is_some() && self.0.sampler.keeps_remote(&trail.from.unwrap_or(trail.context)) {
            self.send(&trail);
        }
        trail
    }

    /// Something came of it after all.
    pub(super) fn keep(&self, trail: &Arc<Trail>) {
        if self.send(trail) {
            self.0.store.keep(Arc::clone(trail));
        }
    }

    /// Exports it, once.
    fn send(&self, trail: &Arc<Trail>) -> bool {
        let first = !trail.kept.swap(true, Ordering::Relaxed);
        if first && let Some(export) = &self.0.export {
            export.tell(Exported::Trail(Arc::clone(trail)));
        }
        first
    }

    /// A final word on a directive came, so long after it was told.
    pub(super) fn confirmed(&self, stage: Stage, after: Option<Duration>) {
        self.0.figures.confirmed(stage, after);
    }

    /// A clock was taken in.
    pub fn opened(&self, presence: Presence, software: &str) -> Arc<Presence> {
        let presence = Arc::new(presence);
        self.0.figures.sessions_opened.inc();
        let mut all = self.0.presences.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == all.capacity() {
            all.retain(|presence| presence.lives());
        }
        all.push(Arc::clone(&presence));
        drop(all);
        self.session(&presence, "session.open", presence.opened, None, Some(software));
        presence
    }

    /// A session is over, in good order or for a reason.
    pub fn closed(&self, presence: &Presence, refused: Option<&Refused>) {
        presence.is_closed();
        if let Some(refused) = refused {
            self.refused(refused);
        }
        self.session(presence, "session.close", Stamp::now(), refused, None);
    }

    /// A span of a session: short, for nobody can follow one that is open for hours.
    fn session(
        &self,
        presence: &Presence,
        name: &'static str,
        start: Stamp,
        refused: Option<&Refused>,
        software: Option<&str>,
    ) {
        let Some(export) = &self.0.export else { return };
        let opening = name == "session.open";
        let context = if opening { presence.context } else { presence.context.child(name, 0) };
        let mut span = Span::new(name, context, presence.context.span_id, start.wall(), Stamp::now().wall());
        if opening {
            span.parent = None;
        }
        span.kind = Kind::Server;
        spans::rpc(&mut span);
        span.attributes.extend([
            ("device.id", presence.device.as_str().into()),
            ("flagfall.board", presence.board.as_str().into()),
            ("flagfall.session.epoch", presence.epoch.into()),
        ]);
        span.attributes.extend(software.map(|software| ("user_agent.original", software.into())));
        if let Some(refused) = refused {
            span.attributes.push(("error.type", refused.name().into()));
            span.error = Some(refused.to_string());
        }
        export.tell(Exported::Span(Box::new(span)));
    }

    /// The service said no to a clock.
    pub fn refused(&self, refused: &Refused) {
        self.0.figures.refused(&refused.name(), "clock");
    }

    /// The desk said no, for a reason of this name.
    pub fn refused_at_desk(&self, name: &str) {
        self.0.figures.refused(name, "desk");
    }

    /// The sessions that live.
    #[must_use]
    pub fn presences(&self) -> Vec<Arc<Presence>> {
        let mut all = self.0.presences.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|presence| presence.lives());
        all.clone()
    }
}

impl What {
    /// Its ack or answer is what somebody waits for.
    pub(super) const fn is_press(self) -> bool {
        matches!(self, What::Press)
    }
}

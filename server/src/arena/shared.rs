//! What every actor of the arena shares.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{hub::Hub, limits::Limits, quarantine::Quarantine, roster::Roster};
use crate::{journal::Journal, trail::Trails};

pub(super) struct Shared {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) roster: Arc<Roster>,
    pub(super) limits: Limits,
    pub(super) hub: Hub,
    /// Where trails of inputs end.
    pub(super) trails: Trails,
    /// Games write what they hold and end.
    pub(super) stop: CancellationToken,
    /// An append failed: somebody should ask the journal how it is.
    pub(super) failed: Notify,
    /// Who is set apart.
    pub(super) quarantine: Quarantine,
}

//! Start and stop of the whole service; replay, demo and tests run it in their own process on port 0.

use std::{net::SocketAddr, sync::Arc};

use crate::{arena::Device, journal::Journal};

/// What a service is started with.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The clocks it takes in; [`Running::admit`] adds more later.
    pub devices: Vec<Device>,
    /// Where clocks connect; port 0 lets the system choose.
    pub clocks: SocketAddr,
    /// Where desks connect.
    pub desk: SocketAddr,
    /// Where probes connect.
    pub ops: SocketAddr,
    /// Patience and sizes.
    pub limits: crate::app::config::Limits,
}

impl ServiceSettings {
    /// A service on the loopback interface, every port the system's choice.
    #[must_use]
    pub fn loopback(devices: Vec<Device>) -> ServiceSettings;
}

/// Why a service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
}

/// A service about to start.
pub struct Service;

impl Service {
    /// Binds, replays the journal, then serves.
    ///
    /// # Errors
    /// An address is taken, or the journal cannot be read or understood.
    pub async fn start(settings: ServiceSettings, journal: Arc<dyn Journal>) -> Result<Running, StartError>;
}

/// A service at work.
pub struct Running {
    /// Where clocks connect.
    pub clocks: SocketAddr,
    /// Where desks connect.
    pub desk: SocketAddr,
    /// Where probes connect.
    pub ops: SocketAddr,
}

impl Running {
    /// Takes in one more clock, or moves one to another board.
    pub fn admit(&self, device: Device);
    /// Drains: says goodbye to every clock, waits for what is under way, closes.
    pub async fn shutdown(self);
}

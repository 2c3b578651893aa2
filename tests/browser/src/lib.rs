//! The desk's pages in a real browser: a hall of real agents with fake buttons and boards, the whole service, and chromium.

pub mod browser;
pub mod hall;
pub mod plain;
pub mod table;

use std::time::Duration;

/// How long anything here may take. The machine may be slow; what waits longer waits for something that will not come.
pub const PATIENCE: Duration = Duration::from_secs(60);

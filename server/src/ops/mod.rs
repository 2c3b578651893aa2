//! What an operator sees of the service: probes, reflection, the log.

pub mod health;
pub mod telemetry;

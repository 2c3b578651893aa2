//! Faults on real processes.

mod agent;
mod desk;
mod disk;
mod life;
mod net;
mod power;
mod service;

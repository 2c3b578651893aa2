//! Faults on real processes: the service and the agent as programs of their own, killed at chosen and at random moments, on
//! disks that fail and networks that break; and the table of all faults, whoever shows them.

pub mod agent;
pub mod armed;
pub mod check;
pub mod desk;
pub mod external;
pub mod faults;
pub mod house;
pub mod mount;
pub mod player;
pub mod proxy;
pub mod storm;

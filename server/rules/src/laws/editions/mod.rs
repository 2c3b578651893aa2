//! Editions of the Laws: data only, one file each.

pub mod fide_2018;
pub mod rf_2017;

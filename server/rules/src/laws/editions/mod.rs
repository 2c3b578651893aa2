//! Editions of the Laws: data only, one file each.

pub mod fide_2009;
pub mod fide_2014;
pub mod fide_2017;
pub mod fide_2018;
pub mod fide_2023;
pub mod rf_2011;
pub mod rf_2017;

use super::{Penalty, Rates};
use crate::time::MINUTE;

/// Two minutes, and the second loses.
const TWO_MINUTES_THEN_LOSS: Penalty = Penalty { bonus: 2 * MINUTE, loses_at: 2 };

/// One minute, and the second loses.
const ONE_MINUTE_THEN_LOSS: Penalty = Penalty { bonus: MINUTE, loses_at: 2 };

/// Two minutes twice, and the third loses.
const TWO_MINUTES_TWICE: Penalty = Penalty { bonus: 2 * MINUTE, loses_at: 3 };

/// Since 2014: blitz up to ten minutes for a game, rapid below an hour.
const RATES: Rates = Rates { blitz: 10 * MINUTE, rapid: 60 * MINUTE - 1 };

/// The first loses.
const FIRST_LOSES: Penalty = Penalty { bonus: 0, loses_at: 1 };

//! Adjourned games: every row of the procedure's table, with values worked out by hand.

mod agreed;
mod any;
mod desk;
mod guidelines;
mod lateness;
mod notation;
mod resumption;
mod sealing;

//! The rules at a table: boards, presses and rulings with values worked out by hand.

mod alone;
mod editions;
mod follow;
mod mating;
mod matrix;
mod rulings;
mod table;
mod time;

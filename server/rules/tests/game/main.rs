//! The rules at a table: boards, presses and rulings with values worked out by hand.

mod adjourned;
mod after_reply;
mod alone;
mod attended;
mod base;
mod blind;
mod by_hand;
mod editions;
mod follow;
mod impatient;
mod mating;
mod matrix;
mod meanwhile;
mod missed;
mod moved;
mod notice;
mod rulings;
mod since;
mod table;
mod time;
mod unread;

//! Adjournments: what is done about them ([`deed`]), what follows ([`fact`](mod@fact)), and what both speak of ([`parts`]).

mod deed;
mod fact;
mod parts;

pub(super) use deed::{deed_from_proto, deed_to_proto};
pub(super) use fact::{event_from_proto, event_to_proto};

pub use fact::proposal_to_proto;
pub use parts::{envelope_to_proto, hands_to_proto, resumption_to_proto, seal_to_proto, session_to_proto};

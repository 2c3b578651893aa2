//! What an entry says of itself, and what can be told from its events.

use flagfall_proto::clock::v1;
use flagfall_rules::game::Event;
use prost::Message;

use super::handle::{Answer, Origin};
use crate::{
    journal::{Journal, codec::Meta},
    wire::Hash,
};

/// The head of an entry that is admitted now. Wall time is a label; nothing ever compares it.
pub(super) fn admitted_now(journal: &dyn Journal, previous_hash: Hash, origin: Origin) -> Meta {
    let spool_id = if origin == Origin::default() { Vec::new() } else { origin.spool.to_vec() };
    Meta { previous_hash, wall_ms: journal.wall_ms(), session_epoch: origin.epoch, spool_id }
}

/// The desk's request that an entry carried out, and what it led to.
pub(super) fn answer(events: &[Event]) -> Option<(String, Answer)> {
    let request = events.iter().find_map(|event| match event {
        Event::Admitted(request) => Some(request.clone()),
        _ => None,
    })?;
    let case = events.iter().find_map(|event| match event {
        Event::Found(finding) => Some(finding.case),
        _ => None,
    });
    let rev = events.iter().find_map(|event| match event {
        Event::Issued(directive) => Some(directive.rev),
        _ => None,
    });
    Some((request, Answer { case, rev }))
}

/// The number of an event in its spool; 0 for bytes that are none, which the journal does not hold.
pub(super) fn seq(device_event: &[u8]) -> u64 {
    v1::DeviceEvent::decode(device_event).map_or(0, |event| event.seq)
}

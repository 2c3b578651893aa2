//! How a clock introduces itself, checked.

use flagfall_proto::clock::v1::{Hello, Past};

use super::{is_name, refused::Refused};

/// The version of the contract that this service speaks.
pub const PROTOCOL: u32 = 1;

/// A Hello that keeps the contract. Whether the clock is listed is for the roster to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The device's name.
    pub device: String,
    /// Names the spool.
    pub spool: [u8; 16],
    /// Names the boot.
    pub boot: [u8; 16],
    /// The last number in the spool.
    pub last_seq: u64,
    /// The game of the last directive the clock applied; empty when none.
    pub game: String,
    /// The last revision it applied there.
    pub applied_rev: u64,
    /// Software and version, for the log.
    pub software: String,
    /// The greatest epoch it remembers.
    pub last_epoch: u64,
    /// The last event that was acknowledged.
    pub acked: u64,
    /// The spool before this one, and its last event.
    pub past: Option<([u8; 16], u64)>,
}

impl Greeting {
    /// Checks a Hello.
    ///
    /// # Errors
    /// `PROTOCOL_RANGE`, `UNKNOWN_DEVICE` for a name that nothing can be called, `BAD_HELLO`.
    pub fn read(hello: Hello) -> Result<Greeting, Refused> {
        let device = hello.device;
        if !is_name(&device, 64) {
            // A name that cannot be configured is not repeated in full: it comes from a stranger.
            return Err(Refused::UnknownDevice { device: device.chars().take(64).collect() });
        }
        let (min, max) = (hello.protocol_min, hello.protocol_max);
        if !(min..=max).contains(&PROTOCOL) {
            return Err(Refused::ProtocolRange { device, min, max, ours: PROTOCOL });
        }
        let id = |field, bytes: Vec<u8>| {
            <[u8; 16]>::try_from(bytes).map_err(|bytes| Refused::BadHello {
                device: device.clone(),
                field,
                why: format!("expected 16 bytes, found {}", bytes.len()),
            })
        };
        let (spool, boot) = (id("spool_id", hello.spool_id)?, id("boot_id", hello.boot_id)?);
        let (last_seq, game, applied_rev) = (hello.last_seq, hello.game, hello.applied_rev);
        let past = |past: Past| id("past.spool_id", past.spool_id).map(|spool| (spool, past.last_seq));
        let past = hello.past.map(past).transpose()?;
        let (last_epoch, acked) = (hello.last_epoch, hello.acked_through);
        let software = hello.software.chars().take(100).filter(|c| !c.is_control()).collect();
        Ok(Greeting { device, spool, boot, last_seq, game, applied_rev, software, last_epoch, acked, past })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        let (spool_id, boot_id) = (vec![1; 16], vec![2; 16]);
        Hello { protocol_min: 1, protocol_max: 3, device: "clock-1".into(), spool_id, boot_id, ..Hello::default() }
    }

    #[test]
    fn a_hello_is_taken_or_refused_by_name() {
        assert_eq!(Greeting::read(hello()).expect("a good one").spool, [1; 16]);
        let said = |hello| Greeting::read(hello).expect_err("refused").to_string();
        assert!(said(Hello { protocol_min: 2, ..hello() }).starts_with("PROTOCOL_RANGE: clock-1 "));
        assert!(said(Hello { device: "a b".into(), ..hello() }).starts_with("UNKNOWN_DEVICE: \"a b\""));
        let short = said(Hello { boot_id: vec![2; 15], ..hello() });
        assert!(short.starts_with("BAD_HELLO: clock-1: boot_id: expected 16 bytes, found 15"), "{short}");
    }
}

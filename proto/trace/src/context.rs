//! W3C trace context: which trace, which span of it, and whether it is sampled.

use std::{fmt, str::FromStr};

/// A span's place in its trace, as `traceparent` carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    /// The trace; never all zeros.
    pub trace_id: [u8; 16],
    /// The span; never all zeros.
    pub span_id: [u8; 8],
    /// Whoever began the trace sampled it.
    pub sampled: bool,
}

/// A text that is no traceparent of version 00.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoContext;

impl fmt::Display for NoContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no traceparent: 00-<32 hexadecimal digits>-<16>-<2> is expected, ids not all zeros")
    }
}

impl std::error::Error for NoContext {}

impl TraceContext {
    /// The first span of the trace that this event of a spool begins: the same for whoever knows both.
    #[must_use]
    pub fn of_event(spool: &[u8; 16], seq: u64) -> TraceContext {
        TraceContext::named(&[spool, &seq.to_be_bytes()])
    }

    /// The first span of a trace with this name; the same name gives the same trace.
    #[must_use]
    pub fn named(name: &[&[u8]]) -> TraceContext {
        let mut trace_id = [0; 16];
        trace_id[..8].copy_from_slice(&digest(1, name));
        trace_id[8..].copy_from_slice(&digest(2, name));
        TraceContext { trace_id, span_id: digest(3, name), sampled: true }
    }

    /// A span below this one, told from its siblings by name and number.
    #[must_use]
    pub fn child(&self, name: &str, number: u64) -> TraceContext {
        TraceContext { span_id: digest(4, &[&self.span_id, name.as_bytes(), &number.to_be_bytes()]), ..*self }
    }

    /// The trace as hexadecimal digits: how people and pages name it.
    #[must_use]
    pub fn trace(&self) -> String {
        hex(&self.trace_id)
    }
}

/// Lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

/// Eight well-mixed bytes, never all zeros: FNV-1a, then the finish of splitmix64. Ids must differ, not be unforgeable.
fn digest(lane: u8, parts: &[&[u8]]) -> [u8; 8] {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ u64::from(lane);
    for part in parts {
        for &byte in *part {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash = (hash ^ part.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ (hash >> 31)).max(1).to_be_bytes()
}

/// As `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-0{}", hex(&self.trace_id), hex(&self.span_id), u8::from(self.sampled))
    }
}

/// Reads a `traceparent` of version 00.
impl FromStr for TraceContext {
    type Err = NoContext;

    fn from_str(text: &str) -> Result<TraceContext, NoContext> {
        let bytes = text.as_bytes();
        let dashes = bytes.len() == 55 && [2, 35, 52].iter().all(|&at| bytes[at] == b'-');
        if !dashes || !text.starts_with("00") {
            return Err(NoContext);
        }
        let (mut trace_id, mut span_id, mut flags) = ([0; 16], [0; 8], [0]);
        unhex(&bytes[3..35], &mut trace_id)?;
        unhex(&bytes[36..52], &mut span_id)?;
        unhex(&bytes[53..], &mut flags)?;
        if trace_id == [0; 16] || span_id == [0; 8] {
            return Err(NoContext);
        }
        Ok(TraceContext { trace_id, span_id, sampled: flags[0] & 1 == 1 })
    }
}

/// Reads a trace id as [`TraceContext::trace`] writes it.
///
/// # Errors
/// It is none.
pub fn parse_trace(text: &str) -> Result<[u8; 16], NoContext> {
    let mut trace_id = [0; 16];
    if text.len() != 32 {
        return Err(NoContext);
    }
    unhex(text.as_bytes(), &mut trace_id)?;
    if trace_id == [0; 16] { Err(NoContext) } else { Ok(trace_id) }
}

fn unhex(digits: &[u8], bytes: &mut [u8]) -> Result<(), NoContext> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NoContext),
    };
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_comes_back() {
        // The example of the W3C recommendation.
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let context: TraceContext = text.parse().expect("a traceparent");
        assert_eq!((context.to_string().as_str(), context.sampled), (text, true));
        assert_eq!(context.trace(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(parse_trace(&context.trace()), Ok(context.trace_id));
        let unsampled: TraceContext = text.replace("-01", "-00").parse().expect("a traceparent");
        assert!(!unsampled.sampled);
    }

    #[test]
    fn what_is_no_traceparent_is_none() {
        for bad in [
            "",
            "00-trace-7",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
        ] {
            assert_eq!(bad.parse::<TraceContext>(), Err(NoContext), "{bad}");
        }
    }

    #[test]
    fn events_and_children_are_told_apart() {
        let (first, second) = (TraceContext::of_event(&[9; 16], 1), TraceContext::of_event(&[9; 16], 2));
        assert_eq!(first, TraceContext::of_event(&[9; 16], 1));
        assert_ne!(first.trace_id, second.trace_id);
        let children = [first.child("rule", 1), first.child("rule", 2), first.child("commit", 1)];
        let ids: std::collections::HashSet<_> = children.iter().map(|child| child.span_id).collect();
        assert_eq!(ids.len(), 3);
        assert!(children.iter().all(|child| child.trace_id == first.trace_id && child.span_id != first.span_id));
    }
}

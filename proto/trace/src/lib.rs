//! Traces of presses, for clock and service alike: one trace a press, from the button to the display.
//!
//! ```text
//!   press (clock) ─┬─ spool                 edge to the link: on the card, then waiting for the network
//!                  └─ receive (service) ─┬─ rule
//!                                        ├─ commit
//!                                        └─ directive ── apply (clock) ── receive (service) ─ …
//! ```
//!
//! - [`context`] is what frames carry: W3C trace context. Ids are derived from what both sides know, so that a clock and the
//!   service name the same span alike without asking each other.
//! - [`sampler`] reads `OTEL_TRACES_SAMPLER` and decides by the trace id, on both sides alike.
//! - [`span`] is a finished span; nobody keeps an open one.
//! - [`export`] sends finished spans by OTLP/gRPC from a bounded queue. A dead collector costs no press anything.
//! - [`log`] puts the trace id into every log line that is written within a press.

pub mod context;
pub mod export;
pub mod log;
pub mod sampler;
pub mod span;

pub use context::TraceContext;
pub use export::{Export, Figures, Traced};
pub use sampler::Sampler;
pub use span::{Kind, Span, Value};

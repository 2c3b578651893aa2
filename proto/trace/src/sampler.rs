//! Which traces are exported though nothing came of them.
//!
//! Both sides decide by the trace id alone, so a clock and a service with the same setting keep the same traces. What led to
//! a directive, a ruling or an error is kept whatever the sampler says.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::TraceContext;

/// The ratio without a setting: one press in a hundred.
pub const DEFAULT_RATIO: f64 = 0.01;

/// Ids are compared by 63 bits, as the OpenTelemetry SDKs do.
const BITS: u64 = 1 << 63;

/// A setting that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSampler(String);

impl std::fmt::Display for BadSampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BadSampler(found) = self;
        write!(
            f,
            "OTEL_TRACES_SAMPLER: {found}: expected always_on, always_off, traceidratio, or one of them after parentbased_, \
             and OTEL_TRACES_SAMPLER_ARG from 0 to 1 with a ratio"
        )
    }
}

impl std::error::Error for BadSampler {}

/// See the module. The setting can be replaced while it is used.
#[derive(Debug)]
pub struct Sampler {
    /// Trace ids below are kept.
    below: AtomicU64,
    /// Whoever began the trace decides instead.
    parent: AtomicBool,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler::ratio(DEFAULT_RATIO)
    }
}

impl Sampler {
    /// Keeps so many of all traces; below 0 is none and above 1 is all.
    #[must_use]
    pub fn ratio(ratio: f64) -> Sampler {
        // Saturates: all is 2^63, which no id of 63 bits reaches.
        let below = (ratio.clamp(0.0, 1.0) * BITS as f64) as u64;
        Sampler { below: AtomicU64::new(below), parent: AtomicBool::new(false) }
    }

    /// As the standard variables say it; `ratio` where they leave it open.
    ///
    /// # Errors
    /// They say what means nothing.
    pub fn from_variables(ratio: f64) -> Result<Sampler, BadSampler> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let argument = variable("OTEL_TRACES_SAMPLER_ARG");
        Sampler::named(variable("OTEL_TRACES_SAMPLER").as_deref(), argument.as_deref(), ratio)
    }

    fn named(name: Option<&str>, argument: Option<&str>, ratio: f64) -> Result<Sampler, BadSampler> {
        let given = || match argument {
            None => Ok(ratio),
            Some(text) => {
                let given = text.parse().ok().filter(|given| (0.0..=1.0).contains(given));
                given.ok_or_else(|| BadSampler(format!("a ratio of {text:?}")))
            }
        };
        let name = name.unwrap_or("traceidratio");
        let own = name.strip_prefix("parentbased_");
        let sampler = Sampler::ratio(match own.unwrap_or(name) {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => given()?,
            _ => return Err(BadSampler(format!("{name:?}"))),
        });
        sampler.parent.store(own.is_some(), Ordering::Relaxed);
        Ok(sampler)
    }

    /// Goes on as another.
    pub fn become_like(&self, other: &Sampler) {
        self.below.store(other.below.load(Ordering::Relaxed), Ordering::Relaxed);
        self.parent.store(other.parent.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A trace that begins here is kept.
    #[must_use]
    pub fn keeps(&self, trace_id: &[u8; 16]) -> bool {
        let [.., a, b, c, d, e, f, g, h] = *trace_id;
        u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 < self.below.load(Ordering::Relaxed)
    }

    /// A trace that began elsewhere is kept.
    #[must_use]
    pub fn keeps_remote(&self, context: &TraceContext) -> bool {
        match self.parent.load(Ordering::Relaxed) {
            true => context.sampled,
            false => self.keeps(&context.trace_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(sampler: &Sampler) -> usize {
        (0..10_000).filter(|&seq| sampler.keeps(&TraceContext::of_event(&[1; 16], seq).trace_id)).count()
    }

    #[test]
    fn a_ratio_keeps_about_so_many() {
        assert_eq!((kept(&Sampler::ratio(0.0)), kept(&Sampler::ratio(1.0))), (0, 10_000));
        // Four standard deviations of 10,000 throws at one in ten are 120.
        assert!((880..=1_120).contains(&kept(&Sampler::ratio(0.1))));
        assert!((kept(&Sampler::default())) < 140);
    }

    #[test]
    fn the_standard_names_are_known() {
        let named = |name, argument| Sampler::named(Some(name), argument, 0.5);
        let sampled = TraceContext::of_event(&[1; 16], 1);
        let unsampled = TraceContext { sampled: false, ..sampled };
        assert!(named("always_on", None).expect("known").keeps_remote(&unsampled));
        assert!(!named("parentbased_always_on", None).expect("known").keeps_remote(&unsampled));
        assert!(named("parentbased_traceidratio", Some("0")).expect("known").keeps_remote(&sampled));
        assert!(!named("traceidratio", Some("0")).expect("known").keeps_remote(&sampled));
        assert!(named("sometimes", None).is_err() && named("traceidratio", Some("2")).is_err());
    }

    #[test]
    fn a_sampler_can_go_on_as_another() {
        let sampler = Sampler::ratio(0.0);
        sampler.become_like(&Sampler::ratio(1.0));
        assert_eq!(kept(&sampler), 10_000);
    }
}

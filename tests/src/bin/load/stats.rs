//! Quantiles of what was measured, exact: every sample is kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Samples in microseconds; the longest that fits is more than an hour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<u32>);

impl Samples {
    /// One more.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
    }

    /// Those of another.
    pub(crate) fn extend(&mut self, other: Samples) {
        self.0.extend(other.0);
    }

    /// What they come to.
    pub(crate) fn quantiles(mut self) -> Quantiles {
        self.0.sort_unstable();
        let at = |per_mille: usize| match self.0.len() {
            0 => 0,
            count => self.0[(count * per_mille / 1_000).min(count - 1)],
        };
        Quantiles { count: self.0.len() as u64, p50_us: at(500), p99_us: at(990), max_us: at(1_000) }
    }
}

/// Microseconds; all zero when nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    /// How many samples.
    pub(crate) count: u64,
    /// Half of them took no longer.
    pub(crate) p50_us: u32,
    /// All but a hundredth took no longer.
    pub(crate) p99_us: u32,
    /// None took longer.
    pub(crate) max_us: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let mut samples = Samples::default();
        assert_eq!(samples.clone().quantiles(), Quantiles::default());
        (1..=100).rev().for_each(|n| samples.add(Duration::from_micros(n)));
        assert_eq!(samples.quantiles(), Quantiles { count: 100, p50_us: 51, p99_us: 100, max_us: 100 });
    }
}

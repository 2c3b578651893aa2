//! How long to wait before the next try.

use std::time::Duration;

use rand::{Rng, SeedableRng, rngs::StdRng};

/// The first wait is at most this long.
const BASE: Duration = Duration::from_millis(100);

/// No wait is longer than this by itself.
const CAP: Duration = Duration::from_secs(10);

/// A service that asks for more rest than this is not believed.
const REST_MAX: Duration = Duration::from_secs(600);

/// Waits that grow, each drawn from zero up, so that ten thousand clocks do not come back at once.
#[derive(Debug)]
pub struct Pause {
    rng: StdRng,
    tries: u32,
}

impl Pause {
    /// Waits that are the same each time for one seed.
    pub fn new(seed: u64) -> Pause {
        Pause { rng: StdRng::seed_from_u64(seed), tries: 0 }
    }

    /// The link worked: the next wait is short again.
    pub fn reset(&mut self) {
        self.tries = 0;
    }

    /// After a link that failed by itself.
    pub fn after_loss(&mut self) -> Duration {
        let most = BASE.saturating_mul(1 << self.tries.min(10)).min(CAP);
        self.tries = self.tries.saturating_add(1);
        self.up_to(most)
    }

    /// After a refusal that waiting alone will hardly mend.
    pub fn after_refusal(&mut self) -> Duration {
        CAP + self.up_to(CAP / 10)
    }

    /// After the service asked for so much rest.
    pub fn after_goodbye(&mut self, rest: Duration) -> Duration {
        let rest = rest.min(REST_MAX);
        rest + self.up_to(rest.max(BASE))
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        let most = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.rng.random_range(0..=most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_ten_seconds_and_start_anywhere() {
        let mut most = [Duration::ZERO; 12];
        let mut least = [CAP; 12];
        for seed in 0..500 {
            let mut pause = Pause::new(seed);
            for n in 0..12 {
                let wait = pause.after_loss();
                (most[n], least[n]) = (most[n].max(wait), least[n].min(wait));
            }
            assert!((CAP..=CAP + CAP / 10).contains(&pause.after_refusal()));
            let rest = Duration::from_secs(5);
            assert!((rest..=rest * 2).contains(&pause.after_goodbye(rest)));
            pause.reset();
            assert!(pause.after_loss() <= BASE);
        }
        for (n, seconds) in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0, 10.0, 10.0, 10.0].into_iter().enumerate() {
            assert!(
                most[n].as_secs_f64() <= seconds && most[n].as_secs_f64() > seconds * 0.9,
                "try {n}: {:?}",
                most[n]
            );
            assert!(least[n].as_secs_f64() < seconds * 0.1, "try {n}: {:?}", least[n]);
        }
    }

    #[test]
    fn one_seed_waits_alike() {
        let waits = |seed| {
            let mut pause = Pause::new(seed);
            [(); 5].map(|()| pause.after_loss())
        };
        assert_eq!(waits(4), waits(4));
        assert_ne!(waits(4), waits(5));
    }
}

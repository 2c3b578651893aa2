//! What an event sets differently from the letter of its edition.

use clap::Args as ClapArgs;
use flagfall_proto::journal::v1::Overlay;
use flagfall_rules::time::SECOND;

/// For one game, or for every game of an event.
#[derive(Clone, Debug, ClapArgs)]
pub struct OverlayArgs {
    /// The event's own penalty for an illegal move before the last, seconds.
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..=36_000))]
    pub bonus: Option<i64>,
    /// With which illegal move by one player the event has the game lost.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub loses_at: Option<u32>,
    /// What an offending press credited stays on the clock.
    #[arg(long)]
    pub keeps_increment: bool,
    /// What the Laws fix waits for the arbiter's confirmation.
    #[arg(long)]
    pub confirms: bool,
    /// Guideline III (quickplay finish) was announced, or Appendix G of 2014: a draw claimed with less than two minutes is yours to decide.
    #[arg(long)]
    pub quickplay_finish: bool,
}

impl OverlayArgs {
    /// As the contract has it; nothing where nothing is given.
    #[must_use]
    pub fn overlay(&self, default_time_ms: Option<i64>) -> Option<Overlay> {
        let overlay = Overlay {
            bonus_ms: self.bonus.map(|seconds| seconds * SECOND),
            loses_at: self.loses_at,
            keeps_increment: self.keeps_increment,
            confirms: self.confirms,
            quickplay_finish: self.quickplay_finish,
            default_time_ms,
        };
        (overlay != Overlay::default()).then_some(overlay)
    }
}

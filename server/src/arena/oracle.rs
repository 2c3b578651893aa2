//! Whether a side can still mate, found out beside the actor: a game never waits for it, and a verdict comes back as an input.

use std::time::Duration;

use flagfall_rules::{
    game::{Question, state},
    unwinnable::{self, Verdict},
};
use tokio::{sync::mpsc, time::Instant};

use super::beside::Beside;

/// How long a question may take; then the arbiter decides.
const PATIENCE: Duration = Duration::from_secs(1);

/// Positions looked at in one question at most: bounds its memory, time bounds the rest.
const BUDGET: u64 = 2_000_000;

/// One game's oracle.
pub(super) struct Oracle {
    beside: Beside,
    answers: mpsc::UnboundedReceiver<(u32, Option<bool>)>,
    sender: mpsc::UnboundedSender<(u32, Option<bool>)>,
}

impl Oracle {
    pub(super) fn new(beside: Beside) -> Oracle {
        let (sender, answers) = mpsc::unbounded_channel();
        Oracle { beside, answers, sender }
    }

    /// Asks; the answer comes from [`Oracle::answer`]. A game asks at most once a flag and once a case, so that nothing piles up.
    pub(super) fn ask(&self, question: Question) {
        let (answers, until) = (self.sender.clone(), Instant::now() + PATIENCE);
        self.beside.run(move || {
            let answer = state::position(&question.position).and_then(|position| {
                let mut go_on = || Instant::now() < until;
                match unwinnable::examine(&position, question.side, BUDGET, &mut go_on).verdict {
                    Verdict::Winnable(_) => Some(true),
                    Verdict::Unwinnable(_) => Some(false),
                    Verdict::Undetermined => None,
                }
            });
            // The actor ended meanwhile: its successor asks again.
            let _gone = answers.send((question.number, answer));
        });
    }

    /// The next answer. The oracle keeps a sender of its own, so that this waits for ever when nothing was asked.
    pub(super) async fn answer(&mut self) -> (u32, Option<bool>) {
        match self.answers.recv().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

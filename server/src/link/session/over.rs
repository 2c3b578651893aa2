//! What ends a session from outside. The waits are begun once, for a session looks at them with every step.

use std::pin::Pin;

use flagfall_proto::clock::v1::LinkResponse;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::wire::Outgoing;

/// Why it is over, or soon will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// A newer session has come, or this one does not keep up.
    Superseded,
    /// The client is gone.
    Gone,
    /// The service drains.
    Drain,
}

/// See the module. Whatever came is not to be asked again.
pub(super) struct Overs {
    superseded: Pin<Box<WaitForCancellationFutureOwned>>,
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// All sessions share what this one waits for.
    drain: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Overs {
    pub(super) fn new(
        superseded: &CancellationToken,
        out: &Outgoing<LinkResponse>,
        drain: &CancellationToken,
    ) -> Overs {
        let [superseded, drain] = [superseded, drain].map(|token| Box::pin(token.clone().cancelled_owned()));
        let out = out.clone();
        Overs { superseded, gone: Box::pin(async move { out.gone().await }), drain }
    }

    /// Waits for the first of them.
    pub(super) async fn first(&mut self) -> Over {
        tokio::select! {
            biased;
            () = self.superseded.as_mut() => Over::Superseded,
            () = self.gone.as_mut() => Over::Gone,
            () = self.drain.as_mut() => Over::Drain,
        }
    }
}

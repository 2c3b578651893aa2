//! A stream that ends when whoever it was opened for is not known any more.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use tokio_stream::Stream;
use tonic::Status;

use super::{OutStream, Refused};

/// See the module.
pub struct WhileKnown<T> {
    updates: OutStream<T>,
    /// Resolves when he is not; `None`: the end was told.
    gone: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<T> WhileKnown<T> {
    /// A stream that ends with `UNAUTHENTICATED` once `gone` resolves.
    pub fn new(updates: OutStream<T>, gone: impl Future<Output = ()> + Send + 'static) -> WhileKnown<T> {
        WhileKnown { updates, gone: Some(Box::pin(gone)) }
    }
}

impl<T> Stream for WhileKnown<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(gone) = &mut self.gone else { return Poll::Ready(None) };
        if gone.as_mut().poll(cx).is_ready() {
            self.gone = None;
            let why = "who asked is not known any more as he was; ask again".to_owned();
            return Poll::Ready(Some(Err(Refused::Unauthenticated { why }.into())));
        }
        Pin::new(&mut self.updates).poll_next(cx)
    }
}

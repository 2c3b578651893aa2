//! A bounded queue to a client whose end carries a status, at once or after what is queued.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tonic::Status;

/// The queue is full, or nobody reads it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The client reads too slowly.
    Full,
    /// The client is gone.
    Gone,
}

#[derive(Debug)]
struct End {
    /// None: the stream ends without an error.
    status: Option<Status>,
    /// What is queued is thrown away.
    at_once: bool,
}

/// The service's side.
#[derive(Debug)]
pub struct Outgoing<T> {
    /// Boxed: a queue keeps room for thirty-two messages from the beginning, and there is one for each clock.
    queue: mpsc::Sender<Box<T>>,
    end: Arc<Mutex<Option<oneshot::Sender<End>>>>,
}

impl<T> Clone for Outgoing<T> {
    fn clone(&self) -> Self {
        Outgoing { queue: self.queue.clone(), end: Arc::clone(&self.end) }
    }
}

/// Room for one message.
pub struct Room<T>(mpsc::OwnedPermit<Box<T>>);

impl<T> Room<T> {
    /// Queues a message.
    pub fn send(self, message: T) {
        self.0.send(Box::new(message));
    }
}

/// The client's side: what tonic sends.
pub struct OutStream<T> {
    queue: mpsc::Receiver<Box<T>>,
    end: Option<oneshot::Receiver<End>>,
    last: Option<Status>,
}

/// A queue of at most `limit`.
#[must_use]
pub fn outgoing<T>(limit: usize) -> (Outgoing<T>, OutStream<T>) {
    let (sender, queue) = mpsc::channel(limit);
    let (end, ended) = oneshot::channel();
    (
        Outgoing { queue: sender, end: Arc::new(Mutex::new(Some(end))) },
        OutStream { queue, end: Some(ended), last: None },
    )
}

impl<T> Outgoing<T> {
    /// Queues a message without waiting.
    ///
    /// # Errors
    /// It was not queued.
    pub fn send(&self, message: T) -> Result<(), Unsent> {
        self.queue.try_send(Box::new(message)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Unsent::Full,
            mpsc::error::TrySendError::Closed(_) => Unsent::Gone,
        })
    }

    /// Waits for room; `None` when the client is gone.
    pub async fn room(&self) -> Option<Room<T>> {
        self.queue.clone().reserve_owned().await.ok().map(Room)
    }

    /// Resolves when the client is gone, or the stream has ended.
    pub async fn gone(&self) {
        self.queue.closed().await;
    }

    /// Ends the stream after what is queued. Only the first end counts.
    pub fn finish(&self, status: Option<Status>) {
        self.end(End { status, at_once: false });
    }

    /// Ends the stream in front of what is queued: the client does not read it anyway.
    pub fn abort(&self, status: Status) {
        self.end(End { status: Some(status), at_once: true });
    }

    fn end(&self, end: End) {
        if let Some(sender) = self.end.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Fails only when the client is gone: then nobody needs a status.
            let _gone = sender.send(end);
        }
    }
}

impl<T> Stream for OutStream<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(end) = &mut self.end
            && let Poll::Ready(end) = Pin::new(end).poll(cx)
        {
            self.end = None;
            if let Ok(End { status, at_once }) = end {
                self.queue.close();
                if at_once {
                    while self.queue.try_recv().is_ok() {}
                }
                self.last = status;
            }
        }
        match ready!(self.queue.poll_recv(cx)) {
            Some(message) => Poll::Ready(Some(Ok(*message))),
            None => Poll::Ready(self.last.take().map(Err)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn finish_lets_the_queue_go_first_and_abort_does_not() {
        let (sender, stream) = outgoing(2);
        sender.send(1).expect("room");
        sender.finish(Some(Status::unavailable("DRAINING")));
        sender.abort(Status::aborted("too late"));
        let got: Vec<_> = stream.map(|item| item.map_err(|status| status.code())).collect().await;
        assert_eq!(got, [Ok(1), Err(tonic::Code::Unavailable)]);

        let (sender, mut stream) = outgoing(2);
        assert_eq!((sender.send(1), sender.send(2), sender.send(3)), (Ok(()), Ok(()), Err(Unsent::Full)));
        sender.abort(Status::resource_exhausted("SLOW_READER"));
        assert!(stream.next().await.expect("a status").is_err());
        assert!(stream.next().await.is_none());
        assert_eq!(sender.send(4), Err(Unsent::Gone));
    }

    #[tokio::test]
    async fn a_stream_whose_senders_are_gone_ends() {
        let (sender, mut stream) = outgoing(2);
        sender.send(1).expect("room");
        drop(sender);
        assert_eq!((stream.next().await.map(|item| item.is_ok()), stream.next().await.is_none()), (Some(true), true));
    }
}

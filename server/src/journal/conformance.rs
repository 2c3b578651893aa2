//! What every backend does: the suite takes a builder of an empty journal. What is special to one stands beside it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use super::{AppendError, ENTRY_MAX, Health, Journal, NAME_MAX, StreamId, frame};

/// Runs every check, each on a journal of its own.
pub(super) fn all<J: Journal>(build: impl Fn() -> J) {
    order_and_ranges(&build());
    conflicts(&build());
    limits(&build());
    streams(&build());
    tickets_resolve_in_order(&build());
    many_writers(Arc::new(build()));
    assert_eq!(build().health(), Health::Ok);
    // The port is used as an object.
    let _: Arc<dyn Journal> = Arc::new(build());
}

fn game(name: &str) -> StreamId {
    StreamId::Game(name.to_owned())
}

fn order_and_ranges(journal: &impl Journal) {
    let stream = game("order");
    assert_eq!(journal.last(&stream), Ok(None));
    assert_eq!(journal.read(&stream, 1, 10), Ok(vec![]));
    // Pipelined: none of them is waited for before the next.
    let tickets: Vec<_> = (0..20).map(|after| journal.append(&stream, after, vec![after as u8; 40])).collect();
    for (n, ticket) in tickets.into_iter().enumerate() {
        let durable = ticket.wait().expect("appended");
        assert_eq!((durable.index, durable.position), (n as u64 + 1, n as u64 + 1));
    }
    let all = journal.read(&stream, 1, usize::MAX).expect("read");
    assert_eq!(all.len(), 20);
    for (n, entry) in all.iter().enumerate() {
        assert_eq!((entry.index, &entry.bytes), (n as u64 + 1, &vec![n as u8; 40]));
        assert_eq!(entry.hash, frame::hash(&entry.bytes));
    }
    let range = |from, max| {
        let read = journal.read(&stream, from, max).expect("read");
        read.iter().map(|entry| entry.index).collect::<Vec<_>>()
    };
    assert_eq!(range(0, 2), [1, 2], "0 is the beginning");
    assert_eq!(range(19, 5), [19, 20]);
    assert_eq!(range(7, 1), [7]);
    assert!(range(21, 5).is_empty() && range(7, 0).is_empty() && range(u64::MAX, usize::MAX).is_empty());
    assert_eq!(journal.last(&stream), Ok(Some((20, frame::hash(&[19; 40])))));
}

fn conflicts(journal: &impl Journal) {
    let stream = game("conflicts");
    let first = journal.append(&stream, 0, b"first".to_vec());
    let second = journal.append(&stream, 0, b"second".to_vec());
    let third = journal.append(&stream, 1, b"third".to_vec());
    let ahead = journal.append(&stream, 9, b"ahead".to_vec());
    assert_eq!(first.wait().map(|durable| durable.index), Ok(1));
    assert_eq!(second.wait(), Err(AppendError::Conflict { stream: stream.clone(), expected: 0, actual: 1 }));
    assert_eq!(third.wait().map(|durable| durable.index), Ok(2));
    assert_eq!(ahead.wait(), Err(AppendError::Conflict { stream: stream.clone(), expected: 9, actual: 2 }));
    let bytes: Vec<_> = journal.read(&stream, 1, 9).expect("read").into_iter().map(|entry| entry.bytes).collect();
    assert_eq!(bytes, [b"first".to_vec(), b"third".to_vec()]);
}

fn limits(journal: &impl Journal) {
    let (stream, unnamed, long) = (game("limits"), game(""), game(&"n".repeat(NAME_MAX + 1)));
    let too_large = journal.append(&stream, 0, vec![0; ENTRY_MAX + 1]).wait();
    assert_eq!(
        too_large,
        Err(AppendError::TooLarge { stream: stream.clone(), bytes: ENTRY_MAX + 1, max: ENTRY_MAX }),
        "refused before it takes a place"
    );
    assert!(matches!(journal.append(&long, 0, vec![0]).wait(), Err(AppendError::TooLarge { .. })));
    for after in 0..40 {
        assert!(journal.append(&stream, after, vec![after as u8; ENTRY_MAX]).wait().is_ok());
    }
    assert!(journal.append(&unnamed, 0, vec![]).wait().is_ok());
    assert_eq!(journal.read(&stream, 40, 1).expect("read")[0].bytes, vec![39; ENTRY_MAX]);
    assert_eq!(journal.read(&unnamed, 1, 1).expect("read")[0].bytes, Vec::<u8>::new());
}

fn streams(journal: &impl Journal) {
    assert_eq!(journal.streams(), Ok(vec![]));
    let name = |name: &str| name.to_owned();
    let sorted = [
        StreamId::Game(name("a")),
        StreamId::Game(name("a\0b")),
        StreamId::Game(name("ab")),
        StreamId::Game(name("b")),
        StreamId::Device(name("a")),
        StreamId::Desk,
        StreamId::Round(name("1")),
        StreamId::Event(name("моя")),
    ];
    for (n, stream) in sorted.iter().enumerate().rev() {
        assert!(journal.append(stream, 0, vec![n as u8]).wait().is_ok());
    }
    // A refused append makes no stream.
    assert!(journal.append(&game("never"), 5, vec![]).wait().is_err());
    assert_eq!(journal.streams(), Ok(sorted.to_vec()));
    for (n, stream) in sorted.iter().enumerate() {
        let read = journal.read(stream, 1, 9).expect("read");
        assert_eq!(read.iter().map(|entry| &entry.bytes).collect::<Vec<_>>(), [&vec![n as u8]], "{stream}");
    }
}

fn tickets_resolve_in_order(journal: &impl Journal) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
    let resolved = Arc::new(Mutex::new(Vec::new()));
    runtime.block_on(async {
        let mut waiters = tokio::task::JoinSet::new();
        for n in 0..300u64 {
            let ticket = journal.append(&game(&format!("g{}", n % 7)), n / 7, n.to_be_bytes().to_vec());
            let resolved = resolved.clone();
            waiters.spawn(async move {
                let position = ticket.await.expect("appended").position;
                resolved.lock().expect("lock").push(position);
            });
        }
        while waiters.join_next().await.is_some() {}
    });
    // One thread runs the tasks in the order they are woken.
    let resolved = resolved.lock().expect("lock");
    assert_eq!(*resolved, (1..=300).collect::<Vec<u64>>());
}

fn many_writers(journal: Arc<impl Journal>) {
    const WRITERS: u64 = 16;
    const EACH: u64 = 1_000;
    let highest = Arc::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (journal, highest) = (journal.clone(), highest.clone());
            thread::spawn(move || {
                let own = game(&format!("own-{writer}"));
                for after in 0..EACH {
                    let mut entry = writer.to_be_bytes().to_vec();
                    entry.extend_from_slice(&after.to_be_bytes());
                    let durable = journal.append(&own, after, entry).wait().expect("appended");
                    assert_eq!(durable.index, after + 1);
                    highest.fetch_max(durable.position, Ordering::Relaxed);
                    // Once the ticket has resolved the entry can be read by anybody.
                    let last = journal.last(&own).expect("read").expect("there");
                    assert_eq!(last.0, after + 1);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("writer");
    }
    assert_eq!(highest.load(Ordering::Relaxed), WRITERS * EACH, "positions have no gaps");
    for writer in 0..WRITERS {
        let read = journal.read(&game(&format!("own-{writer}")), 1, usize::MAX).expect("read");
        assert_eq!(read.len() as u64, EACH);
        for (after, entry) in (0..EACH).zip(read) {
            assert_eq!(entry.bytes[8..], after.to_be_bytes());
        }
    }
}

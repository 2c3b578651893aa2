//! Log lines for people or machines, each with the trace it was written within.
//!
//! A press is handled in plain functions between waits, so "within" is a matter of one thread: [`within`] holds until it is
//! dropped. It costs a store, and nothing is formatted before a line is written.
//!
//! Lines leave by a thread of their own ([`out`]): who reads them may stand still, and no press waits for him.

use std::{cell::Cell, fmt, io, marker::PhantomData, sync::OnceLock};

use tracing::{Event, Subscriber};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{Format, Json, JsonFields, Writer},
    },
    registry::LookupSpan,
};

use crate::{TraceContext, context::hex};

thread_local! {
    static CURRENT: Cell<Option<TraceContext>> = const { Cell::new(None) };
}

/// Lines written by this thread belong to a trace until this is dropped.
#[must_use]
pub struct Within {
    before: Option<TraceContext>,
    /// It must be dropped by the thread that made it.
    _here: PhantomData<*const ()>,
}

/// See the module. Never held over a wait.
pub fn within(context: TraceContext) -> Within {
    Within { before: CURRENT.replace(Some(context)), _here: PhantomData }
}

impl Drop for Within {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Of the lines that were lost in this process.
static LOST: OnceLock<ErrorCounter> = OnceLock::new();

/// The thread that writes lines, until this is dropped; what waits then is still written, if that takes no longer than a second.
#[must_use]
pub struct Out(#[expect(dead_code, reason = "held for what its end does")] WorkerGuard);

/// Where lines go, behind a queue of at most `most` of them. A line that finds it full is lost and counted, see [`lost`]: a pipe that
/// nobody empties, or a full disk behind it, must not stop a game.
pub fn out(to: impl io::Write + Send + 'static, most: usize) -> (NonBlocking, Out) {
    let lossy = NonBlockingBuilder::default().thread_name("log").lossy(true).buffered_lines_limit(most);
    let (writer, guard) = lossy.finish(to);
    LOST.get_or_init(|| writer.error_counter());
    (writer, Out(guard))
}

/// Lines that were lost since this process began to log.
#[must_use]
pub fn lost() -> u64 {
    LOST.get().map_or(0, |counter| counter.dropped_lines() as u64)
}

/// Text for people: `… trace_id=… span_id=…` at the end of a line.
pub struct Text(Format);

/// One JSON object a line, with `trace_id` and `span_id` in it.
pub struct Lines(Format<Json>);

/// Lines for people.
#[must_use]
pub fn text(ansi: bool) -> Text {
    Text(Format::default().with_ansi(ansi))
}

/// Lines for machines, and how their fields are written.
#[must_use]
pub fn json() -> (Lines, JsonFields) {
    (Lines(Format::default().json()), JsonFields::new())
}

fn formatted<S, N, F>(format: &F, ctx: &FmtContext<'_, S, N>, event: &Event<'_>) -> Result<String, fmt::Error>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    let mut line = String::new();
    format.format_event(ctx, Writer::new(&mut line), event)?;
    Ok(line)
}

impl<S, N> FormatEvent<S, N> for Text
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let line = formatted(&self.0, ctx, event)?;
        to.write_str(line.trim_end())?;
        if let Some(TraceContext { trace_id, span_id, .. }) = CURRENT.get() {
            write!(to, " trace_id={} span_id={}", hex(&trace_id), hex(&span_id))?;
        }
        writeln!(to)
    }
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let line = formatted(&self.0, ctx, event)?;
        let object = line.trim_end();
        match (CURRENT.get(), object.strip_suffix('}')) {
            (Some(TraceContext { trace_id, span_id, .. }), Some(open)) => {
                let (trace, span) = (hex(&trace_id), hex(&span_id));
                writeln!(to, "{open},\"trace_id\":\"{trace}\",\"span_id\":\"{span}\"}}")
            }
            _ => writeln!(to, "{object}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Arc, Mutex, mpsc},
    };

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("one writer").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Page {
        fn lines(&self) -> Vec<String> {
            let bytes = self.0.lock().expect("one writer").clone();
            String::from_utf8(bytes).expect("text").lines().map(str::to_owned).collect()
        }
    }

    fn press() -> TraceContext {
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().expect("a traceparent")
    }

    fn write_both() {
        tracing::info!(board = "b7", "outside");
        let _press = within(press());
        tracing::info!(board = "b7", "inside");
    }

    #[test]
    fn text_names_the_trace_it_was_written_within() {
        let page = Page::default();
        let to = page.clone();
        let log = tracing_subscriber::fmt().event_format(text(false)).with_writer(move || to.clone()).finish();
        tracing::subscriber::with_default(log, write_both);
        let lines = page.lines();
        assert!(lines[0].ends_with("outside board=\"b7\""), "{lines:?}");
        let ids = "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7";
        assert!(lines[1].ends_with(&format!("inside board=\"b7\" {ids}")), "{lines:?}");
    }

    /// Somebody who takes a line only when he is told to; at the end he takes all that comes.
    struct Slow(mpsc::Receiver<()>, Page);

    impl io::Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().ok();
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn who_takes_no_lines_holds_up_nobody_and_what_is_lost_is_counted() {
        let (go_on, told) = mpsc::channel();
        let page = Page::default();
        let (mut writer, out) = out(Slow(told, page.clone()), 4);
        for n in 0..100 {
            writer.write_all(format!("{n}\n").as_bytes()).expect("always taken, or lost");
        }
        // Four wait, and one is in his hands or about to be.
        let lost = lost();
        assert!((95..=96).contains(&lost), "{lost}");
        drop(go_on);
        drop(out);
        let written = page.lines();
        assert_eq!((written.len() as u64, written[0].as_str()), (100 - lost, "0"));
    }

    #[test]
    fn json_stays_json() {
        let page = Page::default();
        let to = page.clone();
        let (lines, fields) = json();
        let log = tracing_subscriber::fmt().event_format(lines).fmt_fields(fields).with_writer(move || to.clone());
        tracing::subscriber::with_default(log.finish(), write_both);
        let read: Vec<serde_json::Value> =
            page.lines().iter().map(|line| serde_json::from_str(line).expect("an object")).collect();
        assert_eq!(read[0]["fields"]["message"], "outside");
        assert_eq!(read[0].get("trace_id"), None);
        assert_eq!(read[1]["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(read[1]["span_id"], "00f067aa0ba902b7");
    }
}

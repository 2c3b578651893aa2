//! A terminal as the clock's display: an HDMI screen on the Pi's console, or any window of 80 by 24.

mod digits;
mod frame;

use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

use flagfall_rules::clock::{Face, Going};
use rustix::termios::tcgetwinsize;
use tokio::{
    runtime,
    sync::{oneshot, watch},
    time::timeout,
};

pub use frame::{frame, stopped};

use crate::sense::Shown;

/// How often a running clock is looked at: the last digit shown is a tenth of a second.
const TICK: Duration = Duration::from_millis(100);

/// How long a terminal has for its last picture.
const LAST: Duration = Duration::from_secs(1);

/// A display at work on a thread of its own. A terminal that takes nothing for a while, as one that was told to stop by Ctrl-S,
/// holds up neither the clock nor its link nor its end.
pub struct Screen(oneshot::Receiver<()>);

impl Screen {
    /// Shows every change until there is nobody left to change anything.
    ///
    /// # Errors
    /// There is no thread left.
    pub fn show(display: Display, shown: watch::Receiver<Shown>) -> io::Result<Screen> {
        let alone = runtime::Builder::new_current_thread().enable_time().build()?;
        Screen::work(move || {
            let face = shown.clone();
            alone.block_on(display.run(shown, move || face.borrow().face))
        })
    }

    /// Paints the last picture of a clock that had to stop.
    ///
    /// # Errors
    /// There is no thread left.
    pub fn stopped(mut display: Display, last: Option<Shown>, why: [String; 2]) -> io::Result<Screen> {
        Screen::work(move || {
            let text = stopped(last.as_ref(), &why, (display.width)());
            display.paint(text)
        })
    }

    fn work(paint: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<Screen> {
        let (over, done) = oneshot::channel();
        thread::Builder::new().name("display".into()).spawn(move || {
            if let Err(error) = paint() {
                tracing::warn!(%error, "the display is gone; the clock goes on without it");
            }
            let _ = over.send(());
        })?;
        Ok(Screen(done))
    }

    /// Waits until it has painted its last picture, a second at most.
    pub async fn finished(self) {
        let _ = timeout(LAST, self.0).await;
    }
}

/// A terminal that shows what the core wants shown.
pub struct Display {
    out: Box<dyn Write + Send>,
    width: Box<dyn Fn() -> u16 + Send>,
    /// What is on the screen, so that nothing is painted twice: a slow console flickers.
    painted: Option<String>,
}

impl Display {
    /// The terminal on standard output, at the width that it has at each moment.
    #[must_use]
    pub fn terminal() -> Display {
        let width = || match tcgetwinsize(rustix::stdio::stdout()) {
            Ok(size) if size.ws_col > 0 => size.ws_col,
            _ => 80,
        };
        Display::new(io::stdout(), width)
    }

    /// A terminal behind any writer.
    pub fn new(out: impl Write + Send + 'static, width: impl Fn() -> u16 + Send + 'static) -> Display {
        Display { out: Box::new(out), width: Box::new(width), painted: None }
    }

    /// Shows every change, and the clock as it runs, until there is nobody left to change anything. `face_now` gives the
    /// face at this moment; it is asked only while the clock runs.
    ///
    /// # Errors
    /// The terminal is gone.
    pub async fn run(
        mut self,
        mut shown: watch::Receiver<Shown>,
        face_now: impl Fn() -> Face + Send,
    ) -> io::Result<()> {
        loop {
            let mut now = shown.borrow_and_update().clone();
            let running = now.face.going == Going::Running;
            if running {
                now.face = face_now();
            }
            self.draw(&now)?;
            let changed =
                if running { timeout(TICK, shown.changed()).await.unwrap_or(Ok(())) } else { shown.changed().await };
            if changed.is_err() {
                return Ok(());
            }
        }
    }

    fn draw(&mut self, shown: &Shown) -> io::Result<()> {
        self.paint(frame(shown, (self.width)()))
    }

    fn paint(&mut self, text: String) -> io::Result<()> {
        if self.painted.as_ref() == Some(&text) {
            return Ok(());
        }
        // Painted over, not cleared first; only a first picture has something strange beneath it.
        let start = if self.painted.is_none() { "\x1b[?25l\x1b[2J\x1b[H" } else { "\x1b[H" };
        let lines = text.replace('\n', "\x1b[K\r\n");
        write!(self.out, "{start}{lines}\x1b[K\x1b[J")?;
        self.out.flush()?;
        self.painted = Some(text);
        Ok(())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if self.painted.is_some() {
            // The last picture stays: it may be the result.
            let _ = self.out.write_all(b"\x1b[?25h\r\n").and_then(|()| self.out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use flagfall_rules::clock::{Hand, Place};

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("a screen").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A terminal that takes nothing until it is let go on.
    struct Stalled(std::sync::mpsc::Receiver<()>, Screen);

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_terminal_that_takes_nothing_holds_nobody_up() {
        let (change, watched) = watch::channel(super::frame::sample(Face::unknown(Place::Left)));
        let (go_on, stalled) = std::sync::mpsc::channel();
        let screen = Screen::default();
        let display = Display::new(Stalled(stalled, screen.clone()), || 80);
        let at_work = super::Screen::show(display, watched).expect("a thread");
        drop(change);
        // It stands in the middle of its first picture for as long as nobody lets it go on.
        at_work.finished().await;
        assert_eq!(screen.0.lock().expect("a screen").len(), 0);
        drop(go_on);
    }

    #[tokio::test]
    async fn the_last_picture_of_a_clock_that_had_to_stop_says_so() {
        let screen = Screen::default();
        let why = ["Call the arbiter.".to_owned(), "Позовите арбитра.".to_owned()];
        let last = super::Screen::stopped(Display::new(screen.clone(), || 80), None, why).expect("a thread");
        last.finished().await;
        let painted = String::from_utf8(screen.0.lock().expect("a screen").clone()).expect("text");
        assert!(painted.contains("CLOCK STOPPED") && painted.contains("Позовите арбитра."), "{painted}");
    }

    #[tokio::test]
    async fn only_changes_are_painted() {
        let hands = [Hand::fresh(Some(65_000)); 2];
        let face = Face { hands, going: Going::Running, ..Face::unknown(Place::Left) };
        let shown = super::frame::sample(face);
        let (change, watched) = watch::channel(shown.clone());
        let screen = Screen::default();
        let looks = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&looks);
        // Nothing that can be seen changes while the clock is looked at three times; then it is paused.
        let done = Arc::new(tokio::sync::Notify::new());
        let enough = Arc::clone(&done);
        let display = Display::new(screen.clone(), || 80).run(watched, move || {
            let mut looks = counted.lock().expect("a counter");
            *looks += 1;
            if *looks == 3 {
                enough.notify_one();
            }
            face
        });
        let core = async {
            done.notified().await;
            change.send_replace(Shown { face: Face { going: Going::Paused, ..face }, ..shown });
            tokio::task::yield_now().await;
            drop(change);
        };
        let (ended, ()) = tokio::join!(display, core);
        ended.expect("a screen");
        let painted = String::from_utf8(screen.0.lock().expect("a screen").clone()).expect("text");
        assert_eq!(painted.matches("\x1b[H").count(), 2, "running and paused");
        assert!(painted.contains("PAUSED") && painted.ends_with("\x1b[?25h\r\n"), "{painted}");
    }
}

//! A terminal as the clock's display: an HDMI screen on the Pi's console, or any window of 80 by 24.

mod digits;
mod frame;

use std::{
    io::{self, Write},
    time::Duration,
};

use flagfall_rules::clock::{Face, Going};
use rustix::termios::tcgetwinsize;
use tokio::{sync::watch, time::timeout};

pub use frame::frame;

use crate::sense::Shown;

/// How often a running clock is looked at: the last digit shown is a tenth of a second.
const TICK: Duration = Duration::from_millis(100);

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
        let text = frame(shown, (self.width)());
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

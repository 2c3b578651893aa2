//! A line between clocks and a service that goes bad as a test likes.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Handle,
    sync::watch,
    task::JoinHandle,
};

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Who connected.
    Clock,
    /// Who was connected to.
    Service,
}

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// They arrive.
    Fair,
    /// None arrives and nobody is told; what is sent meanwhile arrives when it is fair again, as it does over TCP.
    Hole,
    /// One end's connections are gone, and the other end is not told. Connections made later are fair.
    Forgotten(End),
}

/// So many bytes more from one end; then both ends are told that the connection is broken.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: End,
    left: usize,
}

/// See the module. Gone when dropped, with every connection.
pub struct Proxy {
    /// Where clocks connect.
    pub address: SocketAddr,
    weather: watch::Sender<Weather>,
    cut: Arc<Mutex<Option<Cut>>>,
    listener: JoinHandle<()>,
}

impl Proxy {
    /// A line to a service.
    ///
    /// # Panics
    /// There is no port for it.
    #[must_use]
    pub fn new(runtime: &Handle, service: SocketAddr) -> Proxy {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (weather, cut) = (watch::Sender::new(Weather::Fair), Arc::<Mutex<Option<Cut>>>::default());
        let (seen, cuts) = (weather.subscribe(), Arc::clone(&cut));
        let listener = runtime.spawn(async move {
            let mut lines = tokio::task::JoinSet::new();
            while let Ok((clock, _)) = listener.accept().await {
                let (seen, cuts) = (seen.clone(), Arc::clone(&cuts));
                lines.spawn(async move { drop(line(clock, service, seen, &cuts).await) });
            }
        });
        Proxy { address, weather, cut, listener }
    }

    /// Changes the weather.
    pub fn turns(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }

    /// Breaks the connection after so many more bytes from one end.
    pub fn breaks_after(&self, from: End, left: usize) {
        self.cuts(Some(Cut { from, left }));
    }

    /// Breaks no connection any more, if none was broken yet.
    pub fn holds(&self) {
        self.cuts(None);
    }

    fn cuts(&self, cut: Option<Cut>) {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner) = cut;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// How many of these bytes may pass, and whether the connection breaks after them.
fn passes(cut: &Mutex<Option<Cut>>, from: End, bytes: usize) -> (usize, bool) {
    let mut cut = cut.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *cut {
        Some(Cut { from: end, left }) if *end == from => {
            let pass = bytes.min(*left);
            *left -= pass;
            let over = *left == 0;
            if over {
                *cut = None;
            }
            (pass, over)
        }
        _ => (bytes, false),
    }
}

async fn line(
    mut clock: TcpStream,
    service: SocketAddr,
    mut weather: watch::Receiver<Weather>,
    cut: &Mutex<Option<Cut>>,
) -> io::Result<()> {
    let begun_in = *weather.borrow();
    while *weather.borrow_and_update() == Weather::Hole {
        weather.changed().await.map_err(io::Error::other)?;
    }
    let mut service = TcpStream::connect(service).await?;
    clock.set_nodelay(true)?;
    service.set_nodelay(true)?;
    let (mut up, mut down) = ([0; 4_096], [0; 4_096]);
    loop {
        let now = *weather.borrow_and_update();
        match now {
            Weather::Forgotten(end) if now != begun_in => {
                let (gone, mut left) = if end == End::Clock { (clock, service) } else { (service, clock) };
                gone.set_zero_linger()?;
                drop(gone);
                while left.read(&mut up).await? > 0 {}
                return Ok(());
            }
            Weather::Hole => {
                weather.changed().await.map_err(io::Error::other)?;
                continue;
            }
            _ => {}
        }
        let (from, bytes) = tokio::select! {
            changed = weather.changed() => {
                changed.map_err(io::Error::other)?;
                continue;
            }
            read = clock.read(&mut up) => (End::Clock, read?),
            read = service.read(&mut down) => (End::Service, read?),
        };
        if bytes == 0 {
            return Ok(());
        }
        let (pass, over) = passes(cut, from, bytes);
        match from {
            End::Clock => service.write_all(&up[..pass]).await?,
            End::Service => clock.write_all(&down[..pass]).await?,
        }
        if over {
            clock.set_zero_linger()?;
            return service.set_zero_linger();
        }
    }
}

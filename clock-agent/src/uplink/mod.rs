//! The link to the ruling service, kept up by a task of its own.
//!
//! ```text
//!            ┌──────────── wait ◀──────────────┐ lost: full jitter, 100 ms doubling up to 10 s
//!            ▼                                 │ refused: 10 s        goodbye: what it asks for, and as much again by chance
//!   connect ─▶ Hello ─▶ Welcome ─▶ session ────┘ forked: never again
//!                          │          ├─ Events as far as the window lets, Heartbeat every 3 s
//!                          │          └─ Ack, Rewind, Directive, Heartbeat, Goodbye
//!                          ├─ the chains do not join: forked
//!                          ├─ all is there, its round is closed, the game is over: the spool is begun anew, and Hello again; a clock
//!                          │  that hears of it by a heartbeat says Hello to come here
//!                          └─ less is there than was acknowledged: sent again from there
//! ```
//!
//! - Hello says what the spool has, what was acknowledged, which spool came before; Welcome what of it is on the service's disk.
//! - Events go out as far as the window lets, each once in a session unless the service asks for it again.
//! - The task owns no events: it asks the actor for them, so that nothing is sent that is not on disk.
//! - It tells the actor what the service says, in the service's order.
//! - Silence for 15 s is a link that looks alive and is not. Being behind for 5 s with no directive on its way may be one: it is tried
//!   anew once for a revision, and after that the display shows that more is wanted, and the service tells the desk.

mod flow;
pub mod pause;
mod session;
mod wanted;

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint, Error},
};

use self::pause::Pause;
use crate::{
    agent::Timeline,
    core::{Directive, Words},
    wire::frame::{Standing, Welcome},
};

/// How long a connection may take to come up.
const CONNECT: Duration = Duration::from_secs(5);

/// A channel on its way.
pub type Dialled = Pin<Box<dyn Future<Output = Result<Channel, Error>> + Send>>;

/// Where the ruling service is, and how to reach it.
#[derive(Clone)]
pub struct Server {
    name: String,
    dial: Arc<dyn Fn() -> Dialled + Send + Sync>,
}

/// A text that is no address of a service.
#[derive(Debug, thiserror::Error)]
#[error("{uri:?} is no address of a service, expected one such as http://10.0.0.2:7701: {why}")]
pub struct BadServer {
    uri: String,
    why: String,
}

impl Server {
    /// The service at an address such as `http://10.0.0.2:7701`.
    ///
    /// # Errors
    /// That is no address.
    pub fn uri(uri: &str) -> Result<Server, BadServer> {
        let endpoint = endpoint(uri)?;
        let dial = move || -> Dialled {
            let endpoint = endpoint.clone();
            Box::pin(async move { endpoint.connect().await })
        };
        Ok(Server::dialled(uri, dial))
    }

    /// A service that is reached in another way, as in a simulated network.
    pub fn dialled(name: &str, dial: impl Fn() -> Dialled + Send + Sync + 'static) -> Server {
        Server { name: name.to_owned(), dial: Arc::new(dial) }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({})", self.name)
    }
}

/// An endpoint with the settings that every link needs: keepalive in both directions and no waiting for small packets.
///
/// # Errors
/// That is no address.
pub fn endpoint(uri: &str) -> Result<Endpoint, BadServer> {
    let bad = |why: String| BadServer { uri: uri.to_owned(), why };
    let parsed: tonic::transport::Uri = uri.parse().map_err(|error| bad(format!("{error}")))?;
    if parsed.scheme_str() != Some("http") || parsed.host().is_none() {
        return Err(bad("it begins with http:// and names a host".to_owned()));
    }
    if parsed.port_u16().is_none_or(|port| port == 0) {
        return Err(bad("it ends with a port, 1 to 65535".to_owned()));
    }
    if parsed.path() != "/" || parsed.query().is_some() {
        return Err(bad("nothing follows the port".to_owned()));
    }
    Ok(Endpoint::from(parsed)
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(5))
        .keep_alive_while_idle(true))
}

/// What the link tells the actor.
pub(crate) enum FromLink {
    /// The service greets; may the session begin?
    Welcome(Welcome, oneshot::Sender<Verdict>),
    /// Events to send, beginning with `from`, at most `max`.
    Pull { from: u64, max: usize, reply: oneshot::Sender<Vec<Vec<u8>>> },
    /// Events are durable, and the newest revision wanted after them.
    Ack { through: u64, desired_rev: u64 },
    /// The newest revision wanted.
    Desired(u64),
    /// Something to do.
    Directive(Box<Directive>),
    /// The link is down, for a reason worth showing when there is one.
    Down(Option<Words>),
}

/// Whether a session may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may.
    Go,
    /// The service knows other events of this spool.
    Forked(Words),
    /// Everything was durable and the spool was begun anew: greet again under its new name.
    Anew,
}

/// How a session ended.
enum Ended {
    /// We were told to end.
    Cancelled,
    /// The link failed by itself.
    Lost(String),
    /// The service refused.
    Refused(Status),
    /// The service left, and does not want to be disturbed for so long.
    Goodbye(Duration),
    /// See [`Verdict::Forked`].
    Forked(Words),
    /// See [`Verdict::Anew`].
    Anew,
}

/// The task.
pub(crate) struct Uplink {
    pub(crate) server: Server,
    pub(crate) device: String,
    pub(crate) boot: u128,
    pub(crate) timeline: Timeline,
    /// The greatest epoch so far.
    pub(crate) last_epoch: u64,
    /// The revision of a game for which a new session was tried already: a second one will not bring it either.
    pub(crate) tried: Option<(String, u64)>,
    /// The spool that was to be forgotten, and its end then.
    pub(crate) forgotten: Option<([u8; 16], u64)>,
    pub(crate) standing: watch::Receiver<Standing>,
    pub(crate) actor: mpsc::Sender<FromLink>,
    pub(crate) cancel: CancellationToken,
}

impl Uplink {
    /// Keeps the link up until cancelled.
    pub(crate) async fn run(mut self) {
        let mut pause = Pause::new(self.seed());
        loop {
            let ended = self.session(&mut pause).await;
            let (wait, trouble) = match ended {
                Ended::Cancelled => return,
                Ended::Anew => continue,
                Ended::Lost(why) => {
                    tracing::info!(device = self.device, server = self.server.name, why, "link lost");
                    (pause.after_loss(), None)
                }
                Ended::Goodbye(rest) => (pause.after_goodbye(rest), None),
                Ended::Refused(status) => {
                    let (code, message) = (status.code(), status.message());
                    tracing::warn!(device = self.device, server = self.server.name, ?code, message, "refused");
                    match refusal(&self.device, &status) {
                        Some(trouble) => (pause.after_refusal(), Some(trouble)),
                        None => (pause.after_loss(), None),
                    }
                }
                Ended::Forked(why) => {
                    tracing::error!(device = self.device, server = self.server.name, why = why[0], "forked");
                    if self.tell(FromLink::Down(Some(why))).await {
                        self.cancel.cancelled().await;
                    }
                    return;
                }
            };
            if !self.tell(FromLink::Down(trouble)).await {
                return;
            }
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Tells the actor; `false` when it is no more.
    async fn tell(&self, news: FromLink) -> bool {
        self.actor.send(news).await.is_ok()
    }

    /// Clocks of one boot image must not wait alike, and a simulation must.
    fn seed(&self) -> u64 {
        let mut sha = Sha256::new();
        sha.update(self.device.as_bytes());
        sha.update(self.boot.to_be_bytes());
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(sha.finalize());
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

/// What a person should do about a refusal that waiting alone will hardly mend; `None` for any other.
fn refusal(device: &str, status: &Status) -> Option<Words> {
    let [english, russian] = match status.code() {
        Code::Unauthenticated => [
            "list this clock in the service's configuration: the service does not know it",
            "внесите эти часы в настройки сервиса: он их не знает",
        ],
        Code::AlreadyExists => [
            "unplug one of two devices: another one holds this board",
            "отключите одно из двух устройств: доску занимает другое",
        ],
        Code::Aborted => [
            "look for a second clock of this name: a newer session of it is live",
            "поищите вторые часы с этим именем: у них более новое соединение",
        ],
        Code::DataLoss => [
            "call the operator: the service has other events of this clock",
            "позовите оператора: у сервиса другие события этих часов",
        ],
        Code::FailedPrecondition => [
            "update the older one: clock and service speak no common version",
            "обновите то, что старше: у часов и сервиса нет общей версии",
        ],
        Code::InvalidArgument => [
            "update the older one: the service refused what this clock sent",
            "обновите то, что старше: сервис отклонил посланное часами",
        ],
        Code::ResourceExhausted if status.message().starts_with("JOURNAL_FULL") => {
            ["make room on the service's disk: it is full", "освободите место на диске сервиса: он полон"]
        }
        _ => return None,
    };
    let reason = status.message().chars().take(120).collect::<String>();
    Some([format!("{device}: {english} ({reason})"), format!("{device}: {russian}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_address() {
        assert!(Server::uri("http://10.0.0.2:7701").is_ok());
        for bad in ["", "10.0.0.2:7701", "https://host", "ftp://host", "http://", "http://host", "http://host:"] {
            assert!(Server::uri(bad).is_err(), "{bad}");
        }
        for end in ["0", "99999", "7701/abc", "7701?a"] {
            assert!(Server::uri(&format!("http://host:{end}")).is_err(), "{end}");
        }
        assert!(Server::uri("http://[::1]:7701/").is_ok());
    }

    #[test]
    fn a_refusal_says_which_device_and_what_to_do() {
        let status = Status::unauthenticated("UNKNOWN_DEVICE: board-9 is not listed");
        let text = "board-9: list this clock in the service's configuration: the service does not know it \
                    (UNKNOWN_DEVICE: board-9 is not listed)";
        let russian = "board-9: внесите эти часы в настройки сервиса: он их не знает";
        assert_eq!(refusal("board-9", &status), Some([text.to_owned(), russian.to_owned()]));
        assert_eq!(refusal("board-9", &Status::unavailable("DRAINING")), None);
        assert_eq!(refusal("board-9", &Status::resource_exhausted("SLOW_READER: 64 messages")), None);
    }
}

//! A real clock put together: settings, hardware, spool, agent, display, in this order, and ended in the other.

use std::sync::Arc;

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

#[cfg(feature = "gpio")]
use crate::hw::buttons::{Buttons, Wiring};
use crate::{
    agent::{AgentError, Hardware, Setup, Timeline, agent, monotonic_ms},
    config::{BoardKind, ButtonsTable, Config, ConfigError, DisplayKind, Keeper},
    hw::{
        HardwareError,
        dgt::{
            board::Purpose,
            driver::{self, Driver, Stamp},
        },
        display::{Display, Screen},
        keyboard::Keyboard,
    },
    sense::{Ask, NotDone, Sense, Sensed, Shown},
    spool::{FileSpool, SpoolError},
    telemetry::{Telemetry, TelemetryError},
    uplink::{BadServer, Server},
};

/// How many senses may wait for the core. The hardware's threads wait when it is full; the times stay those of the
/// edges.
const SENSES: usize = 256;

/// How many asks may wait for the hardware.
const ASKS: usize = 16;

/// Why a clock cannot run, each with an exit code of its own.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The service's address cannot be used.
    #[error(transparent)]
    Server(#[from] BadServer),
    /// The spool cannot be opened.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The spool failed while the clock ran.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The hardware cannot be used.
    #[error("hardware: {0}; look at the cables, the configuration and the groups gpio and dialout")]
    Hardware(#[from] HardwareError),
    /// The variables of tracing cannot be used.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// The program gets no signals, threads or the like.
    #[error("the system refuses what every program needs: {0}")]
    System(#[from] std::io::Error),
}

impl Failure {
    /// 2 settings, 3 spool, 4 hardware, 1 anything else.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Failure::Config(_) | Failure::Server(_) | Failure::Telemetry(_) => 2,
            Failure::Spool(_) | Failure::Agent(_) => 3,
            Failure::Hardware(_) => 4,
            Failure::System(_) => 1,
        }
    }

    /// For whoever stands at the clock, English then Russian.
    #[must_use]
    pub fn words(&self) -> [String; 2] {
        let russian = match self {
            Failure::Config(_) | Failure::Server(_) | Failure::Telemetry(_) => "настройки часов непригодны",
            Failure::Spool(_) | Failure::Agent(_) => "часы не могут сохранять нажатия, проверьте карту памяти",
            Failure::Hardware(_) => "не работают доска, кнопки или клавиатура, проверьте кабели",
            Failure::System(_) => "система отказывает часам в необходимом",
        };
        [format!("Call the arbiter: {self}"), format!("Позовите арбитра: {russian}")]
    }
}

/// Runs a clock until it is told to end: by a signal, or by the key for it.
///
/// # Errors
/// Something it cannot do without is not there.
pub async fn run(config: &Config) -> Result<(), Failure> {
    let mut last = None;
    let ended = keep_time(config, &mut last).await;
    if let (Err(failure), DisplayKind::Terminal) = (&ended, config.display.kind) {
        Screen::stopped(Display::terminal(), last, failure.words())?.finished().await;
    }
    ended
}

/// What was shown `last` is left behind for whoever has to say that the clock has stopped.
async fn keep_time(config: &Config, last: &mut Option<Shown>) -> Result<(), Failure> {
    let server = Server::uri(&config.server)?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (spool, recovered) = FileSpool::open(&config.spool_dir)?;
    if recovered.torn > 0 {
        tracing::warn!(device = config.device, bytes = recovered.torn, "cut off an append that power interrupted");
    }
    let quit = CancellationToken::new();
    let (rig, hardware) = Rig::new(config, &quit)?;
    let settings = config.settings(boot(&config.device));
    let setup = Setup { settings, server, spool: Box::new(spool), timeline: Timeline::monotonic() };
    let (handle, agent) = agent(setup, hardware);
    let agent = agent.keeping(config.spool_mib << 20);
    let agent = match config.board.kind {
        BoardKind::Dgt => agent.with_a_board_that_answers(),
        BoardKind::None => agent,
    };
    let telemetry = Telemetry::from_variables(&config.device)?;
    let last_words = telemetry.last_words();
    let display = match config.display.kind {
        DisplayKind::Terminal => Some(Screen::show(Display::terminal(), handle.shown.clone())?),
        DisplayKind::None => None,
    };
    let cancel = handle.cancel.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = quit.cancelled() => {}
        }
        cancel.cancel();
    });
    let ended = agent.traced(telemetry).run().await;
    last_words.said().await;
    *last = Some(handle.shown.borrow().clone());
    if let Some(display) = display {
        display.finished().await;
    }
    drop(rig);
    Ok(ended?)
}

/// Where the system keeps its name for this boot.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The system's name for this boot, or one drawn for this run where there is none: then every run counts as a boot.
fn boot(device: &str) -> u128 {
    let read = std::fs::read_to_string(BOOT_ID).map_err(|error| error.to_string());
    let boot = read.and_then(|name| uuid::Uuid::parse_str(name.trim()).map_err(|error| error.to_string()));
    let drawn = |error: String| {
        tracing::warn!(
            device,
            error,
            "{BOOT_ID} cannot be read, so every start counts as another boot: a directive on its way to a physical clock then ends \
             unknown; let the service see the whole of /proc"
        );
        uuid::Uuid::new_v4()
    };
    boot.unwrap_or_else(drawn).as_u128()
}

/// The hardware at work; dropping it stops its threads and gives the terminal its settings back.
struct Rig {
    _board: Option<Driver>,
    #[cfg(feature = "gpio")]
    _buttons: Option<Buttons>,
    _keyboard: Option<Keyboard>,
}

impl Rig {
    fn new(config: &Config, quit: &CancellationToken) -> Result<(Rig, Hardware), HardwareError> {
        let (senses, sensed) = mpsc::channel(SENSES);
        let (asks, asked) = mpsc::channel(ASKS);
        let stamp: Stamp = Arc::new(monotonic_ms);
        let board = match config.board.kind {
            BoardKind::Dgt => {
                let purpose = match config.clock.kind {
                    Keeper::Own => Purpose::Squares,
                    Keeper::External => Purpose::SquaresAndClock,
                };
                let (port, stamp) = (&config.board.port, Arc::clone(&stamp));
                Some(driver::spawn(port, purpose, stamp, senses.clone(), asked)?)
            }
            BoardKind::None => {
                tokio::spawn(refuse(asked, senses.clone()));
                None
            }
        };
        let keyboard = match &config.buttons {
            Some(ButtonsTable::Keyboard {}) => {
                let quit = quit.clone();
                Some(Keyboard::spawn(stamp, senses.clone(), move || quit.cancel())?)
            }
            _ => None,
        };
        let rig = Rig {
            _board: board,
            #[cfg(feature = "gpio")]
            _buttons: buttons(config, &senses)?,
            _keyboard: keyboard,
        };
        Ok((rig, Hardware { senses: sensed, asks }))
    }
}

#[cfg(feature = "gpio")]
fn buttons(config: &Config, senses: &mpsc::Sender<Sensed>) -> Result<Option<Buttons>, HardwareError> {
    let Some(ButtonsTable::Gpio(gpio)) = &config.buttons else { return Ok(None) };
    let wiring = Wiring {
        chip: gpio.chip.clone(),
        left: gpio.left,
        right: gpio.right,
        start_stop: gpio.start_stop,
        call: gpio.call,
        to_ground: gpio.to_ground,
        lock_out: std::time::Duration::from_millis(gpio.debounce_ms),
        filter: None,
    };
    Buttons::spawn(&wiring, senses.clone()).map(Some)
}

/// Answers in place of hardware that is not there.
async fn refuse(mut asks: mpsc::Receiver<Ask>, senses: mpsc::Sender<Sensed>) {
    while let Some(ask) = asks.recv().await {
        if let Ask::Dial(_) = ask {
            let sense = Sense::DialDone(Err(NotDone::Refused("there is no external clock".to_owned())));
            if senses.send(Sensed { at: monotonic_ms(), sense }).await.is_err() {
                return;
            }
        }
    }
}

//! The settings of a real clock: a TOML file, and over it variables such as `FLAGFALL_CLOCK_SERVER` or
//! `FLAGFALL_CLOCK_BOARD__PORT`. A commented sample is `deploy/flagfall-clock.toml`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use flagfall_rules::clock::{Control, Place};
use serde::{Deserialize, Deserializer, de};

use crate::{
    agent::SPOOL_MAX,
    core::{ClockKind, Settings},
    uplink::Server,
};

/// The longest that a button may have to be quiet, milliseconds: a player who presses again after that means it.
const DEBOUNCE_MAX: u64 = 500;

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The device's name, as the service lists it.
    #[serde(deserialize_with = "text")]
    pub device: String,
    /// Where the service is, such as `http://10.0.0.2:7701`.
    pub server: String,
    /// The folder of the spool.
    pub spool_dir: PathBuf,
    /// The most that acknowledged events may take there, MiB. Up to it they are kept until their round is closed.
    #[serde(default = "spool_mib")]
    pub spool_mib: u64,
    /// How long a board must stand still to be called quiet, milliseconds.
    #[serde(default = "settle_ms")]
    pub settle_ms: u64,
    /// Who keeps the time.
    #[serde(default)]
    pub clock: ClockTable,
    /// What the players press; absent when the clock is external.
    pub buttons: Option<ButtonsTable>,
    /// The board.
    #[serde(default)]
    pub board: BoardTable,
    /// The display.
    #[serde(default)]
    pub display: DisplayTable,
}

/// Who keeps the time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockTable {
    /// `own` or `external`.
    pub kind: Keeper,
    /// What an own clock is set to without a game, as in `40/5400+30:1800+30`.
    #[serde(deserialize_with = "maybe_text")]
    pub control: Option<String>,
    /// Which half is White's until the service says otherwise.
    pub white: Side,
}

/// Who keeps the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeper {
    /// This device.
    #[default]
    Own,
    /// A physical clock that the board reads.
    External,
}

/// A half of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The left one.
    #[default]
    Left,
    /// The right one.
    Right,
}

/// What the players press.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "lowercase")]
pub enum ButtonsTable {
    /// Push buttons on GPIO lines.
    Gpio(GpioTable),
    /// The terminal's keyboard.
    Keyboard {},
}

/// Where the push buttons are; lines as the chip numbers them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpioTable {
    /// The chip.
    #[serde(default = "chip")]
    pub chip: PathBuf,
    /// The left player's button.
    pub left: Option<u32>,
    /// The right player's button.
    pub right: Option<u32>,
    /// Start, pause, resume.
    pub start_stop: Option<u32>,
    /// The call for the arbiter.
    pub call: Option<u32>,
    /// How long a button must be quiet before another press counts, milliseconds.
    #[serde(default = "debounce_ms")]
    pub debounce_ms: u64,
    /// The buttons connect their lines to ground; else to the supply.
    #[serde(default = "yes")]
    pub to_ground: bool,
}

impl GpioTable {
    fn complaints(&self) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        if self.left.is_none() || self.right.is_none() {
            wrong.push(("buttons", "expected left and right, or one player can never press".into()));
        }
        let mut lines: Vec<u32> = [self.left, self.right, self.start_stop, self.call].into_iter().flatten().collect();
        lines.sort_unstable();
        if let Some(pair) = lines.windows(2).find(|pair| pair[0] == pair[1]) {
            wrong.push((
                "buttons",
                format!("expected a line of its own for every button, found line {} twice", pair[0]),
            ));
        }
        if self.debounce_ms > DEBOUNCE_MAX {
            wrong.push(("buttons.debounce_ms", format!("expected 0 to {DEBOUNCE_MAX}, found {}", self.debounce_ms)));
        }
        wrong
    }
}

/// The board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoardTable {
    /// `none` or `dgt`.
    pub kind: BoardKind,
    /// The serial port.
    pub port: PathBuf,
}

impl Default for BoardTable {
    fn default() -> BoardTable {
        BoardTable { kind: BoardKind::None, port: PathBuf::from("/dev/ttyACM0") }
    }
}

/// The kind of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardKind {
    /// There is none.
    None,
    /// A DGT board, with or without its clock.
    Dgt,
}

/// The display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DisplayTable {
    /// `terminal` or `none`.
    pub kind: DisplayKind,
}

/// The kind of a display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisplayKind {
    /// The terminal on standard output.
    #[default]
    Terminal,
    /// There is none.
    None,
}

/// Settings that cannot be used: each line names where it stands, the key, and what was expected.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(Vec<String>);

impl Config {
    /// Reads a file and the variables that go over it, and checks what can be checked without hardware.
    ///
    /// # Errors
    /// A key is missing, unknown, or not what was expected.
    pub fn load(file: &Path) -> Result<Config, ConfigError> {
        let variables = Env::prefixed("FLAGFALL_CLOCK_").split("__");
        Config::from(file, Figment::new().merge(Toml::file_exact(file)).merge(variables))
    }

    fn from(file: &Path, figment: Figment) -> Result<Config, ConfigError> {
        let config: Config = figment
            .extract()
            .map_err(|error| ConfigError(error.into_iter().map(|error| located(file, &error)).collect()))?;
        let wrong: Vec<String> =
            config.complaints().into_iter().map(|(key, what)| format!("{}: {key}: {what}", file.display())).collect();
        if wrong.is_empty() { Ok(config) } else { Err(ConfigError(wrong)) }
    }

    /// What no single key shows to be wrong.
    fn complaints(&self) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if self.device.is_empty() || self.device.len() > 64 || !self.device.chars().all(name) {
            wrong.push(("device", format!("expected 1 to 64 of A-Z a-z 0-9 . _ -, found {:?}", self.device)));
        }
        if let Err(error) = Server::uri(&self.server) {
            wrong.push(("server", error.to_string()));
        }
        if self.spool_dir.as_os_str().is_empty() || self.spool_dir.is_file() {
            wrong.push(("spool_dir", format!("expected a folder, found {:?}", self.spool_dir)));
        }
        if !(100..=60_000).contains(&self.settle_ms) {
            wrong.push(("settle_ms", format!("expected 100 to 60000, found {}", self.settle_ms)));
        }
        if self.board.kind == BoardKind::Dgt && self.board.port.as_os_str().is_empty() {
            wrong.push(("board.port", "expected a serial port such as /dev/ttyACM0, found nothing".into()));
        }
        if let Some(ButtonsTable::Gpio(gpio)) = &self.buttons {
            wrong.extend(gpio.complaints());
        }
        if !(1..=4_096).contains(&self.spool_mib) {
            wrong.push(("spool_mib", format!("expected 1 to 4096, found {}", self.spool_mib)));
        }
        if let Some(Err(error)) = self.clock.control.as_ref().map(|text| text.parse::<Control>()) {
            wrong.push(("clock.control", format!("{error}; one such as 40/5400+30:1800+30 is expected")));
        }
        if self.clock.kind == Keeper::External && self.board.kind == BoardKind::None {
            wrong.push(("board.kind", "expected dgt, as clock.kind is external and the board reads the clock".into()));
        }
        if self.clock.kind == Keeper::External && self.buttons.is_some() {
            wrong.push(("buttons", "expected none, as clock.kind is external and has its own".into()));
        }
        if !cfg!(feature = "gpio") && matches!(self.buttons, Some(ButtonsTable::Gpio(_))) {
            wrong.push(("buttons.kind", "expected keyboard, as this program was built without gpio".into()));
        }
        wrong
    }

    /// What the core must know, in this boot.
    #[must_use]
    pub fn settings(&self, boot: u128) -> Settings {
        Settings {
            device: self.device.clone(),
            clock: match self.clock.kind {
                Keeper::Own => ClockKind::Own,
                Keeper::External => ClockKind::External,
            },
            default_control: self.clock.control.as_ref().and_then(|text| text.parse().ok()),
            white_place: match self.clock.white {
                Side::Left => Place::Left,
                Side::Right => Place::Right,
            },
            boot,
            settle_ms: self.settle_ms,
        }
    }
}

fn located(file: &Path, error: &figment::Error) -> String {
    let place = match &error.metadata {
        Some(metadata) if metadata.name.contains("environment") => {
            format!("variable FLAGFALL_CLOCK_{}", error.path.join("__").to_uppercase())
        }
        _ => file.display().to_string(),
    };
    let key = error.path.join(".");
    if key.is_empty() { format!("{place}: {}", error.kind) } else { format!("{place}: {key}: {}", error.kind) }
}

fn spool_mib() -> u64 {
    SPOOL_MAX >> 20
}

fn settle_ms() -> u64 {
    1_000
}

fn debounce_ms() -> u64 {
    30
}

fn chip() -> PathBuf {
    PathBuf::from("/dev/gpiochip0")
}

fn yes() -> bool {
    true
}

/// A text that a variable may give as a number: `900` is a control, and `7` a device.
struct Text;

impl de::Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    from.deserialize_any(Text)
}

fn maybe_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    text(from).map(Some)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

//! The settings of a service: a TOML file, and `FLAGFALL_…` variables over it.
//!
//! `deploy/flagfall.toml` is the commented sample; a test reads it. A variable names a key with two underscores between its
//! parts: `FLAGFALL_LISTEN__CLOCKS=0.0.0.0:7701`.

use std::{
    collections::HashSet,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use serde::Deserialize;

pub use crate::arena::Limits;
use crate::{
    app::serve::ServiceSettings,
    arena::Device,
    desk::auth::{Users, users::UsersError},
    ops::telemetry::{self, Telemetry},
    seal::Recipient,
    trail::Trails,
    wire::is_name,
};

/// The longest name of a clock or a board.
const NAME: usize = 64;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the journal lives.
    pub data_dir: PathBuf,
    /// Where the service listens.
    #[serde(default)]
    pub listen: Listen,
    /// The clocks it takes in.
    #[serde(default)]
    pub clocks: Vec<Device>,
    /// Patience and sizes.
    #[serde(default)]
    pub limits: Limits,
    /// Adjourned games.
    #[serde(default)]
    pub adjournment: Adjourning,
    /// The file of users, from the folder of the settings on.
    #[serde(default = "users_file")]
    pub users: PathBuf,
    /// Who is in it.
    #[serde(skip)]
    pub known: Users,
    /// The games of rounds are shown to everybody at `/broadcast` of the browsers' port.
    #[serde(default = "yes")]
    pub broadcast: bool,
    /// What is logged, in the syntax of `tracing_subscriber`'s filters.
    #[serde(default = "info")]
    pub log: String,
    /// The log is written as JSON, a line an event.
    #[serde(default)]
    pub log_json: bool,
    /// What is kept of traces.
    #[serde(default)]
    pub telemetry: Telemetry,
}

fn info() -> String {
    "info".to_owned()
}

const fn yes() -> bool {
    true
}

fn users_file() -> PathBuf {
    PathBuf::from("users.toml")
}

/// What adjourned games need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adjourning {
    /// The public key that moves are sealed for; without one none can be sealed.
    pub recipient: Option<String>,
}

/// Where the service listens: below port 32768, where the ports of outgoing connections begin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Listen {
    /// For clocks.
    pub clocks: SocketAddr,
    /// For desks.
    pub desk: SocketAddr,
    /// For browsers: the desk as pages.
    pub web: SocketAddr,
    /// For probes.
    pub ops: SocketAddr,
    /// Where people reach the probes' pages with their browsers, such as `http://ops.example:7703`; without it the desk's pages name a
    /// ruling's trace and lead nowhere.
    pub ops_url: Option<String>,
}

impl Default for Listen {
    fn default() -> Listen {
        let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
        Listen { clocks: local(7701), desk: local(7702), web: local(7704), ops: local(7703), ops_url: None }
    }
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is not there.
    #[error("{0}: there is no such file; deploy/flagfall.toml is a sample")]
    Missing(PathBuf),
    /// A key is unknown, missing or of another kind.
    #[error("{file}: {reasons}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// For each: the key, what was found and what was expected, and whether a variable says so.
        reasons: String,
    },
    /// A value is out of its range.
    #[error("{file}: {key}: {expected}")]
    OutOfRange {
        /// The file.
        file: PathBuf,
        /// The key.
        key: String,
        /// What was expected.
        expected: String,
    },
    /// The file of users cannot be used.
    #[error(transparent)]
    Users(#[from] UsersError),
}

impl Config {
    /// Reads a file and the variables over it.
    ///
    /// # Errors
    /// Names the file, the key and what was expected.
    pub fn read(file: &Path) -> Result<Config, ConfigError> {
        if !file.is_file() {
            return Err(ConfigError::Missing(file.to_owned()));
        }
        // A clock's settings may stand in the same shell.
        let variables = Env::prefixed("FLAGFALL_").filter(|key| !key.starts_with("CLOCK_")).split("__");
        Config::extract(file, Figment::new().merge(Toml::file_exact(file)).merge(variables))
    }

    /// Where the users of a service with these settings are; what else is in the settings is not looked at.
    ///
    /// # Errors
    /// The settings are not there, or cannot be read.
    pub fn users_of(file: &Path) -> Result<PathBuf, ConfigError> {
        if !file.is_file() {
            return Err(ConfigError::Missing(file.to_owned()));
        }
        let figment = Figment::new().merge(Toml::file_exact(file));
        let users = match figment.contains("users") {
            true => figment.extract_inner::<PathBuf>("users"),
            false => Ok(users_file()),
        };
        let unreadable = |error| ConfigError::Unreadable { file: file.to_owned(), reasons: reasons(error) };
        Ok(file.parent().unwrap_or(Path::new("")).join(users.map_err(unreadable)?))
    }

    fn extract(file: &Path, figment: Figment) -> Result<Config, ConfigError> {
        let unreadable = |error| ConfigError::Unreadable { file: file.to_owned(), reasons: reasons(error) };
        let mut config: Config = figment.extract().map_err(unreadable)?;
        config.users = file.parent().unwrap_or(Path::new("")).join(&config.users);
        config.known = Users::read(&config.users)?;
        config.check().map_err(|(key, expected)| ConfigError::OutOfRange { file: file.to_owned(), key, expected })?;
        Ok(config)
    }

    /// The first key out of range, and what was expected.
    fn check(&self) -> Result<(), (String, String)> {
        let mut seen = HashSet::new();
        for (i, clock) in self.clocks.iter().enumerate() {
            for (key, name) in [("device", &clock.device), ("board", &clock.board)] {
                if !is_name(name, NAME) {
                    let expected = format!("expected 1 to {NAME} characters of [A-Za-z0-9._-], found {name:?}");
                    return Err((format!("clocks[{i}].{key}"), expected));
                }
            }
            if !seen.insert(&clock.device) {
                let expected = format!("expected each clock once, {:?} is listed twice", clock.device);
                return Err((format!("clocks[{i}].device"), expected));
            }
        }
        for (key, address) in [("desk", self.listen.desk), ("web", self.listen.web)] {
            if self.known.users.is_empty() && !address.ip().is_loopback() {
                let users = self.users.display();
                let expected = format!(
                    "expected a loopback address while nobody is known, found {address}; `flagfall user add` puts somebody into {users}"
                );
                return Err((format!("listen.{key}"), expected));
            }
        }
        let web = |url: &&String| url.starts_with("http://") || url.starts_with("https://");
        if let Some(url) = self.listen.ops_url.as_ref().filter(|url| !web(url)) {
            return Err(("listen.ops_url".to_owned(), format!("expected http://… or https://…, found {url:?}")));
        }
        if let Some(Err(error)) = self.adjournment.recipient.as_ref().map(|key| key.parse::<Recipient>()) {
            return Err(("adjournment.recipient".to_owned(), error.to_string()));
        }
        if let Err(error) = telemetry::filter(&self.log) {
            return Err(("log".to_owned(), error.to_string()));
        }
        if !(0.0..=1.0).contains(&self.telemetry.ratio) {
            let expected = format!("expected 0 to 1, found {}", self.telemetry.ratio);
            return Err(("telemetry.ratio".to_owned(), expected));
        }
        let limits = &self.limits;
        let ranges = [
            ("window", u64::from(limits.window), 1, 256),
            ("directive_ms", limits.directive_ms, 100, 600_000),
            ("message_s", limits.message_s, 1, 86_400),
            ("connections", limits.connections as u64, 1, 1_000_000),
            ("visitors", limits.visitors as u64, 1, 100_000),
            ("greetings", limits.greetings as u64, 1, 100_000),
            ("scan_hold_ms", limits.scan_hold_ms, 1, 10_000),
            ("scans_held", limits.scans_held as u64, 1, 64),
            ("idle_s", limits.idle_s, 1, 86_400),
            ("shelve_s", limits.shelve_s, 0, 31_536_000),
            ("drain_ms", limits.drain_ms, 1, 20_000),
        ];
        for (key, value, lowest, highest) in ranges {
            if !(lowest..=highest).contains(&value) {
                return Err((format!("limits.{key}"), format!("expected {lowest} to {highest}, found {value}")));
            }
        }
        Ok(())
    }

    /// What a service is started with; `trails` is told what becomes of presses.
    #[must_use]
    pub fn settings(&self, trails: Trails) -> ServiceSettings {
        ServiceSettings {
            devices: self.clocks.clone(),
            clocks: self.listen.clocks,
            desk: self.listen.desk,
            web: self.listen.web,
            ops: self.listen.ops,
            limits: self.limits.clone(),
            // Checked when it was read.
            users: self.known.clone(),
            broadcast: self.broadcast,
            ops_url: self.listen.ops_url.clone(),
            recipient: self.adjournment.recipient.as_ref().and_then(|key| key.parse().ok()),
            trails,
        }
    }
}

/// Every fault with its key, in words that do not show how the file is read.
fn reasons(error: figment::Error) -> String {
    let reason = |error: figment::Error| {
        let key = error.path.join(".");
        let variable = error.metadata.as_ref().is_some_and(|metadata| metadata.name.contains("environment"));
        let from = if variable { " (from a FLAGFALL_ variable)" } else { "" };
        let colon = if key.is_empty() { "" } else { ": " };
        format!("{key}{colon}{}{from}", error.kind)
    };
    error.into_iter().map(reason).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, ConfigError> {
        Config::extract(Path::new("flagfall.toml"), Figment::new().merge(Toml::string(text)))
    }

    fn refused(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn the_sample_can_be_read_and_says_the_defaults() {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/flagfall.toml");
        let config = read(&std::fs::read_to_string(sample).expect("the sample")).expect("readable");
        assert_eq!(config.limits, Limits::default());
        assert!(!config.clocks.is_empty());
        assert!(config.settings(Trails::default()).recipient.is_none(), "nobody has the key of a sample");
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_key() {
        let unknown = refused("data_dir = '/d'\nlisten.clock = '127.0.0.1:1'");
        assert!(unknown.starts_with("flagfall.toml: listen.clock: unknown field: "), "{unknown}");
        let kind = refused("data_dir = '/d'\nlimits.window = 'many'");
        assert!(kind.starts_with("flagfall.toml: limits.window: ") && kind.contains("expected u32"), "{kind}");
        let address = refused("data_dir = '/d'\nlisten.desk = 'here'");
        assert!(address.contains("listen.desk"), "{address}");
        let missing = refused("");
        assert!(missing.contains("data_dir"), "{missing}");
        let ratio = refused("data_dir = '/d'\ntelemetry.ratio = 2");
        assert_eq!(ratio, "flagfall.toml: telemetry.ratio: expected 0 to 1, found 2");
        assert!(refused("data_dir = '/d'\nlog = 'flagfall=loud'").starts_with("flagfall.toml: log: "));
        let range = refused("data_dir = '/d'\nlimits.window = 0");
        assert_eq!(range, "flagfall.toml: limits.window: expected 1 to 256, found 0");
        for listener in ["desk", "web"] {
            let open = refused(&format!("data_dir = '/d'\nlisten.{listener} = '0.0.0.0:7702'"));
            let named = format!("flagfall.toml: listen.{listener}: expected a loopback address while nobody is known");
            assert!(open.starts_with(&named), "{open}");
        }
        let url = refused("data_dir = '/d'\nlisten.ops_url = 'javascript:alert(1)'");
        assert!(url.starts_with("flagfall.toml: listen.ops_url: expected http://"), "{url}");
        let key = refused("data_dir = '/d'\nadjournment.recipient = 'flagfall-recipient-12'");
        assert!(key.starts_with("flagfall.toml: adjournment.recipient: expected flagfall-recipient-"), "{key}");
        let name = refused("data_dir = '/d'\n[[clocks]]\ndevice = 'a b'\nboard = '1'");
        assert!(name.contains("clocks[0].device: expected 1 to 64 characters"), "{name}");
        let twice = refused("data_dir = '/d'\nclocks = [{device='a',board='1'},{device='a',board='2'}]");
        assert!(twice.contains("clocks[1].device"), "{twice}");
        assert!(Config::read(Path::new("/nowhere.toml")).expect_err("none").to_string().contains("/nowhere.toml"));
    }
}

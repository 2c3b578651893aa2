//! New settings without dropping a stream: what can be taken over at once is, and the rest is named.

use std::{collections::HashMap, path::Path};

use super::{
    config::{Config, ConfigError},
    serve::Running,
};
use crate::{
    arena::Device,
    desk::auth::Users,
    ops::telemetry::{self, Log, TelemetryError},
};

/// Why new settings are not taken: those before them stay, all of them.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// They cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What they say of log or traces means nothing.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
}

/// What came of new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// What is so from now on.
    pub taken: Vec<String>,
    /// What needs a restart.
    pub restart: Vec<String>,
}

/// Compares new settings with those at work.
#[must_use]
pub fn compare(before: &Config, after: &Config) -> (Reloaded, Vec<Device>) {
    let mut reloaded = Reloaded::default();
    let known: HashMap<&str, &str> =
        before.clocks.iter().map(|clock| (clock.device.as_str(), clock.board.as_str())).collect();
    let mut admitted = Vec::new();
    for clock in &after.clocks {
        let Device { device, board } = clock;
        match known.get(device.as_str()) {
            Some(now) if now == board => continue,
            Some(_) => reloaded.taken.push(format!("{device} reads board {board} from its next session on")),
            None => reloaded.taken.push(format!("{device} on board {board} is taken in")),
        }
        admitted.push(clock.clone());
    }
    let still = |device: &str| after.clocks.iter().any(|clock| clock.device == device);
    let gone = before.clocks.iter().filter(|clock| !still(&clock.device));
    reloaded.restart.extend(gone.map(|clock| format!("clocks: {} is still taken in", clock.device)));
    if may_know(before, after) {
        reloaded.taken.extend(people(&before.known, &after.known));
    } else {
        reloaded
            .restart
            .push("users: nobody is in the file, and others can reach the desk: those before stay".to_owned());
    }
    if before.log != after.log {
        reloaded.taken.push(format!("log = {:?}", after.log));
    }
    if before.telemetry != after.telemetry {
        reloaded.taken.push(format!("telemetry.ratio = {}", after.telemetry.ratio));
    }
    let fixed = [
        ("data_dir", before.data_dir != after.data_dir),
        ("listen", before.listen != after.listen),
        ("limits", before.limits != after.limits),
        ("adjournment", before.adjournment != after.adjournment),
        ("broadcast", before.broadcast != after.broadcast),
        ("log_json", before.log_json != after.log_json),
    ];
    reloaded.restart.extend(fixed.iter().filter(|(_, changed)| *changed).map(|(key, _)| (*key).to_owned()));
    (reloaded, admitted)
}

/// The desk can be open to everybody only where it listens on the loopback interface, whatever the new settings say of its address.
fn may_know(before: &Config, after: &Config) -> bool {
    let local = [before.listen.desk, before.listen.web].iter().all(|address| address.ip().is_loopback());
    local || !after.known.users.is_empty()
}

/// Who is new, changed or gone.
fn people(before: &Users, after: &Users) -> Vec<String> {
    let find = |users: &Users, name: &str| users.users.iter().find(|user| user.name == name).cloned();
    let now = after.users.iter().filter_map(|user| match find(before, &user.name) {
        None => Some(format!("users: {} is known", user.name)),
        Some(was) if was != *user => Some(format!("users: {} is changed", user.name)),
        Some(_) => None,
    });
    let gone = before.users.iter().filter(|user| find(after, &user.name).is_none());
    now.chain(gone.map(|user| format!("users: {} is known no more", user.name))).collect()
}

/// Reads the settings again and takes over what can be; `now` is what is at work, and becomes what is from now on.
///
/// # Errors
/// They cannot be used: nothing is changed.
pub fn reload(file: &Path, now: &mut Config, running: &Running, log: &Log) -> Result<Reloaded, ReloadError> {
    let after = Config::read(file)?;
    let sampler = telemetry::sampler(&after.telemetry)?;
    log.show(&after.log)?;
    let (reloaded, admitted) = compare(now, &after);
    running.arena().trails().sampler().become_like(&sampler);
    admitted.into_iter().for_each(|device| running.admit(device));
    if may_know(now, &after) {
        running.know(&after.known);
        now.known = after.known;
    }
    // What needs a restart is still as it was; it is named again the next time.
    now.clocks.retain(|clock| !after.clocks.iter().any(|new| new.device == clock.device));
    now.clocks.extend(after.clocks);
    (now.log, now.telemetry) = (after.log, after.telemetry);
    Ok(reloaded)
}

#[cfg(test)]
mod tests {
    use figment::{
        Figment,
        providers::{Format, Toml},
    };

    use super::*;
    use crate::desk::auth::Role;

    fn config(text: &str) -> Config {
        let text = format!("data_dir = '/d'\n{text}");
        Figment::new().merge(Toml::string(&text)).extract().expect("settings")
    }

    #[test]
    fn clocks_and_log_are_taken_over_and_the_rest_is_named() {
        let before = config("clocks = [{device='a',board='1'},{device='b',board='2'},{device='c',board='3'}]");
        let after = config(
            "log = 'debug'\nlog_json = true\nlisten.desk = '127.0.0.1:9'\ntelemetry.ratio = 0.5\n\
             clocks = [{device='a',board='1'},{device='b',board='9'},{device='d',board='4'}]",
        );
        let (reloaded, admitted) = compare(&before, &after);
        let names: Vec<_> = admitted.iter().map(|clock| clock.device.as_str()).collect();
        assert_eq!(names, ["b", "d"]);
        let taken = [
            "b reads board 9 from its next session on",
            "d on board 4 is taken in",
            "log = \"debug\"",
            "telemetry.ratio = 0.5",
        ];
        assert_eq!(reloaded.taken, taken);
        assert_eq!(reloaded.restart, ["clocks: c is still taken in", "listen", "log_json"]);
        assert_eq!(compare(&after, &after), (Reloaded::default(), Vec::new()));
    }

    #[test]
    fn who_came_changed_and_went_is_named_and_an_open_desk_stays_on_this_machine() {
        let mut before = config("");
        for (name, role) in [("Ada", Role::ChiefArbiter), ("Bo", Role::Viewer), ("Cy", Role::Viewer)] {
            before.known.add(name, role, Vec::new(), None).expect("added");
        }
        let mut after = before.clone();
        after.known.add("Bo", Role::Organiser, Vec::new(), None).expect("changed");
        after.known.add("Di", Role::Viewer, Vec::new(), None).expect("added");
        after.known.remove("Cy").expect("there");
        let said = ["users: Bo is changed", "users: Di is known", "users: Cy is known no more"];
        assert_eq!(compare(&before, &after).0, Reloaded { taken: said.map(str::to_owned).into(), restart: Vec::new() });

        // The address on disk says what will be after a restart; what listens now can be reached by others.
        let mut emptied = before.clone();
        (emptied.known, before.listen.web) = (Users::default(), "0.0.0.0:7704".parse().expect("an address"));
        let restart = ["users: nobody is in the file, and others can reach the desk: those before stay", "listen"];
        assert_eq!(
            compare(&before, &emptied).0,
            Reloaded { taken: Vec::new(), restart: restart.map(str::to_owned).into() }
        );
    }
}

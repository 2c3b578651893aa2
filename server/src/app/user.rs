//! `flagfall user …`: who may do what at the desk. The running service reads the file when it starts, and again at SIGHUP.

use std::{
    io::{self, BufRead, Write},
    path::PathBuf,
};

use clap::{Args as ClapArgs, Subcommand};
use rustix::termios::{LocalModes, OptionalActions, isatty, tcgetattr, tcsetattr};

use super::config::{Config, ConfigError};
use crate::desk::auth::{Role, Users, users::UsersError};

/// Where the users are.
#[derive(Clone, Debug, ClapArgs)]
pub struct Place {
    /// The service's settings, which say where the users are.
    #[arg(long, value_name = "FILE", default_value = "/etc/flagfall/flagfall.toml")]
    pub config: PathBuf,
    /// The file of users itself; the settings are not read then.
    #[arg(long, value_name = "FILE")]
    pub users: Option<PathBuf>,
}

/// What can be done about users. A running service knows of it after SIGHUP.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Add somebody, or change his role; the password is asked for, or read from standard input.
    #[command(after_help = "Example: flagfall user add 'Bo K.' --role sector-arbiter --boards 1-40")]
    Add {
        /// His name, as the journal will have it.
        name: String,
        /// What he is.
        #[arg(long, value_enum)]
        role: Role,
        /// A sector arbiter's boards: numbers of the round's boards and ranges of them, on whichever clock a game goes on; names of clocks, and of the boards they read.
        #[arg(long, value_delimiter = ',')]
        boards: Vec<String>,
        /// Give a new token for his programs, and print it this once. No password is asked for then.
        #[arg(long)]
        token: bool,
        /// Where.
        #[command(flatten)]
        place: Place,
    },
    /// Everybody, with role and boards.
    #[command(after_help = "Example: flagfall user list --json")]
    List {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
        /// Where.
        #[command(flatten)]
        place: Place,
    },
    /// Take somebody away.
    #[command(after_help = "Example: flagfall user remove 'Bo K.'")]
    Remove {
        /// His name.
        name: String,
        /// Where.
        #[command(flatten)]
        place: Place,
    },
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum UserError {
    /// The file of users, or what should go into it.
    #[error(transparent)]
    Users(#[from] UsersError),
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody types, or nobody reads.
    #[error("the terminal: {0}")]
    Io(#[from] io::Error),
}

impl Place {
    /// The file of users. Settings that are refused for want of users still say where the file is.
    fn file(&self) -> Result<PathBuf, ConfigError> {
        match &self.users {
            Some(file) => Ok(file.clone()),
            None => Config::users_of(&self.config),
        }
    }
}

/// Carries out a command.
///
/// # Errors
/// Nothing was changed.
pub fn run(command: &Command, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), UserError> {
    match command {
        Command::Add { name, role, boards, token, place } => {
            let file = place.file()?;
            let mut users = Users::read(&file)?;
            let password = if *token { None } else { Some(password(name, input)?) };
            users.add(name, *role, boards.clone(), password.as_deref())?;
            let word = if *token { Some(users.token(name)?) } else { None };
            users.write(&file)?;
            match word {
                Some(word) => writeln!(out, "{word}")?,
                None => writeln!(
                    out,
                    "{name} is in {}; a running service knows after SIGHUP (systemctl reload flagfall)",
                    file.display()
                )?,
            }
        }
        Command::List { json, place } => {
            for user in Users::read(&place.file()?)?.users {
                let (has_password, has_token) = (user.password.is_some(), user.token.is_some());
                if *json {
                    let line = serde_json::json!({
                        "name": user.name, "role": user.role, "boards": user.boards, "password": has_password, "token": has_token,
                    });
                    writeln!(out, "{line}")?;
                } else {
                    let role = serde_json::to_value(user.role).unwrap_or_default();
                    let by = match (has_password, has_token) {
                        (true, true) => "password, token",
                        (true, false) => "password",
                        (false, true) => "token",
                        (false, false) => "cannot sign in",
                    };
                    let role = role.as_str().unwrap_or_default();
                    writeln!(out, "{:24} {role:15} {by:16} {}", user.name, user.boards.join(","))?;
                }
            }
        }
        Command::Remove { name, place } => {
            let file = place.file()?;
            let mut users = Users::read(&file)?;
            users.remove(name)?;
            users.write(&file)?;
            writeln!(out, "{name} is gone; a running service knows after SIGHUP (systemctl reload flagfall)")?;
        }
    }
    Ok(())
}

/// Asks for a password without showing it; from a pipe it is the first line.
fn password(name: &str, input: &mut dyn BufRead) -> Result<String, io::Error> {
    let stdin = io::stdin();
    let shown = isatty(&stdin).then(|| tcgetattr(&stdin)).transpose()?;
    if let Some(shown) = &shown {
        eprint!("Password for {name}: ");
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &hidden)?;
    }
    let mut line = String::new();
    let read = input.read_line(&mut line);
    if let Some(shown) = &shown {
        tcsetattr(&stdin, OptionalActions::Now, shown)?;
        eprintln!();
    }
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_come_and_go_and_no_secret_is_listed() {
        let dir = tempfile::tempdir().expect("directory");
        let place = || Place { config: PathBuf::new(), users: Some(dir.path().join("users.toml")) };
        let told = |command: &Command, typed: &str| {
            let mut out = Vec::new();
            run(command, &mut typed.as_bytes(), &mut out).map(|()| String::from_utf8(out).expect("text"))
        };
        let add = |name: &str, role, token| Command::Add {
            name: name.into(),
            role,
            boards: vec!["1-40".into()],
            token,
            place: place(),
        };
        told(&add("Ada", Role::ChiefArbiter, false), "correct horse\n").expect("added");
        let token = told(&add("Bo", Role::SectorArbiter, true), "").expect("added");
        assert!(token.starts_with("Bo:") && token.trim().len() == 51, "{token}");
        let short = told(&add("Cy", Role::Viewer, false), "short\n").expect_err("short");
        assert_eq!(short.to_string(), "a password has at least 8 characters");
        let list = told(&Command::List { json: false, place: place() }, "").expect("listed");
        assert_eq!(list.lines().count(), 2);
        assert!(list.contains("sector-arbiter") && list.contains("1-40") && !list.contains("argon2"), "{list}");
        told(&Command::Remove { name: "Ada".into(), place: place() }, "").expect("removed");
        let json = told(&Command::List { json: true, place: place() }, "").expect("listed");
        let left: serde_json::Value = serde_json::from_str(&json).expect("one object");
        assert_eq!((left["name"].as_str(), left["role"].as_str()), (Some("Bo"), Some("sector-arbiter")));
    }
}

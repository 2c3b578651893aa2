//! The file of users, beside the service's settings: names, roles, boards, hashes. It holds the key of the sessions too, so it is
//! readable by its owner, at the most by his group, and by nobody else: see `keeping` beside it.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Caller, Role, keeping, secret};
use crate::wire::is_text;

/// The longest name of a user.
const NAME: usize = 64;

/// The shortest password.
pub const PASSWORD: usize = 8;

/// Somebody the service knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// His name, as the journal will have it.
    pub name: String,
    /// What he is.
    pub role: Role,
    /// A sector arbiter's boards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
    /// The argon2 hash of his password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The argon2 hash of the token that his programs carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl User {
    /// Who he is to the desk.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller { name: Some(self.name.clone()), role: self.role, boards: self.boards.clone() }
    }
}

/// Everybody the service knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Users {
    /// 64 random bytes in hexadecimal: what sessions are signed with.
    #[serde(default)]
    pub(super) key: String,
    /// In the order in which they were added.
    #[serde(default)]
    pub users: Vec<User>,
}

/// Why a file of users cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UsersError {
    /// It cannot be read or written.
    #[error("{}: {reason}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// It is not what `flagfall user` writes.
    #[error("{}: {reason}; `flagfall user` writes it, do not edit it by hand", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Others may read it, or more than its owner may write it.
    #[error("{}: too many may read or write it (mode {mode:03o}), and it holds the key of the sessions: chmod 640 it", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A name that cannot be one.
    #[error("{0:?}: a name has 1 to {NAME} characters, none of them a control character, a colon or a space at an end")]
    Name(String),
    /// A password that is none.
    #[error("a password has at least {PASSWORD} characters")]
    Short,
    /// There is no such user.
    #[error("there is no user {0:?}; `flagfall user list` names them all")]
    Nobody(String),
    /// A sector arbiter without a sector.
    #[error("a sector arbiter needs --boards, such as 1-40 or board-7,board-8")]
    NoBoards,
}

impl Users {
    /// Reads a file; one that is not there has nobody in it.
    ///
    /// # Errors
    /// It cannot be read, too many may read it, or it is not what `flagfall user` writes.
    pub fn read(file: &Path) -> Result<Users, UsersError> {
        let failed = |reason| UsersError::Io { file: file.to_owned(), reason };
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Users::default()),
            Err(error) => return Err(failed(error)),
        };
        let mode = fs::metadata(file).map_err(failed)?.permissions().mode() & 0o777;
        if mode & keeping::FORBIDDEN != 0 {
            return Err(UsersError::Open { file: file.to_owned(), mode });
        }
        let unreadable = |reason: String| UsersError::Unreadable { file: file.to_owned(), reason };
        let users: Users = toml::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        match users.key.len() {
            128 => Ok(users),
            _ => Err(unreadable("key: expected 64 bytes in hexadecimal".to_owned())),
        }
    }

    /// Writes the file anew, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, file: &Path) -> Result<(), UsersError> {
        if self.key.is_empty() {
            self.key = secret::random(64);
        }
        let failed = |reason| UsersError::Io { file: file.to_owned(), reason };
        let text = toml::to_string(self).map_err(|error| failed(io::Error::other(error)))?;
        keeping::replace(file, text.as_bytes()).map_err(failed)
    }

    /// Adds somebody, or changes who he is; a secret that is not given stays as it is.
    ///
    /// # Errors
    /// The name or the password cannot be one, or a sector arbiter has no boards.
    pub fn add(
        &mut self,
        name: &str,
        role: Role,
        boards: Vec<String>,
        password: Option<&str>,
    ) -> Result<(), UsersError> {
        if !is_text(name, NAME) || name.trim() != name || name.contains(':') {
            return Err(UsersError::Name(name.to_owned()));
        }
        if role == Role::SectorArbiter && boards.is_empty() {
            return Err(UsersError::NoBoards);
        }
        let password = match password {
            Some(password) if password.chars().count() < PASSWORD => return Err(UsersError::Short),
            Some(password) => Some(secret::hash(password).map_err(|_| UsersError::Short)?),
            None => None,
        };
        match self.users.iter_mut().find(|user| user.name == name) {
            Some(user) => {
                (user.role, user.boards) = (role, boards);
                user.password = password.or(user.password.take());
            }
            None => self.users.push(User { name: name.to_owned(), role, boards, password, token: None }),
        }
        Ok(())
    }

    /// Gives somebody a new token and says it, this once; the one before is good no more.
    ///
    /// # Errors
    /// There is no such user.
    pub fn token(&mut self, name: &str) -> Result<String, UsersError> {
        let nobody = || UsersError::Nobody(name.to_owned());
        let user = self.users.iter_mut().find(|user| user.name == name).ok_or_else(nobody)?;
        let word = secret::random(24);
        user.token = Some(secret::hash(&word).map_err(|_| nobody())?);
        Ok(format!("{name}:{word}"))
    }

    /// Takes somebody away: his sessions and his token are good no more.
    ///
    /// # Errors
    /// There is no such user.
    pub fn remove(&mut self, name: &str) -> Result<(), UsersError> {
        let before = self.users.len();
        self.users.retain(|user| user.name != name);
        if self.users.len() < before { Ok(()) } else { Err(UsersError::Nobody(name.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_written_for_their_owner_and_without_their_secrets() {
        let dir = tempfile::tempdir().expect("directory");
        let file = dir.path().join("users.toml");
        assert_eq!(Users::read(&file).expect("nobody"), Users::default());
        let mut users = Users::default();
        users.add("Ada", Role::ChiefArbiter, Vec::new(), Some("correct horse")).expect("added");
        users.add("Bo", Role::SectorArbiter, vec!["1-40".into()], None).expect("added");
        let token = users.token("Bo").expect("a token");
        users.write(&file).expect("written");
        let text = fs::read_to_string(&file).expect("text");
        let word = token.strip_prefix("Bo:").expect("named");
        assert!(!text.contains("correct horse") && !text.contains(word), "{text}");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(Users::read(&file).expect("read"), users);

        // A service that is not its owner reads it by its group: root:flagfall, or a cluster's secret, which is root's.
        for mode in [0o640, 0o440, 0o400] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("given");
            assert_eq!(Users::read(&file).expect("read"), users, "{mode:o}");
        }
        for open in [0o644, 0o604, 0o660, 0o610] {
            fs::set_permissions(&file, fs::Permissions::from_mode(open)).expect("opened");
            assert!(matches!(Users::read(&file), Err(UsersError::Open { mode, .. }) if mode == open), "{open:o}");
        }
    }

    #[test]
    fn what_cannot_be_a_user_is_refused() {
        let mut users = Users::default();
        let mut add = |name: &str, role, password| users.add(name, role, Vec::new(), password);
        assert!(matches!(add("", Role::Viewer, None), Err(UsersError::Name(_))));
        assert!(matches!(add("a:b", Role::Viewer, None), Err(UsersError::Name(_))));
        assert!(matches!(add("a", Role::Viewer, Some("short")), Err(UsersError::Short)));
        assert!(matches!(add("a", Role::SectorArbiter, None), Err(UsersError::NoBoards)));
        assert!(matches!(users.remove("a"), Err(UsersError::Nobody(_))));
    }
}

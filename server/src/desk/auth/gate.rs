//! How it is known who asks: a token in the metadata of a request, a signed cookie of a browser.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum_extra::extract::cookie::Key;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tonic::{Request, metadata::MetadataMap};

use super::{Caller, Deed, User, Users, secret};
use crate::wire::Refused;

/// How long a session lasts, seconds: a long playing day.
pub const SESSION: i64 = 12 * 3_600;

/// Secrets verified at the same time: each takes a lot of memory, on purpose.
const AT_ONCE: usize = 2;

/// Tokens remembered as good.
const REMEMBERED: usize = 1_024;

/// The gate of the desk. Cheap to clone.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    users: Vec<User>,
    key: Key,
    verifying: Semaphore,
    /// The name of who has a token, by the token's hash: found out slowly once.
    good: Mutex<HashMap<[u8; 32], usize>>,
}

impl Gate {
    /// A gate for these users; open when there are none.
    #[must_use]
    pub fn new(users: &Users) -> Gate {
        let bytes: Option<Vec<u8>> =
            (0..users.key.len() / 2).map(|i| u8::from_str_radix(users.key.get(2 * i..2 * i + 2)?, 16).ok()).collect();
        // Without users a session lasts as long as the service runs.
        let key = bytes.filter(|bytes| bytes.len() >= 64).map_or_else(Key::generate, |bytes| Key::from(&bytes));
        let (users, verifying, good) = (users.users.clone(), Semaphore::new(AT_ONCE), Mutex::default());
        Gate(Arc::new(Inner { users, key, verifying, good }))
    }

    /// A gate that anybody walks through.
    #[must_use]
    pub fn open() -> Gate {
        Gate::new(&Users::default())
    }

    /// Nobody is known, and everybody may do everything.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.users.is_empty()
    }

    /// What cookies are signed with.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.0.key
    }

    /// Who sends a request: whom the pages put into it, else who has the token in its metadata.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`.
    pub async fn caller<T: Sync>(&self, request: &Request<T>) -> Result<Caller, Refused> {
        if let Some(caller) = request.extensions().get::<Caller>() {
            return Ok(caller.clone());
        }
        if self.is_open() {
            return Ok(Caller::anybody());
        }
        let token = bearer(request.metadata()).ok_or_else(|| Refused::Unauthenticated {
            why: "no token; send `authorization: Bearer NAME:WORD`, which `flagfall user add --token` gives".to_owned(),
        })?;
        self.bearer(token)
            .await
            .ok_or_else(|| Refused::Unauthenticated { why: "nobody has this token; ask for a new one".to_owned() })
    }

    /// Who sends a request, if such a thing is his to do at all.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`, `NOT_ALLOWED`.
    pub async fn admit<T: Sync>(&self, request: &Request<T>, deed: Deed) -> Result<Caller, Refused> {
        let caller = self.caller(request).await?;
        caller.may(deed, None)?;
        Ok(caller)
    }

    async fn bearer(&self, token: &str) -> Option<Caller> {
        let print: [u8; 32] = Sha256::digest(token).into();
        let known = |good: &HashMap<_, usize>| good.get(&print).and_then(|&index| self.0.users.get(index));
        if let Some(user) = known(&self.0.good.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(user.caller());
        }
        let (name, word) = token.rsplit_once(':')?;
        let index = self.0.users.iter().position(|user| user.name == name)?;
        let user = self.0.users.get(index)?;
        self.verify(word, user.token.clone()?).await.then(|| {
            let mut good = self.0.good.lock().unwrap_or_else(PoisonError::into_inner);
            if good.len() >= REMEMBERED {
                good.clear();
            }
            good.insert(print, index);
            user.caller()
        })
    }

    /// Somebody signs in; `None`: not with this name and password. A name that nobody has takes as long as one that somebody has.
    pub async fn sign_in(&self, name: &str, password: &str) -> Option<&User> {
        /// Of no password at all.
        const NOBODY: &str =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let user = self.0.users.iter().find(|user| user.name == name);
        let hash = user.and_then(|user| user.password.clone()).unwrap_or_else(|| NOBODY.to_owned());
        if self.verify(password, hash).await { user } else { None }
    }

    async fn verify(&self, word: &str, hash: String) -> bool {
        let Ok(_turn) = self.0.verifying.acquire().await else { return false };
        let word = word.to_owned();
        tokio::task::spawn_blocking(move || secret::verify(&word, &hash)).await.unwrap_or(false)
    }

    /// What a session says of a user besides his name: it changes with his password, and a session from before is over.
    #[must_use]
    pub fn print(user: &User) -> String {
        let hash = Sha256::digest(user.password.as_deref().unwrap_or_default());
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The user of a session, if he is still the one who signed in.
    #[must_use]
    pub fn of_session(&self, name: &str, print: &str) -> Option<&User> {
        self.0.users.iter().find(|user| user.name == name).filter(|user| Gate::print(user) == print)
    }

    /// Random words for forms and sessions.
    #[must_use]
    pub fn word() -> String {
        secret::random(16)
    }
}

fn bearer(metadata: &MetadataMap) -> Option<&str> {
    metadata.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ").map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::auth::Role;

    fn with(token: &str) -> Request<()> {
        let mut request = Request::new(());
        request.metadata_mut().insert("authorization", token.parse().expect("a header"));
        request
    }

    #[tokio::test]
    async fn a_token_names_its_owner_and_nothing_else_does() {
        let mut users = Users::default();
        users.add("Ada", Role::Organiser, Vec::new(), Some("correct horse")).expect("added");
        users.add("Bo", Role::SectorArbiter, vec!["7".into()], None).expect("added");
        let token = users.token("Bo").expect("a token");
        let gate = Gate::new(&users);
        for _ in 0..2 {
            let caller = gate.caller(&with(&format!("Bearer {token}"))).await.expect("known");
            assert_eq!((caller.name.as_deref(), caller.role), (Some("Bo"), Role::SectorArbiter));
        }
        let word = token.strip_prefix("Bo:").expect("named");
        for wrong in [format!("Bearer Ada:{word}"), "Bearer Bo:0".to_owned(), token.clone(), "Bearer ".to_owned()] {
            assert!(matches!(gate.caller(&with(&wrong)).await, Err(Refused::Unauthenticated { .. })), "{wrong}");
        }
        assert!(gate.caller(&Request::new(())).await.is_err());
        assert!(Gate::open().caller(&Request::new(())).await.is_ok());
    }

    #[tokio::test]
    async fn a_password_opens_and_a_changed_one_ends_sessions() {
        let mut users = Users::default();
        users.add("Ada", Role::ChiefArbiter, Vec::new(), Some("correct horse")).expect("added");
        let gate = Gate::new(&users);
        let print = Gate::print(gate.sign_in("Ada", "correct horse").await.expect("signed in"));
        assert!(gate.sign_in("Ada", "correct hors").await.is_none() && gate.sign_in("Bo", "").await.is_none());
        assert!(gate.of_session("Ada", &print).is_some() && gate.of_session("Bo", &print).is_none());
        users.add("Ada", Role::ChiefArbiter, Vec::new(), Some("another horse")).expect("changed");
        assert!(Gate::new(&users).of_session("Ada", &print).is_none());
    }
}

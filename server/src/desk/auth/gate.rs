//! How it is known who asks: a token in the metadata of a request, a signed cookie of a browser. Who is known can change while the
//! service runs: a session of somebody who is not known any more is over, and streams that were opened for him end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use axum_extra::extract::cookie::Key;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, watch};
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
    roll: RwLock<Arc<Roll>>,
    /// Who is known has changed.
    changed: watch::Sender<()>,
    verifying: Semaphore,
}

/// Who is known at a time.
struct Roll {
    users: Vec<User>,
    /// As the file of users has it; empty: there is none.
    text: String,
    key: Key,
    /// Whose a token is, by the token's hash: found out slowly once.
    good: Mutex<HashMap<[u8; 32], usize>>,
}

impl Roll {
    fn new(users: &Users) -> Roll {
        let bytes: Option<Vec<u8>> =
            (0..users.key.len() / 2).map(|i| u8::from_str_radix(users.key.get(2 * i..2 * i + 2)?, 16).ok()).collect();
        // Without users a session lasts as long as the service runs.
        let key = bytes.filter(|bytes| bytes.len() >= 64).map_or_else(Key::generate, |bytes| Key::from(&bytes));
        Roll { users: users.users.clone(), text: users.key.clone(), key, good: Mutex::default() }
    }

    fn user(&self, name: &str) -> Option<(usize, &User)> {
        self.users.iter().enumerate().find(|(_, user)| user.name == name)
    }
}

impl Gate {
    /// A gate for these users; open when there are none.
    #[must_use]
    pub fn new(users: &Users) -> Gate {
        let (roll, changed) = (RwLock::new(Arc::new(Roll::new(users))), watch::Sender::new(()));
        Gate(Arc::new(Inner { roll, changed, verifying: Semaphore::new(AT_ONCE) }))
    }

    /// These are the users from now on.
    pub fn know(&self, users: &Users) {
        let mut roll = self.0.roll.write().unwrap_or_else(PoisonError::into_inner);
        // While the file has no key, the forms of open pages stay good.
        let key = (roll.text == users.key).then(|| roll.key.clone());
        let next = Roll::new(users);
        *roll = Arc::new(Roll { key: key.unwrap_or_else(|| next.key.clone()), ..next });
        drop(roll);
        self.0.changed.send_replace(());
    }

    fn roll(&self) -> Arc<Roll> {
        Arc::clone(&self.0.roll.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says when who is known has changed.
    pub(in crate::desk) fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Resolves when somebody is not known any more as he was when he asked.
    pub(in crate::desk) async fn gone(&self, caller: &Caller) {
        let mut changes = self.changes();
        loop {
            let known = match &caller.name {
                // The service looks for everybody.
                _ if *caller == Caller::service() => true,
                Some(name) => self.roll().user(name).is_some_and(|(_, user)| user.caller() == *caller),
                None => self.is_open(),
            };
            if !known || changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// A gate that anybody walks through.
    #[must_use]
    pub fn open() -> Gate {
        Gate::new(&Users::default())
    }

    /// Nobody is known, and everybody may do everything.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.roll().users.is_empty()
    }

    /// What cookies are signed with.
    #[must_use]
    pub fn key(&self) -> Key {
        self.roll().key.clone()
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
        let (print, roll): ([u8; 32], _) = (Sha256::digest(token).into(), self.roll());
        let known = |good: &HashMap<_, usize>| good.get(&print).and_then(|&index| roll.users.get(index));
        if let Some(user) = known(&roll.good.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(user.caller());
        }
        let (name, word) = token.rsplit_once(':')?;
        let (index, user) = roll.user(name)?;
        self.verify(word, user.token.clone()?).await.then(|| {
            let mut good = roll.good.lock().unwrap_or_else(PoisonError::into_inner);
            if good.len() >= REMEMBERED {
                good.clear();
            }
            good.insert(print, index);
            user.caller()
        })
    }

    /// Somebody signs in; `None`: not with this name and password. A name that nobody has takes as long as one that somebody has.
    pub async fn sign_in(&self, name: &str, password: &str) -> Option<User> {
        /// Of no password at all.
        const NOBODY: &str =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let user = self.roll().user(name).map(|(_, user)| user.clone());
        let hash = user.as_ref().and_then(|user| user.password.clone()).unwrap_or_else(|| NOBODY.to_owned());
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
    pub fn of_session(&self, name: &str, print: &str) -> Option<User> {
        let user = self.roll().user(name).map(|(_, user)| user.clone());
        user.filter(|user| Gate::print(user) == print)
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
        let print = Gate::print(&gate.sign_in("Ada", "correct horse").await.expect("signed in"));
        assert!(gate.sign_in("Ada", "correct hors").await.is_none() && gate.sign_in("Bo", "").await.is_none());
        assert!(gate.of_session("Ada", &print).is_some() && gate.of_session("Bo", &print).is_none());
        users.add("Ada", Role::ChiefArbiter, Vec::new(), Some("another horse")).expect("changed");
        assert!(Gate::new(&users).of_session("Ada", &print).is_none());
    }

    #[tokio::test]
    async fn who_is_taken_away_is_gone_at_once_and_who_comes_is_known() {
        let mut users = Users::default();
        users.add("Ada", Role::Organiser, Vec::new(), Some("correct horse")).expect("added");
        users.add("Bo", Role::Viewer, Vec::new(), None).expect("added");
        let token = format!("Bearer {}", users.token("Bo").expect("a token"));
        users.write(&tempfile::tempdir().expect("a folder").path().join("users.toml")).expect("written");
        let gate = Gate::new(&users);
        let bo = gate.caller(&with(&token)).await.expect("known");
        let ada = users.users[0].caller();
        let (gone, key) = (gate.gone(&bo), gate.key());
        tokio::pin!(gone);

        users.remove("Bo").expect("there");
        users.add("Cy", Role::ChiefArbiter, Vec::new(), Some("correct horse")).expect("added");
        gate.know(&users);
        gone.await;
        assert!(matches!(gate.caller(&with(&token)).await, Err(Refused::Unauthenticated { .. })));
        assert!(gate.sign_in("Cy", "correct horse").await.is_some());
        assert_eq!(gate.key().master(), key.master(), "the others' sessions go on");

        // Of somebody with other rights the streams end too: he comes again with his new ones.
        let changed = gate.gone(&ada);
        tokio::pin!(changed);
        users.add("Ada", Role::Viewer, Vec::new(), None).expect("changed");
        gate.know(&users);
        changed.await;
        assert_eq!(gate.sign_in("Ada", "correct horse").await.expect("the same password").role, Role::Viewer);
    }
}

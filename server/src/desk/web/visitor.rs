//! Who looks at a page: a signed cookie names the user, and carries the word that every form must repeat.

use axum::{
    extract::{FromRequest, FromRequestParts, Request, State},
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use axum_extra::extract::{
    SignedCookieJar,
    cookie::{Cookie, SameSite},
};
use std::{collections::HashMap, time::Duration};
use tonic::Status;

use super::{
    Lang, Web,
    frame::{Frame, refused, said_no},
};
use crate::{
    desk::auth::{Caller, Gate, SESSION, User},
    wire::reasons,
};

/// The cookie of a session.
const COOKIE: &str = "desk";

/// Somebody at a page.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// Who he is to the desk; `None`: he has not signed in.
    pub caller: Option<Caller>,
    /// What his forms must repeat: another site's page cannot know it.
    pub word: String,
    /// Until when his session lasts, seconds since 1970.
    until: i64,
}

impl Visitor {
    /// A new session, for a user or for nobody yet.
    pub(super) fn begin(jar: SignedCookieJar, user: Option<&User>) -> (SignedCookieJar, Visitor) {
        let word = Gate::word();
        let until = now() + SESSION;
        let (print, name) = user.map(|user| (Gate::print(user), user.name.clone())).unwrap_or_default();
        let cookie = Cookie::build((COOKIE, format!("{until}:{word}:{print}:{name}")))
            .path("/")
            .http_only(true)
            .same_site(SameSite::Lax);
        (jar.add(cookie), Visitor { caller: user.map(User::caller), word, until })
    }

    /// Out of a cookie that has not run out; a user who is not that user any more is nobody.
    fn read(jar: &SignedCookieJar, gate: &Gate) -> Option<Visitor> {
        let cookie = jar.get(COOKIE)?;
        let mut parts = cookie.value().splitn(4, ':');
        let (until, word, print, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let until = until.parse::<i64>().ok()?;
        if until <= now() {
            return None;
        }
        let caller = match gate.is_open() {
            true => Some(Caller::anybody()),
            false if name.is_empty() => None,
            false => Some(gate.of_session(name, print)?.caller()),
        };
        Some(Visitor { caller, word: word.to_owned(), until })
    }

    /// Resolves when the session is over: its time has run out, or who it was given to is not known any more.
    pub(super) async fn over(&self, gate: &Gate, headers: &HeaderMap) {
        let mut changes = gate.changes();
        loop {
            let open = self.caller.as_ref().is_some_and(|caller| caller.name.is_none());
            let jar = SignedCookieJar::from_headers(headers, gate.key());
            let lasts = if open {
                gate.is_open()
            } else {
                Visitor::read(&jar, gate).is_some_and(|now| now.caller == self.caller)
            };
            if !lasts {
                return;
            }
            let left = Duration::from_secs(u64::try_from(self.until - now()).unwrap_or(0));
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                // The open desk asks nobody who he is.
                () = tokio::time::sleep(left), if !open => {}
            }
        }
    }
}

/// Wall time in seconds: sessions of browsers run out by it.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Finds out who asks, before any page is made. Nobody unknown gets further than the door.
pub(super) async fn identify(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    if web.gate.is_open() && !is_local(request.headers()) {
        // A page elsewhere that had its own name lead here would act in this desk's name.
        const NOT_LOCAL: &str = "NOT_LOCAL";
        let words =
            reasons::reason(NOT_LOCAL).map_or("", |words| Lang::of_headers(request.headers()).t(words.en, words.ru));
        let why = format!("{NOT_LOCAL}: {words}");
        let said = (StatusCode::FORBIDDEN, format!("{why}\n")).into_response();
        return said_no(said, &Status::permission_denied(why));
    }
    let jar = SignedCookieJar::from_headers(request.headers(), web.gate.key());
    let (visitor, fresh) = match Visitor::read(&jar, &web.gate) {
        Some(visitor) => (visitor, None),
        None => {
            let (jar, visitor) = Visitor::begin(jar, None);
            let caller = web.gate.is_open().then(Caller::anybody);
            (Visitor { caller, ..visitor }, Some(jar))
        }
    };
    let path = request.uri().path();
    let door = path == "/login" || path.starts_with("/assets/") || path.starts_with("/lang/");
    let response = if visitor.caller.is_some() || door {
        request.extensions_mut().insert(visitor);
        next.run(request).await
    } else if matches!(*request.method(), Method::GET | Method::HEAD) && path != "/live" {
        Redirect::to("/login").into_response()
    } else {
        let lang = Lang::of_headers(request.headers());
        let why = "UNAUTHENTICATED: the session is over; nothing was done. Sign in, and do it again";
        refused(Frame::new("login", lang, &visitor), &Status::unauthenticated(why), "/login")
    };
    match fresh {
        // Signing in or out has set its own.
        Some(jar) if !response.headers().contains_key(header::SET_COOKIE) => (jar, response).into_response(),
        _ => response,
    }
}

/// The browser asks this machine by a name of its own.
fn is_local(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return true };
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Visitor, StatusCode> {
        parts.extensions.get::<Visitor>().cloned().ok_or(StatusCode::UNAUTHORIZED)
    }
}

/// A form that was sent from a page of ours.
pub(super) struct Sent {
    /// Who sent it.
    pub(super) visitor: Visitor,
    fields: HashMap<String, String>,
}

impl Sent {
    /// A field without the white space around it; empty when it was not sent.
    pub(super) fn get(&self, field: &str) -> &str {
        self.as_typed(field).trim()
    }

    /// A field to the last space: a password may begin or end with one.
    pub(super) fn as_typed(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }
}

impl<S: Send + Sync> FromRequest<S> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Sent, Response> {
        let visitor = request.extensions().get::<Visitor>().cloned();
        let visitor = visitor.ok_or_else(|| StatusCode::UNAUTHORIZED.into_response())?;
        let lang = Lang::of_headers(request.headers());
        let form = axum::Form::<HashMap<String, String>>::from_request(request, state).await;
        let frame = || Frame::new(if visitor.caller.is_some() { "" } else { "login" }, lang, &visitor);
        let axum::Form(fields) = form.map_err(|error| {
            let why = format!("BAD_REQUEST: form: {}", error.body_text());
            refused(frame(), &Status::invalid_argument(why), "/")
        })?;
        if fields.get("word") != Some(&visitor.word) {
            let why = "STALE_FORM: this form is not from a page of this session; nothing was done. Load the page anew and try again";
            return Err(refused(frame(), &Status::permission_denied(why), "/"));
        }
        Ok(Sent { visitor, fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        let with = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a header"));
            is_local(&headers)
        };
        assert!(with("localhost:7704") && with("127.0.0.1:7704") && with("[::1]:7704") && with("127.0.0.1"));
        assert!(!with("desk.example:7704") && !with("10.0.0.7:7704") && !with("localhost.example"));
    }
}

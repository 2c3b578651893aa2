//! What surrounds every page: where the reader is, who he is, in which language.

use axum::{
    extract::{FromRequestParts, Path, Query, rejection::QueryRejection},
    http::{StatusCode, header, request::Parts},
    response::{Html, IntoResponse, Response},
};
use tonic::{Code, Status};

use super::{Lang, Visitor};
use crate::{desk::auth::Role, wire::reasons};

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) lang: Lang,
    /// Which page: `hall`, `calls`, `game`, `round`, `sheet`, `login`.
    pub(super) here: &'static str,
    /// Who reads; empty in the open desk.
    pub(super) name: String,
    pub(super) role: &'static str,
    /// Nobody is known here, and everybody may do everything.
    pub(super) open: bool,
    /// What every form repeats.
    pub(super) word: String,
    /// Where the page is read again in another language; empty: where it is.
    pub(super) back: String,
}

impl Frame {
    pub(super) fn new(here: &'static str, lang: Lang, visitor: &Visitor) -> Frame {
        let caller = visitor.caller.clone();
        let name = caller.as_ref().and_then(|caller| caller.name.clone()).unwrap_or_default();
        let role = match caller.as_ref().map(|caller| caller.role) {
            Some(Role::Viewer) => lang.t("viewer", "наблюдатель"),
            Some(Role::SectorArbiter) => lang.t("sector arbiter", "арбитр сектора"),
            Some(Role::ChiefArbiter) => lang.t("chief arbiter", "главный арбитр"),
            Some(Role::Organiser) => lang.t("organiser", "организатор"),
            None => "",
        };
        let open = caller.as_ref().is_some_and(|caller| caller.name.is_none());
        Frame { lang, here, name, role, open, word: visitor.word.clone(), back: String::new() }
    }

    /// Of a page that answers a form, and is none by itself: it is read again elsewhere.
    pub(super) fn before(self, back: &str) -> Frame {
        Frame { back: back.to_owned(), ..self }
    }
}

/// A page, filled.
pub(super) fn show(page: &impl askama::Template) -> Response {
    match page.render() {
        Ok(text) => Html(text).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page cannot be filled");
            (StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be filled; see the log of the service\n")
                .into_response()
        }
    }
}

#[derive(askama::Template)]
#[template(path = "refused.html")]
struct Refusal<'a> {
    frame: Frame,
    /// The contract's name of the reason.
    code: &'a str,
    /// What it means, in the reader's language.
    words: &'a str,
    /// What the service said after the name, in English.
    said: &'a str,
    back: &'a str,
}

/// The desk said no: with the reason in the reader's language, the service's own line beneath, and the way back.
pub(super) fn refused(frame: Frame, status: &Status, back: &str) -> Response {
    let http = match status.code() {
        Code::InvalidArgument => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Aborted | Code::FailedPrecondition | Code::AlreadyExists => StatusCode::CONFLICT,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    let (code, said) = status.message().split_once(": ").unwrap_or(("", status.message()));
    let field = said.split_once(": ").filter(|_| code == "BAD_REQUEST").and_then(|(field, _)| reasons::field(field));
    let words = field.or_else(|| reasons::reason(code)).map_or("", |words| frame.lang.t(words.en, words.ru));
    let page = show(&Refusal { frame: frame.before(back), code, words, said, back });
    said_no((http, [(header::CACHE_CONTROL, "no-store")], page).into_response(), status)
}

/// An answer that is a refusal, with what is counted of it.
pub(super) fn said_no(mut answer: Response, status: &Status) -> Response {
    answer.extensions_mut().insert(status.clone());
    answer
}

/// What was asked for, or which part of the address means nothing.
pub(super) fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Status> {
    query
        .map(|Query(asked)| asked)
        .map_err(|error| Status::invalid_argument(format!("BAD_REQUEST: {}", error.body_text())))
}

/// There is no page at this address.
pub(super) async fn no_page(lang: Lang, visitor: Visitor) -> Response {
    let status = Status::not_found("NOT_FOUND: there is no such page; the hall is at /");
    refused(Frame::new("", lang, &visitor), &status, "/")
}

/// What an address names. One that names nothing of the kind is no page.
pub(super) struct Address<T>(pub(super) T);

impl<S: Send + Sync, T: serde::de::DeserializeOwned + Send> FromRequestParts<S> for Address<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Address<T>, Response> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(named)) => Ok(Address(named)),
            Err(_) => {
                let visitor = Visitor::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
                Err(no_page(Lang::of_headers(&parts.headers), visitor).await)
            }
        }
    }
}

//! `/login` and `/logout`.

use std::time::Duration;

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use axum_extra::extract::SignedCookieJar;
use tonic::Status;

use super::{
    Lang, Visitor, Web,
    frame::{Frame, said_no, show},
    visitor::Sent,
};

/// How long a wrong password is thought about.
const WRONG: Duration = Duration::from_millis(400);

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    frame: Frame,
    wrong: bool,
}

/// `GET /login`.
pub(super) async fn page(lang: Lang, visitor: Visitor) -> Response {
    if visitor.caller.is_some() {
        return Redirect::to("/").into_response();
    }
    show(&Login { frame: Frame::new("login", lang, &visitor), wrong: false })
}

/// `POST /login`.
pub(super) async fn sign_in(State(web): State<Web>, lang: Lang, headers: HeaderMap, sent: Sent) -> Response {
    let (name, password) = (sent.get("name").to_owned(), sent.as_typed("password").to_owned());
    match web.gate.sign_in(&name, &password).await {
        Some(user) => {
            tracing::info!(name, "signed in");
            let jar = SignedCookieJar::from_headers(&headers, web.gate.key());
            let (jar, _) = Visitor::begin(jar, Some(&user));
            (jar, Redirect::to("/")).into_response()
        }
        None => {
            tracing::warn!(name, "signing in was refused");
            // Guessing costs time; nothing else waits for this answer.
            tokio::time::sleep(WRONG).await;
            let page = show(&Login { frame: Frame::new("login", lang, &sent.visitor), wrong: true });
            let status = Status::unauthenticated("WRONG_PASSWORD: nobody has this name and password");
            said_no((StatusCode::FORBIDDEN, page).into_response(), &status)
        }
    }
}

/// `POST /logout`.
pub(super) async fn sign_out(State(web): State<Web>, headers: HeaderMap, _: Sent) -> Response {
    let jar = SignedCookieJar::from_headers(&headers, web.gate.key());
    let (jar, _) = Visitor::begin(jar, None);
    (jar, Redirect::to("/login")).into_response()
}

//! The two languages of the desk: what the reader chose, else what the browser asks for.

use std::convert::Infallible;

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::{HeaderMap, Uri, header, request::Parts},
    response::Redirect,
};
use axum_extra::extract::{
    CookieJar,
    cookie::{Cookie, SameSite},
};
use flagfall_proto::clock::v1::Words;

/// The cookie that keeps a choice.
pub(super) const COOKIE: &str = "lang";

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
}

impl Lang {
    /// The one of two phrases that is in this language.
    #[must_use]
    pub const fn t<'a>(self, en: &'a str, ru: &'a str) -> &'a str {
        match self {
            Lang::En => en,
            Lang::Ru => ru,
        }
    }

    /// Words that exist in both.
    #[must_use]
    pub fn of(self, words: Option<&Words>) -> &str {
        words.map_or("", |words| self.t(&words.en, &words.ru))
    }

    /// The one of a request.
    pub(super) fn of_headers(headers: &HeaderMap) -> Lang {
        let chosen = CookieJar::from_headers(headers).get(COOKIE).and_then(|cookie| Lang::named(cookie.value()));
        let asked = || headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok().and_then(Lang::accepted);
        chosen.or_else(asked).unwrap_or_default()
    }

    /// As HTML names it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.t("en", "ru")
    }

    /// A language by its code.
    pub(crate) fn named(code: &str) -> Option<Lang> {
        match code {
            "en" => Some(Lang::En),
            "ru" => Some(Lang::Ru),
            _ => None,
        }
    }

    /// The first of the languages of an `Accept-Language` header that the desk speaks, the one with the greatest weight.
    fn accepted(header: &str) -> Option<Lang> {
        let weighed = header.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let lang = Lang::named(parts.next()?.split('-').next()?.to_ascii_lowercase().as_str())?;
            let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
            Some((lang, weight.unwrap_or(1.0)))
        });
        // Of equals the first one stays.
        weighed.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(lang, _)| lang)
    }
}

/// Where a choice is made on a page that answers a form.
#[derive(serde::Deserialize)]
pub(super) struct Chosen {
    back: Option<String>,
}

/// `GET /lang/{code}?back=/round`: keeps the choice and goes back to where it was made, or where that page says.
pub(super) async fn choose(
    Path(code): Path<String>,
    Query(Chosen { back }): Query<Chosen>,
    headers: HeaderMap,
    jar: CookieJar,
) -> (CookieJar, Redirect) {
    let referer = || Some(headers.get(header::REFERER)?.to_str().ok()?.to_owned());
    let back = back.or_else(referer).as_deref().and_then(path).unwrap_or_else(|| "/".to_owned());
    let jar = match Lang::named(&code) {
        Some(lang) => {
            jar.add(Cookie::build((COOKIE, lang.code())).path("/").http_only(true).same_site(SameSite::Lax).permanent())
        }
        None => jar,
    };
    (jar, Redirect::to(&back))
}

/// Only the path of an address: a page of another host is not gone back to. To a browser `\\` is a `/`.
fn path(address: &str) -> Option<String> {
    let uri: Uri = address.parse().ok()?;
    let path = uri.path_and_query()?.as_str();
    let elsewhere = path.starts_with("//") || path.contains('\\') || !path.starts_with('/');
    (!elsewhere).then(|| path.to_owned())
}

impl<S: Send + Sync> FromRequestParts<S> for Lang {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Lang, Infallible> {
        Ok(Lang::of_headers(&parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_goes_back_to_pages_of_this_desk_only() {
        assert_eq!(path("/round?event=open&round=3").as_deref(), Some("/round?event=open&round=3"));
        assert_eq!(path("http://elsewhere.example/calls").as_deref(), Some("/calls"));
        for elsewhere in ["//elsewhere.example", "/\\elsewhere.example", "elsewhere.example", "/a\nb", ""] {
            assert_eq!(path(elsewhere), None, "{elsewhere:?}");
        }
    }

    #[test]
    fn the_heaviest_language_that_is_spoken_here_wins() {
        assert_eq!(Lang::accepted("ru-RU,ru;q=0.9,en;q=0.8"), Some(Lang::Ru));
        assert_eq!(Lang::accepted("de, en;q=0.4, ru;q=0.7"), Some(Lang::Ru));
        assert_eq!(Lang::accepted("EN-gb, ru"), Some(Lang::En));
        assert_eq!(Lang::accepted("fr, *;q=0.1"), None);
    }
}

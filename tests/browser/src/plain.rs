//! A page fetched without a browser: for what a form, a cookie and a header say.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, anyhow};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::PATIENCE;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers by lower-case name; one that comes twice is the last of them.
    pub headers: HashMap<String, String>,
    /// The content.
    pub body: String,
}

/// Somebody who keeps his cookies.
pub struct Visitor {
    host: String,
    cookies: BTreeMap<String, String>,
}

impl Visitor {
    /// Nobody yet, at the address of a page.
    #[must_use]
    pub fn at(page: &str) -> Visitor {
        let host = page.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        Visitor { host, cookies: BTreeMap::new() }
    }

    /// `GET`.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn get(&mut self, path: &str) -> anyhow::Result<Answer> {
        let host = self.host.clone();
        self.ask("GET", path, &host, "").await
    }

    /// `POST` of fields.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Answer> {
        let body: Vec<String> = fields.iter().map(|(name, text)| format!("{name}={}", escaped(text))).collect();
        let host = self.host.clone();
        self.ask("POST", path, &host, &body.join("&")).await
    }

    /// Looks at what would change, and does it; `fields` are those of the form that asks.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn look_and_do(&mut self, game: &str, fields: &[(&str, &str)], reason: &str) -> anyhow::Result<Answer> {
        let asked: Vec<String> = fields.iter().map(|(name, text)| format!("{name}={}", escaped(text))).collect();
        let looked = self.get(&format!("/game/{game}/act?{}", asked.join("&"))).await?;
        if looked.status != 200 {
            return Ok(looked);
        }
        let form = looked.body.split_once("method=\"post\" action=\"/game/").context("nothing can be done")?.1;
        let hidden = form.split("<input type=\"hidden\" name=\"").skip(1).filter_map(|input| {
            let (name, rest) = input.split_once("\" value=\"")?;
            Some((name, unescaped(rest.split_once('"')?.0)))
        });
        let mut all: Vec<(&str, String)> = hidden.collect();
        all.push(("reason", reason.to_owned()));
        let all: Vec<(&str, &str)> = all.iter().map(|(name, text)| (*name, text.as_str())).collect();
        self.post(&format!("/game/{game}/act"), &all).await
    }

    /// `GET` by another name of the host.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn get_as(&mut self, host: &str, path: &str) -> anyhow::Result<Answer> {
        self.ask("GET", path, host, "").await
    }

    /// The word that the forms of this session repeat.
    ///
    /// # Errors
    /// There is no page with a form.
    pub async fn word(&mut self, path: &str) -> anyhow::Result<String> {
        let page = self.get(path).await?.body;
        let after = page.split_once("name=\"word\" value=\"").with_context(|| format!("{path} has no form"))?.1;
        Ok(after.split('"').next().unwrap_or_default().to_owned())
    }

    /// Signs in.
    ///
    /// # Errors
    /// The door stays shut.
    pub async fn sign_in(&mut self, name: &str) -> anyhow::Result<()> {
        let word = self.word("/login").await?;
        let answer = self.post("/login", &[("word", &word), ("name", name), ("password", "correct horse")]).await?;
        if answer.status == 303 { Ok(()) } else { Err(anyhow!("{name} cannot sign in: {answer:?}")) }
    }

    /// Looks at the hall until it has been told everything; the stream goes on.
    ///
    /// # Errors
    /// The service does not tell it.
    pub async fn look_on(&self) -> anyhow::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).await?;
        let (host, cookies) = (&self.host, self.cookies());
        let request = format!("GET /live HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{cookies}\r\n");
        stream.write_all(request.as_bytes()).await?;
        let (mut told, mut part) = (String::new(), [0; 4_096]);
        while !told.contains("event: all") {
            let read = timeout(PATIENCE, stream.read(&mut part)).await.context("nothing is told")??;
            anyhow::ensure!(read > 0, "the stream ended: {told}");
            told.push_str(&String::from_utf8_lossy(&part[..read]));
        }
        Ok(stream)
    }

    fn cookies(&self) -> String {
        let kept: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if kept.is_empty() { String::new() } else { format!("Cookie: {}\r\n", kept.join("; ")) }
    }

    async fn ask(&mut self, method: &str, path: &str, host: &str, body: &str) -> anyhow::Result<Answer> {
        let mut stream = TcpStream::connect(&self.host).await?;
        let cookies = self.cookies();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{cookies}Content-Type: \
             application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut bytes = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.context("no end of the answer")??;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").context("no answer")?;
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers: HashMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, text)| (name.to_ascii_lowercase(), text.to_owned()))
            .collect();
        let set = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        for (name, value) in set.filter_map(|(_, cookie)| cookie.split(';').next()?.split_once('=')) {
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        Ok(Answer { status: status.context("no status")?, headers, body: body.to_owned() })
    }
}

/// A text as a part of an address or a form.
fn escaped(text: &str) -> String {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
    text.bytes().map(|c| if plain(c) { char::from(c).to_string() } else { format!("%{c:02X}") }).collect()
}

/// A text out of a page.
fn unescaped(text: &str) -> String {
    [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

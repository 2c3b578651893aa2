//! A page fetched without a browser: for what a form, a cookie and a header say.

use std::collections::HashMap;

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

/// Somebody who keeps his cookie.
pub struct Visitor {
    host: String,
    cookie: String,
}

impl Visitor {
    /// Nobody yet, at the address of a page.
    #[must_use]
    pub fn at(page: &str) -> Visitor {
        let host = page.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        Visitor { host, cookie: String::new() }
    }

    /// `GET`.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn get(&mut self, path: &str) -> anyhow::Result<Answer> {
        let host = self.host.clone();
        self.ask("GET", path, &host, "").await
    }

    /// `POST` of fields that need no escapes.
    ///
    /// # Errors
    /// The service does not answer.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Answer> {
        let body: Vec<String> =
            fields.iter().map(|(name, text)| format!("{name}={}", text.replace(' ', "+"))).collect();
        let host = self.host.clone();
        self.ask("POST", path, &host, &body.join("&")).await
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

    async fn ask(&mut self, method: &str, path: &str, host: &str, body: &str) -> anyhow::Result<Answer> {
        let mut stream = TcpStream::connect(&self.host).await?;
        let cookie = if self.cookie.is_empty() { String::new() } else { format!("Cookie: {}\r\n", self.cookie) };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{cookie}Content-Type: \
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
        if let Some(cookie) = headers.get("set-cookie") {
            self.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        }
        Ok(Answer { status: status.context("no status")?, headers, body: body.to_owned() })
    }
}

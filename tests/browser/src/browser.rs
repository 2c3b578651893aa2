//! Chromium behind chromedriver.

use std::{process::Stdio, time::Duration};

use anyhow::{Context, anyhow, bail};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

use crate::PATIENCE;

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// `en` or `ru`.
    pub lang: &'static str,
    /// The reader likes it dark.
    pub dark: bool,
}

impl Look {
    /// A laptop.
    pub const LAPTOP: Look = Look { size: (1280, 960), lang: "en", dark: false };
    /// A narrow phone.
    pub const PHONE: Look = Look { size: (360, 740), lang: "en", dark: false };
}

/// A driver on a port of its own.
pub struct Driver {
    child: Child,
    port: u16,
}

impl Driver {
    /// Starts one; `None`, with the reason on standard output, where there is no browser to drive.
    pub async fn start() -> Option<Driver> {
        match Driver::spawn().await {
            Ok(driver) => Some(driver),
            Err(error) => {
                println!("not run: no browser to drive ({error:#}); apt-get install chromium chromium-driver");
                None
            }
        }
    }

    async fn spawn() -> anyhow::Result<Driver> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().context("chromedriver")?;
        let out = child.stdout.take().context("chromedriver says nothing")?;
        let mut lines = BufReader::new(out).lines();
        let port = async {
            while let Some(line) = lines.next_line().await? {
                // "ChromeDriver was started successfully on port 41233."
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    return Ok::<u16, anyhow::Error>(port.trim_end_matches('.').parse()?);
                }
            }
            bail!("chromedriver ended")
        };
        let port = timeout(PATIENCE, port).await.context("chromedriver does not start")??;
        // It must be able to write on.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Driver { child, port })
    }

    /// A window of a fresh profile.
    ///
    /// # Errors
    /// Chromium does not start.
    pub async fn window(&self, look: Look) -> anyhow::Result<Window> {
        let (width, height) = look.size;
        let scheme = if look.dark { 0 } else { 1 };
        let mut options = json!({
            "args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
                format!("--window-size={width},{height}"), format!("--blink-settings=preferredColorScheme={scheme}"),
            ],
            "prefs": { "intl.accept_languages": look.lang },
        });
        if width < 500 {
            options["mobileEmulation"] =
                json!({ "deviceMetrics": { "width": width, "height": height, "pixelRatio": 1.0, "mobile": true } });
        }
        let mut capabilities: Map<String, Value> = Map::new();
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        let client = builder.connect(&format!("http://127.0.0.1:{}", self.port)).await?;
        Ok(Window { client })
    }

    /// Ends it.
    pub async fn end(mut self) {
        let _ended = self.child.kill().await;
    }
}

/// A window.
pub struct Window {
    /// What drives it.
    pub client: Client,
}

impl Window {
    /// Goes to a page.
    ///
    /// # Errors
    /// It does not load.
    pub async fn open(&self, page: &str) -> anyhow::Result<()> {
        Ok(self.client.goto(page).await?)
    }

    /// What an expression is in the page.
    ///
    /// # Errors
    /// It throws.
    pub async fn eval(&self, expression: &str) -> anyhow::Result<Value> {
        Ok(self.client.execute(&format!("return ({expression});"), Vec::new()).await?)
    }

    /// Waits until an expression is true in the page.
    ///
    /// # Errors
    /// It is not within the patience of all tests; says what the page shows then.
    pub async fn until(&self, expression: &str) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            // A page that is being loaded anew has no answer yet.
            if self.eval(expression).await.is_ok_and(|value| value == Value::Bool(true)) {
                return Ok(());
            }
            if Instant::now() > end {
                let text = self.eval("document.body.innerText").await.unwrap_or_default();
                return Err(anyhow!("never true: {expression}\nthe page shows: {}", text.as_str().unwrap_or_default()));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the page's text contains something.
    ///
    /// # Errors
    /// See [`Window::until`].
    pub async fn says(&self, text: &str) -> anyhow::Result<()> {
        self.until(&format!("document.body.innerText.includes({})", json!(text))).await
    }

    /// Clicks the first element of a selector.
    ///
    /// # Errors
    /// There is none, or it cannot be clicked.
    pub async fn click(&self, selector: &str) -> anyhow::Result<()> {
        self.until(&format!("document.querySelector({}) !== null", json!(selector))).await?;
        Ok(self.client.find(Locator::Css(selector)).await?.click().await?)
    }

    /// Types into the first element of a selector.
    ///
    /// # Errors
    /// There is none.
    pub async fn type_into(&self, selector: &str, text: &str) -> anyhow::Result<()> {
        let element = self.client.find(Locator::Css(selector)).await?;
        element.clear().await?;
        Ok(element.send_keys(text).await?)
    }

    /// Signs in.
    ///
    /// # Errors
    /// The door stays shut.
    pub async fn sign_in(&self, door: &str, name: &str) -> anyhow::Result<()> {
        self.open(door).await?;
        self.type_into("input[name=name]", name).await?;
        self.type_into("input[name=password]", "correct horse").await?;
        self.click("form.login button").await?;
        self.until("location.pathname === '/'").await
    }

    /// The page as a PNG.
    ///
    /// # Errors
    /// The browser is gone.
    pub async fn picture(&self) -> anyhow::Result<Vec<u8>> {
        Ok(self.client.screenshot().await?)
    }

    /// Closes it.
    ///
    /// # Errors
    /// The browser is gone.
    pub async fn close(self) -> anyhow::Result<()> {
        Ok(self.client.close().await?)
    }
}

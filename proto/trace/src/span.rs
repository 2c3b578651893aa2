//! A finished span.

use std::{fmt, time::SystemTime};

use crate::TraceContext;

/// Which side of a conversation a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neither.
    Internal,
    /// It answers what came over the network.
    Server,
    /// It asks something of another program.
    Client,
    /// It begins what another program goes on with later.
    Producer,
    /// It goes on with what another program began.
    Consumer,
}

/// What an attribute says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Float(number)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number}"),
        }
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Which span it is.
    pub context: TraceContext,
    /// The span it belongs under; `None` for the first of a trace.
    pub parent: Option<[u8; 8]>,
    /// That one is another program's.
    pub parent_is_remote: bool,
    /// Its name: few, and the same for all presses.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// When it began.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
    /// What else is known: names of OpenTelemetry's semantic conventions where there are some, else `flagfall.…`.
    pub attributes: Vec<(&'static str, Value)>,
    /// The session in which it happened, which has a trace of its own.
    pub link: Option<TraceContext>,
    /// What went wrong; `None`: nothing.
    pub error: Option<String>,
}

impl Span {
    /// A span of this program below another of this program, with nothing else known of it.
    #[must_use]
    pub fn new(name: &'static str, context: TraceContext, parent: [u8; 8], start: SystemTime, end: SystemTime) -> Span {
        Span {
            context,
            parent: Some(parent),
            parent_is_remote: false,
            name,
            kind: Kind::Internal,
            start,
            // A clock that was put back must not make a span end before it began.
            end: end.max(start),
            attributes: Vec::new(),
            link: None,
            error: None,
        }
    }

    /// What an attribute says.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

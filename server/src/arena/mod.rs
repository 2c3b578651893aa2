//! placeholder

/// A clock as configured.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its name, 1 to 64 characters of `[A-Za-z0-9._-]`.
    pub device: String,
    /// The board it reads; at most one clock at a time holds a board.
    pub board: String,
}

//! What an operator sees of the service: probes, figures, the last traces, the log; and what systemd is told.
//!
//! ```text
//!   trail::Trails ──▶ metrics ──▶ http: /metrics /traces /readyz      one port, gRPC health on it too
//!   journal       ──▶ health ─────┘
//!                 └─▶ watchdog ──▶ systemd                            telemetry: the log, and export by OTLP
//! ```

pub mod fetch;
pub mod health;
pub mod http;
pub mod metrics;
pub mod telemetry;
pub mod watchdog;

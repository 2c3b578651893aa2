//! What a storm was like, as JSON.

use std::time::Duration;

use serde::Serialize;

use super::{crowd::Returned, live::Presses};
use crate::{args::Args, figures::Disk, stats::Quantiles};

/// Aims of the project.
const ALL_BACK: Duration = Duration::from_secs(30);
const TIMES_AS_LONG: f64 = 5.0;

/// Processor time used in a stretch of time, seconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Busy {
    /// How long it was.
    pub(crate) seconds: f64,
    /// The service's.
    pub(crate) service_cpu_s: f64,
    /// The crowd's.
    pub(crate) crowd_cpu_s: f64,
    /// The live clocks'.
    pub(crate) live_cpu_s: f64,
    /// Everybody else's: much of it, and the figures say little.
    pub(crate) others_cpu_s: f64,
}

impl Busy {
    pub(crate) fn new(took: Duration, service: Duration, crowd: Duration, live: Duration, others: Duration) -> Busy {
        let [seconds, service_cpu_s, crowd_cpu_s, live_cpu_s, others_cpu_s] =
            [took, service, crowd, live, others].map(|time| (time.as_secs_f64() * 100.0).round() / 100.0);
        Busy { seconds, service_cpu_s, crowd_cpu_s, live_cpu_s, others_cpu_s }
    }
}

/// A phase of the run.
#[derive(Debug, Serialize)]
struct Phase {
    /// Live presses, from sending to the durable acknowledgement.
    ack: Quantiles,
    /// How late they were sent.
    late: Quantiles,
    busy: Busy,
}

/// Which aims were reached.
#[derive(Debug, Serialize)]
struct Aims {
    /// Within 30 s of the cut every clock was taken in again.
    all_back_within_30_s: bool,
    /// In the storm the p99 of a live press was at most five times that of the quiet.
    live_p99_within_5_times: bool,
}

/// Everything.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// Clocks that lost their links.
    storm: u32,
    /// Clocks that were played on, and their presses a second.
    live: u32,
    rate: Option<u32>,
    /// Floors of the same run: the disk, and a bare echo of the live presses.
    fdatasync: Quantiles,
    sled_commit: Quantiles,
    echo: Quantiles,
    /// Before the cut.
    quiet: Phase,
    /// From the cut until all were back.
    stormy: Phase,
    /// The p99 of a live press in the storm, as a multiple of that in the quiet.
    live_p99_times: f64,
    /// How the crowd came back; `max_us` of `back` is when the last was there.
    returned: Returned,
    /// Games whose score was compared with what was played.
    games_checked: usize,
    aims: Aims,
}

impl Figures {
    /// Of a whole run.
    pub(crate) fn new(
        storm: u32,
        args: &Args,
        disk: Disk,
        echo: Quantiles,
        [quiet, stormy]: [Busy; 2],
        presses: Presses,
        returned: Returned,
    ) -> Figures {
        let times = f64::from(presses.storm.ack.p99_us) / f64::from(presses.quiet.ack.p99_us.max(1));
        let aims = Aims {
            all_back_within_30_s: Duration::from_micros(returned.back.max_us.into()) <= ALL_BACK,
            live_p99_within_5_times: presses.storm.ack.count > 0 && times <= TIMES_AS_LONG,
        };
        let Disk { fdatasync, sled_commit } = disk;
        let Presses { quiet: before, storm: during, checked } = presses;
        Figures {
            storm,
            live: args.clocks,
            rate: args.rate,
            fdatasync,
            sled_commit,
            echo,
            quiet: Phase { ack: before.ack, late: before.late, busy: quiet },
            stormy: Phase { ack: during.ack, late: during.late, busy: stormy },
            live_p99_times: (times * 10.0).round() / 10.0,
            returned,
            games_checked: checked,
            aims,
        }
    }
}

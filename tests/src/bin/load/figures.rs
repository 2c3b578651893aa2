//! What a run found, as JSON or as a table, and which aims it reached.

use std::{fmt, time::Duration};

use serde::Serialize;

use crate::{args::Args, orders::Measured, stats::Quantiles, traces::Cost};

/// Aims of the project.
const CLOSED_SHARE_OF_ECHO: f64 = 0.5;
const COMMITS_ABOVE_ECHO: u32 = 3;
const KIB_A_CLOCK: f64 = 64.0;
const AGENT_KIB: u64 = 10 << 10;
const AGENT_PERCENT: f64 = 1.0;

/// Frames over a link and back.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    /// Acknowledged a second.
    pub(crate) per_second: f64,
    /// From sending a press to its acknowledgement, which is durable when the service gives it.
    pub(crate) ack: Quantiles,
    /// From sending a press without a move to the directive; nothing of an echo.
    pub(crate) directive: Quantiles,
    /// How late presses were sent that were paced; nothing of a closed loop.
    pub(crate) late: Quantiles,
    /// Microseconds of processor that the server used for each.
    pub(crate) server_cpu_us_per_press: f64,
    /// And the clocks.
    pub(crate) clocks_cpu_us_per_press: f64,
    /// Processors the server kept busy.
    pub(crate) server_cpus: f64,
    /// And kept busy before, while the clocks were connected and did nothing but say so.
    pub(crate) resting_cpus: f64,
    /// And everybody else on the machine: much above nothing, and the figures say little.
    pub(crate) others_cpus: f64,
    /// Memory of the server.
    pub(crate) memory: Memory,
    /// Games whose score was compared with what was played.
    pub(crate) games_checked: usize,
}

/// Processor time used while it was measured.
pub(crate) struct Cpus {
    /// By the server.
    pub(crate) server: Duration,
    /// By the clocks.
    pub(crate) clocks: Duration,
    /// By everybody else.
    pub(crate) others: Duration,
    /// By the server in each second of the rest before.
    pub(crate) resting: Duration,
}

impl Link {
    /// What was measured in so many seconds.
    pub(crate) fn new(seconds: u64, measured: Measured, cpus: Cpus, memory: Memory) -> Link {
        let Cpus { server, clocks, others, resting } = cpus;
        let Measured { ack, directive, late, checked } = measured;
        let (count, seconds) = (ack.count as f64, seconds as f64);
        let each = |busy: Duration| tenths(busy.as_secs_f64() * 1e6 / count.max(1.0));
        let cpus = |busy: Duration| hundredths(busy.as_secs_f64() / seconds);
        Link {
            per_second: tenths(count / seconds),
            ack,
            directive,
            late,
            server_cpu_us_per_press: each(server),
            clocks_cpu_us_per_press: each(clocks),
            server_cpus: cpus(server),
            resting_cpus: hundredths(resting.as_secs_f64()),
            others_cpus: cpus(others),
            memory,
            games_checked: checked,
        }
    }
}

/// Resident memory of a server, KiB.
#[derive(Debug, Serialize)]
pub(crate) struct Memory {
    /// Serving, none connected.
    pub(crate) empty_kib: u64,
    /// Every clock connected, its game set up, nothing going on.
    pub(crate) connected_kib: u64,
    /// The games in their middle.
    pub(crate) playing_kib: u64,
    /// After the measurement, with every game that ended meanwhile.
    pub(crate) end_kib: u64,
    /// What a connected clock costs.
    pub(crate) kib_per_clock: f64,
    /// And one in the middle of its game, with the journal's cache.
    pub(crate) kib_per_playing_clock: f64,
}

impl Memory {
    /// Of so many clocks.
    pub(crate) fn new(clocks: u32, empty_kib: u64, connected_kib: u64, playing_kib: u64, end_kib: u64) -> Memory {
        let each = |kib: u64| tenths(kib.saturating_sub(empty_kib) as f64 / f64::from(clocks.max(1)));
        let (kib_per_clock, kib_per_playing_clock) = (each(connected_kib), each(playing_kib));
        Memory { empty_kib, connected_kib, playing_kib, end_kib, kib_per_clock, kib_per_playing_clock }
    }
}

/// An agent on which nobody plays.
#[derive(Debug, Serialize)]
pub(crate) struct AtRest {
    /// Memory in use.
    pub(crate) resident_kib: u64,
    /// Of one processor.
    pub(crate) processor_percent: f64,
}

/// What the disk takes by itself.
pub(crate) struct Disk {
    /// One sync of a frame.
    pub(crate) fdatasync: Quantiles,
    /// One commit of sled.
    pub(crate) sled_commit: Quantiles,
}

/// The service, and the agent beside it.
pub(crate) struct Service {
    /// Its link.
    pub(crate) link: Link,
    /// `None`: not measured.
    pub(crate) agent: Option<AtRest>,
    /// Spans that went nowhere.
    pub(crate) spans_dropped: u64,
}

/// Which aims were reached; those that this run does not measure are absent.
#[derive(Debug, Serialize)]
pub(crate) struct Aims {
    /// Closed loop: at least half of what the echo does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) half_of_the_echo: Option<bool>,
    /// Paced: p99 of an acknowledgement is at most that of the echo and three commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within_echo_and_three_commits: Option<bool>,
    /// A connected clock takes less than 64 KiB.
    pub(crate) under_64_kib_a_clock: bool,
    /// The agent at rest takes less than 10 MiB and 1% of a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_under_10_mib_and_1_percent: Option<bool>,
}

/// Everything.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// Clocks, each with a connection.
    pub(crate) clocks: u32,
    /// How long was measured.
    pub(crate) seconds: u64,
    /// Presses a second; `null`: the loop was closed.
    pub(crate) rate: Option<u32>,
    /// Bytes of a press on the wire.
    pub(crate) frame_bytes: usize,
    /// The service.
    pub(crate) service: Link,
    /// The same frames through a bare echo.
    pub(crate) echo: Link,
    /// One sync of a frame.
    pub(crate) fdatasync: Quantiles,
    /// One commit of sled: batch, flush, sync.
    pub(crate) sled_commit: Quantiles,
    /// What of the echo's throughput the service reaches.
    pub(crate) share_of_echo: f64,
    /// `null`: not measured.
    pub(crate) agent: Option<AtRest>,
    /// What exporting traces costs; nothing unless asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) traces: Vec<Cost>,
    /// Aims reached.
    pub(crate) aims: Aims,
}

impl Figures {
    /// Puts a run together.
    pub(crate) fn new(args: &Args, frame_bytes: usize, disk: Disk, echo: Link, service: Service) -> Figures {
        let Disk { fdatasync, sled_commit } = disk;
        let Service { link: service, agent, spans_dropped: _ } = service;
        let share = service.per_second / echo.per_second.max(f64::EPSILON);
        let bound = echo.ack.p99_us + COMMITS_ABOVE_ECHO * sled_commit.p99_us;
        let aims = Aims {
            half_of_the_echo: args.rate.is_none().then_some(share >= CLOSED_SHARE_OF_ECHO),
            within_echo_and_three_commits: args.rate.map(|_| service.ack.p99_us <= bound),
            under_64_kib_a_clock: service.memory.kib_per_clock < KIB_A_CLOCK,
            agent_under_10_mib_and_1_percent: agent
                .as_ref()
                .map(|agent| agent.resident_kib < AGENT_KIB && agent.processor_percent < AGENT_PERCENT),
        };
        let share_of_echo = (share * 1_000.0).round() / 1_000.0;
        let (clocks, seconds, rate) = (args.clocks, args.seconds, args.rate);
        Figures {
            clocks,
            seconds,
            rate,
            frame_bytes,
            service,
            echo,
            fdatasync,
            sled_commit,
            share_of_echo,
            agent,
            traces: Vec::new(),
            aims,
        }
    }
}

impl AtRest {
    /// Of so much time it was busy for so much.
    pub(crate) fn new(resident_kib: u64, busy: Duration, of: Duration) -> AtRest {
        let part = busy.as_secs_f64() / of.as_secs_f64().max(f64::EPSILON);
        AtRest { resident_kib, processor_percent: hundredths(part * 100.0) }
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pace = self.rate.map_or("closed loop".to_owned(), |rate| format!("{rate} presses a second"));
        writeln!(f, "{} clocks, {pace}, {} s; a press is {} bytes", self.clocks, self.seconds, self.frame_bytes)?;
        writeln!(f, "{:34}{:>10}{:>10}{:>10}{:>10}", "", "a second", "p50 µs", "p99 µs", "max µs")?;
        let mut row = |name: &str, rate: Option<f64>, q: &Quantiles| {
            let rate = rate.map_or(String::new(), |rate| format!("{rate:.0}"));
            writeln!(f, "{name:34}{rate:>10}{:>10}{:>10}{:>10}", q.p50_us, q.p99_us, q.max_us)
        };
        row("press to durable ack", Some(self.service.per_second), &self.service.ack)?;
        row("press to directive", None, &self.service.directive)?;
        row("echo of the same frames", Some(self.echo.per_second), &self.echo.ack)?;
        row("one fdatasync of a frame", None, &self.fdatasync)?;
        row("one commit of sled", None, &self.sled_commit)?;
        let Memory { empty_kib, kib_per_clock, kib_per_playing_clock, .. } = self.service.memory;
        let (service, echo) = (&self.service, &self.echo);
        writeln!(f, "share of the echo's throughput    {:.1}%", self.share_of_echo * 100.0)?;
        writeln!(
            f,
            "processor of the service          {} µs a press, the clocks {}",
            service.server_cpu_us_per_press, service.clocks_cpu_us_per_press
        )?;
        writeln!(
            f,
            "processor of the echo             {} µs a frame, the clocks {}",
            echo.server_cpu_us_per_press, echo.clocks_cpu_us_per_press
        )?;
        let (resting, resting_then) = (service.resting_cpus, echo.resting_cpus);
        writeln!(f, "processors for clocks at rest     {resting} by the service, {resting_then} by the echo")?;
        let (others, others_then) = (service.others_cpus, echo.others_cpus);
        writeln!(f, "processors taken by others        {others} from the service, {others_then} from the echo")?;
        writeln!(f, "memory of the service             {empty_kib} KiB, and {kib_per_clock} KiB a connected clock,")?;
        writeln!(f, "                                  {kib_per_playing_clock} KiB in the middle of its game")?;
        writeln!(f, "memory of the echo                {} KiB a connected clock", echo.memory.kib_per_clock)?;
        match &self.agent {
            Some(AtRest { resident_kib, processor_percent }) => {
                writeln!(
                    f,
                    "agent at rest                     {resident_kib} KiB, {processor_percent}% of a processor"
                )?;
            }
            None => writeln!(f, "agent at rest                     not measured")?,
        }
        for cost in &self.traces {
            let Cost { traces, server_cpu_us_per_press, more_than_off_percent, per_second, spans_dropped, .. } = cost;
            let name = format!("processor with traces {traces:?}").to_lowercase();
            let more = more_than_off_percent.map_or(String::new(), |percent| format!(" ({percent:+}%)"));
            writeln!(
                f,
                "{name:34}{server_cpu_us_per_press} µs a press{more}, {per_second} presses a second, {spans_dropped} spans dropped"
            )?;
        }
        let aims = &self.aims;
        for (name, reached) in [
            ("at least half of the echo", aims.half_of_the_echo),
            ("p99 within echo and three commits", aims.within_echo_and_three_commits),
            ("under 64 KiB a connected clock", Some(aims.under_64_kib_a_clock)),
            ("agent under 10 MiB and 1%", aims.agent_under_10_mib_and_1_percent),
        ] {
            if let Some(reached) = reached {
                writeln!(f, "aim: {name:33}{}", if reached { "reached" } else { "not reached" })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aims_are_asked_of_the_runs_that_measure_them() {
        let quantiles = |p99_us| Quantiles { count: 100, p50_us: 1, p99_us, max_us: p99_us };
        let link = |count, p99_us| {
            let ack = Quantiles { count, ..quantiles(p99_us) };
            let (second, none) = (Duration::from_secs(1), Duration::ZERO);
            let cpus = Cpus { server: second, clocks: second, others: none, resting: none };
            let memory = Memory::new(1, 100, 150, 160, 170);
            Link::new(10, Measured { ack, ..Measured::default() }, cpus, memory)
        };
        let of = |rate: Option<u32>, ack| {
            let mut args = <Args as clap::Parser>::parse_from(["load", "--clocks", "1", "--seconds", "10"]);
            args.rate = rate;
            let disk = Disk { fdatasync: quantiles(1), sled_commit: quantiles(100) };
            let service = Service { link: link(49, ack), agent: None, spans_dropped: 0 };
            Figures::new(&args, 1, disk, link(100, 50), service)
        };
        let closed = of(None, 350).aims;
        assert_eq!((closed.half_of_the_echo, closed.within_echo_and_three_commits), (Some(false), None));
        assert_eq!(of(Some(10), 350).aims.within_echo_and_three_commits, Some(true));
        assert_eq!(of(Some(10), 351).aims.within_echo_and_three_commits, Some(false));
        assert!(closed.under_64_kib_a_clock && of(None, 1).to_string().contains("not measured"));
    }
}

//! What goes wrong, and when: drawn from the seed.

use std::collections::BTreeMap;

use rand::{Rng, rngs::StdRng, seq::IndexedRandom};
use turmoil::Sim;

use crate::{
    net::SERVER,
    trace::Trace,
    world::{Hosts, RIVAL},
};

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The service loses power, and comes back after so long.
    ServerDies {
        /// Milliseconds.
        back: u64,
    },
    /// The service is asked to end, and is started again.
    ServerDrains {
        /// Milliseconds.
        back: u64,
    },
    /// A Pi loses power, and comes back after so long.
    PiDies {
        /// The device.
        pi: String,
        /// Milliseconds.
        back: u64,
    },
    /// A Pi loses power in the write after so many.
    PiDiesWriting {
        /// The device.
        pi: String,
        /// Writes before that one.
        after: usize,
        /// That write reaches the card.
        kept: bool,
    },
    /// Nothing gets through between a host and the service.
    Partition {
        /// The host.
        host: String,
        /// Milliseconds.
        long: u64,
        /// Which way: both, only from the host, only to it.
        way: Way,
    },
    /// Everything between a host and the service waits.
    Hold {
        /// The host.
        host: String,
        /// Milliseconds.
        long: u64,
    },
    /// Messages between a host and the service take up to so long.
    Slow {
        /// The host.
        host: String,
        /// Milliseconds.
        latency: u64,
    },
    /// The disk stands still.
    DiskStalls {
        /// Milliseconds.
        long: u64,
    },
    /// Somebody sets the service's calendar.
    WallJumps {
        /// Milliseconds.
        by: i64,
    },
}

/// Which way nothing gets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Neither.
    Both,
    /// From the host to the service.
    Out,
    /// From the service to the host.
    In,
}

impl Fault {
    /// Draws one.
    pub(crate) fn draw(pis: &[String], hosts: &[String], chance: &mut StdRng) -> Fault {
        let mut one = |of: &[String]| of.choose(chance).cloned().unwrap_or_default();
        let (pi, host) = (one(pis), one(hosts));
        match chance.random_range(0..16) {
            0..3 => Fault::ServerDies { back: chance.random_range(50..8_000) },
            3 => Fault::ServerDrains { back: chance.random_range(50..3_000) },
            4..6 => Fault::PiDies { pi, back: chance.random_range(200..12_000) },
            6..9 => Fault::PiDiesWriting { pi, after: chance.random_range(0..6), kept: chance.random_bool(0.5) },
            9..11 => {
                let way = *[Way::Both, Way::Out, Way::In].choose(chance).unwrap_or(&Way::Both);
                Fault::Partition { host, long: chance.random_range(200..25_000), way }
            }
            11..13 => Fault::Hold { host, long: chance.random_range(200..18_000) },
            13 => Fault::Slow { host, latency: chance.random_range(20..1_500) },
            14 => Fault::DiskStalls { long: chance.random_range(200..10_000) },
            _ => Fault::WallJumps { by: chance.random_range(-3_600_000..3_600_000) },
        }
    }
}

/// What a link between a host and the service goes through.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    Cut(Way),
    Held,
}

/// What is broken at the moment, and until when.
#[derive(Default)]
pub(crate) struct Broken {
    lines: BTreeMap<String, (u64, Line)>,
    /// Hosts that are dark, and when they come back.
    dark: BTreeMap<String, u64>,
}

/// Latency of a link that is well, milliseconds.
const WELL: u64 = 40;

impl Broken {
    pub(crate) fn is_dark(&self, host: &str) -> bool {
        self.dark.contains_key(host)
    }

    /// A fault happens now.
    pub(crate) fn happen(
        &mut self,
        fault: &Fault,
        hosts: &Hosts,
        sim: &mut Sim<'_>,
        chance: &mut StdRng,
        trace: &Trace,
    ) {
        let now = trace.now();
        trace.step("fault", format_args!("{fault:?}"));
        match fault {
            Fault::ServerDies { back } if !self.is_dark(SERVER) => {
                self.crash(SERVER, sim);
                hosts.server.power_lost();
                hosts.server.disk.power_lost(chance);
                self.dark.insert(SERVER.to_owned(), now + back);
            }
            Fault::ServerDrains { .. } if !self.is_dark(SERVER) => hosts.server.drain(),
            Fault::PiDies { pi, back } if !self.is_dark(pi) => {
                self.crash(pi, sim);
                hosts.pi(pi).power_lost();
                self.dark.insert(pi.clone(), now + back);
            }
            Fault::PiDiesWriting { pi, after, kept } if !self.is_dark(pi) => {
                hosts.pi(pi).card.cut_power(*after, *kept);
            }
            Fault::Partition { host, long, way } if !self.lines.contains_key(host) => {
                self.lines.insert(host.clone(), (now + long, Line::Cut(*way)));
                self.cut(host, *way, sim);
            }
            Fault::Hold { host, long } if !self.lines.contains_key(host) => {
                self.lines.insert(host.clone(), (now + long, Line::Held));
                sim.hold(host.as_str(), SERVER);
            }
            Fault::Slow { host, latency } => set_latency(sim, host, *latency),
            Fault::DiskStalls { long } => hosts.server.disk.stall(*long),
            Fault::WallJumps { by } => hosts.server.disk.jump(*by),
            // What is broken already does not break.
            _ => {}
        }
    }

    /// Hosts that ended by themselves come back, and what has lasted long enough ends.
    pub(crate) fn step(&mut self, hosts: &Hosts, sim: &mut Sim<'_>, chance: &mut StdRng, trace: &Trace) {
        let now = trace.now();
        for host in hosts.names() {
            if !self.is_dark(&host) && hosts.has_ended(&host) {
                self.crash(&host, sim);
                if host == SERVER {
                    hosts.server.disk.power_lost(chance);
                } else {
                    hosts.pi(&host).power_lost();
                }
                self.dark.insert(host, now + chance.random_range(100..6_000));
            }
        }
        let back: Vec<String> = self.dark.iter().filter(|(_, at)| **at <= now).map(|(host, _)| host.clone()).collect();
        for host in back {
            self.dark.remove(&host);
            sim.bounce(host.as_str());
        }
        let over: Vec<String> =
            self.lines.iter().filter(|(_, (at, _))| *at <= now).map(|(host, _)| host.clone()).collect();
        for host in over {
            if let Some((_, line)) = self.lines.remove(&host) {
                mend(&host, line, sim);
                trace.step("fault", format_args!("{host} and the service hear each other again"));
            }
        }
    }

    /// Everything is mended at once.
    pub(crate) fn heal(&mut self, hosts: &Hosts, sim: &mut Sim<'_>, trace: &Trace) {
        trace.step("fault", "everything is mended");
        for (host, (_, line)) in std::mem::take(&mut self.lines) {
            mend(&host, line, sim);
        }
        for host in hosts.reachable() {
            set_latency(sim, &host, WELL);
        }
        let now = trace.now();
        self.dark.values_mut().for_each(|back| *back = now);
        if let Some(rival) = hosts.pis.iter().find(|pi| pi.name == RIVAL) {
            // Somebody has seen the alarm and takes the second clock away.
            self.crash(RIVAL, sim);
            rival.power_lost();
            self.dark.insert(RIVAL.to_owned(), u64::MAX);
        }
        hosts.server.disk.heal();
    }

    /// A host loses power: nobody hears of it.
    fn crash(&mut self, host: &str, sim: &mut Sim<'_>) {
        let others: Vec<String> = self.lines.keys().cloned().collect();
        let all = peers(sim, host);
        for other in &all {
            sim.partition(host, other.as_str());
        }
        sim.crash(host);
        for other in &all {
            sim.repair(host, other.as_str());
        }
        // A line that was broken before stays broken.
        for other in others {
            if host == SERVER || host == other {
                match self.lines[&other].1 {
                    Line::Cut(way) => self.cut(&other, way, sim),
                    Line::Held => sim.hold(other.as_str(), SERVER),
                }
            }
        }
    }

    fn cut(&self, host: &str, way: Way, sim: &Sim<'_>) {
        match way {
            Way::Both => sim.partition(host, SERVER),
            Way::Out => sim.partition_oneway(host, SERVER),
            Way::In => sim.partition_oneway(SERVER, host),
        }
    }
}

fn mend(host: &str, line: Line, sim: &Sim<'_>) {
    match line {
        Line::Cut(_) => sim.repair(host, SERVER),
        Line::Held => sim.release(host, SERVER),
    }
}

fn set_latency(sim: &Sim<'_>, host: &str, latency: u64) {
    sim.set_link_max_message_latency(host, SERVER, std::time::Duration::from_millis(latency));
}

/// Everybody a host has a line to: all to the service, the service to all.
fn peers(sim: &Sim<'_>, host: &str) -> Vec<String> {
    let mut pairs = Vec::new();
    sim.links(|links| {
        for link in links {
            pairs.push(link.pair());
        }
    });
    let me = sim.lookup(host);
    let others = pairs.into_iter().filter_map(|(a, b)| {
        if a == me {
            Some(b)
        } else if b == me {
            Some(a)
        } else {
            None
        }
    });
    others.filter_map(|other| sim.reverse_lookup(other)).collect()
}

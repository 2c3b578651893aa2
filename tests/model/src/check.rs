//! The search.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use stateright::{
    Checker, HasDiscoveries, Model, Property,
    report::{ReportData, ReportDiscovery, Reporter},
};

use crate::{
    action::{Action, enabled},
    bounds::{Bounds, Fault},
    heal::heal,
    invariant::{ARRIVES, INVARIANTS},
    milestone::MILESTONES,
    state::State,
};

/// The protocol within bounds, whole or with something broken.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// How much may happen.
    pub bounds: Bounds,
    /// What is broken on purpose.
    pub fault: Fault,
    /// Which invariants were seen to fail. The checker keeps the last failure of some thousand states; the first has the
    /// shortest trace, so only that is shown to it.
    failed: Arc<[AtomicBool; INVARIANTS.len()]>,
    /// Which milestones were reached.
    reached: Arc<[AtomicBool; MILESTONES.len()]>,
}

impl Protocol {
    /// The protocol within bounds.
    #[must_use]
    pub fn new(bounds: Bounds, fault: Fault) -> Protocol {
        Protocol { bounds, fault, failed: Arc::default(), reached: Arc::default() }
    }

    fn invariant<const AT: usize>() -> Property<Protocol> {
        Property::always(INVARIANTS[AT].name, |protocol: &Protocol, state: &State| {
            let holds = (INVARIANTS[AT].holds)(state, &protocol.bounds, protocol.fault);
            holds || protocol.failed[AT].swap(true, Ordering::Relaxed)
        })
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::first(&self.bounds)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        enabled(state, &self.bounds, self.fault, true, actions);
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        next.step(action, &self.bounds, self.fault);
        for (reached, milestone) in self.reached.iter().zip(&MILESTONES) {
            if !reached.load(Ordering::Relaxed) && (milestone.is)(state, action, &next) {
                reached.store(true, Ordering::Relaxed);
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Protocol>> {
        const { assert!(INVARIANTS.len() == 11) }
        vec![
            Protocol::invariant::<0>(),
            Protocol::invariant::<1>(),
            Protocol::invariant::<2>(),
            Protocol::invariant::<3>(),
            Protocol::invariant::<4>(),
            Protocol::invariant::<5>(),
            Protocol::invariant::<6>(),
            Protocol::invariant::<7>(),
            Protocol::invariant::<8>(),
            Protocol::invariant::<9>(),
            Protocol::invariant::<10>(),
        ]
    }
}

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Within these bounds.
    pub bounds: Bounds,
    /// What was broken on purpose.
    pub fault: Fault,
    /// States that differ.
    pub states: usize,
    /// Steps taken, those to a known state among them.
    pub steps: usize,
    /// The longest way from the beginning.
    pub depth: usize,
    /// Seconds it took.
    pub seconds: f64,
    /// Every state within the bounds was visited.
    pub complete: bool,
    /// The properties that do not hold, each with a shortest trace.
    pub violations: BTreeMap<&'static str, Trace>,
    /// What was seen to happen; a search that reaches little proves little.
    pub milestones: Vec<&'static str>,
}

/// How a search is run.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Threads; with more than one a trace may not be the shortest.
    pub threads: usize,
    /// Stop after so many steps.
    pub limit: Option<usize>,
    /// Say on stderr how it goes.
    pub progress: bool,
    /// Stop when these invariants have all failed; none: when any has.
    pub until: &'a [&'static str],
}

impl Default for Search<'_> {
    fn default() -> Self {
        Search { threads: 1, limit: None, progress: false, until: &[] }
    }
}

/// Visits every state, until an invariant fails.
#[must_use]
pub fn check(bounds: Bounds, fault: Fault, search: Search<'_>) -> Outcome {
    let begun = Instant::now();
    let protocol = Protocol::new(bounds, fault);
    let reached = Arc::clone(&protocol.reached);
    let found = match search.until {
        [] => HasDiscoveries::AnyFailures,
        all => HasDiscoveries::AllOf(all.iter().copied().collect()),
    };
    let mut builder = protocol.checker().threads(search.threads).finish_when(found);
    if let Some(limit) = search.limit {
        builder = builder.target_state_count(limit);
    }
    let checker = match search.progress {
        true => builder.spawn_bfs().join_and_report(&mut Progress),
        false => builder.spawn_bfs().join(),
    };
    let mut violations = BTreeMap::new();
    for (name, path) in checker.discoveries() {
        violations.insert(name, told(name, path.into_vec(), bounds, fault));
    }
    let steps = checker.state_count();
    let milestones = reached.iter().zip(&MILESTONES).filter(|(reached, _)| reached.load(Ordering::Relaxed));
    Outcome {
        bounds,
        fault,
        states: checker.unique_state_count(),
        steps,
        depth: checker.max_depth(),
        seconds: begun.elapsed().as_secs_f64(),
        complete: violations.is_empty() && search.limit.is_none_or(|limit| steps < limit),
        violations,
        milestones: milestones.map(|(_, milestone)| milestone.name).collect(),
    }
}

/// A trace in words; behind one to a state that does not heal comes what happens from there on, and how it ends.
fn told(name: &str, path: Vec<(State, Option<Action>)>, bounds: Bounds, fault: Fault) -> Trace {
    let steps = path.iter().filter_map(|&(state, action)| Some(state.told(action?))).collect();
    let (mut then, mut end) = (Vec::new(), None);
    if name == ARRIVES
        && let Some((last, _)) = path.last()
    {
        end = heal(last, &bounds, fault, &mut |state, action| then.push(state.told(action))).err();
        // Steps that repeat for ever are shown once round.
        then.truncate(60);
    }
    Trace { steps, then, end }
}

/// The way to a state in which an invariant fails.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<String>,
    /// What then happens by itself, when the failure is what that leads to.
    pub then: Vec<String>,
    /// How it ends.
    pub end: Option<String>,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "  {:>2}. {step}", number + 1)?;
        }
        if let Some(end) = &self.end {
            writeln!(f, "      and with nothing more going wrong:")?;
            self.then.iter().try_for_each(|step| writeln!(f, "      - {step}"))?;
            writeln!(f, "      {end}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { states, steps, depth, seconds, complete, .. } = self;
        writeln!(f, "{states} states, {steps} steps, depth {depth}, {seconds:.1} s")?;
        for milestone in &self.milestones {
            writeln!(f, "  seen: {milestone}")?;
        }
        for (name, trace) in &self.violations {
            write!(f, "VIOLATED after {} steps: {name}\n{trace}", trace.steps.len())?;
        }
        match (complete, self.violations.is_empty()) {
            (true, _) => writeln!(f, "every state within the bounds holds all {} invariants", INVARIANTS.len()),
            (false, true) => writeln!(f, "NOT COMPLETE: the limit came first; what was visited holds"),
            (false, false) => Ok(()),
        }
    }
}

struct Progress;

impl Reporter<Protocol> for Progress {
    fn report_checking(&mut self, data: ReportData) {
        let ReportData { total_states, unique_states, max_depth, duration, .. } = data;
        let seconds = duration.as_secs();
        eprintln!("{seconds:>5} s  {unique_states:>11} states  {total_states:>12} steps  depth {max_depth}");
    }

    fn report_discoveries(&mut self, _: &Protocol, _: BTreeMap<&'static str, ReportDiscovery<Protocol>>) {}

    fn delay(&self) -> Duration {
        Duration::from_secs(2)
    }
}

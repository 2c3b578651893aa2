//! The table of faults, and what a run of the tests says about each.
//!
//! A test shows a row by its name: `row_07_…` shows row 7, wherever in the workspace it stands. A test that could not do what it
//! is for on this machine prints a line that begins `not run: `, and its row says so.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

/// A fault that the whole of service, agents and network must bear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its row, from 1.
    pub row: u8,
    /// What goes wrong.
    pub what: &'static str,
    /// Why nothing shows it yet; such a row is not counted as failed.
    pub not_yet: Option<&'static str>,
}

const fn fault(row: u8, what: &'static str) -> Fault {
    Fault { row, what, not_yet: None }
}

/// Every fault, in order.
pub const FAULTS: [Fault; 32] = [
    fault(1, "the service dies before an event is on its disk"),
    fault(2, "the service dies with an event on its disk and the clock not told"),
    fault(3, "the service dies with the clock told and the directive that follows not sent"),
    fault(4, "the service dies while a session gets its number"),
    fault(5, "the agent dies before a press is on its disk"),
    fault(6, "the agent dies with a directive noted and the clock not set"),
    fault(7, "the agent dies with a directive carried out and not reported"),
    fault(8, "the power fails, and what was not synced is gone"),
    fault(9, "the database is torn at its end or changed in its middle"),
    fault(10, "the database cannot be opened at all"),
    fault(11, "the disk is full, or fails to write or to sync"),
    fault(12, "the disk stands still for ten seconds"),
    fault(13, "a second service is started on the same data"),
    fault(14, "a clock's events come twice, out of order, or with one missing"),
    fault(15, "a number comes again with other content: a copied card"),
    fault(16, "a session that is over goes on talking, even a minute later"),
    fault(17, "two clocks claim one board"),
    fault(18, "a clock reboots in the middle of a game"),
    fault(19, "the calendar leaps or begins in 1970; the time since boot begins anew"),
    fault(20, "the network swallows everything for a while, closes half, or breaks inside a frame"),
    fault(21, "ten thousand clocks come back at once"),
    fault(22, "a peer does not read, sends too much at once, or too slowly"),
    fault(23, "bytes that mean nothing, on every wire and in the journal"),
    Fault {
        row: 24,
        what: "a certificate has expired, was revoked, or is another board's",
        not_yet: Some("there are no certificates yet"),
    },
    fault(25, "an arbiter clicks twice; two arbiters decide differently"),
    fault(26, "a directive is overtaken by a newer one, or expires on its way"),
    fault(27, "a press and a correction cross"),
    fault(28, "a display does not take what it is told"),
    fault(29, "the event changes its edition in the middle of a round"),
    fault(30, "the service is told to stop in the middle of games"),
    fault(31, "telemetry has nowhere to go, or goes slowly"),
    fault(32, "a process sleeps for half a minute and wakes"),
];

/// How a test, or the whole of a row's tests, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// Passed.
    Pass,
    /// At least one failed.
    Fail,
    /// None failed, and at least one could not be made on this machine.
    NotRun,
    /// There is no test.
    NoTest,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shown::Pass => "pass",
            Shown::Fail => "FAIL",
            Shown::NotRun => "not run",
            Shown::NoTest => "NO TEST",
        })
    }
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The row.
    pub row: u8,
    /// The fault.
    pub fault: &'static str,
    /// How it stands.
    pub shown: Shown,
    /// The tests that show it, each with how it ended.
    pub tests: Vec<(String, Shown)>,
    /// Why something was not run; empty when everything was.
    pub reasons: Vec<String>,
}

/// What `cargo test` prints, read line by line.
#[derive(Debug, Default)]
pub struct Report {
    ended: BTreeMap<String, Shown>,
    reasons: BTreeMap<String, Vec<String>>,
    /// The test whose output is being shown.
    showing: Option<String>,
    /// Something failed that is no test of a row: the build, a test program.
    pub broken: Option<String>,
}

impl Report {
    /// Takes a line; the test of a row that it tells the end of.
    pub fn take(&mut self, line: &str) -> Option<(u8, &str, Shown)> {
        if line.starts_with("error: could not compile") || line.starts_with("error: no such") {
            self.broken = Some(line.to_owned());
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.showing = Some(name.to_owned());
        } else if line == "failures:" || line == "successes:" {
            self.showing = None;
        } else if let Some((name, why)) = self.showing.as_ref().zip(line.strip_prefix("not run: ")) {
            self.reasons.entry(name.clone()).or_default().push(why.to_owned());
        }
        let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
        let row = row_of(name)?;
        let shown = match end {
            "ok" => Shown::Pass,
            end if end.starts_with("FAILED") => Shown::Fail,
            _ => Shown::NotRun,
        };
        // One name in two programs: the worse end counts.
        let kept = self.ended.entry(name.to_owned()).or_insert(shown);
        if shown == Shown::Fail {
            *kept = shown;
        }
        let (name, _) = self.ended.get_key_value(name)?;
        Some((row, name, shown))
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> Vec<Line> {
        FAULTS.iter().map(|fault| self.line(fault)).collect()
    }

    fn line(&self, fault: &Fault) -> Line {
        let of_row = self.ended.iter().filter(|(name, _)| row_of(name) == Some(fault.row));
        let tests: Vec<_> = of_row
            .map(|(name, &shown)| match self.reasons.contains_key(name) && shown == Shown::Pass {
                true => (name.clone(), Shown::NotRun),
                false => (name.clone(), shown),
            })
            .collect();
        let any = |wanted| tests.iter().any(|&(_, shown)| shown == wanted);
        let shown = match (tests.is_empty(), fault.not_yet) {
            (true, Some(_)) => Shown::NotRun,
            (true, None) => Shown::NoTest,
            _ if any(Shown::Fail) => Shown::Fail,
            _ if any(Shown::NotRun) => Shown::NotRun,
            _ => Shown::Pass,
        };
        let mut reasons: Vec<String> =
            tests.iter().filter_map(|(name, _)| self.reasons.get(name)).flatten().cloned().collect();
        reasons.extend(fault.not_yet.filter(|_| tests.is_empty()).map(str::to_owned));
        reasons.dedup();
        Line { row: fault.row, fault: fault.what, shown, tests, reasons }
    }
}

/// The row that a test shows, by its name.
fn row_of(test: &str) -> Option<u8> {
    let name = test.rsplit("::").next()?.strip_prefix("row_")?;
    let (number, rest) = name.split_at_checked(2)?;
    rest.starts_with('_').then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 5 tests
test service::row_01_dies_early ... ok
test service::row_02_dies_late ... FAILED
test disk::row_08_power ... ok
test disk::row_09_torn ... ok
test tomorrow ... ok

successes:

---- disk::row_08_power stdout ----
not run: mounting needs root

---- disk::row_09_torn stdout ----
12 whole

failures:

---- service::row_02_dies_late stdout ----
thread panicked
not run: never said of a test that failed
";

    #[test]
    fn the_output_of_the_tests_becomes_a_table() {
        let mut report = Report::default();
        let told: Vec<_> = OUTPUT
            .lines()
            .filter_map(|line| report.take(line).map(|(row, name, shown)| (row, name.to_owned(), shown)))
            .collect();
        assert_eq!(told.len(), 4);
        assert_eq!(told[1], (2, "service::row_02_dies_late".to_owned(), Shown::Fail));
        let table = report.table();
        let shown: Vec<_> = [1, 2, 3, 8, 9, 24].iter().map(|row| table[row - 1].shown).collect();
        use Shown::{Fail, NoTest, NotRun, Pass};
        assert_eq!(shown, [Pass, Fail, NoTest, NotRun, Pass, NotRun]);
        assert_eq!(table[7].reasons, ["mounting needs root"]);
        assert!(report.broken.is_none());
        report.take("error: could not compile `flagfall-server` (lib) due to 1 previous error");
        assert!(report.broken.is_some());
    }

    #[test]
    fn rows_are_numbered_in_order_and_read_from_names() {
        assert!(FAULTS.iter().zip(1..).all(|(fault, row)| fault.row == row));
        let names = ["row_07_x", "a::b::row_32_y", "row_7_x", "row_07", "arow_07_x", "row_é7_x"];
        assert_eq!(names.map(row_of), [Some(7), Some(32), None, None, None, None]);
    }
}

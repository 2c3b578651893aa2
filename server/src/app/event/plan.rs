//! An event's settings as arguments.

use clap::Args as ClapArgs;
use flagfall_proto::{clock::v1, desk::v1::EventPlan, journal::v1::Sector};
use flagfall_rules::{clock::Place, time::MINUTE};

use crate::{
    app::desk::{OverlayArgs, parse},
    event::preset::Preset,
};

/// Arguments of `event create` and `event revise`.
#[derive(Clone, Debug, ClapArgs)]
pub struct PlanArgs {
    /// Its name, 1 to 32 characters of [A-Za-z0-9._-]: part of the names of games and of addresses.
    pub event: String,
    /// Edition, play and time control: minutes, with moves after a slash, and at the end seconds a move. Without an edition it is fide-2023,
    /// without a play what the control is by the edition: 'fide-2023 rapid 15+10', 'blitz 3+2', '90/40+30+30', '60d5', '25b10'.
    #[arg(long, value_parser = preset)]
    pub preset: String,
    /// What people call it; without it the name.
    #[arg(long, default_value = "")]
    pub title: String,
    /// Where it is played.
    #[arg(long, default_value = "")]
    pub site: String,
    /// How many rounds are planned.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=99))]
    pub rounds: u32,
    /// How late a player may come to the board: H:MM:SS, M:SS or seconds; without it as the edition says.
    #[arg(long, value_parser = parse::time)]
    pub default_time: Option<i64>,
    /// A part of the hall and its boards; may be given several times.
    #[arg(long = "sector", value_parser = sector, value_name = "NAME=FIRST-LAST")]
    pub sectors: Vec<Sector>,
    /// The name of the clock of a board, with {} where the number stands; leading zeros are found.
    #[arg(long, default_value = "clock-{}")]
    pub clocks: String,
    /// White's half of every clock: left or right.
    #[arg(long, default_value = "left", value_parser = parse::place)]
    pub white: Place,
    /// The broadcast lags by so many moves of a player.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=50))]
    pub delay_moves: u32,
    /// The broadcast lags by so many minutes.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=120))]
    pub delay_minutes: i64,
    /// What the event sets differently.
    #[command(flatten)]
    pub overlay: OverlayArgs,
}

/// A preset that can be read; the service reads it again.
fn preset(text: &str) -> Result<String, String> {
    text.parse::<Preset>().map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn sector(text: &str) -> Result<Sector, String> {
    let read = || {
        let (name, boards) = text.rsplit_once('=')?;
        let (first, last) = boards.split_once('-')?;
        Some(Sector { name: name.to_owned(), first: first.parse().ok()?, last: last.parse().ok()? })
    };
    read().ok_or_else(|| "expected NAME=FIRST-LAST, such as Stage=1-4".to_owned())
}

impl PlanArgs {
    /// As the contract has it.
    pub(super) fn plan(&self) -> EventPlan {
        EventPlan {
            name: self.event.clone(),
            title: self.title.clone(),
            site: self.site.clone(),
            preset: self.preset.clone(),
            overlay: self.overlay.overlay(None),
            default_time_ms: self.default_time,
            sectors: self.sectors.clone(),
            rounds: self.rounds,
            clocks: self.clocks.clone(),
            side_binding: v1::Place::from(self.white).into(),
            delay_plies: 2 * self.delay_moves,
            delay_ms: self.delay_minutes * MINUTE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_read() {
        let read = |text| sector(text).ok().map(|sector| (sector.name, sector.first, sector.last));
        assert_eq!(read("Stage=1-4"), Some(("Stage".into(), 1, 4)));
        assert_eq!(read("A=B=5-30"), Some(("A=B".into(), 5, 30)));
        assert_eq!([read("Stage"), read("Stage=4"), read("Stage=a-b")], [const { None }; 3]);
    }
}

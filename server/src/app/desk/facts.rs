//! What an arbiter states with a report.

use clap::Args as ClapArgs;
use flagfall_proto::{
    clock::v1,
    journal::v1::{Facts, MovesCounted},
};
use flagfall_rules::{clock::Control, game::Irregularity};

use super::parse;
use crate::journal::codec::Numbered;

/// What is known beside the thing itself.
#[derive(Clone, Debug, ClapArgs)]
pub struct FactArgs {
    /// The opponent claims it, as he must where no arbiter watches.
    #[arg(long)]
    pub claimed: bool,
    /// Playing time that has passed in all by your clock: H:MM:SS, M:SS or seconds.
    #[arg(long, value_parser = parse::time)]
    pub elapsed: Option<i64>,
    /// How long the other player's clock ran because of it.
    #[arg(long, value_parser = parse::time)]
    pub ran: Option<i64>,
    /// The control the clock was set to, where it was the wrong one.
    #[arg(long)]
    pub set_as: Option<Control>,
    /// White's completed moves by the scoresheets; with --black-moves.
    #[arg(long, requires = "black_moves")]
    pub white_moves: Option<u32>,
    /// Black's completed moves by the scoresheets; with --white-moves.
    #[arg(long, requires = "white_moves")]
    pub black_moves: Option<u32>,
    /// What the opponent did wrong in reply.
    #[arg(long, value_parser = parse::kind)]
    pub reply: Option<Irregularity>,
}

impl From<&FactArgs> for Facts {
    fn from(args: &FactArgs) -> Facts {
        let moves = args.white_moves.zip(args.black_moves);
        Facts {
            claimed: args.claimed,
            elapsed_ms: args.elapsed,
            ran_ms: args.ran,
            set_as: args.set_as.as_ref().map(v1::Control::from),
            moves: moves.map(|(white, black)| MovesCounted { white, black }),
            reply: args.reply.map_or(0, Numbered::number),
            next: String::new(),
        }
    }
}

//! An organiser's act.

use flagfall_pairings::{Bye, ByeKind, Player};
use flagfall_proto::{
    clock,
    convert::{self, Refused},
    journal::v1::{self, organiser_input},
};
use prost::Message;

use super::{CodecError, Numbered, message, must, overlay, overlay_to_proto, required, text};
use crate::event::{Act, Delay, Input, Seat, Sector, Settings};

/// The bytes of an act.
#[must_use]
pub fn organiser_bytes(input: &Input) -> Vec<u8> {
    let Input { request, actor, wall_ms, reason, act } = input.clone();
    v1::OrganiserInput { request, actor, wall_ms, reason, act: Some(act_to_proto(&act)) }.encode_to_vec()
}

/// Reads an act.
///
/// # Errors
/// Names the first thing that is not as it should be.
pub fn organiser(bytes: &[u8]) -> Result<Input, CodecError> {
    let v1::OrganiserInput { request, actor, wall_ms, reason, act: what } = message(bytes)?;
    Ok(Input { request, actor, wall_ms, reason, act: act(required("organiser.act", what)?)? })
}

fn act_to_proto(act: &Act) -> organiser_input::Act {
    use organiser_input::Act as Proto;
    match act {
        Act::Create(settings) => Proto::Create(event_settings_to_proto(settings)),
        Act::Revise(settings) => Proto::Revise(event_settings_to_proto(settings)),
        Act::Players(players) => {
            Proto::Players(v1::PlayersPut { players: players.iter().map(player_to_proto).collect() })
        }
        Act::Pair(seats, byes) => Proto::Pair(v1::RoundPaired {
            boards: seats.iter().map(seat_to_proto).collect(),
            byes: byes.iter().map(bye_to_proto).collect(),
        }),
        Act::Assign(board, device, note) => {
            let device = device.clone().unwrap_or_default();
            Proto::Assign(v1::ClockAssigned { board: *board, device, note: note.clone() })
        }
        Act::Prepare(boards) => Proto::Prepare(v1::BoardsPrepared { boards: boards.clone() }),
        Act::Start(boards) => Proto::Start(v1::BoardsStarted { boards: boards.clone() }),
        Act::Result { board, outcome, note, after } => {
            let result = outcome.map_or(0, Numbered::number);
            Proto::Result(v1::ResultEntered { board: *board, result, note: note.clone(), after_rev: *after })
        }
        Act::Close(open, note) => Proto::Close(v1::RoundClosed { open: open.clone(), note: note.clone() }),
    }
}

fn act(act: organiser_input::Act) -> Result<Act, Refused> {
    use organiser_input::Act as Proto;
    Ok(match act {
        Proto::Create(settings) => Act::Create(Box::new(event_settings(settings)?)),
        Proto::Revise(settings) => Act::Revise(Box::new(event_settings(settings)?)),
        Proto::Players(put) => Act::Players(put.players.into_iter().map(player).collect()),
        Proto::Pair(pair) => Act::Pair(
            pair.boards.into_iter().map(seat).collect(),
            pair.byes.into_iter().map(bye).collect::<Result<_, _>>()?,
        ),
        Proto::Assign(to) => Act::Assign(to.board, text(to.device), to.note),
        Proto::Prepare(of) => Act::Prepare(of.boards),
        Proto::Start(of) => Act::Start(of.boards),
        Proto::Result(entered) => Act::Result {
            board: entered.board,
            outcome: Numbered::maybe("result.result", entered.result)?,
            note: entered.note,
            after: entered.after_rev,
        },
        Proto::Close(close) => Act::Close(close.open, close.note),
    })
}

/// What an event sets, as a message.
#[must_use]
pub fn event_settings_to_proto(settings: &Settings) -> v1::EventSettings {
    v1::EventSettings {
        name: settings.name.clone(),
        title: settings.title.clone(),
        site: settings.site.clone(),
        preset: settings.preset.clone(),
        edition: settings.edition.clone(),
        play: settings.play.number(),
        control: Some((&settings.control).into()),
        overlay: overlay_to_proto(&settings.overlay),
        default_time_ms: settings.default_time,
        sectors: settings.sectors.iter().map(sector_to_proto).collect(),
        rounds: settings.rounds,
        clocks: settings.clocks.clone(),
        side_binding: clock::v1::Place::from(settings.white_place).into(),
        delay_plies: settings.delay.plies,
        delay_ms: settings.delay.ms,
    }
}

fn event_settings(settings: v1::EventSettings) -> Result<Settings, Refused> {
    Ok(Settings {
        name: settings.name,
        title: settings.title,
        site: settings.site,
        preset: settings.preset,
        edition: settings.edition,
        play: Numbered::named("settings.play", settings.play)?,
        control: must("settings.control", settings.control)?,
        overlay: settings.overlay.map(overlay).unwrap_or_default(),
        default_time: settings.default_time_ms,
        sectors: settings.sectors.into_iter().map(sector).collect(),
        rounds: settings.rounds,
        clocks: settings.clocks,
        white_place: convert::place(settings.side_binding).map_err(|e| e.at("settings.side_binding"))?,
        delay: Delay { plies: settings.delay_plies, ms: settings.delay_ms },
    })
}

fn sector_to_proto(sector: &Sector) -> v1::Sector {
    v1::Sector { name: sector.name.clone(), first: sector.first, last: sector.last }
}

/// A part of the hall, out of a message.
#[must_use]
pub fn sector(sector: v1::Sector) -> Sector {
    Sector { name: sector.name, first: sector.first, last: sector.last }
}

/// A player, as a message.
#[must_use]
pub fn player_to_proto(player: &Player) -> v1::Player {
    v1::Player {
        number: player.number,
        name: player.name.clone(),
        title: player.title.clone(),
        rating: player.rating,
        federation: player.federation.clone(),
        fide_id: player.fide_id.clone(),
    }
}

/// A player, out of a message.
#[must_use]
pub fn player(player: v1::Player) -> Player {
    let v1::Player { number, name, title, rating, federation, fide_id } = player;
    Player { number, name, title, rating, federation, fide_id }
}

fn seat_to_proto(seat: &Seat) -> v1::Pairing {
    let device = seat.device.clone().unwrap_or_default();
    v1::Pairing { board: seat.board, white: seat.white, black: seat.black, device }
}

/// A board, out of a message.
#[must_use]
pub fn seat(pairing: v1::Pairing) -> Seat {
    let v1::Pairing { board, white, black, device } = pairing;
    Seat { board, white, black, device: text(device) }
}

/// A player who does not play, as a message.
#[must_use]
pub fn bye_to_proto(bye: &Bye) -> v1::Bye {
    v1::Bye { player: bye.player, kind: bye.kind.number() }
}

/// A player who does not play, out of a message.
///
/// # Errors
/// It does not say what for.
pub fn bye(bye: v1::Bye) -> Result<Bye, Refused> {
    Ok(Bye { player: bye.player, kind: ByeKind::named("bye.kind", bye.kind)? })
}

#[cfg(test)]
mod tests {
    use flagfall_pairings::Outcome;
    use proptest::prelude::*;

    use super::*;
    use crate::journal::codec::samples;

    fn settings() -> impl Strategy<Value = Settings> {
        let sectors = prop::collection::vec((".{0,9}", any::<u32>(), any::<u32>()), 0..3);
        let setup = samples::setups();
        (setup, ".{0,9}", ".{0,9}", any::<Option<i64>>(), sectors, any::<(u32, u32, i64)>()).prop_map(
            |(setup, title, clocks, default_time, sectors, (rounds, plies, ms))| Settings {
                name: setup.game,
                title,
                site: setup.device,
                preset: "3+2".into(),
                edition: setup.edition,
                play: setup.play,
                control: setup.control.unwrap_or_else(|| "180+2".parse().expect("a control")),
                overlay: setup.overlay,
                default_time,
                sectors: sectors.into_iter().map(|(name, first, last)| Sector { name, first, last }).collect(),
                rounds,
                clocks,
                white_place: setup.white_place,
                delay: Delay { plies, ms },
            },
        )
    }

    fn acts() -> impl Strategy<Value = Act> {
        let boards = || prop::collection::vec(any::<u32>(), 0..4);
        let device = || prop_oneof![Just(None), "[a-z]{1,9}".prop_map(Some)];
        let player = (any::<(u32, u32)>(), ".{0,9}", ".{0,4}", ".{0,3}", "[0-9]{0,9}").prop_map(
            |((number, rating), name, title, federation, fide_id)| Player {
                number,
                name,
                title,
                rating,
                federation,
                fide_id,
            },
        );
        let seat = (any::<(u32, u32, u32)>(), device()).prop_map(|((board, white, black), device)| Seat {
            board,
            white,
            black,
            device,
        });
        let kind = prop::sample::select(vec![ByeKind::Half, ByeKind::Full, ByeKind::Pairing, ByeKind::Zero]);
        let bye = (any::<u32>(), kind).prop_map(|(player, kind)| Bye { player, kind });
        let outcome = prop::option::of(prop::sample::select(Outcome::ALL.to_vec()));
        prop_oneof![
            settings().prop_map(|settings| Act::Create(Box::new(settings))),
            settings().prop_map(|settings| Act::Revise(Box::new(settings))),
            prop::collection::vec(player, 0..3).prop_map(Act::Players),
            (prop::collection::vec(seat, 0..3), prop::collection::vec(bye, 0..3)).prop_map(|(a, b)| Act::Pair(a, b)),
            (any::<u32>(), device(), ".{0,9}").prop_map(|(board, device, note)| Act::Assign(board, device, note)),
            boards().prop_map(Act::Prepare),
            boards().prop_map(Act::Start),
            (any::<u32>(), outcome, ".{0,9}", any::<Option<u64>>())
                .prop_map(|(board, outcome, note, after)| Act::Result { board, outcome, note, after }),
            (boards(), ".{0,9}").prop_map(|(open, note)| Act::Close(open, note)),
        ]
    }

    proptest! {
        #[test]
        fn an_act_comes_back(
            request in ".{1,9}",
            actor in ".{1,9}",
            reason in ".{0,9}",
            wall_ms: i64,
            act in acts(),
        ) {
            let input = Input { request, actor, wall_ms, reason, act };
            prop_assert_eq!(organiser(&organiser_bytes(&input)), Ok(input));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = organiser(&bytes);
        }
    }
}

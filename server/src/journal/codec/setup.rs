//! How a game is opened.

use flagfall_proto::{
    clock,
    convert::{self, Refused},
    journal::v1,
};
use flagfall_rules::game::{Overlay, Setup};

use super::{maybe, numbers::Numbered, text};

/// How a game is opened, as a message.
#[must_use]
pub fn setup_to_proto(setup: &Setup) -> v1::Setup {
    v1::Setup {
        game: setup.game.clone(),
        device: setup.device.clone(),
        edition: setup.edition.clone(),
        play: setup.play.number(),
        control: setup.control.as_ref().map(Into::into),
        side_binding: clock::v1::Place::from(setup.white_place).into(),
        position: setup.position.clone().unwrap_or_default(),
        overlay: overlay_to_proto(&setup.overlay),
    }
}

/// How a game is opened, out of a message. Whether the names are good ones is for the desk's edge to say.
///
/// # Errors
/// Names the field.
pub fn setup(setup: v1::Setup) -> Result<Setup, Refused> {
    Ok(Setup {
        game: setup.game,
        device: setup.device,
        edition: setup.edition,
        play: Numbered::named("setup.play", setup.play)?,
        control: maybe("setup.control", setup.control)?,
        white_place: convert::place(setup.side_binding).map_err(|e| e.at("setup.side_binding"))?,
        position: text(setup.position),
        overlay: setup.overlay.map(overlay).unwrap_or_default(),
    })
}

/// What the event sets differently; nothing is no message.
#[must_use]
pub fn overlay_to_proto(overlay: &Overlay) -> Option<v1::Overlay> {
    (*overlay != Overlay::default()).then_some(v1::Overlay {
        bonus_ms: overlay.bonus,
        loses_at: overlay.loses_at,
        keeps_increment: overlay.keeps_increment,
        confirms: overlay.confirms,
        quickplay_finish: overlay.quickplay_finish,
        default_time_ms: overlay.default_time,
    })
}

/// What the event sets differently, out of a message.
#[must_use]
pub fn overlay(overlay: v1::Overlay) -> Overlay {
    Overlay {
        bonus: overlay.bonus_ms,
        loses_at: overlay.loses_at,
        keeps_increment: overlay.keeps_increment,
        confirms: overlay.confirms,
        quickplay_finish: overlay.quickplay_finish,
        default_time: overlay.default_time_ms,
    }
}

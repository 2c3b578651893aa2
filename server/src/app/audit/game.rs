//! What was done in a game.

use flagfall_proto::{clock::v1::Face, journal::v1::desk_input::Act};

use super::Line;
use crate::{
    app::desk::{DeskError, Service, instant, record, stage},
    desk::{
        record::{Done, LAWS, Record},
        web::words,
    },
    event::round_of,
    journal::{codec, dump::plain},
};

/// Every act in a game, a finished one on the shelf too.
///
/// # Errors
/// The service refuses.
pub(super) async fn lines(service: &mut Service, game: &str) -> Result<Vec<Line>, DeskError> {
    let record = record(&mut service.desk, game).await?;
    Ok(record.acts.iter().map(|done| line(game, &record, done)).collect())
}

fn line(game: &str, record: &Record, done: &Done) -> Line {
    let orders = || done.revs.iter().filter_map(|rev| Some((rev, record.orders.get(rev)?)));
    let revisions: Vec<String> = orders().map(|(rev, order)| format!("{rev} {}", stage(order.stage))).collect();
    let ruling = done.rulings.first();
    let remedy = ruling.and_then(|ruling| Some((ruling.case, ruling.remedy.as_ref()?)));
    let ruled = remedy.map(|(case, remedy)| {
        let words = remedy.words.as_ref().map_or("", |words| words.en.as_str());
        format!("case {case}: {} ({words}), article {}", remedy.key, remedy.article)
    });
    let (event, round) = round_of(game).unzip();
    Line {
        at: instant(done.wall_ms),
        event: event.unwrap_or_default().to_owned(),
        round,
        game: game.to_owned(),
        entry: done.entry,
        actor: if done.actor == LAWS { "the Laws".to_owned() } else { done.actor.clone() },
        what: match (&done.act, ruled) {
            (Some(Act::Decide(_)) | None, Some(ruled)) => ruled,
            // What lapsed with it was not what was done.
            (act, ruled) => [Some(what(act.as_ref())), ruled].into_iter().flatten().collect::<Vec<_>>().join("; "),
        },
        reason: done.reason.clone(),
        before: face(record.before(done).as_ref()),
        after: face(record.after(done).as_ref()),
        revisions: revisions.join(", "),
        request: done.request.clone(),
        wall_ms: done.wall_ms,
    }
}

/// An act in the words that the journal's dump has for it.
fn what(act: Option<&Act>) -> String {
    let message = flagfall_proto::journal::v1::DeskInput { act: act.cloned(), ..Default::default() };
    codec::desk_input(message).map_or_else(|_| String::new(), |input| plain::desk_act(&input.act))
}

/// Both halves; empty: not known.
fn face(face: Option<&Face>) -> String {
    face.map_or_else(String::new, |face| words::face(Some(face)))
}

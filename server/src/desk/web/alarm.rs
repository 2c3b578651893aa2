//! What lies behind an alarm, in the reader's language: made of the facts on record, for the journal's own words are English.

use flagfall_proto::{clock::v1::Stage, journal::v1::Staged};

use super::{Lang, words};
use crate::desk::record::{Happened, Moment, Record};

/// What an alarm was given for, by its number from 1; `None`: nothing on record says it.
pub(super) fn detail(record: &Record, number: u32, lang: Lang) -> Option<String> {
    let given = |moment: &&Moment| matches!(moment.what, Happened::Alarmed(given, ..) if given == number);
    let alarm = record.moments.iter().find(given)?;
    if let Happened::Alarmed(.., Some(staged)) = &alarm.what {
        return obeyed(staged, lang);
    }
    let of_entry = record.moments.iter().filter(|moment| moment.entry == alarm.entry);
    of_entry.rev().find_map(|moment| match &moment.what {
        Happened::Clock(what, _) => words::said(lang, what),
        Happened::Moved(_) => Some(
            lang.t("another clock has taken the game on: check the times", "партию взяли другие часы: проверьте время")
                .to_owned(),
        ),
        _ => None,
    })
}

/// How a clock did not do as it was told.
fn obeyed(staged: &Staged, lang: Lang) -> Option<String> {
    let rev = staged.rev;
    Some(match (staged.stage(), staged.after.is_some()) {
        (Stage::Rejected, _) => {
            let refused = lang.t("the clock refused directive", "часы отклонили указание");
            format!("{refused} №{rev}: {}", words::rejected(lang, staged.stage(), staged.reason()))
        }
        (Stage::Unknown, false) => match lang {
            Lang::En => format!("no word of directive №{rev}: it may or may not be on the clock; read it"),
            Lang::Ru => format!("об указании №{rev} нет вестей: неизвестно, дошло ли оно до часов; посмотрите на них"),
        },
        (Stage::Unknown, true) => match lang {
            Lang::En => format!("nobody knows whether directive №{rev} is on the clock: read it and set it"),
            Lang::Ru => format!("неизвестно, выполнено ли указание №{rev}: посмотрите на часы и установите их"),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use flagfall_proto::{
        clock::v1::RejectReason,
        desk::v1::StoredEntry,
        journal::v1::{Alarm, Alarmed, Entry, Event, event::What},
    };

    use super::*;

    #[test]
    fn a_directive_that_did_not_arrive_is_told_in_both_languages() {
        let alarmed = |detail: &str| Alarmed { alarm: Alarm::Directive.into(), detail: detail.into() };
        let entry = |index, stage: Stage, reason: RejectReason| {
            let staged = Staged { rev: 6 + index, stage: stage.into(), reason: reason.into(), ..Staged::default() };
            let events = [What::Staged(staged), What::Alarmed(alarmed("in English"))];
            let events = events.into_iter().map(|what| Event { what: Some(what) }).collect();
            StoredEntry { index, entry: Some(Entry { events, ..Entry::default() }) }
        };
        let record = Record::of(&[
            entry(1, Stage::Unknown, RejectReason::Unspecified),
            entry(2, Stage::Rejected, RejectReason::Overtaken),
        ]);
        let said = |number, lang| detail(&record, number, lang).expect("told");
        assert_eq!(said(1, Lang::En), "no word of directive №7: it may or may not be on the clock; read it");
        assert_eq!(
            said(1, Lang::Ru),
            "об указании №7 нет вестей: неизвестно, дошло ли оно до часов; посмотрите на них"
        );
        assert_eq!(said(2, Lang::Ru), "часы отклонили указание №8: тем временем сделан ход");
        assert_eq!(detail(&record, 3, Lang::En), None);
    }
}

//! What can be done about an adjournment, as data: the steps that `flagfall adjourn` has, by the same names, what each asks for, and in
//! which phases the rules may take it.

use flagfall_proto::{
    desk::v1::AdjournmentSnapshot,
    journal::v1::{
        AdjournmentPhase::{
            self as Phase, Adjourned, Annulled, Judging, Open, Opening, Playing, ReplySealed, Resumed, Sealing, SetUp,
            Unspecified, Waiting,
        },
        OfEach,
    },
};

/// Something that a step asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Start,
    End,
    Venue,
    WhiteName,
    BlackName,
    Position,
    /// Who offered a draw that is still open.
    OfferBy,
    /// A sealed move, as `flagfall adjourn GAME envelope` prints it.
    Envelope,
    /// An opened one, as `flagfall adjourn GAME unseal` prints it.
    Proof,
    /// A move such as g1f3.
    Move,
    /// A move in the words of a player.
    Stated,
    Player,
    Electronic,
    White,
    Black,
    WhiteUsed,
    BlackUsed,
    OpponentRuns,
    To,
    PositionUnknown,
    /// A way of what the arbiter is asked.
    Way,
}

use Field::{
    Black, BlackName, BlackUsed, Electronic, End, Envelope, Move, OfferBy, OpponentRuns, Player, Position,
    PositionUnknown, Proof, Start, Stated, To, Venue, Way, White, WhiteName, WhiteUsed,
};

/// One step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// As a form and the command name it.
    pub(super) key: &'static str,
    pub(super) en: &'static str,
    pub(super) ru: &'static str,
    /// What must be given.
    pub(super) must: &'static [Field],
    /// What may be given.
    pub(super) may: &'static [Field],
    /// When the rules may take it.
    pub(super) when: &'static [Phase],
    /// It is at the arbiter's discretion: he says why.
    pub(super) why: bool,
}

const fn step(
    key: &'static str,
    en: &'static str,
    ru: &'static str,
    must: &'static [Field],
    may: &'static [Field],
    when: &'static [Phase],
) -> Step {
    Step { key, en, ru, must, may, when, why: false }
}

const fn reasoned(step: Step) -> Step {
    Step { why: true, ..step }
}

const BEFORE: &[Phase] = &[Unspecified, Playing, Resumed, Annulled];
const APART: &[Phase] = &[Sealing, Adjourned, SetUp, Waiting, Opening, Judging];
const BETWEEN: &[Phase] = &[Sealing, Adjourned, SetUp, Waiting, Opening, Judging, Open, ReplySealed];
const AGAIN: &[Phase] = &[SetUp, Waiting, Opening, Judging, Open, ReplySealed, Resumed];
const SHUT: &[Phase] = &[Waiting, Opening, Judging];
const RUNS: &[Phase] = &[Sealing, Waiting, Open, ReplySealed, Resumed];

/// Every step, in the order in which a game comes to them.
pub(super) const STEPS: &[Step] = &[
    reasoned(step("choose", "Decide what is asked", "Решить, о чём спрошено", &[Way], &[], &[])),
    step("announce", "Announce the session", "Объявить игровую сессию", &[Start], &[End], BEFORE),
    step(
        "end-session",
        "End the session: the player to move seals",
        "Закончить сессию: игрок записывает секретный ход",
        &[],
        &[WhiteName, BlackName, Position, OfferBy],
        BEFORE,
    ),
    step(
        "early",
        "The player to move adjourns early",
        "Игрок откладывает партию до конца сессии",
        &[],
        &[WhiteName, BlackName, Position, OfferBy],
        BEFORE,
    ),
    step("seal", "Hand in the sealed move", "Сдать секретный ход", &[Envelope], &[], &[Sealing]),
    step("on-board", "He made a move on the board instead", "Ход сделан на доске", &[Move], &[], &[Sealing]),
    step("sheet", "A score sheet is in the envelope", "Бланк в конверте", &[Player], &[Electronic], &[Sealing]),
    step("close", "The envelope is sealed", "Конверт заклеен", &[], &[], &[Sealing]),
    step(
        "stop-clock",
        "The player has stopped the clock",
        "Игрок остановил часы",
        &[],
        &[White, Black, OpponentRuns],
        &[Sealing],
    ),
    step(
        "appoint",
        "Fix when and where it goes on",
        "Назначить время и место доигрывания",
        &[Start, Venue],
        &[End],
        &[Sealing, Adjourned],
    ),
    step(
        "check",
        "The envelope is checked: right, but for what is given",
        "Конверт проверен: верно, кроме указанного",
        &[],
        &[WhiteName, BlackName, WhiteUsed, BlackUsed, White, Black, Position],
        &[Adjourned],
    ),
    step("hand-over", "The envelope goes to somebody", "Передать конверт", &[To], &[], APART),
    step(
        "set-up",
        "Set up position and times",
        "Расставить позицию и поставить время",
        &[],
        &[White, Black],
        &[Adjourned],
    ),
    step("came", "A player has come", "Игрок пришёл", &[Player], &[], AGAIN),
    step("went", "A player has gone", "Игрок ушёл", &[Player], &[], AGAIN),
    step("begin", "It is the time agreed: begin", "Назначенное время: начать доигрывание", &[], &[], &[SetUp]),
    step(
        "stop-on-arrival",
        "He has come and stops his clock",
        "Игрок пришёл и остановил свои часы",
        &[],
        &[],
        &[Waiting],
    ),
    step(
        "open",
        "Open the envelope: the sealed move is made",
        "Вскрыть конверт: секретный ход делается",
        &[Proof],
        &[],
        SHUT,
    ),
    step("reply", "He replies on the board", "Ответ сделан на доске", &[Move], &[], &[Open]),
    step("seal-reply", "He seals his reply", "Игрок записывает секретный ответ", &[Envelope, To], &[], &[Open]),
    step("open-reply", "Open the envelope with the reply", "Вскрыть конверт с ответом", &[Proof], &[], &[ReplySealed]),
    step("first-move", "A player made his first move", "Игрок сделал первый ход", &[Player], &[], &[Open, Resumed]),
    step("offer", "A player offers a draw", "Игрок предлагает ничью", &[Player], &[], APART),
    step("accept", "A player accepts the offer", "Игрок принимает предложение", &[Player], &[], APART),
    step("decline", "A player declines the offer", "Игрок отклоняет предложение", &[Player], &[], APART),
    step("agree", "The players agreed a draw", "Игроки согласились на ничью", &[], &[], BETWEEN),
    step("resign", "A player resigns", "Игрок сдаётся", &[Player], &[], BETWEEN),
    step("flag", "A player's flag fell", "У игрока упал флаг", &[Player], &[], RUNS),
    step("late", "Look whether somebody is too late", "Проверить, не опоздал ли кто", &[], &[], AGAIN),
    reasoned(step("excuse", "A player may come later", "Игроку можно прийти позже", &[Player], &[], APART)),
    reasoned(step("lost", "The envelope is missing", "Конверт утерян", &[], &[PositionUnknown], APART)),
    reasoned(step(
        "stated",
        "It is lost: the player says what he sealed",
        "Конверт утерян: игрок называет секретный ход",
        &[Stated],
        &[],
        SHUT,
    )),
    reasoned(step(
        "clock-error",
        "The used time is wrong on a clock",
        "На часах неверное время",
        &[Player],
        &[White, Black],
        &[Open, Resumed],
    )),
];

/// A step by its name.
pub(super) fn named(key: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.key == key)
}

/// What comes next, as the adjournment stands.
pub(super) fn next(adjournment: &AdjournmentSnapshot) -> &'static [&'static str] {
    let both = |each: Option<OfEach>| each.is_some_and(|each| each.white && each.black);
    if adjournment.proposal.is_some() {
        return &["choose"];
    }
    match adjournment.phase() {
        Unspecified | Playing | Annulled if adjournment.session.is_none() => &["announce"],
        Unspecified | Playing | Annulled => &["end-session", "early"],
        Sealing if adjournment.seal.is_none() => &["seal"],
        Sealing if !both(adjournment.sheets) => &["sheet"],
        Sealing if !adjournment.closed => &["close"],
        Sealing => &["stop-clock"],
        Adjourned if adjournment.resumption.is_none() => &["appoint"],
        Adjourned if !adjournment.checked => &["check"],
        Adjourned => &["set-up"],
        SetUp if both(adjournment.here) => &["begin"],
        SetUp => &["came", "begin"],
        Waiting => &["came", "stop-on-arrival"],
        Opening | Judging if adjournment.lost => &["stated"],
        Opening | Judging => &["open"],
        Open => &["reply", "seal-reply", "came"],
        ReplySealed => &["came", "open-reply"],
        Resumed | Phase::Ended => &[],
    }
}

/// The rules may take it now.
pub(super) fn fits(step: &Step, adjournment: &AdjournmentSnapshot) -> bool {
    match adjournment.proposal {
        // Nothing but that is decided while the arbiter is asked; who comes and where the envelope is goes on record.
        Some(_) => matches!(step.key, "choose" | "hand-over" | "came" | "went"),
        None => step.when.contains(&adjournment.phase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_next_can_be_taken() {
        for phase in (0..=12).filter_map(|number| Phase::try_from(number).ok()) {
            let stands = AdjournmentSnapshot { phase: phase.into(), ..AdjournmentSnapshot::default() };
            for key in next(&stands) {
                assert!(named(key).is_some_and(|step| fits(step, &stands)), "{key} in {phase:?}");
            }
        }
    }

    #[test]
    fn a_move_is_sealed_sheets_go_in_the_envelope_is_closed_and_then_the_clock_is_stopped() {
        let mut stands = AdjournmentSnapshot { phase: Sealing.into(), ..AdjournmentSnapshot::default() };
        assert_eq!(next(&stands), ["seal"]);
        stands.seal = Some(Default::default());
        assert_eq!(next(&stands), ["sheet"]);
        stands.sheets = Some(OfEach { white: true, black: false });
        assert_eq!(next(&stands), ["sheet"]);
        stands.sheets = Some(OfEach { white: true, black: true });
        assert_eq!(next(&stands), ["close"]);
        stands.closed = true;
        assert_eq!(next(&stands), ["stop-clock"]);
    }
}

//! What happened in an adjournment, in both languages.

use flagfall_proto::{
    clock::v1::Colour,
    journal::v1::{
        AdjournmentDeed, AdjournmentEvent, AdjournmentReason, BothHands, OfEach, PlainDeed, PlainFact, PlaySession,
        adjournment_deed::Deed, adjournment_event::Fact,
    },
};

use super::{
    super::{Lang, tile::pgn, words},
    steps,
};

/// A step as a heading says it, with what was given for it.
pub(in super::super) fn deed(lang: Lang, deed: &AdjournmentDeed) -> String {
    let Some(deed) = &deed.deed else { return String::new() };
    let (key, more) = match deed {
        Deed::Announce(session) => ("announce", period(session)),
        Deed::EndSession(_) => ("end-session", String::new()),
        Deed::AdjournEarly(_) => ("early", String::new()),
        Deed::Write(_) => ("seal", String::new()),
        Deed::MoveOnBoard(uci) => ("on-board", uci.clone()),
        Deed::SheetIn(sheet) => ("sheet", colour(lang, sheet.of)),
        Deed::Plain(plain) => (plain_key(*plain), String::new()),
        Deed::StopClock(stopped) => ("stop-clock", hands(stopped.hands.as_ref())),
        Deed::Appoint(to) => ("appoint", format!("{} {}, {}", to.date, to.time, to.venue)),
        Deed::Check(_) => ("check", String::new()),
        Deed::HandOver(to) => ("hand-over", to.clone()),
        Deed::OfferDraw(by) => ("offer", colour(lang, *by)),
        Deed::AcceptDraw(by) => ("accept", colour(lang, *by)),
        Deed::DeclineDraw(by) => ("decline", colour(lang, *by)),
        Deed::Resign(by) => ("resign", colour(lang, *by)),
        Deed::SetUp(times) => ("set-up", hands(times.times.as_ref())),
        Deed::Presence(presence) => (if presence.here { "came" } else { "went" }, colour(lang, presence.player)),
        Deed::Opened(opened) => ("open", opened.text.clone()),
        Deed::Stated(text) => ("stated", text.clone()),
        Deed::Reply(uci) => ("reply", uci.clone()),
        Deed::SealReply(reply) => ("seal-reply", reply.to.clone()),
        Deed::ReplyOpened(opened) => ("open-reply", opened.text.clone()),
        Deed::FirstMove(by) => ("first-move", colour(lang, *by)),
        Deed::FlagFell(by) => ("flag", colour(lang, *by)),
        Deed::Excuse(by) => ("excuse", colour(lang, *by)),
        Deed::EnvelopeLost(_) => ("lost", String::new()),
        Deed::ClockError(wrong) => {
            ("clock-error", format!("{} {}", colour(lang, wrong.by), hands(wrong.hands.as_ref())))
        }
        Deed::Choose(way) => ("choose", way.clone()),
    };
    let heading = steps::named(key).map_or("", |step| lang.t(step.en, step.ru));
    if more.is_empty() { heading.to_owned() } else { format!("{heading}: {more}") }
}

fn plain_key(plain: i32) -> &'static str {
    match PlainDeed::try_from(plain).unwrap_or_default() {
        PlainDeed::Unspecified => "",
        PlainDeed::CloseEnvelope => "close",
        PlainDeed::AgreeDraw => "agree",
        PlainDeed::Begin => "begin",
        PlainDeed::StopOnArrival => "stop-on-arrival",
        PlainDeed::LookForLate => "late",
    }
}

/// A fact, with its article.
pub(in super::super) fn fact(lang: Lang, event: &AdjournmentEvent) -> Option<String> {
    let said = told(lang, event.fact.as_ref()?);
    Some(if event.article.is_empty() { said } else { format!("{said} ({})", event.article) })
}

fn told(lang: Lang, fact: &Fact) -> String {
    let with = |en: &str, ru: &str, more: &str| format!("{} {more}", lang.t(en, ru));
    match fact {
        Fact::Announced(session) => with("the session is announced:", "объявлена игровая сессия:", &period(session)),
        Fact::SealingBegan(_) => lang
            .t("the session is over: the player to move seals", "сессия окончена: игрок записывает секретный ход")
            .to_owned(),
        Fact::AdjournedEarly(_) => {
            lang.t("the player to move adjourns before the end", "игрок откладывает партию до конца сессии").to_owned()
        }
        Fact::Written(_) => lang.t("the sealed move is handed in", "секретный ход сдан").to_owned(),
        Fact::MadeOnBoard(uci) => with("made on the board:", "сделан на доске:", uci),
        Fact::SheetIn(of) => with("score sheet in the envelope:", "бланк в конверте:", &colour(lang, *of)),
        Fact::Plain(plain) => plain_fact(lang, *plain).to_owned(),
        Fact::Adjourned(envelope) => {
            with("adjourned; on the clock:", "отложена; на часах:", &hands(envelope.hands.as_ref()))
        }
        Fact::Appointed(to) => {
            with("the game goes on:", "доигрывание:", &format!("{} {}, {}", to.date, to.time, to.venue))
        }
        Fact::Checked(_) => lang.t("the envelope is checked", "конверт проверен").to_owned(),
        Fact::HandedOver(to) => with("the envelope is with", "конверт у:", to),
        Fact::Offered(by) => with("a draw is offered:", "предложена ничья:", &colour(lang, *by)),
        Fact::SetUp(times) => with("set up again:", "расставлена:", &hands(Some(times))),
        Fact::Came(player) => with("has come:", "пришли:", &colour(lang, *player)),
        Fact::Went(player) => with("has gone:", "ушли:", &colour(lang, *player)),
        Fact::Read(text) => with("on the sheet:", "на бланке:", &format!("«{text}»")),
        Fact::SealedMoveMade(uci) => with("the sealed move is made:", "секретный ход сделан:", uci),
        Fact::Replied(uci) => with("the reply is made:", "ответ сделан:", uci),
        Fact::ReplySealed(reply) => with("the reply is sealed, with", "секретный ответ записан, конверт у:", &reply.to),
        Fact::FirstMove(by) => with("first move:", "первый ход:", &colour(lang, *by)),
        Fact::FlagFell(at) => with("the flag fell:", "упал флаг:", &colour(lang, at.colour)),
        Fact::FoundLate(late) => with("too late:", "опоздали:", &each(lang, Some(late))),
        Fact::Excused(player) => with("may come later:", "можно прийти позже:", &colour(lang, *player)),
        Fact::ClockCorrected(right) => with("the clocks are corrected:", "время исправлено:", &hands(Some(right))),
        Fact::Proposed(proposal) => {
            let ways: Vec<&str> = proposal.ways.iter().map(|way| lang.of(way.words.as_ref())).collect();
            with("the arbiter is asked:", "спрошен арбитр:", &ways.join(" / "))
        }
        Fact::Chosen(key) => with("decided:", "решено:", key),
        Fact::Ended(end) => format!("{} {}", pgn(end.outcome()), reason(lang, end.reason())),
    }
}

const fn plain_fact(lang: Lang, plain: i32) -> &'static str {
    const CLOSED: i32 = PlainFact::Closed as i32;
    const DECLINED: i32 = PlainFact::Declined as i32;
    const BEGAN: i32 = PlainFact::Began as i32;
    const BEGAN_WAITING: i32 = PlainFact::BeganWaiting as i32;
    const STOPPED: i32 = PlainFact::StoppedOnArrival as i32;
    const ANEW: i32 = PlainFact::ReplyAnew as i32;
    const LOST: i32 = PlainFact::EnvelopeLost as i32;
    const ANNULLED: i32 = PlainFact::Annulled as i32;
    match plain {
        CLOSED => lang.t("the envelope is sealed", "конверт заклеен"),
        DECLINED => lang.t("the offer is declined", "предложение отклонено"),
        BEGAN => lang.t("the resumption has begun", "доигрывание начато"),
        BEGAN_WAITING => {
            lang.t("begun without the player who must reply: his clock runs", "начато без отвечающего: его часы идут")
        }
        STOPPED => lang.t("he has stopped his clock on arrival", "пришёл и остановил свои часы"),
        ANEW => lang.t("the sealed reply is no move: it is made anew", "секретный ответ невозможен: делается заново"),
        LOST => lang.t("the envelope is missing", "конверт утерян"),
        ANNULLED => lang.t("the game is annulled", "партия аннулирована"),
        _ => "",
    }
}

fn reason(lang: Lang, reason: AdjournmentReason) -> &'static str {
    match reason {
        AdjournmentReason::Unspecified => "",
        AdjournmentReason::Agreement => lang.t("by agreement", "по соглашению"),
        AdjournmentReason::Resignation => lang.t("by resignation", "сдача"),
        AdjournmentReason::Flag => lang.t("by flag", "флаг"),
        AdjournmentReason::Checkmate => lang.t("mate", "мат"),
        AdjournmentReason::Stalemate => lang.t("stalemate", "пат"),
        AdjournmentReason::DeadPosition => lang.t("dead position", "мёртвая позиция"),
        AdjournmentReason::SealedMove => lang.t("by the sealed move", "из-за секретного хода"),
        AdjournmentReason::Late => lang.t("too late", "опоздание"),
    }
}

pub(super) fn colour(lang: Lang, colour: i32) -> String {
    words::colour(lang, Colour::try_from(colour).unwrap_or_default()).to_owned()
}

/// Those of whom it is true.
pub(super) fn each(lang: Lang, each: Option<&OfEach>) -> String {
    let each = each.copied().unwrap_or_default();
    let named = [(each.white, Colour::White), (each.black, Colour::Black)];
    let named: Vec<&str> =
        named.into_iter().filter(|(is, _)| *is).map(|(_, colour)| words::colour(lang, colour)).collect();
    named.join(", ")
}

/// Both readings.
pub(super) fn hands(hands: Option<&BothHands>) -> String {
    let Some(both) = hands else { return String::new() };
    let left = |hand: Option<flagfall_proto::clock::v1::Hand>| words::time(hand.and_then(|hand| hand.left_ms));
    format!("{} – {}", left(both.white), left(both.black))
}

/// From when until when.
pub(super) fn period(session: &PlaySession) -> String {
    let end = session.end_ms.map(|end| format!(" – {}", words::moment(end))).unwrap_or_default();
    format!("{}{end}", words::moment(session.start_ms))
}

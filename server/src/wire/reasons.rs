//! The named reasons in words, as pages show them: what it means and what to do, in both languages.

use flagfall_rules::{game, laws::Phrase};

const fn phrase(en: &'static str, ru: &'static str) -> Phrase {
    Phrase { en, ru }
}

/// What a reason means, by its name: the rules' own, the desk's, the organiser's, the service's, the pages'. `None`: nobody at a desk
/// is ever told this.
#[must_use]
pub fn reason(name: &str) -> Option<Phrase> {
    game::reason(name)
        .or_else(|| of_desk(name))
        .or_else(|| of_organiser(name))
        .or_else(|| of_service(name))
        .or_else(|| of_pages(name))
}

fn of_desk(name: &str) -> Option<Phrase> {
    Some(match name {
        "BAD_REQUEST" => phrase(
            "a field is missing, or what stands in it is none of what it may be",
            "какое-то поле не заполнено, или в нём стоит не то, что может там стоять",
        ),
        "NO_SUCH_DEVICE" => phrase(
            "no clock has this name in the settings: take another clock, or have it added",
            "в настройках нет часов с таким именем: возьмите другие часы или попросите внести эти",
        ),
        "DEVICE_BUSY" => phrase(
            "the clock has a game that is neither over nor adjourned: end or adjourn that one, or take another clock",
            "на этих часах идёт партия, не оконченная и не отложенная: завершите или отложите её либо возьмите другие часы",
        ),
        "SEAL_BROKEN" => phrase(
            "the opened text is not the one that was sealed: open the right ciphertext, or declare the envelope lost; keep both texts",
            "вскрытый текст не тот, что был запечатан: вскройте верный шифртекст или объявите конверт утерянным; сохраните оба текста",
        ),
        "NO_RECIPIENT" => phrase(
            "no key is configured to seal for: seal on paper",
            "ключ для запечатывания не настроен: запечатайте ход на бумаге",
        ),
        "NOT_ON_CLOCK" => phrase(
            "the game's clock has another game by now: move this one to a free clock first",
            "на часах этой партии уже другая: сначала перенесите эту на свободные часы",
        ),
        "ON_THIS_CLOCK" => phrase(
            "the game is on this clock already: name another one, or set its times by hand",
            "партия уже на этих часах: назовите другие или установите время вручную",
        ),
        "UNAUTHENTICATED" => phrase(
            "nobody is signed in, or the session is over; nothing was done: sign in, and do it again",
            "вход не выполнен или сеанс окончен; ничего не сделано: войдите и повторите",
        ),
        "NOT_ALLOWED" => phrase(
            "it is not for your role, or not on this board: call the chief arbiter",
            "это не для вашей роли или не на этой доске: позовите главного арбитра",
        ),
        _ => return None,
    })
}

fn of_organiser(name: &str) -> Option<Phrase> {
    Some(match name {
        "NO_SUCH_EVENT" => phrase("there is no such event", "такого турнира нет"),
        "NO_SUCH_ROUND" => {
            phrase("the round is not paired: pair it first", "этого тура нет: сначала проведите жеребьёвку")
        }
        "NO_SUCH_BOARD" => phrase(
            "the round has no such board: check the pairing sheet",
            "в туре нет такой доски: сверьтесь с жеребьёвкой",
        ),
        "NO_SUCH_PLAYER" => {
            phrase("the event has no such player: enter him first", "в турнире нет такого игрока: сначала внесите его")
        }
        "EVENT_EXISTS" => phrase(
            "an event has this name already: choose another name, or revise that one",
            "турнир с таким именем уже есть: выберите другое имя или измените тот",
        ),
        "ROUND_STARTED" => phrase(
            "the round is started, and its pairings do not change any more: enter results, move games, close it",
            "тур начат, пары больше не меняются: вносите результаты, переносите партии, закройте тур",
        ),
        "ROUND_CLOSED" => phrase(
            "the round is closed; a result is still corrected, with a note that says why",
            "тур закрыт; результат ещё можно исправить, указав причину",
        ),
        "ROUND_OPEN" => phrase(
            "boards have no result: enter the results, or close over open boards",
            "на некоторых досках нет результата: внесите результаты или закройте тур с открытыми досками",
        ),
        "GAME_OPEN" => phrase(
            "the game is open on its clock: leave the board in the pairing, or move the game first; who does not play loses by forfeit",
            "партия открыта на своих часах: оставьте доску в жеребьёвке или сначала перенесите партию; кто не играет, проигрывает неявкой",
        ),
        "GAME_BEGUN" => phrase(
            "the game was begun by other players: leave the board to them, or enter its result",
            "партию начали другие игроки: оставьте доску им или внесите её результат",
        ),
        "RESULT_DIFFERS" => phrase(
            "the game's result and the one entered are not the same: look at the sheets, and say why if it is meant",
            "результат партии и внесённый различаются: сверьте бланки; если так и нужно, укажите причину",
        ),
        "ENDS_GAME" => phrase(
            "the game is under way, and the result would end it for good: look at board and players first",
            "партия идёт, и результат завершил бы её окончательно: сначала проверьте доску и игроков",
        ),
        "RESULT_ENDED_GAME" => phrase(
            "the game has ended with a result entered by hand, and does not go on: enter the right result and say why; if it must be \
             played on, open a game by hand on its clock",
            "партия завершена результатом, внесённым вручную, и не продолжается: внесите верный результат и укажите причину; если её \
             нужно доиграть, откройте на этих часах партию вручную",
        ),
        "NOTHING_ENTERED" => phrase("there is no entry to withdraw", "отзывать нечего: результат не вносили"),
        "CLOCK_AWAY" => phrase(
            "the clock is not connected; it starts White's time by itself once it is back: switch it on, or give the board another one",
            "часы не на связи; когда они вернутся, сами пустят время белых: включите их или дайте доске другие",
        ),
        "COUNT_CHANGED" => phrase(
            "another number of clocks would start than was confirmed; nothing has started: look at the page again and confirm the new number",
            "число часов, которые будут пущены, изменилось; ничего не пущено: посмотрите на страницу снова и подтвердите новое число",
        ),
        _ => return None,
    })
}

fn of_service(name: &str) -> Option<Phrase> {
    Some(match name {
        "SLOW_READER" => phrase(
            "too much was waiting to be read: load the page anew",
            "накопилось слишком много непрочитанного: загрузите страницу заново",
        ),
        "QUARANTINED" => phrase(
            "the journal of this game, clock, event or round is damaged, and nothing is written to it: call who looks after the service",
            "журнал этой партии, этих часов, турнира или тура повреждён, в него ничего не пишется: позовите того, кто следит за службой",
        ),
        "JOURNAL_FULL" => phrase(
            "the disk of the service is full; nothing was done: call who looks after the service",
            "диск службы заполнен; ничего не сделано: позовите того, кто следит за службой",
        ),
        "JOURNAL_DOWN" => phrase(
            "the journal of the service takes no entries; nothing was done, the clocks go on: call who looks after the service",
            "журнал службы не принимает записей; ничего не сделано, часы продолжают идти: позовите того, кто следит за службой",
        ),
        "DRAINING" => phrase(
            "the service is going down in good order: try again in a moment",
            "служба завершает работу: повторите немного позже",
        ),
        _ => return None,
    })
}

fn of_pages(name: &str) -> Option<Phrase> {
    Some(match name {
        "REASON_NEEDED" => phrase(
            "say why: it is left to you, and an appeal will ask",
            "укажите причину: это оставлено на ваше усмотрение, и при апелляции об этом спросят",
        ),
        "STALE_FORM" => phrase(
            "this form is not from a page of this session; nothing was done: load the page anew and try again",
            "эта форма не со страницы этого сеанса; ничего не сделано: загрузите страницу заново и повторите",
        ),
        "NOT_FOUND" => phrase(
            "there is no such page, or nothing of this name to do",
            "такой страницы нет, или такого действия нет",
        ),
        "NOT_LOCAL" => phrase(
            "without users the desk answers on this machine only, by the name localhost or its address",
            "пока пользователи не заведены, стол отвечает только на этой машине, по имени localhost или её адресу",
        ),
        "WRONG_PASSWORD" => phrase("nobody has this name and password", "нет такого имени с таким паролем"),
        _ => return None,
    })
}

/// What may stand in a field of a form, by the field's name, where a `BAD_REQUEST` names it.
#[must_use]
pub fn field(name: &str) -> Option<Phrase> {
    let last = name.rsplit(['.', '_']).next().unwrap_or(name);
    Some(match last {
        "amount" | "white" | "black" => phrase(
            "a time is written H:MM:SS, M:SS or in seconds, and is below ten hours",
            "время пишут как Ч:ММ:СС, М:СС или в секундах; оно меньше десяти часов",
        ),
        "period" => phrase(
            "the time control has no such period: count from 1",
            "в этом контроле времени нет такого периода: считайте с 1",
        ),
        "moves" => phrase("a number of moves is a whole number", "число ходов пишут целым числом"),
        "side" | "by" => phrase("choose White or Black", "выберите белых или чёрных"),
        "result" => phrase("choose a result", "выберите результат"),
        "reason" | "note" => phrase("say why, in at most 2,000 characters", "укажите причину, не длиннее 2000 знаков"),
        "start" | "end" | "begins" | "date" => {
            phrase("a date and time are missing, or are none", "дата и время не указаны или указаны неверно")
        }
        _ => return None,
    })
}

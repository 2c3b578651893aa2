//! The named reasons in words, as a reader of either language has them: what it means, and what to do.

use crate::laws::Phrase;

const fn phrase(en: &'static str, ru: &'static str) -> Phrase {
    Phrase { en, ru }
}

/// What a reason means, by the code of a [`Refusal`](super::Refusal); `None`: the rules have no such reason.
#[must_use]
pub fn reason(code: &str) -> Option<Phrase> {
    of_game(code).or_else(|| of_adjournment(code))
}

fn of_game(code: &str) -> Option<Phrase> {
    Some(match code {
        "NO_SUCH_GAME" => phrase(
            "no game has this name: check the board's number",
            "партии с таким именем нет: проверьте номер доски",
        ),
        "GAME_EXISTS" => phrase(
            "a game has this name already: choose another name",
            "партия с таким именем уже есть: выберите другое имя",
        ),
        "GAME_OVER" => phrase("the game is over; its result stands", "партия окончена; результат остаётся в силе"),
        "RESULT_WAITS" => phrase(
            "the game is over, and its result follows as soon as it is known whether the opponent can mate",
            "партия окончена, результат будет известен, когда выяснится, может ли соперник поставить мат",
        ),
        "UNKNOWN_EDITION" => phrase(
            "this release does not know the edition: choose one that it knows",
            "эта версия программы не знает такой редакции: выберите одну из известных ей",
        ),
        "BAD_POSITION" => phrase(
            "the text is no legal position: compare it with the board, side to move and castling included",
            "это не запись возможной позиции: сверьте её с доской, включая очередь хода и рокировку",
        ),
        "NO_SUCH_CASE" => phrase("nothing is open to be decided", "нечего решать"),
        "NO_SUCH_PLY" => phrase("that player made no such move on record", "такого хода этого игрока нет в записи"),
        "NO_SUCH_PAWN" => phrase(
            "by the record no pawn of that player stood before the last rank",
            "по записи у этого игрока не было пешки перед последней горизонталью",
        ),
        "ALREADY_DECIDED" => phrase("it was decided before", "решение уже принято"),
        "NOT_DECIDABLE" => phrase("the clock has not reported its stop yet", "часы ещё не сообщили об остановке"),
        "NO_SUCH_CHOICE" => phrase("it cannot be decided so", "такого решения нет"),
        "OVERTAKEN" => phrase(
            "a move was completed or the times were set since: look at the clock again",
            "с тех пор сделан ход или часы переставлены: посмотрите на часы снова",
        ),
        "CASE_OPEN" => phrase("another case is open; decide that first", "сначала решите открытый случай"),
        "BAD_AMOUNT" => phrase("an amount is out of range", "недопустимая величина"),
        "NOT_BY_HAND" => phrase(
            "the service gives this directive itself: open a game or decide a case instead",
            "это указание служба даёт сама: откройте партию или решите случай",
        ),
        "FLAG_DOWN" => phrase(
            "the flag of the player to move is down at zero: with the clock stopped give time (add or set), and then let it run",
            "у игрока, за которым ход, флаг упал на нуле: при остановленных часах добавьте или установите время, затем пустите часы",
        ),
        "NOT_IRREGULAR" => phrase(
            "the edition knows no such irregularity; a penalty may follow from its article on penalties",
            "в этой редакции такого нарушения нет; наказание возможно по статье о наказаниях",
        ),
        "NO_REPLY" => phrase(
            "a player does no such thing in reply to what his opponent did",
            "такого в ответ на нарушение соперника не делают",
        ),
        "NOT_PRESSED" => phrase(
            "that player has completed no move since he was last punished: name the ply if an earlier one is meant",
            "после последнего наказания этот игрок не завершил ни одного хода: если речь о более раннем, укажите его",
        ),
        "ADJOURNED" => phrase(
            "the game is being adjourned or is adjourned: this waits until it goes on",
            "партия откладывается или отложена: это ждёт её возобновления",
        ),
        "NOTHING_TO_CLAIM" => phrase(
            "nothing on record that could be claimed now: report what was seen instead",
            "требовать сейчас нечего: сообщите, что было замечено",
        ),
        "ONLY_BY_CLAIM" => phrase(
            "only the opponent can act on it: enter his claim instead",
            "вмешаться можно только по требованию соперника: введите его требование",
        ),
        "NO_PROCEDURE" => phrase(
            "the edition has no procedure for adjourned games",
            "в этой редакции нет порядка откладывания партий",
        ),
        "POSITION_UNKNOWN" => phrase(
            "no board shows the position: write it down from the table and give it in FEN",
            "доска не показывает позицию: запишите её со столика и введите в FEN",
        ),
        "OTHER_TO_MOVE" => phrase(
            "by the clock another player has the move than by this position: put the position right, or set the clock first",
            "по часам ход за другим игроком, чем в этой позиции: исправьте позицию или сначала переставьте часы",
        ),
        "CLOCK_RUNS" => phrase(
            "the clock runs: let the player stop it or stop it from the desk, or give both times",
            "часы идут: пусть их остановит игрок, остановите их сами или введите оба времени",
        ),
        _ => return None,
    })
}

fn of_adjournment(code: &str) -> Option<Phrase> {
    Some(match code {
        "WRONG_PHASE" => phrase("this step does not come now", "сейчас этот шаг не делают"),
        "PROPOSAL_OPEN" => phrase(
            "the arbiter is asked something: answer that first",
            "арбитру задан вопрос: сначала ответьте на него",
        ),
        "NO_PROPOSAL" => phrase("nothing waits for the arbiter", "арбитра ни о чём не спрашивают"),
        "END_NOT_ANNOUNCED" => phrase(
            "the end of the session is announced in advance with its start: give both",
            "окончание игровой сессии объявляют заранее вместе с началом: укажите и то и другое",
        ),
        "NO_SESSION" => phrase(
            "the session's end is not known: announce the session first",
            "окончание игровой сессии неизвестно: сначала объявите сессию",
        ),
        "BAD_SESSION" => phrase(
            "the session ends before it starts: check both times",
            "сессия кончается раньше, чем начинается: проверьте оба времени",
        ),
        "NOT_IN_ADVANCE" => phrase(
            "the time of the resumption has passed: fix a later one",
            "время доигрывания уже прошло: назначьте более позднее",
        ),
        "TOO_EARLY" => phrase(
            "it is too early for this step by the arbiter's clock: wait",
            "по часам арбитра для этого шага ещё рано: подождите",
        ),
        "NOT_EARLY" => phrase(
            "the session has ended: let the arbiter require the move to be sealed",
            "сессия окончена: теперь записать секретный ход требует арбитр",
        ),
        "MOVE_MADE" => phrase(
            "the move made on the board is written and no longer changes",
            "ход, сделанный на доске, записан и больше не меняется",
        ),
        "ILLEGAL_MOVE" => phrase(
            "the move is not legal in the position: rule it as an illegal move, then go on",
            "в этой позиции такой ход невозможен: рассмотрите его как невозможный ход, затем продолжайте",
        ),
        "NOT_WRITTEN" => phrase(
            "no move is written, or not the one made on the board: let the player write it",
            "ход не записан, или записан не тот, что сделан на доске: пусть игрок его запишет",
        ),
        "NOT_PAPER" => phrase(
            "the move is sealed on a paper score sheet: let the player copy it to one",
            "секретный ход запечатывают на бумажном бланке: пусть игрок перепишет ход на него",
        ),
        "SHEET_MISSING" => phrase(
            "a player's score sheet is not in the envelope: put it in before sealing",
            "в конверте нет бланка одного из игроков: вложите его до запечатывания",
        ),
        "NOT_SEALED" => phrase(
            "the envelope is not sealed: seal it, and only then stop the clock",
            "конверт не запечатан: запечатайте его и только потом остановите часы",
        ),
        "ALREADY_SEALED" => phrase("the envelope is sealed already", "конверт уже запечатан"),
        "OPPONENT_STARTED" => phrase(
            "the opponent's clock was started: stop it, put its time back, and report the clock again",
            "часы соперника были пущены: остановите их, верните время и введите показания снова",
        ),
        "ENVELOPE_INCOMPLETE" => phrase(
            "something is missing on the envelope: give the envelope as it should be",
            "на конверте указано не всё: введите его таким, каким он должен быть",
        ),
        "OTHER_SEALER" => phrase(
            "the corrected envelope says that the other player sealed: correct the position's side to move",
            "по исправленному конверту ход записал другой игрок: исправьте очередь хода в позиции",
        ),
        "NOT_CHECKED" => phrase(
            "the envelope was not checked: let the arbiter check it first",
            "конверт не проверен: сначала его проверяет арбитр",
        ),
        "NO_RESUMPTION" => phrase(
            "no date, time and venue of the resumption: fix them first",
            "дата, время и место доигрывания не назначены: сначала назначьте их",
        ),
        "TIMES_UNKNOWN" => phrase(
            "a reading is unknown: the arbiter must give both times",
            "показания часов неизвестны: введите оба времени",
        ),
        "TIMES_KNOWN" => phrase(
            "the recorded times are known and are set: give none",
            "записанные показания известны, они и будут установлены: не вводите их",
        ),
        "OFFER_BY_SEALER" => phrase(
            "only the offer of the player who did not seal stays open; note an agreement as one",
            "открытым остаётся предложение ничьей только того игрока, который не записывал ход; соглашение введите как соглашение",
        ),
        "OFFER_OPEN" => phrase(
            "a draw offer is open already: let it be accepted or declined",
            "ничья уже предложена: пусть её примут или отклонят",
        ),
        "NO_OFFER" => phrase("no draw is offered to this player", "этому игроку ничья не предложена"),
        "PLAYER_ABSENT" => {
            phrase("the player is not here: note when he comes", "игрока ещё нет: отметьте, когда он придёт")
        }
        "SEALER_HERE" => phrase(
            "the player who sealed is here: reply in the normal manner",
            "игрок, записавший ход, здесь: отвечают обычным образом",
        ),
        "ENVELOPE_SHUT" => phrase(
            "the envelope stays shut until the player who must reply is here: note when he comes",
            "конверт не вскрывают, пока нет игрока, который должен отвечать: отметьте, когда он придёт",
        ),
        "ENVELOPE_LOST" => phrase(
            "the envelope is lost: let the player who sealed say which move it was",
            "конверт утерян: пусть игрок, записавший ход, назовёт его",
        ),
        "ENVELOPE_NOT_LOST" => phrase("the envelope is there: open it", "конверт на месте: вскройте его"),
        "NOT_RUNNING" => phrase(
            "that player's clock does not run: check whose flag fell",
            "часы этого игрока не идут: проверьте, чей флаг упал",
        ),
        "ALREADY_MOVED" => phrase(
            "that player has made a move since the resumption already",
            "этот игрок после возобновления уже сделал ход",
        ),
        _ => return None,
    })
}

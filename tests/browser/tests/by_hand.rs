//! What is done by hand is looked at first, is offered to those whose act it is, and only where it can be done.

use flagfall_browser::{
    hall::{Games, Hall, people},
    plain::Visitor,
};
use flagfall_proto::{
    desk::v1::{GameSnapshot, GetGameRequest},
    journal::v1::Ending,
};
use flagfall_server::desk::auth::Users;

const GAME: &str = "r1.b01";

async fn stands(hall: &Hall) -> anyhow::Result<GameSnapshot> {
    let asked = GetGameRequest { game: GAME.into() };
    Ok(hall.desk().await?.get_game(asked).await?.into_inner().game.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draw_is_agreed_by_both_after_it_was_looked_at_and_nothing_that_cannot_be_is_offered_then()
-> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.start().await?;
    table.play("e2e4").await?;
    table.wait("is heard", |shown| shown.acked > 0 && shown.acked == shown.spooled).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    let page = arbiter.get("/game/r1.b01").await?.body;
    for form in
        ["value=\"run\"", "value=\"add\"", "value=\"set\"", "value=\"annul\"", "value=\"agreed\"", "\"claim_draw\""]
    {
        assert!(page.contains(form), "{form}: {page}");
    }
    assert!(!page.contains("method=\"post\""), "every form of the game leads to a page that shows first: {page}");
    assert!(!page.contains("value=\"agreement\""), "nobody agrees alone: {page}");

    // What would follow is shown, and nothing is done: neither without a reason.
    let looked = arbiter.get("/game/r1.b01/act?do=agreed").await?.body;
    for said in ["both agree on a draw", "Nothing is done yet.", "½-½ draw agreed (5.2.3)"] {
        assert!(looked.contains(said), "{said}: {looked}");
    }
    assert_eq!(arbiter.look_and_do(GAME, &[("do", "agreed")], "").await?.status, 400);
    let resigns = [("do", "report"), ("kind", "resignation"), ("side", "white")];
    assert_eq!(arbiter.look_and_do(GAME, &resigns, "").await?.status, 400, "an appeal will ask");
    let alone = [("do", "report"), ("kind", "agreement"), ("side", "white")];
    assert_eq!(arbiter.look_and_do(GAME, &alone, "x").await?.status, 400);
    assert_eq!(stands(&hall).await?.ended, None);
    let done = arbiter.look_and_do(GAME, &[("do", "agreed")], "both said so").await?;
    assert_eq!(done.status, 303, "{}", done.body);
    assert_eq!(stands(&hall).await?.ended.map(|ended| ended.ending()), Some(Ending::Agreement));

    // It is over: its result can be put right, for a person entered it; the clock goes no more, and nobody claims anything.
    let page = arbiter.get("/game/r1.b01").await?.body;
    for form in
        ["value=\"run\"", "value=\"add\"", "value=\"set\"", "value=\"annul\"", "value=\"agreed\"", "\"claim_draw\""]
    {
        assert!(!page.contains(form), "{form}: {page}");
    }
    assert!(page.contains("value=\"result\"") && page.contains("both agree on a draw"), "{page}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_seen_is_looked_at_before_it_is_reported() -> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.start().await?;
    table.play("e2e4").await?;
    table.wait("is heard", |shown| shown.acked > 0 && shown.acked == shown.spooled).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    let looked = arbiter.get("/game/r1.b01/act?do=report&kind=two_hands&side=white").await?.body;
    assert!(looked.contains("(White), 7.5.4") && looked.contains("What follows"), "{looked}");
    assert!(stands(&hall).await?.cases.is_empty());
    let seen = [("do", "report"), ("kind", "two_hands"), ("side", "white")];
    let done = arbiter.look_and_do(GAME, &seen, "castled with both").await?;
    assert_eq!(done.status, 303, "{}", done.body);
    let cases = stands(&hall).await?.cases;
    assert_eq!(cases.len(), 1, "{cases:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_looks_at_what_is_his_to_do() -> anyhow::Result<()> {
    let (users, token) = people()?;
    let hall = Hall::start(2, users).await?;
    let mut table = hall.table(1, &Games::default(), Some(&token)).await?;
    table.wait("has its game", |shown| shown.online && !shown.game.is_empty()).await?;
    // Goes on on another clock; stops the clock.
    for (name, expected) in [("Vera", [403, 403]), ("Sascha", [403, 200]), ("Chris", [200, 200]), ("Olga", [200, 403])]
    {
        let mut visitor = Visitor::at(&hall.page("/"));
        visitor.sign_in(name).await?;
        let mut found = Vec::new();
        for act in ["do=move&device=clock-2", "do=stop"] {
            found.push(visitor.get(&format!("/game/r1.b01/act?{act}")).await?.status);
        }
        assert_eq!(found, expected, "{name}");
        // Who is offered it may do it.
        let offered = visitor.get("/game/r1.b01").await?.body.contains("name=\"do\" value=\"move\"");
        assert_eq!(offered, expected[0] == 200, "{name}");
    }
    let mut organiser = Visitor::at(&hall.page("/"));
    organiser.sign_in("Olga").await?;
    let moved = organiser.look_and_do(GAME, &[("do", "move"), ("device", "clock-2")], "the battery died").await?;
    assert_eq!(moved.status, 303, "{}", moved.body);
    Ok(())
}

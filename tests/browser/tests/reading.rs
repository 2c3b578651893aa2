//! How a reader finds his way: to every round, to the other language, through names of any script.

use flagfall_browser::{
    browser::{Driver, Look},
    hall::{Games, Hall},
    plain::Visitor,
};
use flagfall_server::desk::auth::{Role, Users};

#[tokio::test(flavor = "multi_thread")]
async fn every_event_is_reached_and_what_is_not_there_is_named() -> anyhow::Result<()> {
    let hall = Hall::start(2, Users::default()).await?;
    let mut reader = Visitor::at(&hall.page("/"));
    let none = reader.get("/round").await?;
    assert!(none.status == 200 && none.body.contains("There is no event yet"), "{}", none.body);

    drop(hall.event(2, |number| format!("Player {number:03}")).await?);
    hall.create("rapid", "Harbour Rapid").await?;
    // The event with a round is what is asked for most; from each the other one is reached.
    let page = reader.get("/round").await?.body;
    assert!(page.contains("Harbour Open</bdi> · round 1"), "{page}");
    let paired_none = reader.get("/round?event=rapid").await?;
    assert_eq!(paired_none.status, 200);
    assert!(paired_none.body.contains("No round is paired yet"), "{}", paired_none.body);
    for body in [&page, &paired_none.body] {
        for link in ["href=\"/round?event=open\"", "href=\"/round?event=rapid\""] {
            assert!(body.contains(link), "{link}: {body}");
        }
        assert!(!body.contains("There is no event yet"), "{body}");
    }
    for (path, code) in [
        ("/round?event=open&round=7", "NO_SUCH_ROUND"),
        ("/round?event=rapid&round=1", "NO_SUCH_ROUND"),
        ("/round?round=7", "NO_SUCH_ROUND"),
        ("/round?event=none", "NO_SUCH_EVENT"),
    ] {
        let answer = reader.get(path).await?;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
        assert!(answer.body.contains(code), "{path}: {}", answer.body);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_language_is_changed_on_a_page_that_answers_a_form() -> anyhow::Result<()> {
    let hall = Hall::start(2, Users::default()).await?;
    let mut tables = hall.event(2, |number| format!("Player {number:03}")).await?;
    tables[0].start().await?;
    tables[0].wait("is heard", |shown| shown.acked > 0 && shown.acked == shown.spooled).await?;
    let mut reader = Visitor::at(&hall.page("/"));
    let word = reader.word("/game/open.r1.b01/act?do=stop").await?;
    for (path, field, back) in [
        // Refused.
        ("/game/open.r1.b01/decide", ("case", "9"), "/calls"),
        ("/game/open.r1.b01/heed", ("through", "9"), "/calls"),
        ("/game/open.r1.b01/act", ("do", "dance"), "/game/open.r1.b01"),
        ("/round/open/1/start", ("expected", "77"), "/round?event=open&round=1"),
        // The game is under way, and is shown before it is ended.
        ("/round/open/1/result", ("result", "1-0"), "/round?event=open&round=1"),
    ] {
        let fields = [("word", word.as_str()), ("request", path), ("board", "1"), ("note", "x"), field];
        let answer = reader.post(path, &fields).await?;
        let link = answer.body.split_once("href=\"/lang/ru").expect("the other language").1;
        let link = link.split('"').next().unwrap_or_default();
        let changed = Visitor::at(&hall.page("/")).get(&format!("/lang/ru{link}")).await?;
        assert_eq!((changed.status, changed.headers["location"].as_str()), (303, back), "{path}: {link}");
        assert_eq!(reader.get(back).await?.status, 200, "{path}");
    }
    // To nowhere else.
    let elsewhere = reader.get("/lang/ru?back=%2F%2Felsewhere.example").await?;
    assert_eq!(elsewhere.headers["location"], "/");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn white_stands_before_black_in_whatever_script_they_write_their_names() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let hall = Hall::start(2, Users::default()).await?;
    let mut tables = hall.event(2, |number| if number < 3 { "כהן דוד".into() } else { "علي محمد".into() }).await?;
    tables[0].start().await?;
    tables[0].jump().await?;
    let window = driver.window(Look::LAPTOP).await?;
    for page in ["/game/open.r1.b01", "/calls", "/game/open.r1.b01/act?do=stop", "/sheet"] {
        window.open(&hall.page(page)).await?;
        if page == "/sheet" {
            let mut arbiter = Visitor::at(&hall.page("/"));
            let add = [("do", "add"), ("side", "white"), ("amount", "1:00")];
            assert_eq!(arbiter.look_and_do("open.r1.b01", &add, "noise").await?.status, 303);
            window.open(&hall.page(page)).await?;
        }
        window.until("document.querySelectorAll('main bdi').length > 1").await?;
        let places = window
            .eval("[...document.querySelectorAll('main bdi')].filter((name) => /כהן|علي/.test(name.textContent)).slice(0, 2).map((name) => \
                   [name.textContent, name.getBoundingClientRect().left])")
            .await?;
        assert_eq!((&places[0][0], &places[1][0]), (&"כהן דוד".into(), &"علي محمد".into()), "{page}");
        let left = |name: usize| places[name][1].as_f64().unwrap_or(f64::NAN);
        assert!(left(0) < left(1), "{page}: {places}");
    }
    window.close().await?;
    driver.end().await;
    // A name that turns what follows is none.
    let refused = hall.enter("open", "Tal\u{202e}lat").await.expect_err("it turns what follows");
    assert!(refused.to_string().contains("players.name"), "{refused}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_to_a_board_hears_what_stands_on_it() -> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.start().await?;
    table.play("e2e4").await?;
    table.wait("is heard", |shown| shown.acked > 1 && shown.acked == shown.spooled).await?;
    let mut reader = Visitor::at(&hall.page("/"));
    let page = reader.get("/game/r1.b01").await?.body;
    let told = "White: king e1, queen d1, rooks a1 h1, bishops c1 f1, knights b1 g1, pawns e4 a2 b2 c2 d2 f2 g2 h2; Black: king e8";
    assert!(page.contains(told), "{page}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_good_to_its_last_space() -> anyhow::Result<()> {
    let mut users = Users::default();
    users.add("Vera", Role::Viewer, Vec::new(), Some(" spacey pw "))?;
    let hall = Hall::start(1, users).await?;
    for (password, status) in [("spacey pw", 403), (" spacey pw ", 303)] {
        let mut visitor = Visitor::at(&hall.page("/"));
        let word = visitor.word("/login").await?;
        let answer = visitor.post("/login", &[("word", &word), ("name", " Vera"), ("password", password)]).await?;
        assert_eq!(answer.status, status, "{password:?}: {}", answer.body);
    }
    Ok(())
}

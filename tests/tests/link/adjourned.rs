//! A game from the end of one session to the sealed move on another clock: a real service that is killed in between, the desk from a
//! shell, a raw clock with a board, and a real agent.

use std::{
    io::Write,
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use flagfall_proto::{
    clock::v1::{self, Going, device_event::What},
    desk::v1::{
        AdjournRequest, GameSnapshot, ListGamesRequest, WatchGamesRequest, desk_service_client::DeskServiceClient,
    },
    journal::v1::{AdjournmentDeed, AdjournmentPhase as Phase, Opened, adjournment_deed::Deed},
};
use flagfall_rules::clock::{Colour, Going as Stands};
use flagfall_server::seal::{Identity, SealError};
use flagfall_tests::terminal::{Terminal, binaries};
use rustix::process::Signal;
use tokio::time::timeout;
use tonic::transport::Channel;

use crate::{
    clock::{Clock, PATIENCE, Spool},
    house::act,
};

/// What is sealed: nothing else in a journal looks like it.
const SEALED: &str = "2. Ng1-f3!?";

struct House {
    folder: PathBuf,
    clocks: SocketAddr,
    desk: String,
}

impl House {
    /// A service's settings, and the settings of the second clock, in a folder of their own.
    fn new(folder: &Path, recipient: &str) -> House {
        let free = || TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        let [clocks, desk, ops] = [free(), free(), free()];
        let service = format!(
            "data_dir = 'journal'\n[listen]\nclocks = '{clocks}'\ndesk = '{desk}'\nops = '{ops}'\nweb = '127.0.0.1:0'\n\
             [[clocks]]\ndevice = 'clock-1'\nboard = 'board-1'\n[[clocks]]\ndevice = 'clock-2'\nboard = 'board-2'\n\
             [adjournment]\nrecipient = '{recipient}'\n"
        );
        let clock = format!(
            "device = 'clock-2'\nserver = 'http://{clocks}'\nspool_dir = 'spool'\n[clock]\nkind = 'own'\n\
             [buttons]\nkind = 'keyboard'\n[board]\nkind = 'none'\n[display]\nkind = 'terminal'\n"
        );
        std::fs::write(folder.join("flagfall.toml"), service).expect("written");
        std::fs::write(folder.join("clock-2.toml"), clock).expect("written");
        House { folder: folder.to_owned(), clocks, desk: format!("http://{desk}") }
    }

    fn serve(&self) -> Terminal {
        let server = self.terminal("flagfall serve --config flagfall.toml");
        server.wait_for("serving");
        server
    }

    fn terminal(&self, line: &str) -> Terminal {
        Terminal::run(line, &self.folder, &binaries(), &[]).expect("a terminal")
    }

    /// A desk's command; what it says, on standard output or error.
    fn desk(&self, line: &str, input: &str) -> Result<String, String> {
        flagfall(&self.folder, &format!("{line} --desk {}", self.desk), input)
    }

    fn deed(&self, line: &str, input: &str) -> Result<String, String> {
        self.desk(&format!("adjourn g {line}"), input)
    }

    fn does(&self, line: &str) -> String {
        self.deed(line, "").unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    async fn client(&self) -> DeskServiceClient<Channel> {
        DeskServiceClient::connect(self.desk.clone()).await.expect("a listener")
    }

    /// Waits until the game stands so, looking again at every entry of it.
    async fn until(&self, what: &str, mut stands: impl FnMut(&GameSnapshot) -> bool) -> GameSnapshot {
        let mut client = self.client().await;
        let watch = WatchGamesRequest { games: vec!["g".into()] };
        let mut updates = client.watch_games(watch).await.expect("a watch").into_inner();
        loop {
            let update = timeout(PATIENCE, updates.message()).await;
            update.unwrap_or_else(|_| panic!("{what} does not come")).expect("no status").expect("more");
            let games = client.list_games(ListGamesRequest::default()).await.expect("a list").into_inner().games;
            let game = games.into_iter().find(|game| game.setup.as_ref().is_some_and(|setup| setup.game == "g"));
            if let Some(game) = game.filter(|game| stands(game)) {
                return game;
            }
        }
    }

    /// A text stands in a file of the journal.
    fn keeps(&self, text: &str) -> bool {
        files(&self.folder.join("journal")).iter().any(|file| {
            let bytes = std::fs::read(file).expect("readable");
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Runs `flagfall` with words separated by spaces, but for what stands between apostrophes.
fn flagfall(folder: &Path, line: &str, input: &str) -> Result<String, String> {
    let words = line.split('\'').enumerate().flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    let mut command = Command::new(binaries().join("flagfall"));
    command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("flagfall runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads or has ended");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A first session on a clock with a board: two plies, then White, who has 41:58.2 left, seals.
async fn first_session(house: &House) -> Spool {
    let mut spool = Spool::new("clock-1", 1);
    let mut clock = Clock::connect(house.clocks, &spool).await.expect("taken in");
    house.desk("open --device clock-1 --control 3600+30 --edition rf-2011 --game g", "").expect("open");
    let prepare = clock.directive().await;
    spool.face.hands.iter_mut().for_each(|hand| hand.left = Some(3_630_000));
    spool.report(&prepare, v1::Stage::Applied);
    spool.scan("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    spool.start();
    spool.scan("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    spool.press(Colour::White);
    spool.scan("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    spool.press(Colour::Black);
    clock.events(&spool, 1..=7).await;
    clock.acked(7).await;

    let now = now_in_seconds();
    house.does(&format!("announce --start {} --end {}", at(now - 4 * 3600), at(now - 60)));
    house.does("end-session --white Player-One --black Player-Two");
    let wrong = house.deed("seal --by black", SEALED).expect_err("White is to move");
    assert!(wrong.contains("black is not to seal"), "{wrong}");
    house.deed("seal --by white", SEALED).expect("sealed");
    house.does("sheet white");
    house.does("sheet black");
    house.does("close");
    let runs = house.deed("stop-clock", "").expect_err("it runs");
    assert!(runs.contains("CLOCK_RUNS: g: the clock runs"), "{runs}");
    spool.face.hands[0].left = Some(2_518_200);
    spool.face.going = Stands::Paused;
    spool.push(What::Paused(v1::Paused {}));
    clock.events(&spool, 8..=8).await;
    clock.acked(8).await;
    let said = house.does("stop-clock");
    assert!(said.contains("adjournment: adjourned, white sealed"), "{said}");
    house.does("hand-over 'the chief arbiter'");
    spool
}

fn now_in_seconds() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Seconds since 1970 as the desk reads them.
fn at(seconds: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(seconds).expect("a time of this century")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adjourned_game_outlives_the_service_and_resumes_on_another_clock() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipient = flagfall(folder.path(), "adjourn keygen --out identity.txt", "").expect("a key");
    let mode = folder.path().join("identity.txt").metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = flagfall(folder.path(), "adjourn keygen --out identity.txt", "").expect_err("it is there");
    assert!(again.contains("identity.txt"), "{again}");
    let house = House::new(folder.path(), &recipient);
    let server = house.serve();
    let mut old = first_session(&house).await;
    let resumes = now_in_seconds() + 8;
    house.does(&format!("appoint --start {} --end {} --venue 'the club'", at(resumes), at(resumes + 3600)));
    let checked = house.desk("adjourn g check --json", "").expect("checked");
    assert_eq!(checked, r#"{"choices":[],"game":"g","phase":"adjourned","rev":null}"#);

    // The service dies. What was sealed is in its journal, and nobody can read it there.
    let log = server.shown();
    server.signal(Signal::KILL);
    server.end();
    assert!(house.keeps("Player-Two") && house.keeps("the chief arbiter"), "the journal is in these files");
    for text in [SEALED, "Ng1-f3", "g1f3"] {
        assert!(!house.keeps(text) && !log.contains(text), "{text}");
    }
    let server = house.serve();
    let listed = house.desk("game g", "").expect("a game");
    assert!(
        listed.contains("adjournment: adjourned, white sealed, the envelope is with the chief arbiter"),
        "{listed}"
    );

    // Its clock is free meanwhile, and gets another game.
    house.desk("open --device clock-1 --control 300 --game h", "").expect("open");
    let mut first = Clock::connect(house.clocks, &old).await.expect("taken in");
    assert_eq!((first.welcome.game.as_str(), first.welcome.durable_through), ("h", 8));
    let prepare = first.directive().await;
    old.report(&prepare, v1::Stage::Applied);
    first.events(&old, 9..=9).await;
    first.acked(9).await;
    let taken = house.deed("set-up", "").expect_err("its clock has another game");
    assert!(taken.contains("NOT_ON_CLOCK: clock-1 has another game"), "{taken}");

    // It goes to a second clock, a real one, which shows what was recorded.
    let agent = house.terminal("flagfall-clock --config clock-2.toml");
    agent.wait_for("online");
    house.desk("directive g move --device clock-2 --note 'clock-1 has another game'", "").expect("moved");
    let shows = |game: &GameSnapshot, going: Going| {
        let face = game.face.unwrap_or_default();
        let left = [face.white, face.black].map(|hand| hand.and_then(|hand| hand.left_ms));
        (face.going() == going && left[0] == Some(2_518_200), left[1])
    };
    house.until("the recorded times", |game| shows(game, Going::Paused) == (true, Some(3_630_000))).await;
    agent.wait_for("the times");

    house.does("set-up");
    house.does("came white");
    house.does("came black");
    let shut = house.deed("open --identity identity.txt", "").expect_err("before the time agreed");
    assert!(shut.contains("ENVELOPE_SHUT: g"), "{shut}");
    // The time agreed is one of the calendar: nothing else tells when it has come.
    let wait = u64::try_from(resumes - now_in_seconds()).unwrap_or(0);
    tokio::time::sleep(Duration::from_secs(wait)).await;
    house.does("begin");

    // Opened without the service it is what was sealed; so is what was sealed without it.
    let envelope = house.deed(&format!("envelope --for {recipient}"), SEALED).expect("sealed");
    let unseal = format!("unseal --identity identity.txt {envelope}");
    let opened = house.deed(&unseal, "").expect("opened");
    assert!(opened.starts_with("flagfall-opened-") && opened.ends_with(SEALED), "{opened}");
    let other = house.desk(&format!("adjourn h {unseal}"), "").expect_err("it is of another game");
    assert!(other.contains("SEAL_BROKEN"), "{other}");

    // What is brought must be what was sealed.
    let stands = house.until("the opening", |game| phase(game) == Phase::Opening).await;
    let mut ciphertext = stands.adjournment.expect("an adjournment").seal.expect("a seal").ciphertext;
    let identity = std::fs::read_to_string(house.folder.join("identity.txt")).expect("a file");
    let identity: Identity = identity.lines().last().expect("a key").parse().expect("a key");
    let (text, nonce) = identity.open(&ciphertext).expect("opened");
    assert_eq!(text, SEALED);
    *ciphertext.last_mut().expect("bytes") ^= 1;
    assert_eq!(identity.open(&ciphertext), Err(SealError::Broken));
    let opened = Opened { text: "2. Nb1-c3".into(), nonce: nonce.to_vec() };
    let deed = Some(AdjournmentDeed { deed: Some(Deed::Opened(opened)) });
    let request = AdjournRequest { act: act("forged"), game: "g".into(), deed };
    let forged = house.client().await.adjourn(request).await.expect_err("another move");
    assert!(forged.message().starts_with("SEAL_BROKEN: g: "), "{forged}");

    let said = house.does("open --identity identity.txt");
    assert!(said.contains("adjournment: resumed"), "{said}");
    let stands = house.until("the responder's clock", |game| shows(game, Going::Running).0).await;
    let moves: Vec<&str> = stands.plies.iter().map(|ply| ply.uci.as_str()).collect();
    assert_eq!(moves, ["e2e4", "e7e5", "g1f3"]);
    let face = stands.face.unwrap_or_default();
    assert_eq!((face.turn(), face.white.map(|hand| hand.moves)), (v1::Colour::Black, Some(2)));
    assert!(house.keeps("g1f3") && house.keeps(SEALED), "once opened it is on record");

    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    let dump = flagfall(&house.folder, "journal dump --data journal g", "").expect("a dump");
    for line in [
        "the chief arbiter has the envelope (article A3)",
        "the game goes on on clock-2",
        "the sealed move g1f3 is made",
    ] {
        assert!(dump.contains(line), "{line}\n{dump}");
    }
    flagfall(&house.folder, "journal verify --data journal", "").expect("verified");
}

fn phase(game: &GameSnapshot) -> Phase {
    game.adjournment.as_ref().map_or(Phase::Unspecified, |adjournment| adjournment.phase())
}

use super::*;

#[cfg(feature = "gpio")]
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/flagfall-clock.toml");

fn read(toml: &str) -> Result<Config, String> {
    Config::from(Path::new("clock.toml"), Figment::new().merge(Toml::string(toml))).map_err(|error| error.to_string())
}

/// Without the variables, which another test sets.
fn file(path: &str) -> Result<Config, ConfigError> {
    Config::from(Path::new(path), Figment::new().merge(Toml::file_exact(path)))
}

const LEAST: &str = "device = 'b'\nserver = 'http://host:7701'\nspool_dir = '/tmp/spool'\n";

// The sample has push buttons, which a program without gpio refuses.
#[cfg(feature = "gpio")]
#[test]
fn the_sample_is_read() {
    let config = file(SAMPLE).expect("the sample");
    let settings = config.settings(1);
    assert_eq!((settings.clock, settings.default_control), (ClockKind::Own, "5400+30".parse().ok()));
    assert_eq!(config.board, BoardTable { kind: BoardKind::Dgt, port: "/dev/ttyACM0".into() });
    assert_eq!(config.display.kind, DisplayKind::Terminal);
    match config.buttons {
        Some(ButtonsTable::Gpio(gpio)) => {
            assert_eq!((gpio.left, gpio.right, gpio.call), (Some(17), Some(27), Some(23)))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn little_is_needed() {
    let config = read(LEAST).expect("enough");
    assert!(config.buttons.is_none());
    assert_eq!((config.settle_ms, config.clock.kind, config.board.kind), (1_000, Keeper::Own, BoardKind::None));
    let keyboard = read(&format!("{LEAST}[buttons]\nkind = 'keyboard'")).expect("enough");
    assert!(matches!(keyboard.buttons, Some(ButtonsTable::Keyboard {})));
}

#[test]
fn a_mistake_is_named_with_its_file_and_key() {
    let cases = [
        ("server = 'http://host:1'\nspool_dir = '/'", "clock.toml: missing field `device`"),
        ("devise = 'b'", "unknown field: found `devise`, expected"),
        (
            "device = 'a b'\nserver = 'host'\nspool_dir = '/'",
            "clock.toml: device: expected 1 to 64 of A-Z a-z 0-9 . _ -, found \"a b\"",
        ),
        ("device = 'a'\nserver = 'host'\nspool_dir = '/'", "clock.toml: server: \"host\" is no address"),
        ("[clock]\nkind = 'sand'", "clock.toml: clock.kind: unknown variant: found `sand`"),
        ("[buttons]\nkind = 'keyboard'\nleft = 3", "clock.toml: buttons"),
        ("[buttons]\nkind = 'gpio'\nleft = 'A'", "clock.toml: buttons"),
    ];
    for (toml, expected) in cases {
        let toml = if toml.starts_with('[') { format!("{LEAST}{toml}") } else { toml.to_owned() };
        let error = read(&toml).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let gpio = |lines: &str| format!("[buttons]\nkind = 'gpio'\n{lines}");
    let buttons = [
        (
            gpio("left = 17\nright = 17"),
            "clock.toml: buttons: expected a line of its own for every button, found line 17",
        ),
        (gpio("left = 17"), "clock.toml: buttons: expected left and right"),
        (gpio(""), "clock.toml: buttons: expected left and right"),
        (
            gpio("left = 1\nright = 2\ndebounce_ms = 600000"),
            "clock.toml: buttons.debounce_ms: expected 0 to 500, found",
        ),
        ("[board]\nkind = 'dgt'\nport = ''".to_owned(), "clock.toml: board.port: expected a serial port"),
    ];
    for (toml, expected) in buttons {
        let error = read(&format!("{LEAST}{toml}")).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let a_file = concat!("spool_dir = '", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml'");
    let top = [
        ("spool_dir = '/tmp/spool'", "spool_dir = ''", "spool_dir: expected a folder, found \"\""),
        ("spool_dir = '/tmp/spool'", a_file, "spool_dir: expected a folder"),
        ("http://host:7701", "http://host:99999", "server: \"http://host:99999\" is no address"),
        ("http://host:7701", "http://host:7701/abc", "one such as http://10.0.0.2:7701: nothing follows the port"),
        ("device = 'b'", "device = 'b'\nsettle_ms = 0", "settle_ms: expected 100 to 60000, found 0"),
        ("device = 'b'", "device = 'b'\nsettle_ms = 999999999999", "settle_ms: expected 100 to 60000, found"),
    ];
    for (good, bad, expected) in top {
        let error = read(&LEAST.replace(good, bad)).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let together = [
        ("[clock]\ncontrol = '5 minutes'", "clock.toml: clock.control: character 2: expected"),
        ("[clock]\nkind = 'external'", "clock.toml: board.kind: expected dgt"),
        (
            "[clock]\nkind = 'external'\n[board]\nkind = 'dgt'\n[buttons]\nkind = 'keyboard'",
            "clock.toml: buttons: expected none",
        ),
    ];
    for (toml, expected) in together {
        let error = read(&format!("{LEAST}{toml}")).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let missing = file("/nowhere/clock.toml").expect_err("no file").to_string();
    assert!(missing.contains("/nowhere/clock.toml"), "{missing}");
}

#[test]
#[allow(clippy::result_large_err)]
fn a_variable_goes_over_the_file_and_is_named_in_its_mistake() {
    figment::Jail::expect_with(|jail| {
        jail.create_file("clock.toml", LEAST)?;
        jail.set_env("FLAGFALL_CLOCK_CLOCK__CONTROL", "900");
        jail.set_env("FLAGFALL_CLOCK_DEVICE", "7");
        jail.set_env("FLAGFALL_CLOCK_BOARD__PORT", "/dev/ttyUSB3");
        let config = Config::load(Path::new("clock.toml")).map_err(|error| error.to_string())?;
        assert_eq!((config.device.as_str(), config.clock.control.as_deref()), ("7", Some("900")));
        assert_eq!(config.board.port, Path::new("/dev/ttyUSB3"));
        jail.set_env("FLAGFALL_CLOCK_SETTLE_MS", "soon");
        let error = Config::load(Path::new("clock.toml")).expect_err("no number").to_string();
        assert!(error.starts_with("variable FLAGFALL_CLOCK_SETTLE_MS: settle_ms: invalid type"), "{error}");
        Ok(())
    });
}

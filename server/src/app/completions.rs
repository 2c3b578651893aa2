//! `flagfall completions`: what makes a shell complete commands and flags.

use std::io::{self, Write};

use clap::{Args as ClapArgs, CommandFactory, ValueEnum};

use super::cli::Cli;

/// Shown with `--help`.
pub(super) const EXAMPLES: &str = "\
Examples:
  flagfall completions bash > ~/.local/share/bash-completion/completions/flagfall
  flagfall completions zsh > ~/.zfunc/_flagfall          (a folder of fpath)
  flagfall completions fish > ~/.config/fish/completions/flagfall.fish";

/// Arguments of `flagfall completions`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that can complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// The shell of most.
    Bash,
    /// The shell of macOS.
    Zsh,
    /// The friendly one.
    Fish,
}

impl From<Shell> for clap_complete::Shell {
    fn from(shell: Shell) -> clap_complete::Shell {
        match shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        }
    }
}

/// Prints the script.
///
/// # Errors
/// Nobody reads it.
pub fn print(args: &Args, out: &mut dyn Write) -> io::Result<()> {
    // Made whole first: what makes it takes a reader who has gone for a defect.
    let mut script = Vec::new();
    clap_complete::generate(clap_complete::Shell::from(args.shell), &mut Cli::command(), "flagfall", &mut script);
    out.write_all(&script)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output, Stdio};

    use super::*;

    fn script(shell: Shell) -> String {
        let mut out = Vec::new();
        print(&Args { shell }, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    /// A script is longer than a command line may be.
    fn bash(args: &[&str], script: &str) -> Output {
        let mut command = Command::new("bash");
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("bash runs");
        child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("bash reads");
        let output = child.wait_with_output().expect("bash ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// What bash would offer after these words.
    fn offered(words: &str) -> Vec<String> {
        let (number, last) = (words.split(' ').count(), words.split(' ').next_back().unwrap_or_default());
        let ask = format!(
            "COMP_WORDS=({words} ''); COMP_CWORD={number}; _flagfall flagfall '' {last}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = bash(&[], &format!("{}\n{ask}\n", script(Shell::Bash)));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    #[test]
    fn bash_offers_the_commands_and_what_is_below_them() {
        let top = offered("flagfall");
        for command in ["boards", "game", "calls", "decide", "directive", "watch", "audit", "round"] {
            assert!(top.iter().any(|word| word == command), "{command} in {top:?}");
        }
        let below = offered("flagfall directive");
        assert!(["stop", "set", "swap", "annul"].iter().all(|word| below.iter().any(|is| is == word)), "{below:?}");
    }

    #[test]
    fn bash_reads_its_script_and_the_others_name_the_commands() {
        bash(&["-n"], &script(Shell::Bash));
        assert!(script(Shell::Zsh).starts_with("#compdef flagfall") && script(Shell::Zsh).contains("directive"));
        assert!(script(Shell::Fish).contains("complete -c flagfall") && script(Shell::Fish).contains("directive"));
    }
}

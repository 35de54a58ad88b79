//! The command line as each command shows it: the options that it takes, the formats that it writes, its exit codes.
//!
//! Options of all commands are read before and after the name of the command; what a command makes nothing of is read there too, and left out of its help.

use std::ffi::{OsStr, OsString};

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, CommandFactory, FromArgMatches, ValueEnum};

use super::arguments::{Arguments, Format};
use super::exit_code;

/// The command line, with all that `--help` says of it.
pub fn command_line() -> Command {
    with_commands_as_shown(|_| true)
}

fn with_commands_as_shown(is_asked: impl Fn(&str) -> bool) -> Command {
    let mut all = Arguments::command();
    let options: Vec<Arg> = all.get_arguments().cloned().collect();
    let names: Vec<String> = all
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .filter(|name| is_asked(name))
        .collect();
    for name in names {
        all = all.mut_subcommand(&name, |command| as_shown(command, &options));
    }
    all
}

/// The arguments of the program, the first of which is its name.
///
/// # Errors
/// When they are wrong, or ask for help.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // To show all commands is most of what the program does before it computes, and one whose name is not there is not read.
    let mut line = with_commands_as_shown(|name| arguments.iter().any(|argument| argument == name));
    let matches = line.try_get_matches_from_mut(arguments)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut line))
}

/// The formats that a command writes, and which of the options of all commands it makes something of.
fn takes(command: &str) -> (&'static [Format], &'static [&'static str]) {
    use Format::{Csv, Github, Human, Json, Junit, Sarif, Svg};
    const BUDGET: &[&str] = &["precision", "max_seconds", "jobs", "quiet"];
    const NUMBERS: &[&str] = &["precision", "max_seconds", "jobs", "quiet", "engine"];
    const PICTURES: &[&str] = &[
        "precision",
        "max_seconds",
        "jobs",
        "quiet",
        "engine",
        "plot",
    ];
    const CERTIFIED_PICTURES: &[&str] = &["precision", "max_seconds", "jobs", "quiet", "plot"];
    match command {
        "verify" => (
            &[Human, Json, Csv, Junit, Sarif, Github],
            CERTIFIED_PICTURES,
        ),
        "check" => (&[Human, Json], &["quiet"]),
        "bound" => (&[Human, Json, Csv], PICTURES),
        "compare" | "report" | "calibrate" => (&[Human, Json], PICTURES),
        "curve" => (&[Human, Json, Csv, Svg], PICTURES),
        "convert" => (&[Human, Json], NUMBERS),
        "import" => (&[Human, Json], BUDGET),
        "reproduce" => (&[Human, Json], CERTIFIED_PICTURES),
        "fuzz-accountant" => (&[Human, Json, Junit], &["max_seconds", "jobs", "quiet"]),
        _ => (&[], &[]),
    }
}

fn as_shown(mut command: Command, options: &[Arg]) -> Command {
    let (formats, taken) = takes(command.get_name());
    for option in options {
        let id = option.get_id().as_str();
        let own = option.clone();
        let shown = match id {
            "format" if !formats.is_empty() => own.value_parser(FormatsOf(formats)),
            _ if taken.contains(&id) => own,
            _ => own.hide(true),
        };
        command = command.arg(shown);
    }
    if taken.is_empty() {
        return command;
    }
    let help = match command.get_after_help() {
        Some(help) => help.to_string(),
        None => String::new(),
    };
    if help.contains(exit_code::HELP) {
        return command;
    }
    let separator = if help.is_empty() { "" } else { "\n\n" };
    command.after_help(format!("{help}{separator}{}", exit_code::HELP))
}

/// Reads every format, so that what is wrong with one can be said, and lists those of one command.
#[derive(Debug, Clone, Copy)]
struct FormatsOf(&'static [Format]);

impl TypedValueParser for FormatsOf {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Format, clap::Error> {
        EnumValueParser::<Format>::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            self.0.iter().filter_map(ValueEnum::to_possible_value),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_help(command: &str) -> String {
        let mut all = command_line();
        all.build();
        let command = all.find_subcommand_mut(command).unwrap();
        command.render_long_help().to_string()
    }

    #[test]
    fn is_well_formed() {
        command_line().debug_assert();
    }

    /// A command whose name is not known to `takes` would show no option at all.
    #[test]
    fn commands_with_answers_list_their_formats_and_exit_codes() {
        let without = ["init", "completions", "manual", "schema", "help"];
        for command in command_line().get_subcommands() {
            let name = command.get_name();
            assert_eq!(takes(name).0.is_empty(), without.contains(&name), "{name}");
            let help = long_help(name);
            assert_eq!(
                help.contains(exit_code::HELP),
                !without.contains(&name),
                "{name}"
            );
        }
    }

    #[test]
    fn help_shows_what_a_command_takes() {
        let help = long_help("calibrate");
        assert!(help.contains("- json:") && !help.contains("SARIF") && help.contains("--plot"));
        let help = long_help("check");
        assert!(!help.contains("--precision") && !help.contains("--plot"));
        assert!(long_help("verify").contains("SARIF"));
    }

    #[test]
    fn commands_that_are_asked_for_are_shown_as_among_all() {
        for command in command_line().get_subcommands() {
            let name = command.get_name();
            let line = ["dpcmp", name, "--help"];
            let asked = parse(line.iter().map(OsString::from)).unwrap_err();
            let all = command_line().try_get_matches_from(line).unwrap_err();
            assert_eq!(asked.to_string(), all.to_string(), "{name}");
        }
    }

    #[test]
    fn options_stand_before_and_after_the_command() {
        for line in [
            &["dpcmp", "--format", "json", "report", "a.toml"][..],
            &["dpcmp", "report", "--format", "json", "a.toml"],
            &["dpcmp", "report", "a.toml", "--format", "json"],
        ] {
            let arguments = parse(line.iter().map(OsString::from)).unwrap();
            assert_eq!(arguments.options.format, Format::Json, "{line:?}");
        }
        // Not listed there, and refused by what says where it belongs.
        let line = ["dpcmp", "report", "a.toml", "--format", "sarif"];
        let arguments = parse(line.iter().map(OsString::from)).unwrap();
        assert!(arguments.check().is_err());
    }
}

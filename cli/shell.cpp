// shoal completions and shoal man: what a shell completes, and manual pages. Both are made from the definitions that
// --help shows. They are for scripts/install and for packages, so --help does not list them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "shoal/error.hpp"
#include "shoal/version.hpp"

namespace shoal::cli {

namespace {

struct ShellArguments {
  std::string shell, page, folder;
};

// A command or a subcommand: "release", "ledger create".
struct Completed {
  std::string name;
  const CLI::App* command;
};

std::vector<const CLI::App*> listed_commands(const CLI::App& parent) {
  return parent.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<Completed> completed_commands(const CLI::App& program) {
  std::vector<Completed> result;
  for (const CLI::App* command : listed_commands(program)) {
    result.push_back({command->get_name(), command});
    for (const CLI::App* sub : listed_commands(*command)) {
      result.push_back({fmt::format("{} {}", command->get_name(), sub->get_name()), sub});
    }
  }
  return result;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  std::vector<const CLI::Option*> result;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() && !option->get_lnames().empty()) result.push_back(option);
  }
  return result;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0 && option.get_items_expected_max() > 0;
}

// The words that an option takes, if it takes one of a list: {add-remove,replace}.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> words(1);
  for (const char letter : type.substr(open + 1, close - open - 1)) {
    if (letter == ',') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : shown_options(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_words(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// In single quotes of a shell, with what `also` lists escaped for the tool that reads it.
std::string in_quotes(const std::string& text, const std::string& also = {}) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
      continue;
    }
    if (also.find(letter) != std::string::npos) result += '\\';
    result += letter;
  }
  return result + "'";
}

std::string bash_completions(const CLI::App& program) {
  std::string words, choices;
  for (const Completed& completed : completed_commands(program)) {
    const std::vector<const CLI::App*> subs = listed_commands(*completed.command);
    words += fmt::format("    \"{}\") words=\"{}\" ;;\n", completed.name,
                         subs.empty() ? fmt::format("{}", fmt::join(long_names(*completed.command), " "))
                                      : fmt::format("{}", fmt::join(command_words(subs), " ")));
    for (const CLI::Option* option : shown_options(*completed.command)) {
      const std::vector<std::string> values = choices_of(*option);
      if (values.empty()) continue;
      choices += fmt::format("    \"{} --{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n",
                             completed.name, option->get_lnames().front(), fmt::join(values, " "));
    }
  }
  return fmt::format(R"(# Completions completed shoal for bash, made by: shoal completions bash
_shoal() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=""
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  if [[ $command == ledger && $COMP_CWORD -gt 2 ]]; then command="ledger ${{COMP_WORDS[2]}}"; fi
  case "$command $before" in
{}  esac
  case "$command" in
{}  esac
  if [[ $current == -* || $command == ledger ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _shoal shoal
)",
                     fmt::join(command_words(listed_commands(program)), " "), choices, words);
}

std::string zsh_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : shown_options(command)) {
    const std::vector<std::string> values = choices_of(*option);
    const std::string action = values.empty() ? "_files" : fmt::format("({})", fmt::join(values, " "));
    for (const std::string& name : option->get_lnames()) {
      const std::string described = fmt::format("[{}]", option->get_description());
      text += fmt::format(" \\\n        {}{}", in_quotes("*--" + name), in_quotes(described, ":"));
      if (takes_value(*option)) text += in_quotes(fmt::format(":{}:{}", name, action));
    }
  }
  return text + " \\\n        '*:file:_files'";
}

std::string zsh_described(const std::vector<const CLI::App*>& commands) {
  std::string text;
  for (const CLI::App* command : commands) {
    text += fmt::format(" {}", in_quotes(fmt::format("{}:{}", command->get_name(), command->get_description())));
  }
  return text;
}

std::string zsh_completions(const CLI::App& program) {
  std::string cases;
  for (const CLI::App* command : listed_commands(program)) {
    const std::vector<const CLI::App*> subs = listed_commands(*command);
    cases += fmt::format("    {})\n", command->get_name());
    if (subs.empty()) {
      cases += fmt::format("      _arguments{} ;;\n", zsh_options(*command));
      continue;
    }
    cases +=
        fmt::format("      commands=({})\n      if (( CURRENT == 2 )); then _describe command commands; return; fi\n",
                    zsh_described(subs));
    cases += "      local second=$words[2]\n      shift words; (( CURRENT-- ))\n      case $second in\n";
    for (const CLI::App* sub : subs) {
      cases += fmt::format("      {}) _arguments{} ;;\n", sub->get_name(), zsh_options(*sub));
    }
    cases += "      esac ;;\n";
  }
  return fmt::format(R"(#compdef shoal
# Completions completed shoal for zsh, made by: shoal completions zsh
_shoal() {{
  local -a commands
  commands=({})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
{}  esac
}}
_shoal "$@"
)",
                     zsh_described(listed_commands(program)), cases);
}

std::string fish_completions(const CLI::App& program) {
  std::string text = "# Completions of shoal for fish, made by: shoal completions fish\n";
  for (const CLI::App* command : listed_commands(program)) {
    text += fmt::format("complete -c shoal -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                        in_quotes(command->get_description()));
  }
  for (const Completed& completed : completed_commands(program)) {
    std::string seen;
    for (std::size_t begin = 0; begin < completed.name.size();) {
      const std::size_t end = std::min(completed.name.find(' ', begin), completed.name.size());
      seen += fmt::format("{}__fish_seen_subcommand_from {}", seen.empty() ? "" : "; and ",
                          completed.name.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const CLI::App* sub : listed_commands(*completed.command)) {
      text += fmt::format("complete -c shoal -n {} -f -a {} -d {}\n", in_quotes(seen), sub->get_name(),
                          in_quotes(sub->get_description()));
    }
    for (const CLI::Option* option : shown_options(*completed.command)) {
      const std::vector<std::string> values = choices_of(*option);
      for (const std::string& name : option->get_lnames()) {
        text += fmt::format("complete -c shoal -n {} -l {}{}{} -d {}\n", in_quotes(seen), name,
                            takes_value(*option) ? " -r" : "",
                            values.empty() ? "" : " -fa " + in_quotes(fmt::format("{}", fmt::join(values, " "))),
                            in_quotes(option->get_description()));
      }
    }
  }
  return text;
}

// Text for troff: no line may start with a control character, and hyphens stay hyphens.
std::string troff(const std::string& text) {
  std::string result;
  bool starts = true;
  for (const char letter : text) {
    if (starts && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
    starts = letter == '\n';
  }
  return result;
}

std::string option_in_troff(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(fmt::format("\\fB{}\\fR", troff("-" + name)));
  for (const std::string& name : option.get_lnames()) names.push_back(fmt::format("\\fB{}\\fR", troff("--" + name)));
  const std::vector<std::string> values = choices_of(option);
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (takes_value(option)) {
    text += values.empty() ? fmt::format(" \\fI{}\\fR", option.get_type_name())
                           : " " + troff(fmt::format("{}", fmt::join(values, "|")));
  }
  text += fmt::format("\n{}", troff(option.get_description()));
  if (!option.get_default_str().empty()) text += fmt::format(" (default {})", troff(option.get_default_str()));
  return text + "\n";
}

std::string head_in_troff(const std::string& name, const std::string& what) {
  std::string title = name;
  for (char& letter : title) letter = static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
  return fmt::format(".TH {} 1 \"\" \"shoal {}\" \"Shoal\"\n.SH NAME\n{} \\- {}\n", troff(title), version, troff(name),
                     troff(what));
}

std::string examples_in_troff(const CLI::App& command) {
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", troff(command.get_footer()));
}

std::string page_of(const CLI::App& command, const std::string& name) {
  std::string text = head_in_troff(fmt::format("shoal-{}", name), command.get_description());
  const std::vector<const CLI::App*> subs = listed_commands(command);
  std::string places;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) places += fmt::format(" \\fI{}\\fR", option->get_name());
  }
  text += fmt::format(".SH SYNOPSIS\n\\fBshoal {}\\fR{}{} [\\fIOPTIONS\\fR]\n", troff(name),
                      subs.empty() ? "" : " \\fICOMMAND\\fR", places);
  std::vector<std::string> groups;
  for (const CLI::Option* option : shown_options(command)) {
    if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end()) {
      groups.push_back(option->get_group());
    }
  }
  for (const std::string& group : groups) {
    text += fmt::format(".SH {}\n", troff(group == "Options" ? "OPTIONS" : "OPTIONS: " + group));
    for (const CLI::Option* option : shown_options(command)) {
      if (option->get_group() == group) text += option_in_troff(*option);
    }
  }
  for (const CLI::App* sub : subs) {
    text += fmt::format(".SH {}\n{}.\n", troff(sub->get_name()), troff(sub->get_description()));
    for (const CLI::Option* option : shown_options(*sub)) text += option_in_troff(*option);
  }
  return text + examples_in_troff(command) + ".SH SEE ALSO\n\\fBshoal\\fR(1)\n";
}

std::string first_page(const CLI::App& program) {
  std::string text = head_in_troff("shoal", "clusters of any shape, released with differential privacy");
  text += fmt::format(".SH SYNOPSIS\n\\fBshoal\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n",
                      troff(program.get_description()));
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : listed_commands(program)) {
    text +=
        fmt::format(".TP\n\\fBshoal\\-{}\\fR(1)\n{}\n", troff(command->get_name()), troff(command->get_description()));
  }
  return text + examples_in_troff(program) +
         ".SH EXIT STATUS\n0: done. 1: internal error. 2: usage. 3: bad input or parameter. 4: budget refused. 5: the "
         "release is made and paid for, but shows nothing.\n";
}

void run_man(const ShellArguments& arguments, const CLI::App& program) {
  if (!arguments.folder.empty()) {
    const std::filesystem::path folder(arguments.folder);
    std::vector<std::string> files{(folder / "shoal.1").string()};
    for (const CLI::App* command : listed_commands(program)) {
      files.push_back((folder / fmt::format("shoal-{}.1", command->get_name())).string());
    }
    Outputs outputs = open_outputs(true, {}, files);
    outputs.write(files.front(), first_page(program));
    std::size_t next = 0;
    for (const CLI::App* command : listed_commands(program)) {
      outputs.write(files[++next], page_of(*command, command->get_name()));
    }
    return;
  }
  if (arguments.page.empty()) return fmt::print("{}", first_page(program));
  for (const CLI::App* command : listed_commands(program)) {
    if (command->get_name() == arguments.page) return fmt::print("{}", page_of(*command, arguments.page));
  }
  throw Error(ErrorKind::usage, fmt::format("shoal has no command {}", arguments.page));
}

}  // namespace

void add_shell(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<ShellArguments>();
  auto* completions = program.add_subcommand("completions", "Print completions for a shell")->group("");
  completions->add_option("SHELL", arguments->shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->footer("Example:\n  shoal completions bash > ~/.local/share/bash-completion/completions/shoal");
  completions->callback([arguments, &program, &run] {
    run = [arguments, &program] {
      const std::string& shell = arguments->shell;
      fmt::print("{}", shell == "bash"  ? bash_completions(program)
                       : shell == "zsh" ? zsh_completions(program)
                                        : fish_completions(program));
    };
  });
  auto* man = program.add_subcommand("man", "Print a manual page, or write all of them")->group("");
  man->add_option("COMMAND", arguments->page, "Command; without it, the page about all of them");
  man->add_option("--folder", arguments->folder, "Write all pages into this folder");
  man->footer("Example:\n  shoal man release | man -l -");
  man->callback([arguments, &program, &run] { run = [arguments, &program] { run_man(*arguments, program); }; });
}

}  // namespace shoal::cli

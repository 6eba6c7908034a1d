// The files generated from the tree of the command line, and the manual that people write, agree with the tree.
#include "cli/program/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "cli/program/program.h"
#include "cli/run_program.h"
#include "source_dir.h"

namespace wattune::cli {
namespace {

using cli_test::Finished;
using cli_test::run_shell;
using cli_test::run_wattune;
using cli_test::TempFolder;
using testing::HasSubstr;

CommandTree tree() {
  const Program program = make_program();
  return read_command_tree(*program.app);
}

std::string manual() {
  std::ifstream stream(WATTUNE_SOURCE_DIR "/docs/cli.md");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> long_options() {
  std::set<std::string> names;
  const auto add = [&](const CommandEntry& command) {
    for (const OptionEntry& option : command.options) names.insert(option.names.front());
  };
  const CommandTree all = tree();
  add(all.program);
  for (const CommandEntry& command : all.commands) add(command);
  return names;
}

TEST(CommandTree, HoldsEveryCommandButHiddenOnes) {
  std::vector<std::string> names;
  for (const CommandEntry& command : tree().commands) names.push_back(command.name);
  EXPECT_THAT(names, testing::ElementsAre("tune", "space", "compile", "run", "devices", "power", "show", "report",
                                          "export", "merge", "slice", "profile", "corun", "score", "strategies",
                                          "analyze", "advise", "init", "completion"));
}

TEST(CommandTree, KnowsChoicesAndFiles) {
  const CommandTree all = tree();
  const CommandEntry& tune = all.commands.front();
  EXPECT_TRUE(tune.positionals.front().takes_file());
  for (const OptionEntry& option : tune.options) {
    if (option.names.front() != "--strategy") continue;
    EXPECT_THAT(option.choices, testing::Contains("greedy_ils"));
    return;
  }
  FAIL() << "no --strategy";
}

TEST(Help, EveryCommandEndsWithExamples) {
  for (const CommandEntry& command : tree().commands) {
    EXPECT_THAT(command.footer, HasSubstr("Examples:\n  ")) << command.name;
    EXPECT_FALSE(command.description.empty());
    for (const OptionEntry& option : command.options) EXPECT_FALSE(option.description.empty()) << option.names.front();
  }
}

TEST(Help, SaysTheWholeCommand) {
  const TempFolder folder;
  const Finished finished = run_wattune(folder, {"tune", "--help"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("Usage: wattune tune [OPTIONS] [SPEC]"));
  EXPECT_EQ(run_wattune(folder, {"--help"}).status, 0);
}

// Names of counters have up to 53 letters beside the 34 columns on the left.
TEST(Help, FitsTheTerminal) {
  const TempFolder folder;
  for (const char* columns : {"90", "120"}) {
    std::istringstream help(
        run_shell(folder, "COLUMNS=" + std::string(columns) + " " + cli_test::program_path().string() + " tune --help")
            .out);
    for (std::string line; std::getline(help, line) && !line.starts_with("Each result is written");)
      EXPECT_LE(line.size(), std::stoul(columns)) << line;
  }
}

TEST(Help, VersionIsOneLine) {
  const TempFolder folder;
  EXPECT_TRUE(std::regex_match(run_wattune(folder, {"--version"}).out, std::regex("wattune \\d+\\.\\d+\\.\\d+\n")));
}

TEST(Manual, MentionsEveryOptionAndCommand) {
  const std::string text = manual();
  for (const std::string& name : long_options()) EXPECT_NE(text.find(name), std::string::npos) << name;
  for (const CommandEntry& command : tree().commands) {
    EXPECT_NE(text.find("\n## wattune " + command.name), std::string::npos) << command.name;
  }
}

TEST(Manual, MentionsNoOptionThatDoesNotExist) {
  const std::set<std::string> known = long_options();
  const std::string text = manual();
  const std::regex option("--[a-z][a-z-]*");
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found) {
    EXPECT_TRUE(known.contains(found->str())) << found->str();
  }
}

TEST(Program, WhatItsCommandThrowsIsAnError) {
  Program program = make_program();
  for (Command& command : program.commands) command.run = []() -> Result<ExitStatus> { throw std::bad_alloc(); };
  const char* const arguments[] = {"wattune", "devices"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(program, 2, arguments), static_cast<int>(ExitStatus::environment));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("out of memory"));
}

TEST(Completion, BashScriptCompletesCommandsOptionsAndChoices) {
  const TempFolder folder;
  folder.write("c.bash", bash_completion(tree()));
  EXPECT_EQ(run_shell(folder, "bash -n c.bash").err, "");
  const auto complete = [&](const std::string& words, int index) {
    return run_shell(folder, "source ./c.bash; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(index) +
                                 "; _wattune; echo \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(complete("wattune tu", 1), "tune\n");
  EXPECT_EQ(complete("wattune tune --evalu", 2), "--evaluations\n");
  EXPECT_EQ(complete("wattune tune s.toml --strategy exh", 4), "exhaustive\n");
  EXPECT_EQ(complete("wattune completion z", 2), "zsh\n");
  folder.write("spec.toml", "");
  EXPECT_EQ(complete("wattune tune spe", 2), "spec.toml\n");
}

TEST(Completion, ZshAndFishScriptsParse) {
  const TempFolder folder;
  folder.write("c.zsh", zsh_completion(tree()));
  folder.write("c.fish", fish_completion(tree()));
  EXPECT_EQ(run_shell(folder, "! command -v zsh > /dev/null || zsh -n c.zsh").err, "");
  EXPECT_EQ(run_shell(folder, "! command -v fish > /dev/null || fish -n c.fish").err, "");
  EXPECT_THAT(folder.read("c.zsh"), testing::StartsWith("#compdef wattune\n"));
  EXPECT_THAT(folder.read("c.fish"), HasSubstr("-l evaluations"));
}

TEST(Completion, TheProgramPrintsEachScript) {
  const TempFolder folder;
  EXPECT_EQ(run_wattune(folder, {"completion", "bash"}).out, bash_completion(tree()));
  EXPECT_EQ(run_wattune(folder, {"completion", "zsh"}).out, zsh_completion(tree()));
  EXPECT_EQ(run_wattune(folder, {"completion", "fish"}).out, fish_completion(tree()));
}

TEST(ManualPage, HasEveryOptionAndNoLineThatTroffWouldMistake) {
  const std::string page = manual_page(tree());
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-evaluations\\fR"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS"));
  const TempFolder folder;
  folder.write("wattune.1", page);
  EXPECT_EQ(run_shell(folder, "! command -v groff > /dev/null || groff -man -ww -Tutf8 wattune.1 > /dev/null").err, "");
}

}  // namespace
}  // namespace wattune::cli

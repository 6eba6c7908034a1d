// Mistakes of users: each gives one line that says where it is, exit status 2, and no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Returns a spec with the lines 1 [kernel] 2 file 3 function 4 arguments 5 [launch] 6 global 7 local 8 [parameters] 9
// block 10 [search] 11 constraints.
std::string spec_with(const std::string& constraint, const std::string& kernel_file = "f.cl") {
  return "[kernel]\nfile = \"" + kernel_file +
         "\"\nfunction = \"f\"\narguments = []\n[launch]\nglobal = 64\nlocal = 64\n" +
         "[parameters]\nblock_size = [32, 64]\n[search]\nconstraints = [\"" + constraint + "\"]\n";
}

class BadInput : public testing::Test {
 protected:
  void SetUp() override { folder_.write("f.cl", "__kernel void f() {}\n"); }

  // Runs, expects failure as promised, and returns the message.
  std::string refused(const std::vector<std::string>& arguments) {
    const std::vector<std::string> before = folder_.files();
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 2) << finished.out;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(folder_.files(), before);
    EXPECT_THAT(finished.err, StartsWith("wattune: error: "));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    return finished.err.substr(std::string("wattune: error: ").size());
  }

  std::string refused_spec(const std::string& text) {
    folder_.write("s.toml", text);
    return refused({"tune", "s.toml"});
  }

  TempFolder folder_;
};

TEST_F(BadInput, UnknownParameterInAConstraint) {
  const std::string message = refused_spec(spec_with("blok_size > 32"));
  EXPECT_THAT(message, StartsWith("s.toml:11:17: "));
  EXPECT_THAT(message, HasSubstr("blok_size"));
  EXPECT_THAT(message, HasSubstr("did you mean `block_size`?"));
}

TEST_F(BadInput, DivisionByZeroInAConstraint) {
  const std::string message = refused_spec(spec_with("64 // (block_size - 32) > 0"));
  EXPECT_THAT(message, StartsWith("s.toml:11:"));
  EXPECT_THAT(message, HasSubstr("zero"));
}

TEST_F(BadInput, EmptySpace) {
  const std::string message = refused_spec(spec_with("block_size > 64"));
  EXPECT_THAT(message, HasSubstr("s.toml:11:17"));
  EXPECT_THAT(message, HasSubstr("block_size > 64"));
}

TEST_F(BadInput, MisspeltKey) {
  const std::string message = refused_spec("[kernel]\nfile = \"f.cl\"\nfunktion = \"f\"\n");
  EXPECT_THAT(message, StartsWith("s.toml:3:1: "));
  EXPECT_THAT(message, HasSubstr("`funktion`"));
  EXPECT_THAT(message, HasSubstr("did you mean `function`?"));
}

TEST_F(BadInput, BrokenToml) { EXPECT_THAT(refused_spec("[kernel\n"), StartsWith("s.toml:1:")); }

TEST_F(BadInput, MissingKernelFile) {
  const std::string message = refused_spec(spec_with("True", "g.cl"));
  EXPECT_THAT(message, StartsWith("s.toml:2:9: "));
  EXPECT_THAT(message, HasSubstr("`g.cl` (did you mean `f.cl`?)"));
  folder_.write("notes.md", "");
  EXPECT_THAT(refused_spec(spec_with("True", "kernels.cu")), testing::EndsWith("does not exist: `kernels.cu`\n"));
}

TEST_F(BadInput, MissingSpec) { EXPECT_THAT(refused({"tune", "none.toml"}), HasSubstr("none.toml")); }

TEST_F(BadInput, UnknownDevice) {
  if (!has_device()) GTEST_SKIP() << "no device here";
  folder_.write("s.toml", spec_with("True"));
  EXPECT_THAT(refused({"tune", "s.toml", "--device", "opencl:77:0"}), HasSubstr("opencl:77:0"));
}

TEST_F(BadInput, ArgumentCountThatDoesNotMatchTheKernel) {
  if (!has_device()) GTEST_SKIP() << "no device here";
  folder_.write("f.cl", "__kernel void f(int a, int b) {}\n");
  folder_.write("s.toml", spec_with("True"));
  EXPECT_THAT(refused({"tune", "s.toml", "--quiet"}), HasSubstr("argument"));
}

TEST_F(BadInput, UnknownStrategyAndParameterOfOne) {
  folder_.write("s.toml", spec_with("True"));
  EXPECT_EQ(refused({"tune", "s.toml", "--strategy", "gredy_ils"}),
            "--strategy: unknown strategy: `gredy_ils` (did you mean `greedy_ils`?)\n");
  EXPECT_EQ(refused({"tune", "s.toml", "--strategy", "annealing"}),
            "--strategy: unknown strategy: `annealing` (did you mean `simulated_annealing`?)\n");
  EXPECT_EQ(refused({"tune", "s.toml", "--strategy", "greedy_ils", "--strategy-option", "randm_walk=1"}),
            "--strategy: strategy greedy_ils has no such parameter: `randm_walk` (did you mean `random_walk`?)\n");
  EXPECT_EQ(refused({"tune", "s.toml", "--strategy-option", "random_walk"}),
            "--strategy-option: expected NAME=VALUE: `random_walk`\n");
}

TEST_F(BadInput, UnknownProblemSize) {
  folder_.write("s.toml", spec_with("True") + "[problem]\nwidth = 64\n");
  EXPECT_EQ(refused({"tune", "s.toml", "--problem-size", "widt=128"}),
            "--problem-size: the spec has no such size: `widt` (did you mean `width`?)\n");
  EXPECT_THAT(refused({"tune", "s.toml", "--problem-size", "width=x"}), HasSubstr("width=x"));
}

TEST_F(BadInput, StopRulesOutOfRange) {
  folder_.write("s.toml", spec_with("True"));
  EXPECT_THAT(refused({"tune", "s.toml", "--fraction", "1.5"}), HasSubstr("`1.5`"));
  EXPECT_THAT(refused({"tune", "s.toml", "--time", "5"}), StartsWith("--time: expected a time such as 60s"));
  EXPECT_THAT(refused({"tune", "s.toml", "--target", "fast"}), StartsWith("--target: "));
  EXPECT_THAT(refused({"tune", "s.toml", "--evaluations", "many"}), StartsWith("--evaluations: "));
  EXPECT_EQ(refused({"tune", "s.toml", "--evaluations", "0"}),
            "--evaluations: expected a whole number, 1 or more: `0`\n");
}

TEST_F(BadInput, ChoicesAndSampleCounts) {
  folder_.write("s.toml", spec_with("True"));
  EXPECT_EQ(refused({"tune", "s.toml", "--policy", "foo"}),
            "--policy: unknown choice: `foo` (one of: gated, repeated)\n");
  EXPECT_EQ(refused({"tune", "s.toml", "--max-samples", "3"}), "max-samples, 3, is below min-samples, 7\n");
}

TEST_F(BadInput, OptionsAndCommandsThatDoNotExist) {
  EXPECT_EQ(refused({"tune", "s.toml", "--evalutions", "3"}),
            "unexpected argument: `--evalutions` (did you mean `--evaluations`?)\n");
  EXPECT_EQ(refused({"--json", "devices"}),
            "this option stands before its command: `--json` (wattune devices --json)\n");
  EXPECT_EQ(refused({"tnue"}), "unknown command: `tnue` (did you mean `tune`?)\n");
  EXPECT_EQ(refused({"tunes"}), "unknown command: `tunes` (did you mean `tune`?)\n");
  EXPECT_EQ(refused({"tune"}), "SPEC is required (see `wattune tune --help`)\n");
  EXPECT_EQ(refused({}), "a command is needed (see `wattune --help`)\n");
}

TEST_F(BadInput, ResultFilesThatAreNone) {
  folder_.write("text", "no results\n");
  EXPECT_THAT(refused({"show", "text"}), HasSubstr("text: no result format that Wattune knows (a journal"));
  EXPECT_THAT(refused({"show", "none"}), HasSubstr("none"));
  EXPECT_THAT(refused({"export", "none", "--format", "header"}), HasSubstr("none"));
  EXPECT_EQ(refused({"export", "text", "--format", "t5"}), "unknown format: `t5` (did you mean `t4`?)\n");
}

TEST_F(BadInput, InitOverwritesNothing) {
  ASSERT_EQ(run_wattune(folder_, {"init", "mine.toml"}).status, 0);
  const std::string spec = folder_.read("mine.toml");
  EXPECT_THAT(refused({"init", "mine.toml"}), HasSubstr("mine.toml"));
  EXPECT_EQ(folder_.read("mine.toml"), spec);
  folder_.write("other.cu", "mine too");
  EXPECT_THAT(refused({"init", "other.toml"}), HasSubstr("other.cu"));
  EXPECT_FALSE(folder_.has("other.toml") || folder_.has("other.cl"));
  std::filesystem::create_symlink("nowhere.toml", folder_.path() / "dangling.toml");
  EXPECT_EQ(refused({"init", "dangling.toml"}), "file exists: `dangling.toml` (wattune init NAME.toml)\n");
  EXPECT_EQ(refused({"init", "other"}), "not a .toml file: `other` (wattune init NAME.toml)\n");
}

TEST_F(BadInput, FoldersWhereFilesAreMeant) {
  std::filesystem::create_directory(folder_.path() / "d.toml");
  folder_.write("s.toml", spec_with("True"));
  EXPECT_EQ(refused({"show", "d.toml"}), "cannot read d.toml: Is a directory\n");
  EXPECT_EQ(refused({"tune", "d.toml"}), "cannot read d.toml: Is a directory\n");
  EXPECT_EQ(refused({"show", "s.toml/x"}), "cannot open s.toml/x: Not a directory\n");
  for (const char* option : {"--resume", "--overwrite", "--quiet"})
    EXPECT_EQ(refused({"tune", "s.toml", "--output", "d.toml", option}),
              "results cannot be written into a folder: `d.toml` (--output names a file)\n");
}

TEST_F(BadInput, FilesThatPermissionsKeepAway) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  namespace fs = std::filesystem;
  folder_.write("s.toml", spec_with("True"));
  folder_.write("r.json", R"({"results":[]})");
  fs::create_directory(folder_.path() / "d");
  for (const char* name : {"s.toml", "r.json", "d"}) fs::permissions(folder_.path() / name, fs::perms::none);
  EXPECT_EQ(refused({"tune", "s.toml"}), "cannot read s.toml: Permission denied\n");
  EXPECT_EQ(refused({"show", "r.json"}), "cannot open r.json: Permission denied\n");
  fs::permissions(folder_.path() / "r.json", fs::perms::owner_read);
  EXPECT_EQ(refused({"export", "r.json", "-f", "t4", "-o", "d/x"}), "cannot write d/x: Permission denied\n");
}

TEST_F(BadInput, NamesThatNoFileCanHave) {
  for (const char* name : {"a/b", "a\\nb", "a\\u001bb", ""})
    EXPECT_THAT(refused_spec("name = \"" + std::string(name) + "\"\n" + spec_with("True")),
                StartsWith("s.toml:1:9: the name is part of file names and cannot be this"));
  EXPECT_THAT(refused_spec("name = \"a\\u0000b\"\n" + spec_with("True")),
              StartsWith("s.toml:1:9: `name` of the spec has a zero byte in it"));
}

TEST_F(BadInput, ResultsInThePlaceOfWhatIsNone) {
  folder_.write("s.toml", spec_with("True"));
  for (const char* option : {"--overwrite", "--quiet"})
    EXPECT_EQ(refused({"tune", "s.toml", "--output", "s.toml", option}),
              "the file exists, and holds no results: `s.toml` (--output names another file)\n");
}

TEST_F(BadInput, SpecsThatLackTheirExtension) {
  folder_.write("s.toml", spec_with("True"));
  EXPECT_EQ(refused({"tune", "s"}), "a spec is a .toml or .json file: `s` (did you mean `s.toml`?)\n");
  std::filesystem::create_symlink("nowhere", folder_.path() / "dangling.toml");
  EXPECT_EQ(refused({"tune", "dangling.toml"}), "no such file: `dangling.toml` (one of: s.toml)\n");
}

TEST_F(BadInput, CompletionForAnUnknownShell) {
  EXPECT_EQ(refused({"completion", "bsh"}), "unknown shell: `bsh` (did you mean `bash`?)\n");
}

}  // namespace
}  // namespace wattune::cli_test

// `wattune show` and `wattune export`, on results that need no device: a cache as Kernel Tuner writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCache = R"({"device_name": "Some GPU", "kernel_name": "add", "problem_size": 1000,
"tune_params_keys": ["block", "tile"], "tune_params": {"block": [64, 128], "tile": [1, 2]}, "objective": "time",
"cache": {
"64,1": {"block": 64, "tile": 1, "time": 2.0, "times": [2.0, 2.1, 1.9]},
"64,2": {"block": 64, "tile": 2, "time": 1.5, "times": [1.5, 1.5]},
"128,1": {"block": 128, "tile": 1, "time": 1.0, "times": [1.0, 1.0]},
"128,2": {"block": 128, "tile": 2, "time": "RuntimeFailedConfig"}}}
)";

class Results : public testing::Test {
 protected:
  void SetUp() override { folder_.write("cache.json", kCache); }
  TempFolder folder_;
};

TEST_F(Results, ShowSaysBestFailuresImportanceAndConvergence) {
  const Finished finished = run_wattune(folder_, {"show", "cache.json"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  for (const char* part :
       {"kernel     add, problem size 1000", "Some GPU", "4 configurations: 3 correct, 1 runtime",
        "best       1 ms  (block=128, tile=1)", "best configurations", "failures", "importance", "convergence"}) {
    EXPECT_THAT(finished.out, HasSubstr(part));
  }
}

TEST_F(Results, ShowCutsTablesOnlyToAKnownWidth) {
  const std::string show = program_path().string() + " show cache.json";
  EXPECT_THAT(run_shell(folder_, "COLUMNS=20 " + show).out, HasSubstr("…"));
  EXPECT_THAT(run_shell(folder_, "env -u COLUMNS " + show).out, testing::Not(HasSubstr("…")));
}

TEST_F(Results, ShowJsonHasEveryPromisedField) {
  const auto json = run_wattune(folder_, {"show", "cache.json", "--json", "--top", "2"}).json();
  EXPECT_EQ(json["kernel"], "add");
  EXPECT_EQ(json["device"]["name"], "Some GPU");
  EXPECT_EQ(json["evaluated"], 4);
  EXPECT_EQ(json["by_status"]["correct"], 3);
  EXPECT_EQ(json["by_status"]["runtime"], 1);
  EXPECT_EQ(json["best"].size(), 2u);
  EXPECT_EQ(json["best"][0]["configuration"], (nlohmann::json{{"block", 128}, {"tile", 1}}));
  EXPECT_EQ(json["best"][0]["objective"], 1e6);
  EXPECT_EQ(json["convergence_ms"].size(), 4u);
  EXPECT_TRUE(json["importance"].contains("block"));
}

// Legends name the devices if the kernel is the same, the kernels if the device is, and both if both differ. They name
// the files if nothing else differs.
TEST_F(Results, LegendsNameWhatDiffers) {
  const auto cache = [&](const std::string& file, const std::string& device, const std::string& kernel) {
    std::string text = kCache;
    text.replace(text.find("Some GPU"), 8, device).replace(text.find("\"add\"") + 1, 3, kernel);
    folder_.write(file, text);
  };
  const auto legend = [&](const std::string& device, const std::string& kernel) {
    cache("a.json", "One", "add");
    cache("b.json", device, kernel);
    EXPECT_EQ(run_shell(folder_, "rm -f p.svg; '" + program_path().string() +
                                     "' analyze a.json b.json --plot distribution --svg p.svg")
                  .status,
              0);
    return folder_.read("p.svg");
  };
  EXPECT_THAT(legend("Two", "add"), AllOf(HasSubstr(">One: 3 correct"), HasSubstr(">Two: 3 correct")));
  EXPECT_THAT(legend("One", "mul"), AllOf(HasSubstr(">add: 3 correct"), HasSubstr(">mul: 3 correct")));
  EXPECT_THAT(legend("Two", "mul"), AllOf(HasSubstr(">add on One: 3 correct"), HasSubstr(">mul on Two: 3 correct")));
  EXPECT_THAT(legend("One", "add"), AllOf(HasSubstr(">a: 3 correct"), HasSubstr(">b: 3 correct")));
}

TEST_F(Results, ShowWritesThePlotButOverNothing) {
  ASSERT_EQ(run_wattune(folder_, {"show", "cache.json", "--svg", "plot.svg"}).status, 0);
  EXPECT_THAT(folder_.read("plot.svg"), HasSubstr("<svg"));
  folder_.write("plot.svg", "mine");
  EXPECT_EQ(run_wattune(folder_, {"show", "cache.json", "--svg", "plot.svg"}).status, 2);
  EXPECT_EQ(folder_.read("plot.svg"), "mine");
  EXPECT_EQ(run_wattune(folder_, {"show", "cache.json", "--svg", "plot.svg", "--overwrite"}).status, 0);
}

TEST_F(Results, TheExportedHeaderCompilesAndHoldsTheBest) {
  ASSERT_EQ(run_wattune(folder_, {"export", "cache.json", "--format", "header", "--output", "tuned.h"}).status, 0);
  EXPECT_THAT(folder_.read("tuned.h"), HasSubstr("128"));
  folder_.write("use.c", "#include \"tuned.h\"\n#include \"tuned.h\"\nint main(void) { return 0; }\n");
  const Finished compiled = run_shell(folder_, "cc -Wall -Werror -c use.c");
  EXPECT_EQ(compiled.status, 0) << compiled.err << folder_.read("tuned.h");
}

TEST_F(Results, EveryExportCanBeShownAgain) {
  for (const char* format : {"json", "t4", "kernel-tuner"}) {
    ASSERT_EQ(run_wattune(folder_, {"export", "cache.json", "-f", format, "-o", format}).status, 0) << format;
    const Finished shown = run_wattune(folder_, {"show", format, "--json"});
    ASSERT_EQ(shown.status, 0) << format << shown.err;
    EXPECT_EQ(shown.json()["by_status"]["correct"], 3) << format;
    EXPECT_EQ(shown.json()["best"][0]["configuration"]["block"], 128) << format;
  }
}

TEST_F(Results, ExportGoesToStandardOutputAndOverwritesOnlyWhenTold) {
  EXPECT_THAT(run_wattune(folder_, {"export", "cache.json", "--format", "t4"}).out, HasSubstr("\"results\""));
  folder_.write("out.json", "mine");
  const Finished refused = run_wattune(folder_, {"export", "cache.json", "-f", "t4", "-o", "out.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "wattune: error: out.json exists (--overwrite replaces it)\n");
  EXPECT_EQ(folder_.read("out.json"), "mine");
  EXPECT_EQ(run_wattune(folder_, {"export", "cache.json", "-f", "t4", "-o", "out.json", "--overwrite"}).status, 0);
}

// The names contain line breaks, a terminal's title, colours and a character that reverses the direction of writing.
TEST_F(Results, NamesReachNoTerminalWithTheirControlCharacters) {
  const std::string bad = R"(\u001b]0;owned\u0007\u001b[31m\u009b2J\u202e\nbest 1 ns)";
  std::string cache = kCache;
  for (const char* name : {"Some GPU", "\"add", "\"tile", "128,2", "RuntimeFailedConfig", "1000"})
    for (std::size_t at = cache.find(name); at != std::string::npos; at = cache.find(name, at + bad.size() + 12))
      cache.insert(at + (name[0] == '"' ? 1 : 0), name == std::string("1000") ? "" : bad);
  folder_.write("bad\x1b.json", cache);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"show"}, {"show", "--json"}, {"analyze"}, {"analyze", "--json"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("bad\x1b.json");
    const Finished finished = run_wattune(folder_, arguments);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.out.find_first_of("\x1b\a\r"), std::string::npos) << finished.out;
    for (const char* part : {"\xC2\x9B", "\xE2\x80\xAE", "\nbest 1 ns"})
      EXPECT_THAT(finished.out, testing::Not(HasSubstr(part)));
    if (command.size() == 2) {
      EXPECT_TRUE(finished.json().is_object() || finished.json().is_array());
    }
  }
  const Finished missing = run_wattune(folder_, {"show", "none\x1b[2J\n.json"});
  EXPECT_EQ(missing.err, "wattune: error: cannot open none [2J .json: No such file or directory\n");
  ASSERT_EQ(run_wattune(folder_, {"show", "bad\x1b.json", "--svg", "p.svg"}).status, 0);
  EXPECT_EQ(folder_.read("p.svg").find('\x1b'), std::string::npos);
}

TEST_F(Results, OnlyTheHeaderTakesSeveral) {
  const Finished finished = run_wattune(folder_, {"export", "cache.json", "cache.json", "--format", "t4"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("format t4 takes one result file"));
  EXPECT_EQ(run_wattune(folder_, {"export", "cache.json", "cache.json", "--format", "header"}).status, 0);
}

// The kernel of the cache, at another size than it was tuned for.
constexpr const char* kAddSpec = R"toml([kernel]
file = "add.cl"
function = "add"
arguments = [{ name = "x", type = "float*", length = "n", access = "write" }]
[problem]
n = 500
[launch]
divide = [["block", "tile"]]
local = "block"
[parameters]
block = [64, 128]
tile = [1, 2]
)toml";

TEST_F(Results, BecomeWisdomThatIsShownAndExportedAsAHeader) {
  folder_.write("add.cl", "kernel void add(global float* x) { x[get_global_id(0)] = 1; }");
  folder_.write("add.toml", kAddSpec);
  const Finished exported = run_wattune(
      folder_, {"export", "cache.json", "--format", "wisdom", "--spec", "add.toml", "--output", "app.wisdom"});
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(run_wattune(folder_, {"show", "app.wisdom"}).out,
              AllOf(HasSubstr("n=1000"), HasSubstr("Some GPU"), HasSubstr("block=128, tile=1")));
  const auto json = run_wattune(folder_, {"show", "app.wisdom", "--json"}).json();
  EXPECT_EQ(json["wisdom"][0]["key"], (nlohmann::json{{"n", 1000}}));
  EXPECT_EQ(json["wisdom"][0]["configuration"], (nlohmann::json{{"block", 128}, {"tile", 1}}));
  EXPECT_EQ(json["wisdom"][0]["time_ms"], 1.0);
  EXPECT_EQ(json["wisdom"][0]["tuned"], true);
  EXPECT_THAT(run_wattune(folder_, {"export", "app.wisdom", "--format", "header"}).out, HasSubstr("#define block 128"));
}

TEST_F(Results, WisdomNeedsTheSpecOfTheKernel) {
  EXPECT_THAT(run_wattune(folder_, {"export", "cache.json", "--format", "wisdom"}).err,
              HasSubstr("format wisdom needs the kernel's spec (add --spec FILE)"));
  folder_.write("add.cl", "kernel void add(global float* x) {}");
  folder_.write("add.toml", std::string(kAddSpec) + "more = [1]\n");
  EXPECT_THAT(run_wattune(folder_, {"export", "cache.json", "--format", "wisdom", "--spec", "add.toml"}).err,
              HasSubstr("the results for Some GPU have other parameters than the kernel"));
}

TEST_F(Results, AreAddedToADatabaseAndShownFromIt) {
  for (int i = 0; i < 2; ++i) {
    const Finished added =
        run_wattune(folder_, {"export", "cache.json", "--format", "sqlite", "--output", "all.sqlite"});
    EXPECT_EQ(added.status, 0) << added.err;
  }
  EXPECT_THAT(run_wattune(folder_, {"show", "all.sqlite"}).out, HasSubstr("best       1 ms  (block=128, tile=1)"));
  EXPECT_THAT(run_wattune(folder_, {"export", "cache.json", "--format", "sqlite"}).err,
              HasSubstr("format sqlite needs the database's name (add --output FILE)"));
}

TEST_F(Results, OutputThatCannotBeWrittenIsAnError) {
  const Finished finished = run_shell(folder_, program_path().string() + " show cache.json > /dev/full");
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.err, "wattune: error: cannot write to standard output\n");
}

}  // namespace
}  // namespace wattune::cli_test

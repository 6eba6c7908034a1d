// `wattune tune` on a real device, as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <string_view>

#include "cli/run_program.h"
#include "store/interface/sealed_line.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Tune : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no device here";
  }

  std::size_t lines(const std::string& file) {
    const std::string text = folder_.read(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TempFolder folder_;
};

TEST_F(Tune, FindsTheBestAndSaysWhereItIs) {
  write_add_spec(folder_, 3);
  const Finished finished = run_wattune(folder_, {"tune", "add.toml"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  for (const char* part : {"best ", "default ", "speed-up ", "3 correct", "add.journal.jsonl", "wattune show"}) {
    EXPECT_THAT(finished.out, HasSubstr(part));
  }
  EXPECT_THAT(finished.err, HasSubstr("3 valid configurations, strategy exhaustive, until the whole space"));
  EXPECT_GE(lines("add.journal.jsonl"), 4u);  // header, three Trials, and finalists once more
}

// The final is held once, whichever wins, and its result is recorded.
TEST_F(Tune, ShowHasTheSameFigures) {
  write_add_spec(folder_, 3);
  const auto tuned = run_wattune(folder_, quick({"tune", "add.toml", "--json"})).json();
  const auto shown = run_wattune(folder_, {"show", "add.journal.jsonl", "--json"}).json();
  for (const char* field : {"default", "better_than_default", "speed_up", "speed_up_interval"})
    EXPECT_EQ(shown[field], tuned[field]) << field;
  EXPECT_EQ(shown["best"][0]["configuration"], tuned["best"]["configuration"]);
  EXPECT_EQ(shown["best"][0]["time_ms"], tuned["best"]["time_ms"]);
  EXPECT_TRUE(tuned["better_than_default"].is_boolean());
  EXPECT_EQ(tuned["better_than_default"], tuned["best"]["configuration"] != tuned["default"]["configuration"]);
}

TEST_F(Tune, CompilesAheadOnAProcessorOnlyWhenAsked) {
  write_add_spec(folder_, 3);
  const auto tune = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = quick({"tune", "add.toml", "--json", "--no-compile-cache", "--overwrite"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_wattune(folder_, arguments).json();
  };
  const auto plain = tune({});
  if (plain["device"]["kind"] != "cpu") GTEST_SKIP() << "the device is no processor";
  EXPECT_EQ(plain["pipeline"]["compile_processes"], 0);
  const auto ahead = tune({"--compile-jobs", "2"});
  EXPECT_EQ(ahead["pipeline"]["compile_processes"], 2);
  EXPECT_GE(ahead["pipeline"]["compiled"], 3);
  EXPECT_EQ(ahead["by_status"]["correct"], 3);
  EXPECT_TRUE(ahead["best"]["verified"].get<bool>());
}

TEST_F(Tune, JsonHasEveryPromisedField) {
  write_add_spec(folder_, 4);
  const Finished finished = run_wattune(
      folder_, quick({"tune", "add.toml", "--json", "--strategy", "random", "--evaluations", "2", "--seed", "9"}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  const auto json = finished.json();
  EXPECT_TRUE(json["best"]["configuration"]["k"].is_number_integer());
  EXPECT_GT(json["best"]["objective"], 0);
  EXPECT_DOUBLE_EQ(json["best"]["time_ms"].get<double>() * 1e6, json["best"]["objective"].get<double>());
  EXPECT_TRUE(json["best"]["verified"].get<bool>());
  EXPECT_EQ(json["default"]["configuration"]["k"], 0);
  EXPECT_GT(json["speed_up"], 0.0);  // the two configurations take equally long
  EXPECT_EQ(json["evaluated"], 2);
  EXPECT_EQ(json["resumed"], 0);
  EXPECT_EQ(json["by_status"]["correct"], 2);
  EXPECT_EQ(json["by_status"].size(), 7u);
  EXPECT_EQ(json["strategy"], "random");
  EXPECT_EQ(json["seed"], 9);
  EXPECT_EQ(json["valid"], 4);
  EXPECT_EQ(json["stop_reason"], "2 evaluations done");
  EXPECT_EQ(json["result_file"], "add.journal.jsonl");
}

TEST_F(Tune, RefusesExistingResultsUnlessToldWhatToDo) {
  write_add_spec(folder_, 4);
  ASSERT_EQ(run_wattune(folder_, quick({"tune", "add.toml", "--evaluations", "2"})).status, 0);
  const std::string journal = folder_.read("add.journal.jsonl");

  const Finished refused = run_wattune(folder_, quick({"tune", "add.toml"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "wattune: error: results exist: `add.journal.jsonl` (--resume continues them, --overwrite starts anew, "
            "--output names another file)\n");
  EXPECT_EQ(folder_.read("add.journal.jsonl"), journal);

  const Finished resumed = run_wattune(folder_, quick({"tune", "add.toml", "--resume", "--json"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.json()["resumed"], 2);
  EXPECT_EQ(resumed.json()["evaluated"], 2);
  EXPECT_THAT(folder_.read("add.journal.jsonl"), testing::StartsWith(journal));

  const Finished anew = run_wattune(folder_, quick({"tune", "add.toml", "--overwrite", "--json"}));
  EXPECT_EQ(anew.status, 0) << anew.err;
  EXPECT_EQ(anew.json()["evaluated"], 4);
  EXPECT_THAT(folder_.read("add.journal.jsonl.~1~"), testing::StartsWith(journal));
}

TEST_F(Tune, RefusesToResumeWhenTheKernelChangedUnlessForced) {
  write_add_spec(folder_, 2);
  ASSERT_EQ(run_wattune(folder_, quick({"tune", "add.toml", "--evaluations", "1"})).status, 0);
  write_add_spec(folder_, 2, "c[i] = b[i] + a[i];");
  const Finished refused = run_wattune(folder_, quick({"tune", "add.toml", "--resume"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("source"));
  EXPECT_THAT(refused.err, HasSubstr("--force-resume"));
  const Finished forced = run_wattune(folder_, quick({"tune", "add.toml", "--force-resume", "--json"}));
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_EQ(forced.json()["resumed"], 1);
}

// A time belongs to its configuration, whatever list its values were drawn from.
TEST_F(Tune, ResumesInAChangedSpaceWithWhatIsInIt) {
  const auto resume = [&](int values) {
    write_add_spec(folder_, values);
    const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--resume", "--json"}));
    EXPECT_EQ(finished.status, 0) << finished.err;
    const auto json = finished.json();
    return std::pair(json["resumed"].get<int>(), json["evaluated"].get<int>());
  };
  EXPECT_EQ(resume(2), std::pair(0, 2));
  EXPECT_EQ(resume(4), std::pair(2, 2));
  EXPECT_EQ(resume(1), std::pair(1, 0));
  EXPECT_EQ(resume(4), std::pair(4, 0));
}

// Numbers with different meanings must not be ranked together.
TEST_F(Tune, RefusesToResumeWhatWasMeasuredOtherwise) {
  write_add_spec(folder_, 2, "\n#include \"body.h\"\n");
  folder_.write("body.h", "c[i] = a[i] + b[i];\n");
  const std::vector<std::string> tune = quick({"tune", "add.toml", "--metric", "rate=n / time"});
  const auto refusal = [&](std::vector<std::string> changed) {
    changed.emplace_back("--resume");
    const Finished refused = run_wattune(folder_, changed);
    EXPECT_EQ(refused.status, 2) << refused.err;
    return refused.err;
  };
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> changed = tune;
    changed.insert(changed.end(), {option, value});
    return changed;
  };
  ASSERT_EQ(run_wattune(folder_, tune).status, 0);
  EXPECT_THAT(refusal(with("--cache", "cold")), HasSubstr("differs in: cache mode (before: warm, now: cold) ("));
  EXPECT_THAT(refusal(with("--check", "never")), HasSubstr("differs in: check mode (before: every, now: never) ("));
  EXPECT_THAT(refusal(with("--policy", "repeated")), HasSubstr("differs in: policy (before: gated, now: repeated) ("));
  EXPECT_THAT(refusal(quick({"tune", "add.toml", "--metric", "rate=2 * n / time"})),
              HasSubstr("differs in: metric rate (before: n / time, now: 2 * n / time) ("));
  folder_.write("body.h", "c[i] = b[i] + a[i];\n");
  EXPECT_THAT(refusal(tune), HasSubstr("differs in: included files (before: "));
}

// Waits until the journal holds Trials, so that the signal meets the loop and not the start.
void wait_for_trials(const TempFolder& folder, RunningProgram& program) {
  EXPECT_TRUE(program.wait_until([&] {
    const std::string journal = folder.has("add.journal.jsonl") ? folder.read("add.journal.jsonl") : "";
    return std::count(journal.begin(), journal.end(), '\n') >= 3;
  }));
}

TEST_F(Tune, EndsAndSavesItsResultsWhenTheJournalIsRemoved) {
  write_add_spec(folder_, 5000);
  RunningProgram program(folder_, quick({"tune", "add.toml"}));
  wait_for_trials(folder_, program);
  std::filesystem::remove(folder_.path() / "add.journal.jsonl");
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_EQ(finished.err,
            "wattune: error: the run ended early: add.journal.jsonl was removed while it was being written (what was "
            "measured is in add.journal.jsonl.saved)\n");
  EXPECT_FALSE(folder_.has("add.journal.jsonl"));
  EXPECT_GE(lines("add.journal.jsonl.saved"), 4u);
  const Finished shown = run_wattune(folder_, {"show", "add.journal.jsonl.saved"});
  EXPECT_EQ(shown.status, 0) << shown.err;
}

// An id from another space, or one edited by hand, would mark configurations as known that were never measured.
TEST_F(Tune, RefusesAJournalWhoseIdsContradictTheSpace) {
  write_add_spec(folder_, 3);
  ASSERT_EQ(run_wattune(folder_, quick({"tune", "add.toml", "--evaluations", "1", "--finalists", "0"})).status, 0);
  std::string journal = folder_.read("add.journal.jsonl");
  std::string line = journal.substr(journal.find('\n') + 1);
  journal.resize(journal.size() - line.size());
  line.resize(line.rfind(",\"xxh3\""));
  line.replace(line.find(R"("id":"0")"), 8, R"("id":"2")");
  store::seal(line);
  folder_.write("add.journal.jsonl", journal + line);
  const Finished refused = run_wattune(folder_, quick({"tune", "add.toml", "--resume"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("add.journal.jsonl:2: `id` 2 contradicts `values`, k=0"));
  EXPECT_EQ(folder_.read("add.journal.jsonl"), journal + line);
}

// One configuration of each kind of misbehaviour beside two good ones.
TEST_F(Tune, RecordsMisbehavingKernelsAndGoesOn) {
  write_add_spec(folder_, 7,
                 "\n#if k == 1\n  this does not compile\n"
                 "#elif k == 2\n  *(volatile __global int*)0 = 1;\n"
                 "#elif k == 3\n  volatile int forever = 1; while (forever) ;\n"
                 "#elif k == 4\n  c[i] = a[i] + b[i]; if (i == 0) c[-1] = 1.0f;\n"
                 "#elif k == 5\n  c[i] = NAN;\n"
                 "#else\n  c[i] = a[i] + b[i];\n#endif\n");
  const Finished finished =
      run_wattune(folder_, quick({"tune", "add.toml", "--json", "--run-limit", "2s", "--compile-limit", "20s"}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto by_status = finished.json()["by_status"];
  EXPECT_EQ(by_status["correct"], 2);
  EXPECT_EQ(by_status["compile"], 1);
  EXPECT_EQ(by_status["runtime"], 2);  // the crash and the write out of bounds
  EXPECT_EQ(by_status["timeout"], 1);
  EXPECT_EQ(by_status["correctness"], 1);

  const Finished shown = run_wattune(folder_, {"show", "add.journal.jsonl"});
  EXPECT_THAT(shown.out, HasSubstr("2 correct"));
  const Finished resumed = run_wattune(folder_, quick({"tune", "add.toml", "--json", "--resume"}));
  EXPECT_EQ(resumed.json()["evaluated"], 0);
}

TEST_F(Tune, ExitStatusIsOneWhenNothingIsCorrect) {
  write_add_spec(folder_, 2, "c[i] = 0.0f;");
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--json"}));
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_TRUE(finished.json()["best"].is_null());
  EXPECT_EQ(finished.json()["by_status"]["correctness"], 2);
}

TEST_F(Tune, DoesNotCheckWhenToldSo) {
  write_add_spec(folder_, 1, "c[i] = 0.0f;");
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--json", "--check", "never"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_FALSE(finished.json()["best"]["verified"].get<bool>());
}

// Removes the reference, with which the spec of write_add_spec() ends.
void drop_reference(const TempFolder& folder) {
  const std::string spec = folder.read("add.toml");
  folder.write("add.toml", spec.substr(0, spec.find("[reference]")));
}

TEST_F(Tune, WithoutAReferenceItComparesWithTheDefaultConfiguration) {
  write_add_spec(folder_, 2, "c[i] = a[i] + b[i] + (k == 1 ? 1.0f : 0.0f);");
  drop_reference(folder_);
  const auto tuned = run_wattune(folder_, quick({"tune", "add.toml", "--json"})).json();
  EXPECT_EQ(tuned["by_status"]["correctness"], 1);
  EXPECT_EQ(tuned["best"]["configuration"]["k"], 0);
  EXPECT_EQ(tuned["checked_against"], "default configuration k=0");
  EXPECT_TRUE(tuned["best"]["not_verified"].is_null());
  const std::string checked = "against the default configuration k=0, as the spec has no reference\n";
  EXPECT_THAT(run_wattune(folder_, {"show", "add.journal.jsonl"}).out, HasSubstr("checked    " + checked));
  const auto shown = run_wattune(folder_, {"show", "add.journal.jsonl", "--json"}).json();
  EXPECT_EQ(shown["checked_against"], "default configuration k=0");
  EXPECT_THAT(run_wattune(folder_, {"run", "add.toml"}).out, HasSubstr(checked));
  EXPECT_EQ(run_wattune(folder_, {"run", "add.toml", "--configuration", "k=1"}).status, 1);
}

TEST_F(Tune, WhereTheDefaultConfigurationFailsItSaysThatNothingIsVerified) {
  write_add_spec(folder_, 2, "if (k == 1) c[i] = a[i] + b[i];");
  drop_reference(folder_);
  const std::string why = "the default configuration k=0 fails: it writes none of its outputs";
  const Finished tuned = run_wattune(folder_, quick({"tune", "add.toml"}));
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("not verified: " + why));
  EXPECT_THAT(run_wattune(folder_, {"show", "add.journal.jsonl"}).out, HasSubstr("checked    not verified: " + why));
  const auto shown = run_wattune(folder_, {"show", "add.journal.jsonl", "--json"}).json();
  EXPECT_TRUE(shown["checked_against"].is_null());
  EXPECT_THAT(shown["best"][0]["not_verified"].get<std::string>(), HasSubstr(why));
}

TEST_F(Tune, WithoutOutputsItSaysThatNothingIsVerified) {
  write_add_spec(folder_, 1, "if (a[i] < 0.0f) c[i] = a[i];");
  drop_reference(folder_);
  folder_.write("add.toml",
                std::regex_replace(folder_.read("add.toml"), std::regex("access = \"write\""), "access = \"read\""));
  EXPECT_THAT(run_wattune(folder_, quick({"tune", "add.toml"})).out, HasSubstr("not verified: no outputs\n"));
  EXPECT_THAT(run_wattune(folder_, {"show", "add.journal.jsonl"}).out, HasSubstr("not verified: no outputs\n"));
  EXPECT_THAT(run_wattune(folder_, {"run", "add.toml"}).out, HasSubstr("not verified: no outputs\n"));
}

TEST_F(Tune, KernelAndReferenceSeeTheSameStruct) {
  folder_.write("axpy.cl", R"(
    typedef struct { char sign; double shift; short count; float factor; } Options;
    __kernel void axpy(__global const float* x, const Options options, __global float* y) {
      const int i = get_global_id(0);
      y[i] = i < options.count ? options.sign * options.factor * x[i] + (float)options.shift : -1.0f;
    })");
  folder_.write("reference.cc", R"(
    #include <cstddef>
    struct Options { signed char sign; double shift; short count; float factor; };
    extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
      const auto* x = static_cast<const float*>(arguments[0]);
      const auto& options = *static_cast<const Options*>(arguments[1]);
      auto* y = static_cast<float*>(arguments[2]);
      for (int i = 0; i < static_cast<int>(lengths[2]); ++i)
        y[i] = i < options.count ? options.sign * options.factor * x[i] + static_cast<float>(options.shift) : -1.0f;
    })");
  folder_.write("axpy.toml", R"(
[kernel]
file = "axpy.cl"
function = "axpy"
arguments = [
  { name = "x", type = "float*", length = 256 },
  { name = "options", type = "struct", fields = [
    { name = "sign", type = "char", value = -1 }, { name = "shift", type = "double", value = 0.25 },
    { name = "count", type = "short", value = "k" }, { name = "factor", type = "float", value = 3.5 },
  ] },
  { name = "y", type = "float*", length = 256, access = "write" },
]
[launch]
global = 256
local = 64
[parameters]
k = [100, 200]
[reference]
file = "reference.cc"
)");
  const Finished finished = run_wattune(folder_, quick({"tune", "axpy.toml", "--json"}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["by_status"]["correct"], 2);
  EXPECT_TRUE(finished.json()["best"]["verified"].get<bool>());
}

TEST_F(Tune, ProblemSizesAndOutputCanBeReplaced) {
  write_add_spec(folder_, 1);
  const Finished finished =
      run_wattune(folder_, quick({"tune", "add.toml", "--problem-size", "n=8192", "--output", "big.journal.jsonl"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(run_wattune(folder_, {"show", "big.journal.jsonl"}).out, HasSubstr("problem size 8192"));
}

TEST_F(Tune, ConstraintsReadTheReplacedProblemSize) {
  write_add_spec(folder_, 4);
  folder_.write("add.toml", folder_.read("add.toml") + "[search]\nconstraints = [\"k * 4096 < n\"]\n");
  const std::vector<std::string> sized = {"add.toml", "--problem-size", "n=8192", "--json"};
  EXPECT_EQ(run_wattune(folder_, {"space", "add.toml", "--json"}).json()["valid"], 1);  // k = 0
  EXPECT_EQ(run_wattune(folder_, {"space", sized[0], sized[1], sized[2], sized[3]}).json()["valid"], 2);
  const Finished finished = run_wattune(folder_, quick({"tune", sized[0], sized[1], sized[2], sized[3]}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["valid"], 2);
}

TEST_F(Tune, AMemoryLimitBelowWhatTheDriverNeedsIsNamed) {
  write_add_spec(folder_, 1);
  const Finished finished = run_wattune(folder_, quick({"tune", "add.toml", "--memory-limit", "20MB"}));
  EXPECT_NE(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("with a memory limit of 20 MB"));
  EXPECT_FALSE(folder_.has("add.journal.jsonl"));
}

TEST_F(Tune, RunShowsAllThatTheCompilerSays) {
  write_add_spec(folder_, 1, "c[i] = first + second;");
  const Finished finished = run_wattune(folder_, {"run", "add.toml"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("failed      compile: "));
  EXPECT_THAT(finished.out, testing::ContainsRegex("first.*\n.*second"));
  EXPECT_THAT(run_wattune(folder_, {"run", "add.toml", "--json"}).json()["build_log"].get<std::string>(),
              HasSubstr("second"));
}

TEST_F(Tune, NotesThatTheDefaultIsInvalid) {
  write_add_spec(folder_, 2);
  folder_.write("add.toml", std::regex_replace(folder_.read("add.toml"), std::regex("k = [^\n]*"),
                                               "k = { values = [0, 1], default = 1 }") +
                                "[search]\nconstraints = [\"k < 1\"]\n");
  constexpr const char* kNote = "the spec's default breaks `k < 1`; the nearest valid configuration takes its place\n";
  // A loaded machine may also print that the reference takes long.
  EXPECT_THAT(run_wattune(folder_, {"run", "add.toml"}).err, HasSubstr(kNote));
  EXPECT_THAT(run_wattune(folder_, {"run", "add.toml", "--configuration", "k=0"}).err, Not(HasSubstr("default")));
  EXPECT_THAT(run_wattune(folder_, {"tune", "add.toml"}).err, HasSubstr(kNote));
}

TEST_F(Tune, RunsInThisProcessWhenToldSo) {
  write_add_spec(folder_, 1);
  EXPECT_EQ(run_wattune(folder_, quick({"tune", "add.toml", "--in-process"})).status, 0);
}

// In this process the kernel prints on the standard output of the program itself.
TEST_F(Tune, WhatAKernelPrintsIsNoPartOfADocument) {
  write_add_spec(folder_, 1, "if (i == 0) printf(\"of the kernel\\n\"); c[i] = a[i] + b[i];");
  const Finished plain = run_wattune(folder_, {"run", "add.toml", "--in-process"});
  if (plain.out.find("of the kernel") == std::string::npos) GTEST_SKIP() << "kernels print nothing here";
  for (const char* command : {"run", "tune"}) {
    const Finished finished = run_wattune(folder_, {command, "add.toml", "--json", "--in-process"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_TRUE(nlohmann::json::accept(finished.out)) << finished.out.substr(0, 200);
    EXPECT_THAT(finished.err, HasSubstr("of the kernel"));
  }
}

TEST_F(Tune, RunsWhatInitWrites) {
  ASSERT_EQ(run_wattune(folder_, {"init", "mine.toml"}).status, 0);
  const Finished finished =
      run_wattune(folder_, quick({"tune", "mine.toml", "--evaluations", "2", "--problem-size", "n=4096", "--json"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["evaluated"], 2);
  EXPECT_EQ(finished.json()["result_file"], "mine.journal.jsonl");
  EXPECT_EQ(finished.json()["best"]["verified"], true);
}

TEST_F(Tune, ControlCEndsTheRunWithItsResults) {
  write_add_spec(folder_, 5000);
  RunningProgram program(folder_, quick({"tune", "add.toml", "--json"}));
  wait_for_trials(folder_, program);
  kill(program.pid(), SIGINT);
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 130) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["stop_reason"], "cancelled");
  EXPECT_GE(json["evaluated"], 2);
  EXPECT_EQ(lines("add.journal.jsonl"), json["evaluated"].get<std::size_t>() + 1);
}

TEST_F(Tune, OverwritesNoJournalThatIsBeingWritten) {
  write_add_spec(folder_, 5000);
  RunningProgram program(folder_, quick({"tune", "add.toml", "--json"}));
  wait_for_trials(folder_, program);
  const Finished second = run_wattune(folder_, quick({"tune", "add.toml", "--overwrite"}));
  EXPECT_EQ(second.status, 3);
  EXPECT_THAT(second.err, HasSubstr("add.journal.jsonl is being written by process"));
  kill(program.pid(), SIGINT);
  EXPECT_EQ(program.wait().status, 130);
  EXPECT_FALSE(folder_.has("add.journal.jsonl.~1~"));
}

// True if the signal was sent to the process and not yet taken.
bool is_pending(pid_t process, int number) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  constexpr std::string_view kPending = "ShdPnd:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kPending))
      return (std::stoull(line.substr(kPending.size()), nullptr, 16) >> (number - 1) & 1) != 0;
  return false;
}

TEST_F(Tune, ControlCTwiceEndsAtOnce) {
  write_add_spec(folder_, 2, "volatile int forever = k; while (forever) ; c[i] = a[i] + b[i];");
  RunningProgram program(folder_, quick({"tune", "add.toml", "--run-limit", "300s"}));
  ASSERT_TRUE(
      program.wait_until([this] { return folder_.has("add.journal.jsonl") && lines("add.journal.jsonl") >= 2; }));
  kill(program.pid(), SIGINT);
  // Signals of one kind that are pending together count once.
  ASSERT_TRUE(program.wait_until([&] { return !is_pending(program.pid(), SIGINT); }));
  kill(program.pid(), SIGINT);
  EXPECT_EQ(program.wait().status, 130);
}

}  // namespace
}  // namespace wattune::cli_test

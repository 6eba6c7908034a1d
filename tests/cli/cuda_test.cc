// CUDA kernels as users tune and compile them: with stand-ins for the driver and NVRTC (fakes/cuda/fake_cuda.h), and
// with the real NVRTC if there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "cli/cuda_stand_ins.h"
#include "source_dir.h"
#include "wattune/search/strategy.h"

namespace wattune::cli_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(CudaTune, TunesOnTheCudaDeviceAndKeepsWhatKernelsTake) {
  const TempFolder folder;
  write_scale(folder);
  const Finished finished =
      run_with_stand_ins(folder, "tune scale.toml --json --quiet --min-samples 2 --max-samples 2");
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["device"]["selector"], "cuda:0");
  EXPECT_EQ(json["device"]["architecture"], "sm_90");
  EXPECT_EQ(json["by_status"]["correct"], 3);
  EXPECT_EQ(json["best"]["configuration"]["block"], 32);
  EXPECT_TRUE(json["best"]["verified"].get<bool>());
  EXPECT_NEAR(json["speed_up"].get<double>(), 4.0, 0.01);  // 128 us over 32 us
  EXPECT_NEAR(json["speed_up_interval"][0].get<double>(), 4.0, 0.01);
  EXPECT_NEAR(json["speed_up_interval"][1].get<double>(), 4.0, 0.01);
  const std::string journal = folder.read("scale.journal.jsonl");
  EXPECT_THAT(journal, HasSubstr(R"({"name":"registers","value":32,"unit":""})"));
  EXPECT_THAT(journal, HasSubstr(R"({"name":"spills","value":8,"unit":"B"})"));
  EXPECT_THAT(journal, HasSubstr(R"({"name":"occupancy","value":0.5,"unit":""})"));
  EXPECT_THAT(journal, HasSubstr(R"("kernel_language":"CUDA")"));
}

// The stand-in for the compiler reports that every kernel spills 8 bytes.
TEST(CudaTune, TestsConditionsOnSpills) {
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.toml",
               kScaleSpec + std::string("[search]\nresource_constraints = [\"spills * block <= 512\"]\n"));
  for (const std::string ahead : {"0", "1"}) {
    const auto json = run_with_stand_ins(folder,
                                         "tune scale.toml --json --quiet --min-samples 2 --max-samples 2 "
                                         "--overwrite --compile-jobs " +
                                             ahead)
                          .json();
    EXPECT_EQ(json["by_status"]["correct"], 2) << ahead;
    EXPECT_EQ(json["by_status"]["constraints"], 1) << ahead;  // block = 128
  }
}

TEST(CudaTune, NamesTheArgumentOfAnotherType) {
  const TempFolder folder;
  write_scale(folder);
  std::string spec = kScaleSpec;
  folder.write("scale.toml", spec.replace(spec.find("\"float\", value"), 7, "\"double\""));
  const Finished finished = run_with_stand_ins(folder, "tune scale.toml --quiet");
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.err,
            "wattune: error: scale.toml:6:13: argument 2 of kernel `scale` is declared `float factor`, the spec says "
            "`double`: `factor`\n");
}

// Two launches multiply by 3 each, in as many microseconds as the block has threads.
TEST(CudaTune, TimesAllLaunchesOfARun) {
  const TempFolder folder;
  write_scale(folder);
  const std::string launch = "[[launch]]\ndivide = [\"block\"]\nblock = \"block\"\n";
  write_launches(folder, launch + launch + "when = \"block != 64\"\n");
  std::string reference = folder.read("reference.cc");
  folder.write("reference.cc", reference.replace(reference.find("3.0f"), 4, "9.0f"));
  const auto json = run_with_stand_ins(folder, "tune scale.toml --json --quiet --min-samples 2 --max-samples 2").json();
  EXPECT_EQ(json["by_status"]["correct"], 2);
  EXPECT_EQ(json["by_status"]["correctness"], 1);  // block = 64 launches once
  EXPECT_NEAR(json["best"]["time_ms"].get<double>(), 0.064, 0.001);
}

// Runs the search with `options` and returns the pipeline of its JSON.
nlohmann::json pipeline_of(const TempFolder& folder, const std::string& options) {
  const Finished finished = run_with_stand_ins(
      folder, "tune scale.toml --json --quiet --min-samples 2 --max-samples 2 --finalists 0 --overwrite " + options);
  EXPECT_EQ(finished.status, 0) << finished.err;
  return finished.json()["pipeline"];
}

// The three configurations are compiled once, and found in the next run unless the source changed.
TEST(CudaTune, CompilesAheadAndKeepsWhatItCompiled) {
  const TempFolder folder;
  write_scale(folder);
  const auto first = pipeline_of(folder, "--compile-jobs 4");
  EXPECT_EQ(first["compile_processes"], 4);
  EXPECT_EQ(first["compiled"], 3);
  EXPECT_EQ(first["cache_hits"], 0);
  EXPECT_GT(first["device_busy"].get<double>(), 0.0);
  EXPECT_LE(first["device_busy"].get<double>(), 1.0);
  EXPECT_TRUE(folder.has("user-cache/wattune"));
  EXPECT_EQ(pipeline_of(folder, "--compile-jobs 1")["cache_hits"], 3);
  EXPECT_EQ(pipeline_of(folder, "--compile-jobs 1 --no-compile-cache")["cache_hits"], 0);
  EXPECT_EQ(pipeline_of(folder, "--compile-jobs 1 --compile-cache mine")["compiled"], 3);
  EXPECT_TRUE(folder.has("mine"));
  folder.write("scale.cu", "extern \"C\" __global__ void scale(float* x, float factor, int n) { }\n");
  EXPECT_EQ(pipeline_of(folder, "--compile-jobs 1")["cache_hits"], 0);
  EXPECT_EQ(pipeline_of(folder, "--compile-jobs 0")["compile_processes"], 0);
}

TEST(CudaTune, ResumesWhatWasCompiledAhead) {
  const TempFolder folder;
  write_scale(folder);
  const std::string options = "tune scale.toml --json --quiet --finalists 0 --compile-jobs 2 --resume ";
  EXPECT_EQ(run_with_stand_ins(folder, options + "--evaluations 2").json()["evaluated"], 2);
  const auto rest = run_with_stand_ins(folder, options).json();
  EXPECT_EQ(rest["resumed"], 2);
  EXPECT_EQ(rest["evaluated"], 1);
  EXPECT_EQ(rest["pipeline"]["compiled"], 1);
}

// Both compile processes are in the midst of a compilation that never ends, and the tuner waits for one.
TEST(CudaTune, CompileProcessesDieWithTheTuner) {
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.cu", "#hang " + (folder.path() / "hanging").string() + "\n");
  const StandInsForPrograms stand_ins;
  RunningProgram program(
      folder, {"tune", "scale.toml", "--quiet", "--compile-jobs", "2", "--no-compile-cache", "--check", "never"});
  ASSERT_TRUE(program.wait_until([&] {
    const std::string hanging = folder.has("hanging") ? folder.read("hanging") : "";
    return std::ranges::count(hanging, '\n') >= 2;
  }));
  const std::vector<pid_t> processes = program.children();
  ASSERT_EQ(processes.size(), 3u);  // including the device's worker
  kill(program.pid(), SIGKILL);
  program.wait();
  expect_gone(processes);
}

TEST(CudaTune, RecordsCompileErrorsAsTheDeviceWould) {
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.cu", "#error nothing works\n");
  for (const std::string jobs : {"0", "2"}) {
    const Finished finished = run_with_stand_ins(folder, "tune scale.toml --quiet --overwrite --compile-jobs " + jobs);
    EXPECT_EQ(finished.status, 1) << finished.err;
    const std::string journal = folder.read("scale.journal.jsonl");
    EXPECT_THAT(journal, HasSubstr(R"("status":"compile")"));
    EXPECT_THAT(journal, HasSubstr("scale.cu(1): error: nothing works"));
  }
}

// The driver gives no log for code that it rejects; its own message gives the advice.
TEST(CudaTune, KeepsTheDriversAdviceOnCodeThatItCannotLoad) {
  const TempFolder folder;
  write_scale(folder);
  std::string spec = kScaleSpec;
  folder.write("scale.toml", spec.replace(spec.find("scale.cu"), 8, "scale.ptx"));
  folder.write("scale.ptx", ".version 99.0\nFROM THE FUTURE\n");
  const Finished finished = run_with_stand_ins(folder, "run scale.toml");
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr(" 222] (the compiler may be newer than the driver"));
  EXPECT_THAT(finished.out, HasSubstr("install a newer driver"));
}

TEST(CudaTune, SaysWhyNothingIsVerified) {
  const TempFolder folder;
  write_scale(folder);
  const std::string options = "scale.toml --min-samples 2 --max-samples 2 --check never";
  const std::string unasked = "not verified: outputs are never checked\n";
  EXPECT_THAT(run_with_stand_ins(folder, "run " + options).out, HasSubstr(unasked));
  EXPECT_THAT(run_with_stand_ins(folder, "tune --quiet --finalists 0 --overwrite " + options).out, HasSubstr(unasked));
  const std::string spec = folder.read("scale.toml");
  folder.write("scale.toml", spec.substr(0, spec.find("[reference]")));
  EXPECT_THAT(run_with_stand_ins(folder, "run " + options).out, HasSubstr(unasked));
}

TEST(CudaTune, AbandonsAKernelThatHangsAfterTheRunLimit) {
  const TempFolder folder;
  folder.write("hang.cu", "extern \"C\" __global__ void hang() {}\n");
  folder.write("hang.toml",
               "[kernel]\nfile = \"hang.cu\"\nfunction = \"hang\"\narguments = []\n"
               "[launch]\ngrid = 1\nblock = \"block\"\n[parameters]\nblock = [32]\n");
  const Finished finished = run_with_stand_ins(folder, "tune hang.toml --quiet --run-limit 200ms");
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("timeout: the kernel ran longer than its run limit of 0.2 s"));
}

TEST(CudaTune, GoesOnWithoutACacheInWhichOthersMayWrite) {
  const TempFolder folder;
  write_scale(folder);
  std::filesystem::create_directory(folder.path() / "anybodys");
  std::filesystem::permissions(folder.path() / "anybodys", std::filesystem::perms::all);
  const Finished anybodys = run_with_stand_ins(folder, "tune scale.toml --compile-cache anybodys --overwrite");
  EXPECT_EQ(anybodys.status, 0) << anybodys.err;
  EXPECT_THAT(anybodys.err, HasSubstr("anybodys can be written by others than its owner"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "anybodys"));
}

TEST(CudaTune, RefusesToCompileAheadInWaysThatCannotBe) {
  const TempFolder folder;
  write_scale(folder);
  const Finished file = run_with_stand_ins(folder, "tune scale.toml --compile-cache scale.cu");
  EXPECT_EQ(file.status, 3);
  EXPECT_THAT(file.err, HasSubstr("cannot keep compiled code"));
  EXPECT_EQ(run_with_stand_ins(folder, "tune scale.toml --compile-cache x --no-compile-cache").status, 2);
  const Finished unused = run_with_stand_ins(folder, "tune scale.toml --compile-cache x --compile-jobs 0");
  EXPECT_EQ(unused.status, 2);
  EXPECT_THAT(unused.err, HasSubstr("--compile-cache needs compile processes"));
  EXPECT_THAT(run_with_stand_ins(folder, "tune scale.toml --compile-jobs 1000").err, HasSubstr("at most 256"));
  EXPECT_THAT(run_with_stand_ins(folder, "tune scale.toml --compile-ahead 100000").err, HasSubstr("at most 4096"));
}

TEST(CudaTune, RecordsClocksAndSaysHowManySamplesWereThrottled) {
  const TempFolder folder;
  write_scale(folder);
  const std::string tune = "tune scale.toml --quiet --min-samples 2 --max-samples 2 --finalists 0 --overwrite";
  const Finished cool = run_with_stand_ins(folder, tune);
  EXPECT_THAT(cool.out, ContainsRegex("\nclock +1755 MHz\n"));
  EXPECT_THAT(cool.out, Not(HasSubstr("throttled")));
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr("\"clocks_mhz\":[1755,1755]"));
  const Finished hot = run_with_stand_ins(folder, tune, "WATTUNE_FAKE_NVML_BITS=32");
  EXPECT_THAT(hot.out, ContainsRegex("\nthrottled +6 of 6 samples"));
  EXPECT_THAT(folder.read("scale.journal.jsonl"), HasSubstr("\"throttled\":[0,1]"));
}

TEST(CudaRun, ChecksAndTimesOneConfiguration) {
  const TempFolder folder;
  write_scale(folder);
  const Finished one = run_with_stand_ins(folder, "run scale.toml --configuration block=32");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("block=32"));
  EXPECT_THAT(one.out, HasSubstr("32 us"));
  const auto json =
      run_with_stand_ins(folder, "run scale.toml --json --energy-window 10ms --observe power,energy").json();
  EXPECT_EQ(json["configuration"]["block"], 128);
  EXPECT_EQ(json["status"], "correct");
  EXPECT_GT(json["metrics"]["power"], 0.0);
  EXPECT_GT(json["metrics"]["energy"], 0.0);
  const std::string nothing = "WATTUNE_FAKE_NVML_ENERGY=3 WATTUNE_FAKE_NVML_POWER=3";
  const Finished none = run_with_stand_ins(folder, "run scale.toml --observe energy", nothing);
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("does not tell its energy"));
  folder.write("scale.cu", "#error nonsense");
  EXPECT_EQ(run_with_stand_ins(folder, "run scale.toml").status, 1);
}

// A V100 at full activity draws 195 W, so that a launch of 128 us takes 0.025 J. Idle time between launches, frequent
// on a busy machine, adds energy.
TEST(CudaRun, TheBoardOfAProfileTakesTheEnergyOfItsKernels) {
  const TempFolder folder;
  write_scale(folder);
  const auto json =
      run_with_stand_ins(folder, "run scale.toml --json --observe power,energy",
                         "WATTUNE_FAKE_NVML_PROFILE=V100 WATTUNE_FAKE_CUDA_TIME=host WATTUNE_FAKE_BOARD=" +
                             (folder.path() / "board").string())
          .json();
  EXPECT_NEAR(json["time_ms"].get<double>(), 0.128, 0.001);
  EXPECT_GT(json["metrics"]["energy"].get<double>(), 0.023);
  EXPECT_LT(json["metrics"]["power"].get<double>(), 200.0);
}

TEST(CudaCounters, AreRecordedUnderTheirNamesAndAliases) {
  const TempFolder folder;
  write_scale(folder);
  const std::string measured = " --min-samples 2 --max-samples 2 ";
  const auto tuned = run_with_stand_ins(
      folder, "tune scale.toml --quiet --json" + measured +
                  "--observe instructions,dram__bytes_read.sum,l2_hit_rate --minimize dram__bytes_read.sum*block");
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const auto metrics = tuned.json()["best"]["metrics"];
  EXPECT_EQ(metrics["smsp__inst_executed.sum"], 1.0);  // launches in one pass
  EXPECT_EQ(metrics["instructions"], 1.0);
  EXPECT_EQ(metrics["dram__bytes_read.sum"], 4096.0);
  EXPECT_EQ(metrics["dram__bytes_read.sum*block"], 4096.0 * 32);
  EXPECT_FALSE(metrics.contains("l2_hit_rate")) << "it is no number there";
  EXPECT_THAT(folder.read("scale.journal.jsonl"),
              HasSubstr(R"({"name":"dram__bytes_read.sum","value":4096,"unit":"byte"})"));
  EXPECT_THAT(run_with_stand_ins(folder, "show scale.journal.jsonl --metrics dram_bytes_read,instructions").err,
              HasSubstr("no configuration has this metric: `dram_bytes_read` (did you mean `dram__bytes_read.sum`?)"));
  EXPECT_THAT(run_with_stand_ins(folder, "show scale.journal.jsonl --metrics dram__bytes_read.sum", "COLUMNS=200").out,
              ContainsRegex("vs default +dram__bytes_read.sum .* 4096 "));
  const auto run = run_with_stand_ins(folder, "run scale.toml" + measured + "--observe dram_bytes_read");
  EXPECT_THAT(run.out, HasSubstr("dram__bytes_read.sum  4096 byte")) << run.err;
}

TEST(CudaCounters, EveryMistakeIsOneLine) {
  const TempFolder folder;
  write_scale(folder);
  const auto refused = [&](const std::string& options, const std::string& variables = "") {
    const Finished finished = run_with_stand_ins(folder, options, variables);
    EXPECT_NE(finished.status, 0) << options;
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  };
  EXPECT_THAT(refused("run scale.toml --observe dram_bandwith"), HasSubstr("did you mean `dram_bandwidth`?"));
  EXPECT_THAT(refused("run scale.toml --observe dram__bytes_reed.sum"), HasSubstr("did you mean `dram__bytes_read`?"));
  EXPECT_THAT(refused("run scale.toml --observe instructions", "WATTUNE_FAKE_CUPTI_cuptiRangeProfilerEnable=35"),
              HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_THAT(refused("run scale.toml --observe instructions", "WATTUNE_LIBCUPTI=/nowhere/libcupti.so"),
              HasSubstr("install CUDA's toolkit"));
  EXPECT_THAT(refused("tune scale.toml --observe instructions --observe-for winners --maximize instructions"),
              HasSubstr("if only winners are observed"));
}

// Three configurations, of which `profile` measures one at a time and looks at the counters of each.
TEST(CudaCounters, AreThoseOfTheStrategyProfileWhereNoneOfThemIsNamed) {
  const TempFolder folder;
  write_scale(folder);
  const auto tuned = [&](const std::string& options, const std::string& variables = "") {
    return run_with_stand_ins(folder,
                              "tune scale.toml --json --overwrite --min-samples 2 --max-samples 2 --finalists 0 "
                              "--strategy profile --strategy-option batch=1 " +
                                  options,
                              variables);
  };
  const std::size_t all = search::profiled_counters().size();
  const Finished by_itself = tuned("--observe l2_hit_rate");
  EXPECT_THAT(by_itself.err, HasSubstr(std::to_string(all) + " hardware counters are observed for the strategy"));
  EXPECT_THAT(by_itself.err, Not(HasSubstr("went at random")));
  for (const std::string& counter : search::profiled_counters())
    EXPECT_EQ(by_itself.json()["best"]["metrics"][counter], 10.0) << counter;

  const std::string utilisation = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
  EXPECT_THAT(run_with_stand_ins(folder, "show scale.journal.jsonl --metrics " + utilisation, "COLUMNS=80").out,
              ContainsRegex("vs default +dram__throughput.avg.pc… +block\n1 .* 4.00x +10 +32\n"));

  const Finished by_name = tuned("--observe dram__sectors_read.sum");
  EXPECT_THAT(by_name.err, Not(HasSubstr("are observed for the strategy")));
  EXPECT_FALSE(by_name.json()["best"]["metrics"].contains(search::profiled_counters().back()));
  const Finished refused = tuned("--quiet", "WATTUNE_LIBCUPTI=/nowhere/libcupti.so");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("CUPTI, which reads hardware counters, was not found"));

  const auto alias = run_with_stand_ins(folder, "run scale.toml --json --observe profile").json();
  EXPECT_EQ(alias["metrics"][search::profiled_counters().back()], 10.0);
}

TEST(CudaCounters, AreListedOfADevice) {
  const TempFolder folder;
  const Finished table = run_with_stand_ins(folder, "devices --counters cuda:0");
  EXPECT_THAT(table.out, HasSubstr("# of bytes read from DRAM")) << table.err;
  EXPECT_THAT(table.out, HasSubstr("lts__t_sector_hit_rate.pct"));
  const auto json = run_with_stand_ins(folder, "devices --counters GH100 --json").json();
  EXPECT_EQ(json["counters"][0]["name"], "dram__bytes_read");
  EXPECT_EQ(json["counters"][0]["kind"], "counter");
  EXPECT_EQ(json["counters"].back()["kind"], "throughput");
  EXPECT_EQ(run_with_stand_ins(folder, "devices --counters nonsense").status, 2);
}

// Writes a stand-in for compute-sanitizer that runs its command and then writes `findings`. The command uses a worker,
// because the stand-ins of the CUDA libraries cannot share a process with a program that contains the C++ library
// itself.
void write_sanitizer(const TempFolder& folder, const std::string& findings, int status = 0) {
  std::filesystem::create_directories(folder.path() / "toolkit" / "bin");
  folder.write("toolkit/bin/compute-sanitizer",
               "#!/bin/sh\nwhile [ \"${1#--}\" != \"$1\" ]; do [ \"$1\" = --log-file ] && log=$2; shift 2; done\n"
               "for word; do shift; [ \"$word\" = --in-process ] || set -- \"$@\" \"$word\"; done\n"
               "[ \"$WATTUNE_NO_GUARDS\" = 1 ] && \"$@\" >ran.txt || { echo cannot start; exit 1; }\n"
               "printf '========= COMPUTE-SANITIZER\\n" +
                   findings + "' >$log\nexit " + std::to_string(status) + "\n");
  std::filesystem::permissions(folder.path() / "toolkit" / "bin" / "compute-sanitizer",
                               std::filesystem::perms::owner_all);
}

Finished tune_and_sanitize(const TempFolder& folder, const std::string& more = "") {
  return run_with_stand_ins(
      folder, "tune scale.toml --quiet --min-samples 2 --max-samples 2 --finalists 0 --overwrite --sanitize" + more,
      "CUDA_HOME=toolkit");
}

TEST(Sanitize, ReportsWhatMemcheckFinds) {
  const TempFolder folder;
  write_scale(folder);
  write_sanitizer(folder,
                  "========= Invalid __global__ read of size 4 bytes\\n=========     at scale(float *)+0x90\\n"
                  "=========     by thread (0,0,0) in block (0,0,0)\\n========= ERROR SUMMARY: 32 errors\\n");
  const Finished bad = tune_and_sanitize(folder);
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.out, HasSubstr("memcheck found 32 errors: Invalid __global__ read of size 4 bytes at "
                                 "scale(float *)+0x90\n"));
  EXPECT_THAT(folder.read("ran.txt"), HasSubstr("block=32"));  // the best
  write_sanitizer(folder, "========= ERROR SUMMARY: 0 errors\\n");
  const Finished good = tune_and_sanitize(folder);
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("memcheck found no errors"));
}

// The program under compute-sanitizer failed, so that nothing is known about the kernel.
TEST(Sanitize, FindsNoErrorsOnlyWhereTheRunWasGood) {
  const TempFolder folder;
  write_scale(folder);
  write_sanitizer(folder, "========= Target application returned an error\n========= ERROR SUMMARY: 0 errors\n", 1);
  const Finished failed = tune_and_sanitize(folder);
  EXPECT_EQ(failed.status, 3);
  EXPECT_THAT(failed.err, HasSubstr("--sanitize: the run under compute-sanitizer failed"));
  write_sanitizer(folder,
                  "========= Error: Device not supported. See the manual.\n========= ERROR SUMMARY: 0 errors\n");
  const Finished refused = tune_and_sanitize(folder);
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.err, "wattune: error: --sanitize: compute-sanitizer: Device not supported. See the manual.\n");
}

TEST(Sanitize, NeedsNothingThatTheObjectiveReads) {
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.toml",
               kScaleSpec + std::string("[metrics]\ntwice = \"2 * energy\"\n[search]\nminimize = \"twice\"\n"));
  write_sanitizer(folder, "========= ERROR SUMMARY: 0 errors\n");
  const Finished good = tune_and_sanitize(folder, " --observe energy --energy-window 10ms");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("memcheck found no errors"));
}

TEST(Sanitize, SaysWhatIsInTheWay) {
  const TempFolder folder;
  write_scale(folder);
  write_sanitizer(folder, "");
  const Finished torn = tune_and_sanitize(folder);
  EXPECT_EQ(torn.status, 3);
  EXPECT_THAT(torn.out, HasSubstr("block=32"));  // the result is not lost
  EXPECT_THAT(torn.err, HasSubstr("--sanitize: compute-sanitizer did not come to an end"));
  const Finished none = run_with_stand_ins(folder, "tune scale.toml --sanitize --overwrite", "PATH=/nowhere");
  if (std::filesystem::exists("/usr/local/cuda/bin/compute-sanitizer")) GTEST_SKIP() << "it is installed here";
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("compute-sanitizer, which --sanitize needs, was not found"));
}

TEST(CudaTune, SaysWhenNoDeviceCompilesTheLanguage) {
  const TempFolder folder;
  write_scale(folder);
  const Finished finished = run_with_stand_ins(folder, "tune scale.toml", "WATTUNE_FAKE_CUDA_INIT=100");
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("no device"));
  EXPECT_THAT(finished.err, HasSubstr("CUDA_ERROR_NO_DEVICE"));
  std::string opencl = kScaleSpec;
  folder.write("opencl.toml", opencl.replace(opencl.find("scale.cu"), 8, "scale.cl"));
  folder.write("scale.cl", "kernel void scale(global float* x, float factor, int n) {}");
  const Finished wrong = run_with_stand_ins(folder, "tune opencl.toml --device cuda:0");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("written in OpenCL, which device `cuda:0` does not compile"));
}

TEST(CudaDevices, SaysWhatIsMissing) {
  const TempFolder folder;
  const Finished good = run_with_stand_ins(folder, "devices");
  EXPECT_THAT(good.out, HasSubstr("`--device auto` means cuda:0"));
  EXPECT_THAT(good.out, Not(HasSubstr("cuda: ")));
  const Finished old = run_with_stand_ins(folder, "devices", "WATTUNE_FAKE_CUDA_VERSION=11040");
  EXPECT_EQ(old.status, 0);
  EXPECT_THAT(old.out, HasSubstr("cuda: not available: the CUDA driver is too old: it supports CUDA 11.4"));
  const Finished newer = run_with_stand_ins(folder, "devices", "WATTUNE_FAKE_NVRTC_VERSION=13000");
  EXPECT_THAT(newer.out, HasSubstr("cuda: NVRTC 13.0 is newer than the driver"));
}

TEST(CudaDevices, SaysWhichTypesOfNumbersADeviceComputes) {
  const TempFolder folder;
  EXPECT_THAT(run_with_stand_ins(folder, "devices").out, HasSubstr("half double bfloat16"));
  const std::pair<const char*, std::vector<std::string>> capabilities[] = {{"52", {"double"}},
                                                                           {"53", {"half", "double"}},
                                                                           {"75", {"half", "double"}},
                                                                           {"80", {"half", "double", "bfloat16"}}};
  for (const auto& [capability, types] : capabilities) {
    const std::string variable = std::string("WATTUNE_FAKE_CUDA_CAPABILITY=") + capability;
    EXPECT_EQ(run_with_stand_ins(folder, "devices --json", variable).json()["devices"][0]["types"], types);
  }
}

}  // namespace
}  // namespace wattune::cli_test

#include "wattune/store/formats.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "store/sample_results.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

using LoadResults = FolderTest;
using WriteFile = FolderTest;

TEST_F(LoadResults, ReadsWattunesJsonBackAsItWas) {
  ResultSet before = sample_results(12);
  before.trials[0].observation.final_place = FinalPlace::winner;
  before.trials[0].observation.over_default = PairedGain{1.5, 1.25, 1.75};
  before.trials[0].observation.in_search = SearchFigures{Nanoseconds(999), -3.5};
  ASSERT_TRUE(write_file(path("r.json"), write_json(before), false));
  const auto after = load_results(path("r.json"));
  ASSERT_TRUE(after) << after.error().to_string();
  expect_same_info(after->info, before.info);
  expect_same_trials(after->trials, before.trials);
}

TEST_F(LoadResults, TellsFormatsByTheirContents) {
  const ResultSet results = sample_results(6);
  write_contents(path("a"), write_t4(results));
  write_contents(path("b"), write_kernel_tuner_cache(results).value());
  write_contents(path("c"), write_json(results));
  {
    auto journal = Journal::open(path("d"), results.info);
    for (const Trial& trial : results.trials) ASSERT_TRUE((*journal)->add(trial));
  }
  for (const char* name : {"a", "b", "c", "d"}) {
    const auto loaded = load_results(path(name));
    ASSERT_TRUE(loaded) << name << ": " << loaded.error().to_string();
    EXPECT_EQ(loaded->trials.size(), 6u) << name;
    EXPECT_EQ(loaded->best()->observation.status, Status::correct) << name;
  }
}

TEST_F(LoadResults, AFinalWithoutSenseIsRefused) {
  const std::string results = write_json(sample_results(1));
  const auto refused = [&](const std::string& members) {
    std::string text = results;
    text.insert(text.find(",\"phases\""), "," + members);
    write_contents(path("r.json"), text);
    const auto loaded = load_results(path("r.json"));
    return loaded ? "" : loaded.error().message();
  };
  EXPECT_EQ(refused(R"("final":"winner","over_default":{"median":1.1,"low":1,"high":1.2})"), "");
  EXPECT_EQ(refused(R"("over_default":{"median":1.3,"low":1,"high":1.2})"),
            "trial 1: `over_default` must be a positive median between `low` and `high`");
  EXPECT_EQ(refused(R"("over_default":{"median":null,"low":1,"high":1.2})"),
            "trial 1: `median` must be a finite number");
  EXPECT_EQ(refused(R"("over_default":[1,1,1])"), "trial 1: `median` is missing");
  EXPECT_EQ(refused(R"("in_search":{"time":0,"objective":1})"), "trial 1: `in_search` must have a time above 0");
  EXPECT_EQ(refused(R"("final":"third")"), "trial 1: `final` has a value that Wattune does not know: `third`");
}

// A time of 0 means that the kernel was not timed.
TEST_F(LoadResults, ATimeOfZeroIsAFailureInEveryFormatOfOthers) {
  ResultSet results = sample_results(7);  // the first and the last are correct
  results.trials[0].observation.statistics = Statistics{};
  results.trials[0].observation.samples = {{Nanoseconds()}};
  write_contents(path("a"), write_t4(results));
  write_contents(path("b"), write_kernel_tuner_cache(results).value());
  write_contents(path("c"), "# {\"tune_params\":{\"n\":[1,2]}}\nn,time_ms\n1,0.00\n2,1\n");
  for (const char* name : {"a", "b", "c"}) {
    const auto loaded = load_results(path(name));
    ASSERT_TRUE(loaded) << name << ": " << loaded.error().to_string();
    const Observation& zero = loaded->trials.front().observation;
    EXPECT_EQ(zero.status, Status::runtime) << name;
    EXPECT_EQ(zero.message, "the recorded time is 0") << name;
    EXPECT_FALSE(zero.statistics.has_value()) << name;
    EXPECT_EQ(loaded->best(), &loaded->trials.back()) << name;
  }
}

// Wattune's own files contain what it recorded, so a time that it cannot have recorded is an error.
TEST_F(LoadResults, RefusesItsOwnFormatWithATimeThatCannotBe) {
  ResultSet results = sample_results(1);
  results.trials[0].observation.statistics = Statistics{};
  write_contents(path("c"), write_json(results));
  EXPECT_THAT(load_results(path("c")).error().message(), HasSubstr("`median` holds a time that cannot be: 0 ns"));
}

TEST_F(LoadResults, HoldsEachConfigurationOnceAndTheLastOfItsTrials) {
  ResultSet results = sample_results(3);
  results.trials.push_back(results.trials[0]);
  results.trials.back().observation.statistics->median = Nanoseconds(7);
  for (Nanoseconds* time : {&results.trials.back().observation.statistics->interval_low,
                            &results.trials.back().observation.statistics->interval_high})
    *time = Nanoseconds(7);
  write_contents(path("c"), write_json(results));
  const auto loaded = load_results(path("c"));
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  ASSERT_EQ(loaded->trials.size(), 3u);
  EXPECT_EQ(loaded->trials[0].observation.statistics->median, Nanoseconds(7));
  EXPECT_EQ(load_evaluations(path("c"))->trials.size(), 4u);
}

TEST_F(LoadResults, RepairsAnUnclosedCache) {
  const std::string whole = write_kernel_tuner_cache(sample_results(6)).value();
  write_contents(path("cache.json"), whole.substr(0, whole.size() - 40));
  const auto loaded = load_results(path("cache.json"));
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(loaded->trials.size(), 5u);
}

TEST_F(LoadResults, ReadsKttsJson) {
  write_contents(path("ktt.json"), R"({"Metadata": {"ComputeApi": "CUDA", "Device": "RTX", "TimeUnit": "Microseconds",
    "Platform": "NVIDIA CUDA", "Timestamp": "2022-06-01 13:55:7 UTC"}, "Results": [
    {"KernelName": "sum", "Status": "Ok", "TotalDuration": 12.5, "TotalOverhead": 300, "ValidationOverhead": 1,
     "Configuration": [{"Name": "X", "Value": 4, "ValueType": "UnsignedInt"}],
     "ComputationResults": [{"CompilationData": {"RegistersCount": 20},
       "ProfilingData": {"Counters": [{"Name": "ipc", "Type": "Double", "Value": 1.5}]}}]},
    {"KernelName": "sum", "Status": "ComputationFailed", "TotalDuration": 0,
     "Configuration": [{"Name": "X", "Value": 8, "ValueType": "UnsignedInt"}], "ComputationResults": []}]})");
  const auto loaded = load_results(path("ktt.json"));
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(loaded->info.device.name, "RTX");
  EXPECT_EQ(loaded->info.parameters, (std::vector<Parameter>{{.name = "X", .values = {4, 8}}}));
  const Observation& first = loaded->trials.at(0).observation;
  EXPECT_EQ(first.objective(), 12500.0);
  EXPECT_THAT(first.metrics, testing::ElementsAre(Metric{"registers", 20, ""}, Metric{"ipc", 1.5, ""}));
  EXPECT_EQ(loaded->trials.at(1).observation.status, Status::runtime);
}

TEST_F(LoadResults, DecompressesWhatTheSystemCan) {
  for (const char* tool : {"xz", "gzip", "zstd"}) {
    write_contents(path("r"), write_t4(sample_results(6)));
    const std::string command = std::string(tool) + " -c < " + path("r").string() + " > " + path("packed").string();
    if (std::system((command + " 2> /dev/null").c_str()) != 0) continue;
    const auto loaded = load_results(path("packed"));
    ASSERT_TRUE(loaded) << tool << ": " << loaded.error().to_string();
    EXPECT_EQ(loaded->trials.size(), 6u) << tool;
    write_contents(path("packed"), contents_of(path("packed")).substr(0, 60));
    EXPECT_EQ(load_results(path("packed")).error().code(), ErrorCode::parse_error) << tool;
  }
}

TEST_F(LoadResults, NamesTheDecompressorThatIsMissing) {
  write_contents(path("r.xz"), std::string("\xFD"
                                           "7zXZ\0",
                                           6));
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto loaded = load_results(path("r.xz"));
  ::setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(loaded.error().to_string(), HasSubstr("needs the program `xz`"));
}

TEST_F(LoadResults, SaysWhatIsWrongWithAFile) {
  const auto error = [this](const std::string& text) {
    write_contents(path("r"), text);
    return load_results(path("r")).error();
  };
  EXPECT_EQ(load_results(path("missing")).error().code(), ErrorCode::not_found);
  EXPECT_EQ(load_results(path("")).error().code(), ErrorCode::invalid_argument);
  for (const char* text : {"", "\n", "[kernel]\n"})
    EXPECT_EQ(error(text).message(), "no result format that Wattune knows") << text;
  EXPECT_EQ(error("{\"a\": 1}").message(), "no result format that Wattune knows");
  EXPECT_EQ(error("{\"a\": 1,\n  \"b\": }").position(), (SourcePosition{path("r").string(), 2, 8}));
  EXPECT_EQ(error("{\"wattune_results\": 3, \"trials\": []}").message(),
            "the results have format 3, this Wattune reads up to 2");
  EXPECT_EQ(error("{\"wattune_results\": 1, \"trials\": []}").message(), "`wattune_version` is missing");
}

TEST_F(LoadResults, NamesTheTrialThatIsWrong) {
  std::string text = write_json(sample_results(6));
  const std::size_t second = text.find("\"status\":\"compile\"");
  text.replace(second, 18, "\"status\":\"kaputt!\"");
  write_contents(path("r"), text);
  EXPECT_EQ(load_results(path("r")).error().message(),
            "trial 2: `status` has a value that Wattune does not know: `kaputt!`");
}

TEST_F(WriteFile, OverwritesOnlyWhenAsked) {
  ASSERT_TRUE(write_file(path("f"), "one", false));
  EXPECT_EQ(write_file(path("f"), "two", false).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(contents_of(path("f")), "one");
  ASSERT_TRUE(write_file(path("f"), "two", true));
  EXPECT_EQ(contents_of(path("f")), "two");
}

TEST_F(WriteFile, LeavesNoTemporaryFileBehind) {
  ASSERT_TRUE(write_file(path("f"), "one", false));
  EXPECT_FALSE(write_file(path("f"), "two", false));
  EXPECT_FALSE(write_file(path("missing/f"), "two", false));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST_F(WriteFile, WritesThroughNoLinkThatStandsWhereItsTemporaryFileWould) {
  write_contents(path("victim"), "mine");
  const std::string name = path("f").string() + "." + std::to_string(::getpid());
  std::filesystem::create_symlink("victim", name + ".tmp");
  std::filesystem::create_symlink("victim", name + ".0.tmp");
  ASSERT_TRUE(write_file(path("f"), "text", false));
  EXPECT_EQ(contents_of(path("f")), "text");
  EXPECT_EQ(contents_of(path("victim")), "mine");
}

TEST_F(WriteFile, ReplacesTheFileBehindALink) {
  write_contents(path("f"), "one");
  std::filesystem::create_symlink("f", path("link"));
  ASSERT_TRUE(write_file(path("link"), "two", true));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(contents_of(path("f")), "two");
}

TEST_F(WriteFile, WritesIntoDevicesAndRefusesFolders) {
  EXPECT_TRUE(write_file("/dev/null", "text", false));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(write_file(path(""), "text", true).error().code(), ErrorCode::invalid_argument);
  if (::access("/dev/full", W_OK) != 0) return;
  EXPECT_EQ(write_file("/dev/full", "text", true).error().code(), ErrorCode::io_error);
}

TEST_F(WriteFile, HonoursTheUmask) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file(path("f"), "text", false));
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(path("f")).permissions(), std::filesystem::perms(0640));
}

// These formats have no place for the gain, and their readers accept any number that has a name.
TEST(Formats, OfOthersCarryTheGainOverTheDefaultAsNumbers) {
  ResultSet written = sample_results(1);
  written.trials[0].observation.metrics.clear();
  written.trials[0].observation.over_default = PairedGain{1.25, 1.125, 1.5};
  const std::vector<Metric> gain = {
      {"over_default", 1.25, ""}, {"over_default_low", 1.125, ""}, {"over_default_high", 1.5, ""}};
  EXPECT_THAT(parse_t4(write_t4(written)).value().trials.at(0).observation.metrics,
              testing::UnorderedElementsAreArray(gain));
  EXPECT_THAT(
      parse_kernel_tuner_cache(write_kernel_tuner_cache(written).value()).value().trials.at(0).observation.metrics,
      testing::UnorderedElementsAreArray(gain));
}

}  // namespace
}  // namespace wattune::store

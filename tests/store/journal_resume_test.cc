// Resuming journals: those that a run may continue, and those that it may not.
#include <gmock/gmock.h>

#include "store/interface/sealed_line.h"
#include "store/journal_fixture.h"
#include "store/journal_text.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

struct Change {
  const char* what;
  void (*apply)(RunInfo&);
  const char* sentence;
};

const Change kChanges[] = {
    {"kernel", [](RunInfo& info) { info.identity["kernel source"] = "ffffffffffffffffffffffffffffffff"; },
     "kernel source (before: none, now: ffffffff..)"},
    {"arguments", [](RunInfo& info) { info.identity["arguments"] = "44556677445566774455667744556677"; },
     "arguments (before: 00112233.., now: 44556677..)"},
    {"cache mode", [](RunInfo& info) { info.identity["cache mode"] = "cold"; }, "cache mode (before: warm, now: cold)"},
    {"metric", [](RunInfo& info) { info.identity["metric gflops"] = "3 / time"; },
     "metric gflops (before: 2 / time, now: 3 / time)"},
    {"environment", [](RunInfo& info) { info.identity["environment CPATH"] = "/opt/include"; },
     "environment CPATH (before: none, now: /opt/include)"},
    {"device", [](RunInfo& info) { info.device.name = "Other"; }, "device (before: Some \"GPU\", now: Other)"},
    {"driver", [](RunInfo& info) { info.device.driver_version = "1.3"; }, "driver (before: 1.2, now: 1.3)"},
    {"parameter", [](RunInfo& info) { info.parameters.push_back({.name = "tile", .values = {1}}); },
     "tuning parameter tile (before: none, now: declared)"},
};

TEST(JournalDifferences, AreNamedOneByOne) {
  EXPECT_TRUE(differences(sample_info(), sample_info()).empty());
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    EXPECT_THAT(differences(sample_info(), wanted), testing::ElementsAre(change.sentence));
  }
}

TEST(JournalDifferences, LeaveOutWhatMayChange) {
  RunInfo wanted = sample_info();
  wanted.started_at = second_of_2026(500);
  wanted.wattune_version = "0.2.0";
  wanted.device.selector = "opencl:1:0";
  EXPECT_TRUE(differences(sample_info(), wanted).empty());
}

TEST_F(JournalTest, RefusesToMixDifferentRuns) {
  write_journal(2);
  const std::string before = contents_of(file_);
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    const auto journal = Journal::open(file_, wanted, Resume::checked);
    ASSERT_FALSE(journal) << change.what;
    EXPECT_EQ(journal.error().code(), ErrorCode::mismatch);
    EXPECT_THAT(journal.error().message(), HasSubstr(change.sentence));
    EXPECT_EQ(contents_of(file_), before);
  }
}

// Values of two objectives in one run would be compared with each other.
TEST_F(JournalTest, ForcedRefusesOtherObjectives) {
  write_journal(2);
  RunInfo wanted = sample_info();
  wanted.objectives = {{"gflops", true}};
  const auto journal = Journal::open(file_, wanted, Resume::forced);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().to_string(),
              HasSubstr("objectives (before: none, now: maximize gflops) (write to another file)"));
}

// The objective may use the metric, and its values then have another meaning.
TEST_F(JournalTest, ForcedRefusesOtherMetricsWhereThereIsAnObjective) {
  RunInfo info = sample_info();
  info.objectives = {{"gflops", true}};
  { ASSERT_TRUE(Journal::open(file_, info)); }
  info.identity["metric gflops"] = "3 / time";
  const auto journal = Journal::open(file_, info, Resume::forced);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), HasSubstr("metric gflops"));
}

// --- In a changed space

// Describes the sample run with other values of `block`, where ids are others.
RunInfo with_blocks(const std::vector<Value>& blocks) {
  RunInfo info = sample_info();
  info.parameters[0].values = blocks;
  info.space_hash = "with " + std::to_string(blocks.size()) + " blocks";
  return info;
}

Placement placement_in(const RunInfo& info) {
  return [blocks = info.parameters[0].values](const Trial& trial, const RunInfo&) -> std::optional<Configuration> {
    const Configuration& recorded = trial.configuration;
    if (std::ranges::count(blocks, recorded.values()[0]) == 0) return std::nullopt;
    const auto names = std::make_shared<const std::vector<std::string>>(recorded.names());
    return Configuration(recorded.values()[0].as_integer() + (recorded.values()[1] == Value(2.0) ? 1000 : 0), names,
                         recorded.values());
  };
}

class ChangedSpace : public JournalTest {
 protected:
  std::unique_ptr<Journal> open(const std::vector<Value>& blocks) {
    const RunInfo info = with_blocks(blocks);
    auto journal = Journal::open(file_, info, Resume::checked, placement_in(info));
    EXPECT_TRUE(journal) << journal.error().to_string();
    return journal ? *std::move(journal) : nullptr;
  }
};

// The first six Trials have the blocks 16, 32, 64, 16, 32, 64.
TEST_F(ChangedSpace, WhatIsInItCountsAndTheRestStays) {
  write_journal(6);
  const std::string before = contents_of(file_);
  {
    const auto journal = open({32, 64, 128});
    EXPECT_EQ(journal->recovered().size(), 4u);
    EXPECT_EQ(journal->unused(), 2u);
  }
  EXPECT_THAT(contents_of(file_), testing::StartsWith(before));
  const auto read = read_journal(file_);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->info.parameters[0].values, (std::vector<Value>{32, 64, 128}));
  ASSERT_EQ(read->trials.size(), 4u);
  EXPECT_EQ(read->trials[0].configuration.values()[0], Value(32));
  EXPECT_EQ(read->trials[0].configuration.id(), 1032u);
  EXPECT_EQ(read->trials[0].observation, sample_trial(1).observation);
}

TEST_F(ChangedSpace, WhatDidNotCountCountsAgainWhenItIsBack) {
  write_journal(6);
  { EXPECT_EQ(open({32})->recovered().size(), 2u); }
  { EXPECT_EQ(open({32, 64})->recovered().size(), 4u); }
  const auto journal = open({16, 32, 64});
  EXPECT_EQ(journal->recovered().size(), 6u);
  EXPECT_EQ(journal->unused(), 0u);
}

TEST_F(ChangedSpace, TheSameSpaceAgainAddsNothing) {
  write_journal(6);
  { open({32, 64}); }
  const std::string before = contents_of(file_);
  EXPECT_EQ(open({32, 64})->recovered().size(), 4u);
  EXPECT_EQ(contents_of(file_), before);
}

// The run is killed while the Trials that count are written again. The run before is unchanged.
TEST_F(ChangedSpace, WhatIsCutWhileItIsCarriedLosesNothing) {
  write_journal(6);
  const std::size_t before = contents_of(file_).size();
  { open({32, 64}); }
  const std::string whole = contents_of(file_);
  for (std::size_t size = before; size + 1 < whole.size(); ++size) {
    write_contents(file_, whole.substr(0, size));
    const auto read = read_journal(file_);
    ASSERT_TRUE(read) << size << ": " << read.error().to_string();
    ASSERT_EQ(read->trials.size(), 6u) << size;
  }
  write_contents(file_, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(open({32, 64})->recovered().size(), 4u);
  EXPECT_EQ(contents_of(file_), whole);
}

TEST_F(ChangedSpace, IsRefusedByWhoDoesNotKnowSpaces) {
  write_journal(2);
  const auto refused = Journal::open(file_, with_blocks({32}), Resume::forced);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::EndsWith("cannot be continued, its search space has changed"));
}

// The old gain was over another default configuration.
TEST_F(ChangedSpace, ANewDefaultMakesOldGainsUnknown) {
  {
    auto journal = Journal::open(file_, sample_info());
    Trial trial = sample_trial(0);
    trial.observation.over_default = PairedGain{1.5, 1.25, 2.0};
    ASSERT_TRUE((*journal)->add(trial));
  }
  RunInfo info = sample_info();
  info.default_values[0] = 32;
  const auto same = [](const Trial& trial, const RunInfo&) { return std::optional(trial.configuration); };
  const auto journal = Journal::open(file_, info, Resume::checked, same);
  ASSERT_TRUE(journal) << journal.error().to_string();
  EXPECT_FALSE((*journal)->recovered().at(0).observation.over_default);
  EXPECT_EQ(read_journal(file_)->info.default_values[0], Value(32));
}

// --- Journals of the first format

// Returns a journal whose header names the source and the options only.
std::string journal_of_first_format() {
  std::string header =
      R"({"wattune_journal":1,"wattune_version":"0.1.0","started_at":"2026-01-31T00:00:00.123456789Z",)"
      R"("kernel_name":"convolution","kernel_language":"OpenCL","problem_size":"4096, 4096",)"
      R"("source_hash":"1a2b3c4d5e6f","options_hash":"00112233","space_hash":"99aabbcc",)"
      R"("device":{"selector":"opencl:0:0","backend":"opencl","kind":"gpu","name":"Some \"GPU\"","vendor":"Vendor",)"
      R"("platform":"Platform","driver_version":"1.2","language_version":"OpenCL C 1.2","architecture":"","compute_units":40,)"
      R"("clock_mhz":1402.5,"global_memory_bytes":34359738368,"local_memory_bytes":49152,)"
      R"("max_allocation_bytes":8589934592,"max_work_group_size":1024,"max_work_item_sizes":[1024,1024,64]},)"
      R"("parameters":[{"name":"block","values":[16,32,64],"default":16},{"name":"scale","values":[0.5,2.0]},)"
      R"({"name":"padding","values":[false,true]},{"name":"type","values":["float","float4"]}],)"
      R"("constraints":["block * 2 <= 128","scale < block"],"default_values":[16,0.5,false,"float"])";
  seal(header);
  std::string line;
  EXPECT_TRUE(TrialEncoder(sample_info().parameters).encode(sample_trial(0), line));
  return header + line;
}

TEST_F(JournalTest, ReadsTheFirstFormat) {
  const auto results = parse_journal(journal_of_first_format());
  ASSERT_TRUE(results) << results.error().to_string();
  RunInfo info = sample_info();
  info.identity.clear();
  expect_same_info(results->info, info);
  expect_same_trials(results->trials, sample_results(1).trials);
}

TEST_F(JournalTest, ContinuesTheFirstFormatOnlyWhenForced) {
  write_contents(file_, journal_of_first_format());
  const auto refused = Journal::open(file_, sample_info(), Resume::checked);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::EndsWith("this run differs in: what an older Wattune did not record, "
                                                           "such as included files, metrics and the cache mode"));
  EXPECT_TRUE(Journal::open(file_, sample_info(), Resume::forced));
}

TEST_F(JournalTest, ForcedIgnoresAllButWhatTrialsMean) {
  write_journal(2);
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    EXPECT_EQ(Journal::open(file_, wanted, Resume::forced).has_value(), std::string(change.what) != "parameter")
        << change.what;
  }
}

}  // namespace
}  // namespace wattune::store

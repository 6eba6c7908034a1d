// Which journals a run continues.
#include <gmock/gmock.h>

#include "store/journal_fixture.h"
#include "store/sealed_line.h"

namespace wattune::store {
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
    {"space", [](RunInfo& info) { info.space_hash = "01234567"; }, "search space (before: 99aabbcc, now: 01234567)"},
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

// The objective may be made of the metric, whose values then mean something else.
TEST_F(JournalTest, ForcedRefusesOtherMetricsWhereThereIsAnObjective) {
  RunInfo info = sample_info();
  info.objectives = {{"gflops", true}};
  { ASSERT_TRUE(Journal::open(file_, info)); }
  info.identity["metric gflops"] = "3 / time";
  const auto journal = Journal::open(file_, info, Resume::forced);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), HasSubstr("metric gflops"));
}

// --- Journals of the first format

// Its header named the source and the options only.
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
    EXPECT_EQ(Journal::open(file_, wanted, Resume::forced).has_value(), std::string(change.what) != "space")
        << change.what;
  }
}

}  // namespace
}  // namespace wattune::store

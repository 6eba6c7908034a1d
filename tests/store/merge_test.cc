// Records of several files, and of files written one behind the other, put together.
#include "store/interface/merge.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "store/sample_results.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MergeTest : public FolderTest {
 protected:
  // Returns the text of a journal of the sample run's Trials from `first` to before `last`.
  std::string journal_of(const RunInfo& info, int first, int last) {
    const std::filesystem::path file = path("one.journal.jsonl");
    std::filesystem::remove(file);
    {
      const auto journal = Journal::open(file, info);
      for (int i = first; i < last; ++i) EXPECT_TRUE((*journal)->add(sample_trial(i)));
    }
    return contents_of(file);
  }

  std::vector<MergedRecord> merged(const std::vector<std::string>& texts) {
    std::vector<NamedRecord> all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::filesystem::path file = path("f" + std::to_string(i));
      write_contents(file, texts[i]);
      auto records = load_all_records(file);
      EXPECT_TRUE(records) << records.error().to_string();
      for (NamedRecord& each : *records) all.push_back(std::move(each));
    }
    return merge(std::move(all));
  }
};

std::vector<std::string> configurations_of(const ResultSet& results) {
  std::vector<std::string> texts;
  for (const Trial& trial : results.trials) texts.push_back(trial.configuration.to_string());
  std::ranges::sort(texts);
  return texts;
}

TEST_F(MergeTest, HasEachConfigurationOnceWithTheTrialOfTheLastFile) {
  const RunInfo info = sample_info();
  const auto all = merged({journal_of(info, 0, 4), journal_of(info, 2, 6)});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].sources.size(), 2u);
  EXPECT_EQ(all[0].results.trials.size(), 6u);
  write_contents(path("whole"), journal_of(info, 0, 6));
  EXPECT_EQ(configurations_of(all[0].results), configurations_of(load_results(path("whole")).value()));
}

TEST_F(MergeTest, FilesWrittenOneBehindTheOtherAreRecognised) {
  const RunInfo info = sample_info();
  const std::string both = journal_of(info, 0, 3) + journal_of(info, 3, 6);
  write_contents(path("both.jsonl"), both);
  const Error error = load_results(path("both.jsonl")).error();
  EXPECT_THAT(error.to_string(), HasSubstr("2 records, one behind the other"));
  EXPECT_THAT(error.to_string(), HasSubstr("`wattune merge`"));
  const auto all = merged({both});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].results.trials.size(), 6u);
  EXPECT_THAT(all[0].sources, ElementsAre(HasSubstr("part 1"), HasSubstr("part 2")));

  write_contents(path("one.json"), write_json(load_results(path("one.journal.jsonl")).value()));
  write_contents(path("two.json"), contents_of(path("one.json")) + "\r\n\xEF\xBB\xBF" + contents_of(path("one.json")));
  EXPECT_THAT(load_results(path("two.json")).error().to_string(), HasSubstr("2 records, one behind the other"));
  write_contents(path("lines.jsonl"), "{\"a\": 1}\n{\"a\": 2}\n");
  EXPECT_THAT(load_results(path("lines.jsonl")).error().to_string(), HasSubstr("no result format that Wattune knows"));
  EXPECT_EQ(load_all_records(path("two.json"))->size(), 2u);
}

// A changed space adds a run to a journal, even if no Trial of the earlier space is in it.
TEST_F(MergeTest, AJournalThatWentOnInAnotherSpaceIsOneRecord) {
  const std::filesystem::path file = path("resumed.jsonl");
  write_contents(file, journal_of(sample_info(), 0, 3));
  RunInfo changed = sample_info();
  changed.parameters[0].values.push_back(128);
  changed.space_hash = "other";
  const auto nowhere = [](const Trial&, const RunInfo&) -> std::optional<Configuration> { return std::nullopt; };
  ASSERT_TRUE(Journal::open(file, changed, Resume::checked, nowhere));
  EXPECT_TRUE(load_results(file));
  EXPECT_EQ(load_all_records(file)->size(), 1u);
}

TEST_F(MergeTest, OtherFormatsAndOrdersOfParametersBelongTogether) {
  const RunInfo info = sample_info();
  const std::string journal = journal_of(info, 0, 1);
  const auto cache = parse_kernel_tuner_cache(R"({"device_name": "Some \"GPU\"", "kernel_name": "convolution",
      "problem_size": "4096, 4096", "tune_params_keys": ["type", "padding", "scale", "block"],
      "tune_params": {"type": ["float"], "padding": [true], "scale": [2.0], "block": [128]},
      "cache": {"float,True,2.0,128": {"type": "float", "padding": true, "scale": 2.0, "block": 128, "time": 3.5}}})");
  ASSERT_TRUE(cache) << cache.error().to_string();
  write_contents(path("a"), journal);
  auto records = load_all_records(path("a")).value();
  records.push_back({"cache", *cache});
  const auto all = merge(std::move(records));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].results.trials.size(), 2u);
  EXPECT_EQ(all[0].results.trials[1].configuration.to_string(), "block=128, scale=2.0, padding=True, type=float");
  EXPECT_THAT(all[0].results.info.parameters[0].values, ElementsAre(Value(16), Value(32), Value(64), Value(128)));
}

TEST_F(MergeTest, DifferingIdentitiesAreNamedAndKeptApart) {
  const RunInfo info = sample_info();
  RunInfo cold = info;
  cold.identity["cache mode"] = "cold";
  RunInfo elsewhere = info;
  elsewhere.device.name = "Another GPU";
  RunInfo other_parameter = info;
  other_parameter.parameters[3].name = "vector";
  const auto all = merged({journal_of(info, 0, 2), journal_of(cold, 2, 4), journal_of(elsewhere, 0, 2),
                           journal_of(cold, 4, 6), journal_of(other_parameter, 0, 1)});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0].apart.empty());
  EXPECT_THAT(all[1].apart, ElementsAre("cache mode (warm and cold)"));
  EXPECT_EQ(all[1].results.trials.size(), 4u);
  EXPECT_THAT(all[2].apart, ElementsAre(HasSubstr("device (Some \"GPU\" and Another GPU)")));
  EXPECT_THAT(all[3].apart, ElementsAre("the parameters"));
}

TEST_F(MergeTest, AMergedRecordIsWrittenAndReadBack) {
  const RunInfo info = sample_info();
  const auto all = merged({journal_of(info, 0, 4), journal_of(info, 4, 6)});
  const std::filesystem::path file = path("merged.jsonl");
  {
    const auto journal = Journal::open(file, all[0].results.info);
    ASSERT_TRUE(journal) << journal.error().to_string();
    for (const Trial& trial : all[0].results.trials) ASSERT_TRUE((*journal)->add(trial));
  }
  const auto again = load_results(file);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(configurations_of(*again), configurations_of(all[0].results));
  EXPECT_EQ(again->best()->configuration.to_string(), all[0].results.best()->configuration.to_string());
}

}  // namespace
}  // namespace wattune::store

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {
namespace {

constexpr int kTrials = 300;

RunInfo one_parameter() {
  RunInfo info;
  info.kernel_name = "k";
  info.parameters = {{.name = "x"}};
  for (int i = 0; i < kTrials; ++i) info.parameters[0].values.emplace_back(i);
  return info;
}

Trial trial_of(int index) {
  Trial trial;
  trial.configuration = Configuration(static_cast<ConfigurationId>(index),
                                      std::make_shared<const std::vector<std::string>>(1, "x"), {Value(index)});
  trial.observation.samples = {{Nanoseconds(100.0 + index)}};
  trial.observation.statistics = Statistics{.median = Nanoseconds(100.0 + index)};
  return trial;
}

// Readers see a prefix of the Trials, never half of one.
TEST(Journal, IsReadWhileItIsWritten) {
  const auto file = std::filesystem::temp_directory_path() / ("readers-" + std::to_string(getpid()) + ".jsonl");
  std::filesystem::remove(file);
  auto journal = Journal::open(file, one_parameter()).value();

  std::atomic<bool> done = false;
  std::atomic<int> readings = 0;
  std::thread reader([&] {
    std::size_t seen = 0;
    do {
      const auto results = read_journal(file);
      ASSERT_TRUE(results) << results.error().to_string();
      ASSERT_GE(results->trials.size(), seen);
      seen = results->trials.size();
      ++readings;
    } while (!done);
  });
  for (int i = 0; i < kTrials; ++i) journal->add(trial_of(i)).value();
  done = true;
  reader.join();

  EXPECT_GT(readings, 0);
  EXPECT_EQ(read_journal(file).value().trials.size(), static_cast<std::size_t>(kTrials));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace wattune::store

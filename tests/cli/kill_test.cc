// kill -9 of the tuner, of its worker, and of both, at random moments: nothing finished is lost, nothing measured
// twice.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>

#include "cli/run_program.h"
#include "wattune/core/random.h"
#include "wattune/store/journal.h"

namespace wattune::cli_test {
namespace {

constexpr int kConfigurations = 120;
constexpr int kRounds = 50;
constexpr auto kJournal = "add.journal.jsonl";

enum class Victim { tuner, worker, both };

const std::vector<std::string> kResume = quick({"tune", "add.toml", "--resume", "--json"});

// Starts a run, kills after at most `most` microseconds; false when the run had ended before.
bool round(const TempFolder& folder, Victim victim, Random& random, std::uint64_t most) {
  RunningProgram program(folder, kResume);
  usleep(static_cast<useconds_t>(random.below(most)));
  if (!program.running()) return false;
  const std::vector<pid_t> workers = program.children();
  if (victim != Victim::tuner) {
    for (const pid_t worker : workers) kill(worker, SIGKILL);
  }
  if (victim != Victim::worker) return kill(program.pid(), SIGKILL), program.wait(), true;
  usleep(static_cast<useconds_t>(random.below(most)));  // the tuner starts another worker and goes on
  kill(program.pid(), SIGKILL);
  program.wait();
  return true;
}

std::size_t finished_trials(const TempFolder& folder) {
  if (!folder.has(kJournal)) return 0;
  const Result<ResultSet> results = store::read_journal(folder.path() / kJournal);
  EXPECT_TRUE(results || results.error().code() == ErrorCode::parse_error) << results.error().to_string();
  return results ? results->trials.size() : 0;
}

TEST(Kill, FiftyTimesLosesNothingAndRepeatsNothing) {
  if (!has_device()) GTEST_SKIP() << "no device here";
  const TempFolder folder;
  write_add_spec(folder, kConfigurations);
  Random random(2025);
  std::size_t before = 0;
  int killed = 0;
  for (int i = 0; i < kRounds; ++i) {
    killed += round(folder, static_cast<Victim>(i % 3), random, 400'000) ? 1 : 0;
    const std::size_t after = finished_trials(folder);
    EXPECT_GE(after, before) << "round " << i;
    before = after;
  }
  EXPECT_GT(killed, kRounds / 2);

  const Finished last = run_wattune(folder, kResume);
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(last.json()["resumed"], before);
  EXPECT_EQ(last.json()["evaluated"], kConfigurations - before);

  const ResultSet results = store::read_journal(folder.path() / kJournal).value();
  std::map<ConfigurationId, int> times_measured;
  for (const Trial& trial : results.trials) {
    ++times_measured[trial.configuration.id()];
    EXPECT_TRUE(trial.observation.ok()) << trial.observation.message;  // no configuration is blamed for the kill
  }
  EXPECT_EQ(times_measured.size(), static_cast<std::size_t>(kConfigurations));
  for (const auto& [id, times] : times_measured) EXPECT_EQ(times, 1) << to_string(id);
}

}  // namespace
}  // namespace wattune::cli_test

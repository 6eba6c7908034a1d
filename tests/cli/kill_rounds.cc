#include "cli/kill_rounds.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "wattune/core/random.h"
#include "wattune/store/journal.h"

namespace wattune::cli_test {

namespace {

constexpr auto kJournal = "trials.jsonl";

enum class Victim { tuner, workers, both };

std::vector<std::string> command_line(const KillRounds& options) {
  std::vector<std::string> arguments = options.tune;
  arguments.insert(arguments.end(), {"--output", kJournal, "--resume", "--finalists", "0", "--json"});
  return arguments;
}

void pause(Random& random, std::uint64_t longest_us) { usleep(static_cast<useconds_t>(random.below(longest_us))); }

// Starts a run and kills a victim. Returns false if the run had ended before.
bool kill_once(const TempFolder& folder, const KillRounds& options, Victim victim, Random& random) {
  RunningProgram program(folder, command_line(options));
  pause(random, options.longest_us);
  if (!program.running()) return false;
  std::vector<pid_t> workers = program.children();
  if (victim != Victim::tuner)
    for (const pid_t worker : workers) kill(worker, SIGKILL);
  if (victim == Victim::workers) {  // the tuner starts others and goes on
    pause(random, options.longest_us);
    const std::vector<pid_t> others = program.children();
    workers.insert(workers.end(), others.begin(), others.end());
  }
  kill(program.pid(), SIGKILL);
  program.wait();
  expect_gone(workers);
  return true;
}

std::size_t finished_trials(const TempFolder& folder) {
  if (!folder.has(kJournal)) return 0;
  const Result<ResultSet> results = store::read_journal(folder.path() / kJournal);
  EXPECT_TRUE(results || results.error().code() == ErrorCode::parse_error) << results.error().to_string();
  return results ? results->trials.size() : 0;
}

// Counts the lines of each configuration in the journal, by its id.
std::map<std::string, int> lines_of_configurations(const TempFolder& folder) {
  constexpr std::string_view kBegin = R"({"id":")";
  std::map<std::string, int> lines;
  std::ifstream journal(folder.path() / kJournal);
  for (std::string line; std::getline(journal, line);)
    if (line.starts_with(kBegin)) ++lines[line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size())];
  return lines;
}

}  // namespace

void expect_nothing_lost(const TempFolder& folder, const KillRounds& options) {
  Random random(2025);
  std::size_t before = 0;
  int killed = 0;
  for (int i = 0; i < options.rounds; ++i) {
    killed += kill_once(folder, options, static_cast<Victim>(i % 3), random) ? 1 : 0;
    const std::size_t after = finished_trials(folder);
    EXPECT_GE(after, before) << "round " << i;
    before = after;
  }
  EXPECT_GT(killed, options.rounds / 2);

  const Finished last = run_wattune(folder, command_line(options));
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(last.json()["resumed"], before);
  EXPECT_EQ(last.json()["evaluated"], options.configurations - before);

  const auto lines = lines_of_configurations(folder);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(options.configurations));
  for (const auto& [id, times] : lines) EXPECT_EQ(times, 1) << id;
  const ResultSet results = store::read_journal(folder.path() / kJournal).value();
  for (const Trial& trial : results.trials)
    EXPECT_TRUE(trial.observation.ok()) << trial.observation.message;  // no configuration is blamed for the kill
}

}  // namespace wattune::cli_test

// TuningRun: the results of a run with what several sections of its page need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/interface/trials.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

struct TuningRun {
  // Takes the results and the file that holds them, for commands; its name may be empty.
  TuningRun(ResultSet all, std::string file);
  TuningRun(const TuningRun&) = delete;
  TuningRun& operator=(const TuningRun&) = delete;

  bool has_answer() const { return !ranked.empty() && results.best() != nullptr; }
  const Trial& best() const { return *ranked.front(); }
  // Returns the file of the results as word_for_file() does.
  std::string file_word() const;
  // Returns the beginning of names of files about this kernel: letters, digits, - and _.
  std::string file_stem() const;

  ResultSet results;  // with energies under the names `energy` and `power`
  std::string file;
  std::vector<const Trial*> ranked;    // those that are fast enough to count, the best first
  const Trial* standard = nullptr;     // the default configuration's, if it was correct
  std::optional<Objective> objective;  // absent if it is the time
};

// Returns the name of a file as a word for a shell, or FILE if it is empty.
std::string word_for_file(const std::string& file);

// Returns the evaluation, from 1, at which the search found its best; 0 if nothing was correct.
std::size_t last_improvement(const ResultSet& results);

// True if every combination of the parameters' values was evaluated.
bool has_all_combinations(const TuningRun& run);

// Returns the cost of all evaluations (cost_of()).
Nanoseconds cost_of_all(const ResultSet& results);

// Returns "45 s", "3 min 7 s" or "1 h 2 min"; shorter times as time_text() does.
std::string duration_text(Nanoseconds time);

// Returns "1.85 times", with fewer decimals for large numbers.
std::string times_text(double factor);

}  // namespace wattune::report

// BestTable: the best configurations as a table of texts, for terminals and pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/interface/trials.h"
#include "report/time_text.h"
#include "wattune/core/parameter.h"

namespace wattune::inline v0_1::report {

// Returns the statistics. Precondition: the Trial is correct.
inline const Statistics& statistics_of(const Trial& trial) {
  return *trial.observation.statistics;  // NOLINT(bugprone-unchecked-optional-access)
}

// True if the Trial won the final.
inline bool is_winner(const Trial& trial) { return trial.observation.final_place == FinalPlace::winner; }

// True if the Trial cannot be told from the best: by the final that the best won or, without a final, because their
// intervals overlap.
bool is_level_with(const Trial& trial, const Trial& best);

// Returns how many of these Trials, but the first, cannot be told from the first, which is the best.
std::size_t count_level(const std::vector<const Trial*>& ranked_trials);

// Formats the objective. If the energy was not measured, the value is only a bound, unless the objective is the time.
std::string objective_text(const Trial& trial, const Objective& objective);

// A builder of the table. It has only those columns for which these results have values.
class BestTable {
 public:
  // Takes the Trials in the order of ranked(), at least one, and the metrics to show beside the time.
  BestTable(const ResultSet& results, std::vector<const Trial*> trials, const std::vector<std::string>& metrics);

  // Returns the titles of the columns, printable.
  const std::vector<std::string>& titles() const { return titles_; }
  // Returns the printable texts of the Trial of this rank, from 0, one for each column.
  std::vector<std::string> cells_of(std::size_t rank) const;
  // Explains why rows are not in the order of their figures, and why a ratio of two medians has a ~ before it. Each
  // sentence ends a line.
  std::string notes(std::size_t rows) const;

 private:
  bool is_beside_default(const Trial& trial) const;

  std::vector<const Trial*> trials_;
  std::vector<std::string> metrics_;
  std::vector<std::size_t> parameters_;
  TimeColumn times_;
  std::optional<Objective> objective_;  // absent if it is the time
  const Trial* default_;
  bool has_final_;
  bool has_intervals_;
  std::vector<std::string> titles_;
};

}  // namespace wattune::report

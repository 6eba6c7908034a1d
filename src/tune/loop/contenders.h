// Contenders: the best Trials of a run, from which the finalists come.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

class Contenders {
 public:
  struct Contender {
    Trial trial;
    bool resumed = false;  // measured by an earlier run, which may have checked less
  };

  // Keeps, with a slowdown, only Trials that are no slower than that beside the fastest (Objective::slowdown).
  explicit Contenders(std::optional<double> slowdown = {}) : slowdown_(slowdown) {}

  // Adds a Trial. Precondition: it is correct.
  void add(const Trial& trial, bool resumed);
  // Returns the best, as the search measured them; nullptr if there is none.
  const Trial* best() const { return best_.empty() ? nullptr : &best_.front().trial; }
  // Returns the longest time that may win; infinite without a slowdown.
  Nanoseconds longest_time() const;
  // Takes a correct Trial of the final, which replaces the time of the search.
  void measured_again(const Trial& trial);
  // Returns at most `most` of those that cannot be told from the best that the same device measured, because times of
  // two devices do not compare so finely. The best of all comes first, then the best of each other device, and so on.
  // With a slowdown the fastest comes last, so that the others run in turns with it.
  std::vector<Contender> finalists(std::size_t most, const IntervalOf& interval) const;
  void remove(ConfigurationId id);

 private:
  std::vector<std::vector<Contender>> by_device() const;
  bool may_win(std::size_t place, Nanoseconds time) const;
  Nanoseconds time_of(const Contender& contender) const { return times_.at(contender.trial.configuration.id()); }
  void keep_allowed();
  void add_fastest(std::vector<Contender>& finalists, std::size_t most) const;

  std::optional<double> slowdown_;
  std::vector<Contender> best_;                                             // by the objective that the search measured
  std::unordered_map<ConfigurationId, Nanoseconds, search::IdHash> times_;  // of all that count, with a slowdown
  Nanoseconds fastest_{std::numeric_limits<double>::infinity()};            // the least of these times
};

}  // namespace wattune::tune

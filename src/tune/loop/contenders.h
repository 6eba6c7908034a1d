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
    bool resumed = false;  // true if an earlier run measured the Trial, which may have checked less
  };

  // Makes an empty list. With a slowdown limit, only Trials within that limit of the fastest are kept
  // (Objective::slowdown).
  explicit Contenders(std::optional<double> slowdown = {}) : slowdown_(slowdown) {}

  // Adds a Trial. Precondition: it is correct.
  void add(const Trial& trial, bool resumed);
  // Returns the best Trial, by the figures of the search; nullptr if there is none.
  const Trial* best() const { return best_.empty() ? nullptr : &best_.front().trial; }
  // Returns the longest time with which a Trial may win. Returns infinity if no limit on the slowdown is set.
  Nanoseconds longest_time() const;
  // Takes a correct Trial of the final. Its time replaces that of the search.
  void measured_again(const Trial& trial);
  // Returns at most `most` finalists. A Trial is a finalist if it may be as good as the best Trial of the same device;
  // times of two devices cannot be compared exactly. The best of all comes first, then the best of each other device,
  // then the second ones, and so on. With a slowdown limit the fastest one comes last, so that it also runs in turns
  // with the others.
  std::vector<Contender> finalists(std::size_t most, const IntervalOf& interval) const;
  void remove(ConfigurationId id);

 private:
  std::vector<std::vector<Contender>> by_device() const;
  bool may_win(std::size_t place, Nanoseconds time) const;
  Nanoseconds time_of(const Contender& contender) const { return times_.at(contender.trial.configuration.id()); }
  void keep_allowed();
  void add_fastest(std::vector<Contender>& finalists, std::size_t most) const;

  std::optional<double> slowdown_;
  std::vector<Contender> best_;  // best Trials by the search's objective
  // The times of all Trials that count, if there is a slowdown limit.
  std::unordered_map<ConfigurationId, Nanoseconds, search::IdHash> times_;
  Nanoseconds fastest_{std::numeric_limits<double>::infinity()};  // the least time in `times_`
};

}  // namespace wattune::tune

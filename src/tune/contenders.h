// Contenders: the best Trials of a run, from which the finalists come.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/tune/search.h"

namespace wattune::tune {

class Contenders {
 public:
  struct Contender {
    Trial trial;
    bool resumed = false;  // by an earlier run, which may have checked less
  };

  // Precondition: the Trial is correct.
  void add(const Trial& trial, bool resumed);
  // At most `most` of those that cannot be told from the best that the same device measured, for times of two devices
  // do not compare so finely. The best of all comes first, then the best of each other device, and so on.
  std::vector<Contender> finalists(std::size_t most, const IntervalOf& interval) const;
  void remove(ConfigurationId id);

 private:
  std::vector<std::vector<Contender>> by_device() const;

  std::vector<Contender> best_;  // by what the search measured of the objective, kKept at most
};

}  // namespace wattune::tune

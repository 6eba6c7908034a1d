// Lookahead: the number of configurations that are proposed and compiled before the first of them has a result. It is
// as small as possible without making the device wait for compilers, because proposals made early are based on fewer
// results. Only one thread may use this object.
#pragma once

#include <algorithm>
#include <cstddef>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::dynamic {

class Lookahead {
 public:
  explicit Lookahead(std::size_t most)
      : most_(std::max<std::size_t>(1, most)), value_(std::min(kFirstLookahead, most_)) {}

  std::size_t value() const { return value_; }
  // Takes two times that a step has waited: first for a compiler, then for the budget.
  void learn(Nanoseconds for_compiler, Nanoseconds for_budget) {
    if (for_compiler > for_budget)
      value_ = std::min(value_ + 1, most_);
    else if (for_compiler < kNegligibleWait)
      value_ = std::max<std::size_t>(value_ - 1, 1);
  }

 private:
  static constexpr std::size_t kFirstLookahead = 2;
  static constexpr Nanoseconds kNegligibleWait = Nanoseconds(100e3);

  std::size_t most_;
  std::size_t value_;
};

}  // namespace wattune::dynamic

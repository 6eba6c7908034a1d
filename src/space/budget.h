// Budget: how much work a build may do, counted in states and in steps (a state times a value), never in time, so that
// the same space is built in the same way on every machine.
#pragma once

#include <cstddef>

namespace wattune::space {

struct Budget {
  std::size_t states = 0;
  std::size_t steps = 0;

  bool take_states(std::size_t n) { return take(states, n); }
  bool take_steps(std::size_t n) { return take(steps, n); }

 private:
  static bool take(std::size_t& left, std::size_t n) {
    if (left < n) return false;
    left -= n;
    return true;
  }
};

}  // namespace wattune::space

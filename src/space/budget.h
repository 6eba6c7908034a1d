// Budget: how much work an attempt to build may do, counted in states and in steps (a state times a value), never in
// time, so that the same space is built in the same way on every machine.
#pragma once

#include <cstddef>

namespace wattune::space {

class Budget {
 public:
  // `states` bounds memory: a state of many words counts as several.
  Budget(std::size_t states, std::size_t steps) : states_(states), steps_(steps) {}

  // False when there is not enough left.
  bool take_states(std::size_t n, std::size_t weight = 1) {
    created_ += n;
    out_of_states_ = states_ < n * weight;
    if (!out_of_states_) states_ -= n * weight;
    return !out_of_states_;
  }
  bool take_steps(std::size_t n) {
    if (steps_ < n) return false;
    steps_ -= n;
    return true;
  }

  std::size_t created_states() const { return created_; }
  std::size_t steps_left() const { return steps_; }
  // More steps would not have helped.
  bool out_of_states() const { return out_of_states_; }

 private:
  std::size_t states_;
  std::size_t steps_;
  std::size_t created_ = 0;
  bool out_of_states_ = false;
};

}  // namespace wattune::space

// The budget of work for one attempt to build a diagram. It is counted in states and in steps (a state times a value),
// never in time, so that every machine builds the same space in the same way.
#pragma once

#include <cstddef>
#include <functional>

namespace wattune::inline v0_1::space {

// Tells whether the user wants the build to end. The user's function is called only at one of many checks, because it
// may take longer than a step.
class StopSignal {
 public:
  explicit StopSignal(std::function<bool()> asked) : asked_(std::move(asked)) {}

  // Returns true if the user has asked for the end. From then on, always returns true.
  bool is_given() {
    constexpr std::size_t kCallsPerQuestion = 1 << 8;
    if (!given_ && asked_ && calls_++ % kCallsPerQuestion == 0) given_ = asked_();
    return given_;
  }

 private:
  std::function<bool()> asked_;
  std::size_t calls_ = 0;
  bool given_ = false;
};

class Budget {
 public:
  // Sets the limits. `states` bounds memory: a state of many words counts as several. Once `stop` is given, the budget
  // counts as used up.
  Budget(std::size_t states, std::size_t steps, StopSignal& stop) : states_(states), steps_(steps), stop_(stop) {}

  // Takes states, and returns false if there are not enough left.
  bool take_states(std::size_t n, std::size_t weight = 1) {
    created_ += n;
    out_of_states_ = states_ < n * weight || stop_.is_given();
    if (!out_of_states_) states_ -= n * weight;
    return !out_of_states_;
  }
  bool take_steps(std::size_t n) {
    if (steps_ < n || stop_.is_given()) return false;
    steps_ -= n;
    return true;
  }

  std::size_t created_states() const { return created_; }
  std::size_t steps_left() const { return steps_; }
  // Tells whether there were not enough states, so that more steps would not have helped.
  bool out_of_states() const { return out_of_states_; }

 private:
  std::size_t states_;
  std::size_t steps_;
  StopSignal& stop_;
  std::size_t created_ = 0;
  bool out_of_states_ = false;
};

}  // namespace wattune::space

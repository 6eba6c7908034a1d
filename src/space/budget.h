// Budget: how much work an attempt to build may do, counted in states and in steps (a state times a value), never in
// time, so that the same space is built in the same way on every machine.
#pragma once

#include <cstddef>
#include <functional>

namespace wattune::space {

// Whether somebody wants a build to end, asked once in so many calls, since asking may take longer than a step.
class StopSignal {
 public:
  explicit StopSignal(std::function<bool()> asked) : asked_(std::move(asked)) {}

  // True from the first time on.
  bool is_given() {
    constexpr std::size_t kCalls = 1 << 8;
    if (!given_ && asked_ && calls_++ % kCalls == 0) given_ = asked_();
    return given_;
  }

 private:
  std::function<bool()> asked_;
  std::size_t calls_ = 0;
  bool given_ = false;
};

class Budget {
 public:
  // `states` bounds memory: a state of many words counts as several. When `stop` is given nothing is left.
  Budget(std::size_t states, std::size_t steps, StopSignal& stop) : states_(states), steps_(steps), stop_(stop) {}

  // False when there is not enough left.
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
  // More steps would not have helped.
  bool out_of_states() const { return out_of_states_; }

 private:
  std::size_t states_;
  std::size_t steps_;
  StopSignal& stop_;
  std::size_t created_ = 0;
  bool out_of_states_ = false;
};

}  // namespace wattune::space

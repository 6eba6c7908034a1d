// A fixture with a scheduler of works of two kernels on a tiny machine.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "schedule/interface/scheduler.h"
#include "schedule/scheduler_runs.h"
#include "schedule/tiny_machine.h"

namespace wattune::inline v0_1::schedule {

inline Policy policy_named(std::string_view name, const PolicyOptions& options = {}) {
  return find_policy(name, options).value();
}

// The fixture: a, b and c take 10 ms alone each; a with b gains 60 %, each at 0.8 of its speed.
class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() : a_(machine_.add(tiny_kernel("a"))), b_(machine_.add(tiny_kernel("b"))) {
    machine_.set_rates(a_, b_, 0.8, 0.8);
  }

  Scheduler& start(std::string_view policy, const SchedulerOptions& options = {}) {
    scheduler_ = std::make_unique<Scheduler>(machine_, policy_named(policy), options, &trace_);
    scheduler_->learn(a_, b_, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
    return *scheduler_;
  }
  WorkId submit(const Work& work) { return scheduler_->submit({&work, 1}).value().front(); }
  std::string refusal(const Work& work) {
    const auto refused = scheduler_->submit({&work, 1});
    return refused ? "" : refused.error().to_string();
  }
  void run() { run_to_end(*scheduler_, machine_); }

  TinyMachine machine_;
  KernelId a_;
  KernelId b_;
  Trace trace_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace wattune::schedule

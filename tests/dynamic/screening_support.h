// A Screening on a fake device. The tests cover the way from a key that is to be searched to the configurations that
// calls try.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/screening/screened_explorer.h"
#include "dynamic/screening/screening.h"
#include "tune/problem.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {

// A space of 30 configurations on a fake device. Block 64 in mode 7 takes 1 us, all others at least 2 us.
struct ScreeningTest : testing::Test {
  static Result<Nanoseconds> run(const wattune::fakes::FakeLaunch& launch) {
    WATTUNE_TRY(tune::scale(launch));
    const bool best = launch.macro("block") == 64 && launch.macro("mode") == 7;
    return Nanoseconds(best ? 1000.0 : 2000.0 + 200.0 * launch.macro("mode"));
  }

  ScreeningTest() {
    spec.name = "scale";
    stall_budget.begin(Nanoseconds());
    options.open = [this](const backend::WorkerOptions&) { return open(); };
    options.free_memory = [this] { return free_memory.load(); };
    options.stall_budget = &stall_budget;
    // The application has been running for long.
    options.now = [] { return nanoseconds_from_seconds(1e6); };
    options.note = [this](const std::string& line) {
      const std::lock_guard lock(noting);
      notes.push_back(line);
    };
  }

  Result<std::unique_ptr<backend::Device>> open() {
    ++opened;
    auto device = std::make_unique<wattune::fakes::FakeDevice>();
    device->add_kernel("scale", 3, kernel);
    device->add_kernel("plain", 3, tune::scale);
    last_device = device.get();
    return std::unique_ptr<backend::Device>(std::move(device));
  }
  // Sets `plain` as the reference.
  void check_outputs() {
    ReferenceKernel reference;
    reference.source.function = "plain";
    reference.source.text = "kernel void plain()";
    reference.geometry.sizes[0] = {"n"};
    spec.reference = reference;
  }

  std::unique_ptr<Explorer> explore(const TuningPolicy& policy = {.strategy = "exhaustive"}) {
    if (!screening) screening.emplace(options);
    const auto problem = Problem::make(spec, {}, {{"n", 64}}).value();
    const auto keep = [this](const Trial& best, bool complete) {
      found.push_back(best.configuration.to_string() + (complete ? "" : ", so far"));
    };
    return make_screened_explorer(problem, policy, {}, stall_budget, *screening, keep).value();
  }
  // Waits for the end of the search, and returns what it found. Some of that is wanted before the end.
  static std::vector<Candidate> wait_for(Explorer& explorer) {
    EXPECT_TRUE(test::wait_until([&] {
      return explorer.over() || (!explorer.wanted().empty() && !explorer.state().starts_with("screening, "));
    })) << explorer.state();
    return explorer.wanted();
  }
  static std::vector<std::string> names(const std::vector<Candidate>& candidates) {
    std::vector<std::string> names;
    for (const Candidate& each : candidates) names.push_back(each.configuration.to_string());
    return names;
  }

  // Waits for the first notes. A key is over before a note tells why.
  std::vector<std::string> first_notes() {
    EXPECT_TRUE(test::wait_until([this] { return has_notes(); }));
    const std::lock_guard lock(noting);
    return notes;
  }
  bool has_notes() {
    const std::lock_guard lock(noting);
    return !notes.empty();
  }

  KernelSpec spec = tune::scale_spec();
  wattune::fakes::FakeKernelFunction kernel = run;
  StallBudget stall_budget{{.share = 1.0}};
  std::atomic<std::uint64_t> free_memory = 1 << 20;
  std::atomic<int> opened = 0;
  wattune::fakes::FakeDevice* last_device = nullptr;  // that of the screening thread
  std::mutex noting;
  std::vector<std::string> notes;
  std::vector<std::string> found;  // entries for wisdom; of the screening thread until the explorer is over
  ScreeningOptions options;
  std::optional<Screening> screening;  // ends first
};

}  // namespace wattune::dynamic

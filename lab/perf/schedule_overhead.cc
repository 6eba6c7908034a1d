// Measures how long the scheduler takes for a decision with 64 different kernels pending and all forecasts known, and
// for a forecast. It also measures the time from submit() to the launch. This is done on a machine that runs nothing,
// and with a SPEC on the first NVIDIA GPU too.
//
//   schedule_overhead [TIMES [SPEC]]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "schedule/interface/device_machine.h"
#include "schedule/interface/runtime.h"
#include "schedule/interface/simulated_machine.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/backend/attach.h"
#include "wattune/core/random.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace {

using namespace wattune;
using namespace wattune::schedule;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPending = 64;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

void print(const std::string& what, std::vector<double> us) {
  std::ranges::sort(us);
  const auto at = [&](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  fmt::print("{:<44} median {:8.2f} us, 99 % {:8.2f} us, worst {:8.2f} us\n", what, at(0.5), at(0.99), at(1.0));
}

KernelTraits some_kernel(std::size_t number) {
  return {.name = "kernel " + std::to_string(number),
          .block = {.threads = 256, .registers = 32},
          .blocks = 1000,
          .alone = nanoseconds_from_ms(10),
          .profile = {.warps_per_block = 8, .blocks_alone = 8},
          .utilisation = model::Utilisation{0.01 * static_cast<double>(number), 0.5}};
}

// A machine that runs nothing. A launch counts as ended as soon as wait() is called.
class IdleMachine final : public Machine {
 public:
  IdleMachine() { kernel_ = some_kernel(0); }
  const MachineLimits& limits() const override { return limits_; }
  const KernelTraits* kernel(KernelId) const override { return &kernel_; }
  Nanoseconds now() const override { return Nanoseconds(us_since(begin_) * 1e3); }
  Result<LaunchId> launch(const Launch& launch) override {
    running_.push_back({++launches_, now(), now(), launch.blocks});
    return launches_;
  }
  void stop(LaunchId) override {}
  std::vector<Ended> wait(Nanoseconds) override { return std::exchange(running_, {}); }

 private:
  MachineLimits limits_{.capability = model::ComputeCapability{9, 0}, .sms = 132};
  KernelTraits kernel_;
  Clock::time_point begin_ = Clock::now();
  LaunchId launches_ = 0;
  std::vector<Ended> running_;
};

// A machine that notes when its last launch() was called and when the call returned.
class WatchedMachine final : public Machine {
 public:
  explicit WatchedMachine(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
  const MachineLimits& limits() const override { return machine_->limits(); }
  const KernelTraits* kernel(KernelId id) const override { return machine_->kernel(id); }
  Nanoseconds now() const override { return machine_->now(); }
  std::optional<Joules> energy() const override { return machine_->energy(); }
  Result<LaunchId> launch(const Launch& launch) override {
    asked = Clock::now().time_since_epoch().count();
    Result<LaunchId> id = machine_->launch(launch);
    launched = Clock::now().time_since_epoch().count();
    return id;
  }
  void stop(LaunchId launch) override { machine_->stop(launch); }
  std::vector<Ended> wait(Nanoseconds until) override { return machine_->wait(until); }
  void wake() override { machine_->wake(); }

  std::atomic<Clock::rep> asked = 0, launched = 0;

 private:
  std::unique_ptr<Machine> machine_;
};

// A queue of 64 different kernels, with known speeds for all their pairs.
struct Pending {
  Pending() {
    Random random(1);
    for (std::size_t i = 0; i < kPending; ++i) kernels.push_back(some_kernel(i));
    for (std::size_t i = 0; i < kPending; ++i) {
      view.works.push_back({.work = i + 1, .kernel = i, .traits = &kernels[i]});
      for (std::size_t j = 0; j < i; ++j) {
        table.learn(j, i, {.ratio = {2, 6}, .rates = {random.uniform(), random.uniform()}});
        table.observe(j, i, {.ratio = {2, 6}}, random.uniform());
      }
    }
  }

  double us_of_decision(const Policy& policy) const {
    const auto begin = Clock::now();
    const Plan plan = policy(view, table);
    const double us = us_since(begin);
    if (plan.shares.empty()) std::puts("nothing was planned");
    return us;
  }

  std::vector<KernelTraits> kernels;
  QueueView view{.limits = {.capability = model::ComputeCapability{9, 0}, .sms = 132}};
  PairTable table{132};
};

void measure_decisions(const std::string& policy_name, std::size_t times) {
  const Pending pending;
  const Policy policy = find_policy(policy_name).value();
  std::vector<double> us;
  for (std::size_t i = 0; i < times; ++i) us.push_back(pending.us_of_decision(policy));
  print("a decision of `" + policy_name + "`, 64 kernels pending", us);
}

// Measures the first decision of the greedy policy, for which it computes a table of profits, and the decisions after a
// kernel has left or joined.
void measure_greedy(std::size_t times) {
  Pending pending;
  std::vector<double> anew, left, come;
  for (std::size_t i = 0; i < times; ++i) {
    const Policy policy = find_policy("greedy").value();
    anew.push_back(pending.us_of_decision(policy));
    const Candidate last = pending.view.works.back();
    pending.view.works.pop_back();
    left.push_back(pending.us_of_decision(policy));
    pending.view.works.push_back(last);
    come.push_back(pending.us_of_decision(policy));
  }
  print("a first decision of `greedy`, 64 kernels", anew);
  print("when one of the 64 has left", left);
  print("when it has come back", come);
}

void measure_forecasts(std::size_t times) {
  const simulate::GpuModel& gpu = *simulate::find_gpu_model("H100");
  const KernelTraits fma = profile_alone(simulate::fma_probe(), gpu).value();
  const KernelTraits copy = profile_alone(simulate::copy_probe(), gpu).value();
  const auto time = [&](const std::string& what, const Forecaster& forecaster) {
    std::vector<double> us;
    for (std::size_t i = 0; i < times; ++i) {
      const auto begin = Clock::now();
      if (!forecaster(fma, copy)) std::puts("no forecast");
      us.push_back(us_since(begin));
    }
    print("a forecast by " + what, us);
  };
  time("the chain", chain_forecaster(limits_of(gpu), simulate::chain_sm(gpu)));
  time("residency", residency_forecaster(limits_of(gpu), simulate::chain_sm(gpu)));
}

// Submits kernel 0 repeatedly. Before each time the machine rests, so that the thread that drives it sleeps.
void measure_submitting(std::unique_ptr<Machine> idle, const std::string& where, std::size_t times) {
  auto owned = std::make_unique<WatchedMachine>(std::move(idle));
  const WatchedMachine& machine = *owned;
  Runtime runtime(std::move(owned), {.policy = find_policy("paired").value()});
  std::vector<double> asked, launched, began;
  for (std::size_t i = 0; i < times; ++i) {
    const auto begin = Clock::now();
    const auto until = [&](Clock::rep moment) {
      return std::chrono::duration<double, std::micro>(Clock::duration(moment) - begin.time_since_epoch()).count();
    };
    const Ticket ticket = runtime.submit({.kernel = 0}).value();
    const auto done = ticket.wait();
    if (!done) std::puts("it failed");
    asked.push_back(until(machine.asked));
    launched.push_back(until(machine.launched));
    if (done) began.push_back((done->started - done->submitted).value() / 1e3);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  print("from submit() to the launch, " + where, asked);
  print("until the launch call has returned", launched);
  print("until its first block, by the device", began);
}

Result<void> measure_on_device(const std::string& spec_file, std::size_t times) {
  WATTUNE_ASSIGN(const auto device, backend::open_cuda_in_primary_context("cuda:0"));
  WATTUNE_ASSIGN(const KernelSpec spec, spec::load(spec_file, spec::SourcePolicy::required));
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(const auto copies, load_kernel(*device, spec, space.configuration(space.default_configuration())));
  WATTUNE_ASSIGN(auto machine, DeviceMachine::make(*device));
  WATTUNE_ASSIGN(const KernelTraits traits, machine->traits_of(*copies.front()));
  WATTUNE_TRY(machine->add(copies.front(), traits));
  measure_submitting(std::move(machine), device->info().name, times);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t times = argc > 1 ? std::stoul(argv[1]) : 1000;
  for (const char* policy : {"paired", "kernelet", "split"}) measure_decisions(policy, times);
  measure_greedy(times);
  measure_forecasts(std::min<std::size_t>(times, 50));
  measure_submitting(std::make_unique<IdleMachine>(), "idle stand-in", times);
  if (argc < 3) return 0;
  const auto done = measure_on_device(argv[2], times);
  if (!done) fmt::print(stderr, "schedule_overhead: {}\n", done.error().to_string());
  return done ? 0 : 1;
}

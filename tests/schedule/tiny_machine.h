// A machine in ten lines of arithmetic, in virtual time, with faults on demand. A kernel that runs alone has its full
// speed; kernels that run together have the speeds that the test sets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattune/schedule/machine.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

// Returns a kernel of 100 blocks, 4 of which fit on an SM. Alone, one of them ends every tenth of a millisecond.
inline KernelTraits tiny_kernel(std::string name, std::uint64_t blocks = 100) {
  return {.name = std::move(name),
          .block = {.threads = 256, .registers = 32},
          .blocks = blocks,
          .alone = nanoseconds_from_ms(0.1 * static_cast<double>(blocks)),
          .profile = {.profile = {}, .warps_per_block = 8, .blocks_alone = 4},
          .utilisation = {}};
}

class TinyMachine : public Machine {
 public:
  explicit TinyMachine(unsigned sms = 1, unsigned split_grain = 1)
      : limits_{.capability = model::ComputeCapability{9, 0}, .sms = sms, .split_grain = split_grain} {}

  KernelId add(KernelTraits traits) {
    kernels_.push_back(std::move(traits));
    return kernels_.size() - 1;
  }
  // Sets the speed of each kernel while both run, over its speed alone. Without this it is one half.
  void set_rates(KernelId first, KernelId second, double of_first, double of_second) {
    rates_[{first, second}] = of_first;
    rates_[{second, first}] = of_second;
  }
  // Sets the same for kernels on SMs of their own.
  void set_split_rates(KernelId first, KernelId second, double of_first, double of_second) {
    split_rates_[{first, second}] = of_first;
    split_rates_[{second, first}] = of_second;
  }

  std::map<KernelId, Error> refuse_launches_of;
  std::map<KernelId, Error> fail_when_half_done;
  std::map<KernelId, bool> never_ends;  // true if it does not end even when it is stopped
  std::vector<Launch> launches;         // all that were made

  const MachineLimits& limits() const override { return limits_; }
  const KernelTraits* kernel(KernelId id) const override { return id < kernels_.size() ? &kernels_[id] : nullptr; }
  Nanoseconds now() const override { return now_.load(); }
  std::optional<Joules> energy() const override { return Watts(100) * now(); }

  Result<LaunchId> launch(const Launch& launch) override {
    if (const auto refused = refuse_launches_of.find(launch.kernel); refused != refuse_launches_of.end())
      return Error(refused->second);
    launches.push_back(launch);
    running_.push_back({.id = launches.size(), .launch = launch, .begin = now()});
    return launches.size();
  }

  // Stops a launch: it ends with its present block, or without any if it has not begun.
  void stop(LaunchId id) override {
    for (Running& each : running_)
      if (each.id == id && each.launch.form == Form::persistent && !immortal(each))
        each.last = waits(each) ? 0.0 : std::min(each.last, std::ceil(each.done + 1e-9));
  }

  std::vector<Ended> wait(Nanoseconds until) override {
    Nanoseconds next = until;
    for (const Running& each : running_) next = std::min(next, end_of(each));
    if (next == kForever) return {};
    for (Running& each : running_) {
      if (waits(each)) continue;
      if (each.done == 0.0) each.begin = now();
      each.done += (next - now()) / block_time(each);
    }
    now_ = next;
    return take_ended();
  }

 protected:
  // Returns the speed of a launch beside one of another kernel, or alone, divided by its kernel's speed alone.
  virtual double speed(const Launch& launch, const Launch* beside) const {
    if (beside == nullptr) return 1.0;
    const auto& rates = launch.sms.count > 0 ? split_rates_ : rates_;
    const auto found = rates.find({launch.kernel, beside->kernel});
    return found == rates.end() ? 0.5 : found->second;
  }

  // Returns the speed of each of so many launches that run, divided by its kernel's speed alone; nullopt if it depends
  // on which kernels run.
  virtual std::optional<double> speed_of_each(std::size_t /*running*/) const { return {}; }

  // True if launches of two kernels run at once though neither leaves room; else the later one waits.
  virtual bool overlap(const Launch& /*one*/, const Launch& /*other*/) const { return false; }

  std::size_t kernels_that_run() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(running_, [this](const Running& each) { return !waits(each); }));
  }

 private:
  struct Running {
    LaunchId id = 0;
    Launch launch;
    Nanoseconds begin;
    double done = 0.0;               // blocks
    double last = kForever.value();  // where it was stopped
  };

  // Returns the launch's share of each SM's room; slices take what is free.
  double room_of(const Launch& launch) const {
    if (launch.sms.count > 0 || launch.form == Form::slices) return 0.0;
    return launch.form == Form::whole ? 1.0 : double(launch.per_sm) / kernels_[launch.kernel].profile.blocks_alone;
  }
  // True if the launch waits for an earlier one of its lane, or for room beside earlier launches.
  bool waits(const Running& each) const {
    const double room = room_of(each.launch);
    double taken = 0.0;
    for (const Running& other : running_) {
      if (other.id >= each.id) continue;
      const bool is_same_lane = other.launch.lane == each.launch.lane &&
                                other.launch.priority == each.launch.priority && other.launch.sms == each.launch.sms;
      if (is_same_lane) return true;
      if (overlap(each.launch, other.launch) || waits(other)) continue;
      taken += room_of(other.launch);
      if (taken > 0.0 && room > 0.0 && taken + room > 1.0 + 1e-9) return true;
    }
    return false;
  }
  bool immortal(const Running& each) const {
    const auto found = never_ends.find(each.launch.kernel);
    return found != never_ends.end() && found->second;
  }
  double goal(const Running& each) const {
    const double blocks = static_cast<double>(each.launch.blocks);
    if (fail_when_half_done.contains(each.launch.kernel)) return std::min(each.last, std::ceil(blocks / 2));
    return never_ends.contains(each.launch.kernel) ? each.last : std::min(each.last, blocks);
  }
  Nanoseconds block_time(const Running& each) const {
    const KernelTraits& kernel = kernels_[each.launch.kernel];
    double rate = 1.0;
    bool is_alone = true;
    for (const Running& other : running_) {
      if (other.launch.kernel == each.launch.kernel || waits(other)) continue;
      rate *= speed(each.launch, &other.launch);
      is_alone = false;
    }
    if (is_alone) rate = speed(each.launch, nullptr);
    rate = speed_of_each(kernels_that_run()).value_or(rate);
    return *kernel.alone / static_cast<double>(kernel.blocks) / rate;
  }
  Nanoseconds end_of(const Running& each) const {
    return waits(each) ? kForever : now() + block_time(each) * (goal(each) - each.done);
  }

  // Returns the blocks that are done. A launch that never ends always has half of its blocks left.
  std::uint64_t blocks_done(const Running& each) const {
    const auto done = static_cast<std::uint64_t>(std::llround(each.done));
    return never_ends.contains(each.launch.kernel) ? std::min(done, each.launch.blocks / 2) : done;
  }

  std::vector<Ended> take_ended() {
    std::vector<Ended> ended;
    for (const Running& each : running_) {
      if (waits(each) || each.done < goal(each) - 1e-6) continue;
      ended.push_back({.launch = each.id, .begin = each.begin, .end = now(), .blocks = blocks_done(each)});
      if (const auto fault = fail_when_half_done.find(each.launch.kernel); fault != fail_when_half_done.end())
        ended.back().error = fault->second;
    }
    std::erase_if(running_, [&](const Running& each) {
      return std::ranges::any_of(ended, [&](const Ended& one) { return one.launch == each.id; });
    });
    return ended;
  }

  MachineLimits limits_;
  std::deque<KernelTraits> kernels_;
  std::map<std::pair<KernelId, KernelId>, double> rates_;
  std::map<std::pair<KernelId, KernelId>, double> split_rates_;
  std::vector<Running> running_;
  std::atomic<Nanoseconds> now_{Nanoseconds(0)};  // any thread may read it
};

}  // namespace wattune::schedule

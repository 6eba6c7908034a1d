// Surroundings, KernelParts and KeyedKernel: the objects that all instances of a tuner, all instances of a kernel, or
// all parts of one instance share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/stopwatch.h"
#include "dynamic/calls/streams.h"
#include "dynamic/calls/variant_source.h"
#include "dynamic/loading/loader.h"
#include "dynamic/tuning/drift.h"
#include "dynamic/tuning/explorer.h"
#include "dynamic/tuning/stall_budget.h"
#include "wattune/dynamic/tunable_kernel.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

// The device time that calls of all keys have taken. Any thread may use this object.
class Usage {
 public:
  void add_key() { keys_.fetch_add(1, std::memory_order_relaxed); }
  void add(Nanoseconds time) { total_.fetch_add(time.value(), std::memory_order_relaxed); }
  // Returns the mean time per key, over the keys that were called.
  Nanoseconds of_a_key() const {
    return Nanoseconds(total_.load(std::memory_order_relaxed)) /
           static_cast<double>(std::max<std::uint64_t>(keys_.load(std::memory_order_relaxed), 1));
  }

 private:
  std::atomic<std::uint64_t> keys_ = 0;
  std::atomic<double> total_ = 0.0;
};

struct Surroundings {
  backend::Device& device;
  Streams& streams;
  StallBudget& stall_budget;
  Loader& loader;
  Wisdom& wisdom;
  DeviceDrift& device_drift;
  std::function<void(const std::string& line)> note;  // receives notes for people; never empty
  Stopwatch clock = {};
  Usage usage = {};
  std::atomic<int> tuning = 0;  // number of instances being tuned; the loader hears of calls only if there are any

  Nanoseconds now() const { return clock.elapsed(); }
};

// Function that makes an explorer. Fails with the errors of the policy.
using MakeExplorer = std::function<Result<std::unique_ptr<Explorer>>(
    std::shared_ptr<const Problem> problem, const TuningPolicy& policy, std::vector<Configuration> known)>;

struct KernelParts {
  const KernelSpec spec;
  const KernelOptions options;
  const KernelVersion version;
  std::unique_ptr<VariantSource> variants;
  MakeExplorer make_explorer;
  std::function<Result<std::unique_ptr<backend::Device>>()> open_apart;  // opens the device in a process of its own
  // Function that prepares for an explorer, which is made as soon as a key has a configuration to run. May be empty.
  std::function<void()> expect_explorer = {};
};

// A kernel at one key, in its surroundings. The instance shares the ownership of the problem. All other members must
// outlive the instance.
struct KeyedKernel {
  const std::shared_ptr<const Problem> problem;
  KernelParts& parts;
  Surroundings& around;

  const TuningPolicy& policy() const { return parts.options.policy; }
  // Writes a note. The note begins with the names of the kernel and the key.
  void note(const std::string& text) const;
};

}  // namespace wattune::dynamic

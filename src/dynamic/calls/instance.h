// Instance: one kernel at one key. It has three parts: CallPath, Beginning (finds a first configuration) and KeyTuning.
// KeyState is its present state. It runs the calls that are not steady.
//
// Any thread may call. A call asks path() first. If the path has a steady variant, the caller sends that, and no lock
// is taken. All others come to call(), which takes the instance's mutex to decide, and sends the launch without it. The
// mutex guards beginning and tuning; CallPath needs none.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "dynamic/calls/call_path.h"
#include "dynamic/tuning/beginning.h"
#include "dynamic/tuning/key_tuning.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::inline v0_1::dynamic {

struct Call {
  const CallStream& stream;
  std::span<const CallArgument> arguments;
  Mode mode;
};

class Instance {
 public:
  // Takes references to objects that must outlive it.
  Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { loader_.end(); }

  const Key& key() const { return kernel_.problem->key; }
  CallPath& path() { return path_; }
  // Runs a call as TunableKernel::call() does. Precondition: the arguments have the right types.
  Result<void> call(const Call& call);
  // Repeats a call with another variant, after the driver refused a launch of the steady variant.
  Result<void> call_again(const Call& call, const Variant& failed, Error error);
  // Compiles and loads the first configuration, unless one is ready. Blocks.
  Result<void> preload() { return best() ? Result<void>() : beginning_.begin_now(); }
  // Compiles and loads the first configuration in the background, while the device is idle between calls. Then begins
  // tuning if `may_tune` is true. `calls` is the expected number of calls from here on.
  void expect(std::optional<std::uint64_t> calls, bool may_tune);

  // Has the candidates that tuning found so far compiled and loaded. Returns false if the key is called, since its
  // calls then do that.
  bool want_ahead();

  // Replaces this launch in a graph by the best known, if it was one of this key. `is_mine` tells whether arguments
  // belong to the key. Returns false if the launch does not belong to the key.
  Result<bool> replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                       const std::function<bool(std::span<const CallArgument>)>& is_mine);
  // Compiles and loads this configuration, which tune_now() has measured, and runs it from here on. Blocks. The key
  // then counts as tuned.
  Result<void> adopt(const Trial& best);
  void retune();
  std::optional<Configuration> best() const;
  void report(KernelReport& report) const;

 private:
  // Returns the state. Precondition: the mutex is held.
  KeyState state() const { return tuning_.best() != nullptr ? tuning_.state() : beginning_.state(); }

  // Each function that takes `lock` is called with the mutex held, and releases it before anything is sent.

  Result<void> send(std::unique_lock<std::mutex> lock, const Call& call, bool capturing, bool may_time);
  Result<void> run_best(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> watch_best(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> take_turn(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> without_best(std::unique_lock<std::mutex> lock, const Call& call, bool capturing);
  Result<void> repeat(std::unique_lock<std::mutex> lock, const Call& call, const std::shared_ptr<Variant>& failed,
                      Error error);
  Result<void> take_shadowed_turn(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> run_turn(const Turn& turn, const Call& call);
  Result<void> run_shadowed(const Turn& candidate, const Turn& best, const Call& call);
  bool keeps_times(const backend::Stream& stream);
  bool is_idle(const CallStream& stream) const;

  CallPath path_;
  const KeyedKernel kernel_;
  std::atomic<std::uint64_t> fallbacks_ = 0;

  mutable std::mutex mutex_;     // guards the members below
  StartingCandidates starting_;  // the configurations to begin with
  KeyLoader loader_;
  KeyTuning tuning_;
  Beginning beginning_;
  bool noted_no_times_ = false;
};

}  // namespace wattune::dynamic

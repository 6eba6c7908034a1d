// Instance: one kernel at one key. It has three parts: CallPath (runs steady calls), Beginning (finds a first
// configuration) and KeyTuning. KeyState is its present state. The instance runs the calls that are not steady.
//
// Any thread may call the functions. A call asks path() first. If the path has a steady variant, the caller sends that
// variant, and no lock is taken. All other calls go through call(). It decides under the instance's mutex, and sends
// the launch without it. The mutex guards beginning and tuning; CallPath needs none.
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
  // Takes references to objects that must outlive this object.
  Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { loader_.end(); }

  const Key& key() const { return kernel_.problem->key; }
  CallPath& path() { return path_; }
  // Runs a call for TunableKernel::call(), with the same errors. Precondition: the arguments have the right types.
  Result<void> call(const Call& call);
  // Repeats a call with the best known variant, after the driver refused a launch of `failed`.
  Result<void> call_again(const Call& call, const Variant& failed, Error error);
  // Compiles and loads the first configuration, unless one is loaded. Blocks.
  Result<void> preload() { return best() ? Result<void>() : beginning_.begin_now(); }
  // Compiles and loads the first configuration in the background, while the device is idle between calls. Then begins
  // tuning if `may_tune` is true. `calls` is the expected number of further calls.
  void expect(std::optional<std::uint64_t> calls, bool may_tune);

  // Requests that the candidates that tuning found so far are compiled and loaded. Returns false if the key is called,
  // because the calls then request its candidates.
  bool want_ahead();

  // Replaces this launch in a graph by a launch of the best known configuration, if the launch belongs to this key.
  // `is_mine` tells whether arguments belong to the key. Returns false if the launch does not belong to the key.
  Result<bool> replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                       const std::function<bool(std::span<const CallArgument>)>& is_mine);
  // Compiles and loads this configuration, which tune_now() has measured, and runs it from now on. Blocks. After that,
  // the key counts as tuned.
  Result<void> adopt(const Trial& best);
  void retune();
  std::optional<Configuration> best() const;
  void report(KernelReport& report) const;

 private:
  // Returns the state. Precondition: the mutex is held.
  KeyState state() const { return tuning_.best() != nullptr ? tuning_.state() : beginning_.state(); }

  // Functions that take `lock` are called while it holds the mutex. They release it before anything is sent.

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
  StartingCandidates starting_;  // the configurations with which the key may begin
  KeyLoader loader_;
  KeyTuning tuning_;
  Beginning beginning_;
  bool noted_no_times_ = false;
};

}  // namespace wattune::dynamic

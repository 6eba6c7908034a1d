// TunableKernel: a kernel that is called like a function and tunes itself meanwhile.
//
// A Tuner (tuner.h) makes it and must outlive it. Any number of threads may call it, each with a stream of its own. A
// call waits for a compiler only if nothing is compiled for it yet and there is no `fallback`. A call leaves the
// calling thread's current CUDA context unchanged.
//
//   WATTUNE_ASSIGN(const auto scale, tuner->kernel(spec));       // arguments x and n, sizes n = "n"
//   WATTUNE_TRY((*scale)(stream, x, n));                         // instead of scale<<<grid, block, 0, stream>>>(x, n)
//   scale->set_mode(dynamic::Mode::best);                        // one line switches
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/dynamic/call.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/tune/tuning.h"

namespace wattune::inline v0_1::dynamic {

// The application's own code for the kernel. It runs, in the same stream, while no configuration of a key is ready.
using Fallback = std::function<Result<void>(const CallStream& stream, std::span<const CallArgument> arguments)>;

// A function that returns configurations which probably run well at these sizes, the likeliest first. Parameters that
// are not named have their defaults.
using Guess = std::function<std::vector<NamedValues>(const std::vector<NamedSize>& sizes)>;

struct WATTUNE_EXPORT KernelOptions {
  TuningPolicy policy;
  // Code that serves calls of a new key until its first configuration is ready. Without it and without `generic`, the
  // first compilation blocks the call; KernelReport::blocked counts this time.
  Fallback fallback = {};
  // A configuration that serves every key until the key's own is ready, as parameter values in the spec's order. It is
  // compiled once, with the spec's own sizes, when the kernel is made, so the kernel must take its sizes as arguments.
  // Until it is compiled, calls run `fallback`, or the first call waits. The list is empty if there is no such
  // configuration.
  std::vector<Value> generic = {};
  // Function that gives a key's starting configurations. It is asked if wisdom has neither this key nor one whose sizes
  // differ by less than 25 % in total. Tuning tries the guesses in this order before it searches. Calls that wait for a
  // configuration begin with one of the first four guesses, the first that is compiled. Without guesses, a key begins
  // with the best of the nearest keys, or else with the default.
  Guess guess = {};
  // Function from the sizes of a call to the key under which it is tuned, such as sizes rounded up to powers of two. If
  // empty, the sizes are the key.
  std::function<Key(const std::vector<NamedSize>& sizes)> key = {};
};

struct WATTUNE_EXPORT CallOptions {
  // Sizes of KernelSpec::problem_size, or values of parameters that are given rather than tuned. A size must be given
  // here if it differs from the spec's value and no scalar argument of the call tells it.
  std::span<const NamedSize> sizes = {};
  std::optional<Mode> mode = {};  // mode of this call
};

class WATTUNE_EXPORT TunableKernel {
 public:
  virtual ~TunableKernel() = default;

  // Calls the kernel with arguments in its order, without local memory. A scalar whose value in the spec is the bare
  // name of a size tells that size. A configuration that fails is never used again. If the outputs allow it, the call
  // is repeated with the best known configuration. Errors:
  // - invalid_argument: number, type or size of an argument is wrong, or a key function throws;
  // - mismatch: a buffer is smaller than the spec says for these sizes;
  // - compile_failed, launch_failed: no configuration works;
  // - unavailable: there is no process to compile in, the stream is captured and nothing is loaded for the key, or the
  //   process was forked;
  // - device_lost: the context is gone, and all that it held is lost.
  template <typename... Arguments>
  Result<void> operator()(const CallStream& stream, const Arguments&... arguments) {
    const std::array<CallArgument, sizeof...(Arguments)> all{CallArgument(arguments)...};
    return call(stream, all);
  }
  virtual Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                            const CallOptions& options = {}) = 0;

  // Tunes this key now and blocks meanwhile. Finishes the stream first and works on copies of the arguments, which keep
  // their contents. Limits that `stop` leaves open are taken from the policy; no budget applies. Fails with unavailable
  // if the stream is captured, or if the kernel is to be screened and cannot be. Fails with mismatch if a buffer is
  // smaller than the spec says. Other errors are those of call() and of the search.
  virtual Result<tune::TuningResult> tune_now(const CallStream& stream, std::span<const CallArgument> arguments,
                                              const CallOptions& options = {}, const search::StopRule& stop = {}) = 0;

  virtual void set_mode(Mode mode) = 0;
  virtual Mode mode() const = 0;
  // Tunes the key again as if it were unknown, or all keys if `key` is empty.
  virtual void retune(const Key& key = {}) = 0;
  // Compiles and loads the best known configuration of a key before its first call. If the key is unknown, that is the
  // best known configuration of the nearest key. Returns when it is loaded. Fails with invalid_argument for an unknown
  // size, and with the last error if no configuration works.
  virtual Result<void> preload(std::span<const NamedSize> sizes) = 0;
  // Announces future calls with these sizes. Returns at once; compiles and loads in the background, in gaps of the
  // application's work, so that the first call finds a configuration. A call that comes sooner runs the fallback, or
  // waits until a configuration is ready. `calls` is the expected number of calls from here on. If it is given, tuning
  // can begin before that many calls were made. Fails with invalid_argument for an unknown size.
  virtual Result<void> expect(std::span<const NamedSize> sizes, std::optional<std::uint64_t> calls = {}) = 0;
  // Updates a CUDA executable graph: each launch of this kernel in `graph`, from which `executable` was made, then runs
  // the best known configuration with the captured arguments. Returns the number of updated launches. The executable
  // must not be running; `stream` is a stream of the application's that is not captured. A call stays as captured if it
  // consists of several launches, or if neither its scalars nor its geometry tell its sizes. Fails with
  // invalid_argument if the best known configuration cannot be part of a graph (clusters, cooperative launches,
  // constants). Fails with unavailable if that configuration consists of several launches, or if the device is not
  // CUDA's.
  virtual Result<std::size_t> update_graph(const CallStream& stream, CUgraphExec_st* executable, CUgraph_st* graph) = 0;
  // Returns the configuration that calls of a key run; nullopt if none is ready.
  virtual std::optional<Configuration> best(const Key& key) const = 0;
  virtual KernelReport report() const = 0;
};

}  // namespace wattune::dynamic

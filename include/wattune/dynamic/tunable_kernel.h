// TunableKernel: a kernel that is called like a function and tunes itself meanwhile.
//
// Made by a Tuner (tuner.h), which outlives it. Any number of threads may call it, each with a stream of its own; a
// call never waits for a compiler. The calling thread's current CUDA context is the same after every call as before.
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
#include "wattune/core/result.h"
#include "wattune/dynamic/call.h"
#include "wattune/dynamic/policy.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/tune/tuning.h"

namespace wattune::dynamic {

// What runs while no configuration of a key is ready: the application's own code, into the same stream.
using Fallback = std::function<Result<void>(const CallStream& stream, std::span<const CallArgument> arguments)>;

// What probably runs well at these sizes, as one would say without measuring, the likeliest first;
// parameters that are not named have their defaults.
using Guess = std::function<std::vector<NamedValues>(const std::vector<NamedSize>& sizes)>;

struct KernelOptions {
  TuningPolicy policy;
  // Runs calls of a new key until its first configuration is ready. Without it, and without `generic`, that first
  // compilation blocks the call and is reported apart.
  Fallback fallback = {};
  // A configuration that serves every key until its own is ready, as parameter values in the spec's order. It is
  // compiled once, from when the kernel is made, with the spec's own sizes, so the kernel must take its sizes as
  // arguments; until then calls run `fallback`, or the first one waits. Empty: none.
  std::vector<Value> generic = {};
  // What a key begins with about which nothing is known, nor of one whose sizes differ by a quarter altogether, and
  // what its tuning tries next. Calls that wait begin with whichever of the first four is compiled first. Empty: the
  // nearest keys' bests, or else the default.
  Guess guess = {};
  // From the sizes of a call to the key it is tuned under, such as sizes rounded up to powers of two. Empty: the sizes.
  std::function<Key(const std::vector<NamedSize>& sizes)> key = {};
};

struct CallOptions {
  // Sizes of KernelSpec::problem_size, or values of parameters that are given, not tuned, that no scalar argument of
  // the call tells; others keep the spec's.
  std::span<const NamedSize> sizes = {};
  std::optional<Mode> mode = {};  // of this call
};

class TunableKernel {
 public:
  virtual ~TunableKernel() = default;

  // Arguments in the kernel's order, without local memory. A scalar whose value in the spec is the bare name of a size
  // tells that size. invalid_argument (number, type or size of an argument; a key function that throws), mismatch (a
  // buffer smaller than the spec says for these sizes), compile_failed and launch_failed (no configuration works),
  // unavailable (no process to compile in; nothing is loaded of a key whose stream is captured; the process was
  // forked), device_lost (the context is gone: whatever it held is lost). A configuration that fails is never used
  // again, and where outputs allow, the call is repeated with the best known.
  template <typename... Arguments>
  Result<void> operator()(const CallStream& stream, const Arguments&... arguments) {
    const std::array<CallArgument, sizeof...(Arguments)> all{CallArgument(arguments)...};
    return call(stream, all);
  }
  virtual Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                            const CallOptions& options = {}) = 0;

  // Tunes this key now: blocks, on copies of the arguments, which keep their contents; the stream is finished first.
  // What `stop` leaves out is the policy's. No budget bounds it. unavailable: the stream is captured, or the kernel is
  // to be screened and cannot be; mismatch: a buffer smaller than the spec says; errors of call() and of the search.
  virtual Result<tune::TuningResult> tune_now(const CallStream& stream, std::span<const CallArgument> arguments,
                                              const CallOptions& options = {}, const search::StopRule& stop = {}) = 0;

  virtual void set_mode(Mode mode) = 0;
  virtual Mode mode() const = 0;
  // Tunes the key again, or all of them, as if it were unknown.
  virtual void retune(const Key& key = {}) = 0;
  // Compiles and loads the best known for a key before its first call, or else of the nearest key: blocks.
  virtual Result<void> preload(std::span<const NamedSize> sizes) = 0;
  // Calls of these sizes will come, of which the first is to find something to run: the same beside the application, in
  // gaps of its work. Does not wait; a call that comes sooner runs the fallback, or waits for the rest. `calls`: about
  // so many of these sizes will come from here on, so that tuning need not wait until it has seen them; 0: nobody
  // knows.
  virtual Result<void> expect(std::span<const NamedSize> sizes, std::uint64_t calls = 0) = 0;
  // CUDA: lets an executable graph run what is the best known by now, in the place of each launch of this kernel in the
  // graph that it was made from, with the arguments that were captured. It must not be running; `stream` is one of the
  // application's that is not captured. Returns how many launches that are. A call of several launches, or whose sizes
  // neither scalars nor the launch's geometry tell, stays as it was captured. invalid_argument: the best known cannot
  // be part of a graph (clusters, cooperative launches, constants); unavailable: it is several launches, or no CUDA.
  virtual Result<std::size_t> update_graph(const CallStream& stream, CUgraphExec_st* executable, CUgraph_st* graph) = 0;
  // What a key runs; none: nothing is ready.
  virtual std::optional<Configuration> best(const Key& key) const = 0;
  virtual KernelReport report() const = 0;
};

}  // namespace wattune::dynamic

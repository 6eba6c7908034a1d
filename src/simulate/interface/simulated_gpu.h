// SimulatedGpu runs launches in virtual time, to show how kernels that share a GPU affect each other.
//
// It computes nothing: a launch consists of blocks that take resources and time. The caller owns the GPU, and one
// thread at a time uses it. Equal model, options and calls give equal times. Time passes only in wait(), run() and
// pass_until().
//
//   simulate::SimulatedGpu gpu(*simulate::find_gpu_model("H100"), {.fidelity = simulate::Fidelity::fast});
//   WATTUNE_ASSIGN(const auto fma, gpu.add_kernel(description));
//   WATTUNE_ASSIGN(const auto launch, gpu.submit({.kernel = fma, .persistent = simulate::Persistence{.per_sm = 4}}));
//   while (auto done = gpu.wait()) note(done->launch, done->end - done->begin);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "simulate/interface/simulated_board.h"
#include "simulate/interface/simulated_kernel.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

// The level of detail.
enum class Fidelity {
  fast,      // computes rates of flow, anew whenever a block begins or ends
  detailed,  // simulates each instruction of each warp; for short kernels and few SMs (with_sms)
};

struct GpuOptions {
  Fidelity fidelity = Fidelity::fast;
  std::uint64_t seed = 1;
  bool trace = false;               // true to record where and when each block ran
  SimulatedBoard* board = nullptr;  // a simulated board with clock, limits and energy; its time passes with the GPU's
};

using KernelId = std::size_t;
using StreamId = std::size_t;        // number of a stream; stream 0 exists from the beginning
using GreenContextId = std::size_t;  // number of a green context; 0 stands for all SMs
using LaunchId = std::size_t;

struct StreamTraits {
  int priority = 0;                  // blocks of higher priorities begin earlier; running blocks are not interrupted
  GreenContextId green_context = 0;  // the SMs that the stream uses
};

// A persistent launch: `per_sm` blocks stay on each SM and take logical blocks from a counter.
struct Persistence {
  unsigned per_sm = 1;
  unsigned chunk = 1;                  // number of logical blocks taken at a time
  Nanoseconds fetch = Nanoseconds(0);  // time of taking logical blocks once
};

// A request to run a grid or a part of it.
struct GridLaunch {
  KernelId kernel = 0;
  StreamId stream = 0;
  std::uint64_t first_block = 0;             // first logical block
  std::optional<std::uint64_t> blocks = {};  // number of logical blocks; nullopt for all up to the grid's last
  std::optional<Persistence> persistent = {};
};

// A launch that has ended.
struct Completion {
  LaunchId launch = 0;
  Nanoseconds submitted;
  Nanoseconds begin;  // moment when its first block began, or its end if no block began
  Nanoseconds end;
  std::uint64_t blocks = 0;      // logical blocks that ran
  std::uint64_t next_block = 0;  // the first logical block that has not run, at which to continue after a stop
};

struct BlockRecord {
  LaunchId launch = 0;
  std::uint64_t block = 0;  // logical index of the block
  unsigned sm = 0;
  Nanoseconds begin;
  Nanoseconds end;
};

// Totals since the beginning.
struct GpuCounters {
  double instructions = 0.0;                 // instructions of warps
  std::vector<double> instructions_of = {};  // instructions of each kernel
  double dram_bytes = 0.0;
  double l2_bytes = 0.0;
  Joules energy;  // energy of the board; 0 without a board
};

class SimulatedGpu {
 public:
  explicit SimulatedGpu(GpuModel model, const GpuOptions& options = {});
  SimulatedGpu(SimulatedGpu&&) noexcept;
  ~SimulatedGpu();

  const GpuModel& model() const;
  Nanoseconds now() const;
  // Returns the PUR or MUR (model::Utilisation) since the beginning, with respect to the model's clock.
  double pipeline_utilisation() const;
  double memory_utilisation() const;
  GpuCounters counters() const;
  const std::vector<BlockRecord>& trace() const;

  // Adds a kernel. Fails with invalid_argument if its members are out of range, or if one of its blocks does not fit on
  // an SM.
  Result<KernelId> add_kernel(const SimulatedKernel& kernel);
  // Adds a green context: its streams use `count` SMs from `first` on. Contexts may overlap. Fails with
  // invalid_argument if such SMs do not exist.
  Result<GreenContextId> add_green_context(unsigned first, unsigned count);
  // Adds a stream. Fails with not_found if its green context does not exist.
  Result<StreamId> add_stream(const StreamTraits& traits);

  // Submits a launch. Fails with not_found if the kernel or stream does not exist, with out_of_range if the grid does
  // not have these blocks. Fails with invalid_argument if persistent blocks do not fit on an SM.
  Result<LaunchId> submit(const GridLaunch& launch);
  // Sets the stop word of a persistent launch: each of its blocks ends after its current logical block. Does nothing if
  // the launch has ended. Fails with not_found, or with invalid_argument if the launch is not persistent.
  Result<void> stop(LaunchId launch);

  // Lets time pass until the end of a launch that was not returned yet, but at most until `until`. Returns nullopt if
  // no launch ended by then, or if no launch is left.
  std::optional<Completion> wait(Nanoseconds until = Nanoseconds(std::numeric_limits<double>::infinity()));
  // Lets time pass until that moment. Launches that end meanwhile are returned by wait() or run() later.
  void pass_until(Nanoseconds moment);
  // Lets time pass until all launches have ended, and returns those that were not returned yet.
  std::vector<Completion> run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::simulate

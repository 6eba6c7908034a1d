// SimulatedGpu: a GPU that runs launches in virtual time, to see what kernels do to each other that share it.
//
// It computes nothing: a launch is blocks that take resources and time. The caller owns it; one thread at a time. Equal
// model, options and calls give equal times. Time passes in wait(), run() and pass_until() alone.
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

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/simulate/gpu_model.h"
#include "wattune/simulate/simulated_board.h"
#include "wattune/simulate/simulated_kernel.h"

namespace wattune::simulate {

enum class Fidelity {
  fast,      // rates of flow, solved anew when a block begins or ends
  detailed,  // each instruction of each warp: for short kernels, and few SMs (with_sms)
};

struct GpuOptions {
  Fidelity fidelity = Fidelity::fast;
  std::uint64_t seed = 1;
  bool trace = false;               // keep where and when each block ran
  SimulatedBoard* board = nullptr;  // whose clock, limits and energy count; its time passes with the GPU's
};

using KernelId = std::size_t;
using StreamId = std::size_t;        // 0 exists from the beginning
using GreenContextId = std::size_t;  // 0: all SMs
using LaunchId = std::size_t;

struct StreamTraits {
  int priority = 0;                  // the higher, the earlier its blocks; what runs is not interrupted
  GreenContextId green_context = 0;  // whose SMs it uses
};

// So many blocks stay on each SM and fetch logical blocks from a counter (a persistent twin).
struct Persistence {
  unsigned per_sm = 1;
  unsigned chunk = 1;                  // logical blocks fetched at a time
  Nanoseconds fetch = Nanoseconds(0);  // what that takes
};

struct GridLaunch {
  KernelId kernel = 0;
  StreamId stream = 0;
  std::uint64_t first_block = 0;             // a slice begins here,
  std::optional<std::uint64_t> blocks = {};  // and has so many; empty: up to the last of the grid
  std::optional<Persistence> persistent = {};
};

struct Completion {
  LaunchId launch = 0;
  Nanoseconds submitted;
  Nanoseconds begin;  // of its first block; its end where it had none
  Nanoseconds end;
  std::uint64_t blocks = 0;      // that ran
  std::uint64_t next_block = 0;  // where to go on after a stop
};

struct BlockRecord {
  LaunchId launch = 0;
  std::uint64_t block = 0;  // its logical index
  unsigned sm = 0;
  Nanoseconds begin;
  Nanoseconds end;
};

// What passed since the beginning.
struct GpuCounters {
  double instructions = 0.0;                 // of warps
  std::vector<double> instructions_of = {};  // each kernel
  double dram_bytes = 0.0;
  double l2_bytes = 0.0;
  Joules energy;  // of the board; 0 without one
};

class SimulatedGpu {
 public:
  explicit SimulatedGpu(GpuModel model, const GpuOptions& options = {});
  SimulatedGpu(SimulatedGpu&&) noexcept;
  ~SimulatedGpu();

  const GpuModel& model() const;
  Nanoseconds now() const;
  // PUR and MUR since the beginning, with the model's clock (model::Utilisation).
  double pipeline_utilisation() const;
  double memory_utilisation() const;
  GpuCounters counters() const;
  const std::vector<BlockRecord>& trace() const;

  // invalid_argument: it cannot be, or no SM holds a block of it.
  Result<KernelId> add_kernel(const SimulatedKernel& kernel);
  // These SMs, from `first` on, for its streams (a green context); others may have some of them too. invalid_argument
  // (SMs that do not exist).
  Result<GreenContextId> add_green_context(unsigned first, unsigned count);
  // not_found (a green context).
  Result<StreamId> add_stream(const StreamTraits& traits);

  // not_found (a kernel or stream), out_of_range (blocks that the grid does not have), invalid_argument (persistent
  // blocks that do not fit on an SM).
  Result<LaunchId> submit(const GridLaunch& launch);
  // The stop word of a persistent launch: its blocks end with the logical block that they are at. not_found,
  // invalid_argument (a launch that is not persistent); nothing where it has ended.
  Result<void> stop(LaunchId launch);

  // Lets time pass until the next launch ends, which has not been returned before, at most up to this moment. nullopt:
  // none did, or none is left.
  std::optional<Completion> wait(Nanoseconds until = Nanoseconds(std::numeric_limits<double>::infinity()));
  // The same up to this moment; what ended is returned by wait() or run() later.
  void pass_until(Nanoseconds moment);
  // Until all launches have ended.
  std::vector<Completion> run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattune::simulate

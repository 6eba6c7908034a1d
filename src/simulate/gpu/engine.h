// Engine runs blocks on SMs and reports when they end. It only computes how long a block takes beside the others; the
// block scheduler decides which block runs on which SM.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "simulate/interface/simulated_gpu.h"

namespace wattune::inline v0_1::simulate {

struct BlockStart {
  std::size_t slot = 0;  // number that identifies the block until it ends
  KernelId kernel = 0;
  unsigned sm = 0;
  double work = 1.0;      // work of the block, as a multiple of a usual block's instructions
  double overhead = 0.0;  // time before its first instruction, in ns
};

struct GpuClocks {
  Megahertz core;
  double memory = 1.0;  // speed of the memory, as a share of that at its highest clock

  bool operator==(const GpuClocks&) const = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void add_kernel(const SimulatedKernel& kernel) = 0;
  virtual void set_clocks(const GpuClocks& clocks) = 0;
  // Starts a block now.
  virtual void start(const BlockStart& block) = 0;
  // Lets time pass up to the moment, in ns, at which the next blocks end, or to `limit` if no block ends before.
  // Appends the slots of the blocks that end, and returns the moment.
  virtual double advance(double limit, std::vector<std::size_t>& ended) = 0;
  // Returns the counters; their energy is not set.
  virtual GpuCounters counters() = 0;
};

std::unique_ptr<Engine> make_fluid_engine(const GpuModel& gpu);
std::unique_ptr<Engine> make_warp_engine(const GpuModel& gpu, std::uint64_t seed);

}  // namespace wattune::simulate

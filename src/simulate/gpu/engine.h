// Engine: runs blocks on SMs and says when they end. How long a block takes, given what runs beside it, is all it
// knows; which block goes where is the block scheduler's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "wattune/simulate/simulated_gpu.h"

namespace wattune::simulate {

struct BlockStart {
  std::size_t slot = 0;  // names the block until it ends
  KernelId kernel = 0;
  unsigned sm = 0;
  double work = 1.0;      // times the instructions of a block
  double overhead = 0.0;  // ns before its first instruction
};

struct GpuClocks {
  Megahertz core;
  double memory = 1.0;  // share of the highest

  bool operator==(const GpuClocks&) const = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void add_kernel(const SimulatedKernel& kernel) = 0;
  virtual void set_clocks(const GpuClocks& clocks) = 0;
  // Now.
  virtual void start(const BlockStart& block) = 0;
  // Up to the moment, in ns, at which the next blocks end, or to `limit` where none ends before. Appends the slots of
  // those that end and returns the moment.
  virtual double advance(double limit, std::vector<std::size_t>& ended) = 0;
  // Energy is not its matter.
  virtual GpuCounters counters() = 0;
};

std::unique_ptr<Engine> make_fluid_engine(const GpuModel& gpu);
std::unique_ptr<Engine> make_warp_engine(const GpuModel& gpu, std::uint64_t seed);

}  // namespace wattune::simulate

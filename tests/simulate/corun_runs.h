// Runs one kernel or two on a simulated GPU, with every mechanism that shares it. A gain is the sum of the times alone
// over the time together, less one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/simulated_gpu.h"
#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::simulate {

inline const GpuModel& gpu_named(const char* name) { return *find_gpu_model(name); }

inline Nanoseconds time_of(SimulatedGpu& gpu) {
  Nanoseconds end;
  for (const Completion& each : gpu.run()) end = std::max(end, each.end);
  return end;
}

inline Nanoseconds time_alone(const GpuModel& model, const SimulatedKernel& kernel, const GpuOptions& options = {}) {
  SimulatedGpu gpu(model, options);
  gpu.submit({.kernel = gpu.add_kernel(kernel).value()}).value();
  return time_of(gpu);
}

// Runs slices of so many blocks on each SM, in as many streams as grids can be resident, and returns the time.
inline Nanoseconds time_sliced(const GpuModel& model, const SimulatedKernel& kernel, unsigned blocks_per_sm) {
  SimulatedGpu gpu(model);
  const KernelId id = gpu.add_kernel(kernel).value();
  std::vector<StreamId> streams = {0};
  while (streams.size() < model.resident_grids) streams.push_back(gpu.add_stream({}).value());
  const std::uint64_t slice = std::uint64_t{blocks_per_sm} * model.sms;
  for (std::uint64_t first = 0, turn = 0; first < kernel.blocks; first += slice, ++turn) {
    const std::uint64_t blocks = std::min(slice, kernel.blocks - first);
    gpu.submit({.kernel = id, .stream = streams[turn % streams.size()], .first_block = first, .blocks = blocks})
        .value();
  }
  return time_of(gpu);
}

// Returns the kernel with the number of blocks that makes it take this time alone.
inline SimulatedKernel lasting(const GpuModel& model, SimulatedKernel kernel, Nanoseconds time) {
  const double factor = time / time_alone(model, kernel);
  kernel.blocks = std::max<std::uint64_t>(1, std::llround(factor * static_cast<double>(kernel.blocks)));
  return kernel;
}

class PairRun {
 public:
  PairRun(const GpuModel& model, const SimulatedKernel& first, const SimulatedKernel& second,
          const GpuOptions& options = {})
      : gpu_(model, options), kernels_{first, second}, alone_(time_alone(model, first) + time_alone(model, second)) {
    for (const SimulatedKernel& kernel : kernels_) gpu_.add_kernel(kernel).value();
  }

  SimulatedGpu& gpu() { return gpu_; }

  // Runs both in streams of their own, the second with this priority, and returns the gain.
  double streams(int priority_of_second = 0) {
    gpu_.submit({.kernel = 0, .stream = stream({})}).value();
    gpu_.submit({.kernel = 1, .stream = stream({.priority = priority_of_second})}).value();
    return gain();
  }

  double persistent(model::BlockRatio ratio, unsigned chunk = 1) {
    const std::array per_sm = {ratio.first, ratio.second};
    for (KernelId kernel = 0; kernel < 2; ++kernel)
      gpu_.submit({.kernel = kernel,
                   .stream = stream({}),
                   .persistent = Persistence{.per_sm = per_sm[kernel], .chunk = chunk}})
          .value();
    return gain();
  }

  // Gives the first kernel `sms` SMs and the second the rest, and returns the gain.
  double green_contexts(unsigned sms) {
    const GreenContextId left = gpu_.add_green_context(0, sms).value();
    const GreenContextId right = gpu_.add_green_context(sms, gpu_.model().sms - sms).value();
    gpu_.submit({.kernel = 0, .stream = stream({.green_context = left})}).value();
    gpu_.submit({.kernel = 1, .stream = stream({.green_context = right})}).value();
    return gain();
  }

  // Submits slices of so many blocks on each SM times `waves`, in two streams for each kernel and in turns.
  double slices(model::BlockRatio ratio, unsigned waves) {
    const std::array<std::uint64_t, 2> size = {std::uint64_t{ratio.first} * waves * gpu_.model().sms,
                                               std::uint64_t{ratio.second} * waves * gpu_.model().sms};
    const std::array streams = {stream({}), stream({}), stream({}), stream({})};
    std::array<std::uint64_t, 2> next = {};
    for (std::size_t turn = 0; next[0] < kernels_[0].blocks || next[1] < kernels_[1].blocks; ++turn) {
      for (KernelId kernel = 0; kernel < 2; ++kernel) {
        const std::uint64_t blocks = std::min(size[kernel], kernels_[kernel].blocks - next[kernel]);
        if (blocks == 0) continue;
        gpu_.submit({.kernel = kernel,
                     .stream = streams[2 * kernel + turn % 2],
                     .first_block = next[kernel],
                     .blocks = blocks})
            .value();
        next[kernel] += blocks;
      }
    }
    return gain();
  }

 private:
  StreamId stream(const StreamTraits& traits) { return gpu_.add_stream(traits).value(); }
  double gain() { return alone_ / time_of(gpu_) - 1.0; }

  SimulatedGpu gpu_;
  std::array<SimulatedKernel, 2> kernels_;
  Nanoseconds alone_;
};

// Instructions per cycle of an SM while kernels hold their shares of it, between two numbers of instructions.
struct SteadyRun {
  std::vector<double> ipc;  // of each kernel
  double memory_utilisation = 0.0;
};

inline SteadyRun steady_run(const GpuModel& model, const std::vector<SimulatedKernel>& kernels,
                            const std::vector<unsigned>& per_sm, const GpuOptions& options, double instructions) {
  constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;
  const Nanoseconds step(2000);
  SimulatedGpu gpu(model, options);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    SimulatedKernel kernel = kernels[i];
    kernel.blocks = kEndless;
    const KernelId id = gpu.add_kernel(kernel).value();
    gpu.submit({.kernel = id, .stream = gpu.add_stream({}).value(), .persistent = Persistence{.per_sm = per_sm[i]}})
        .value();
  }
  const auto pass = [&](double until) {
    while (gpu.counters().instructions < until) gpu.pass_until(gpu.now() + step);
  };
  pass(0.3 * instructions);
  const GpuCounters before = gpu.counters();
  const Nanoseconds begin = gpu.now();
  pass(instructions);
  const GpuCounters after = gpu.counters();
  const double time = (gpu.now() - begin).value();
  SteadyRun run;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    run.ipc.push_back((after.instructions_of[i] - before.instructions_of[i]) /
                      (time * model.clock.value() * 1e-3 * model.sms));
  run.memory_utilisation = (after.dram_bytes - before.dram_bytes) / (time * model.dram_gigabytes_per_second);
  return run;
}

}  // namespace wattune::simulate

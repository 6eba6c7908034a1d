// Kernels of the GT 640. The resource that limits each kernel is known from its published source (Rodinia 2.4, CUDA
// samples 5.5). The amounts are fitted to the kernel's two numbers in table 3.
#include "simulate/interface/gt640_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulate/gpu/gpu_units.h"
#include "simulate/interface/steady_flow.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Time of each kernel alone, which is assumed, because table 3 has the number of blocks, but no times.
constexpr Nanoseconds kAlone = nanoseconds_from_ms(100);
constexpr double kRequests = 4.0;  // 32-byte requests of a coalesced access
constexpr double kHitOfCached = 0.95;
// Rate that Samplerank would have with all blocks if DRAM could serve it, relative to its real rate. DRAM limits it
// from 5 of 8 blocks on (figure 5). For the other kernels that DRAM limits, this rate is assumed.
constexpr double kBeyondDram = 8.0 / 5.0;

enum class Bound {
  issue,    // limited by the schedulers
  shared,   // limited by shared memory
  fp64,     // limited by units of double precision: Hotspot's constant 2.0 has that type
  latency,  // limited by barriers and accesses, with few warps to hide their latency
  dram,
};

struct Row {
  const char* name;
  double gops;
  double gigabytes;
  std::uint64_t blocks;
  Bound bound;
  unsigned threads;
  std::array<double, kPipes> mix;  // shares of FP32, integer and special instructions
  double shared_bytes;             // bytes of shared memory per instruction
};

constexpr std::array kRows = {
    Row{"Pathfinder", 7.9, 1.9, 1300, Bound::latency, 256, {0.0, 0.5, 0.0}, 25},
    Row{"Bitonic", 4.6, 19.3, 5000, Bound::dram, 256, {0.0, 0.6, 0.0}, 20},
    Row{"Bt", 10.1, 0.1, 500, Bound::issue, 256, {0.1, 0.6, 0.0}, 5},
    Row{"Hotspot", 7.7, 0.5, 10000, Bound::fp64, 256, {0.4, 0.3, 0.0}, 15},
    Row{"Layer", 9.2, 1.8, 3600, Bound::latency, 256, {0.2, 0.4, 0.05}, 15},
    Row{"Samplerank", 4.0, 17.5, 3000, Bound::dram, 256, {0.0, 0.6, 0.0}, 0},
    Row{"Srad", 5.3, 19.5, 5000, Bound::dram, 256, {0.5, 0.2, 0.02}, 10},
    Row{"Matrix", 9.9, 0.6, 500, Bound::shared, 256, {0.4, 0.1, 0.0}, 0},
    Row{"Time_step", 2.8, 18.8, 16000, Bound::dram, 192, {0.4, 0.2, 0.0}, 0},
    Row{"Mergehist", 4.2, 0.8, 5000, Bound::latency, 256, {0.0, 0.5, 0.0}, 8},
    Row{"Transpose", 7.7, 13.9, 16000, Bound::latency, 256, {0.0, 0.5, 0.0}, 20},
};

unsigned resident_blocks(const SimulatedKernel& kernel) {
  return model::occupancy(gt640().capability, kernel.block).value().blocks;
}

double rate_alone(const GpuModel& gpu, const SimulatedKernel& kernel) {
  const Residents all{&kernel, resident_blocks(kernel)};
  return steady_flow(gpu, {&all, 1}).operations;
}

// Sets the parallelism with which the kernel reaches this rate on this GPU. If that rate cannot be reached, sets the
// parallelism of the highest possible rate.
void fit_parallelism(const GpuModel& gpu, SimulatedKernel& kernel, double gops) {
  double low = 0.02;
  double high = 50.0;
  for (int i = 0; i < 60; ++i) {
    kernel.instruction_parallelism = std::sqrt(low * high);
    (rate_alone(gpu, kernel) < gops ? low : high) = kernel.instruction_parallelism;
  }
}

GpuModel with_endless_dram() {
  GpuModel gpu = gt640();
  gpu.dram_gigabytes_per_second *= 1e3;
  return gpu;
}

// Converts 1e9 instructions per second of the GT 640 to warp instructions per cycle of an SM.
double per_cycle(double gops) { return gops / gigahertz_of_sms(gt640()); }

void fit(SimulatedKernel& kernel, Bound bound, double gops, double gigabytes) {
  switch (bound) {
    case Bound::issue: kernel.instruction_parallelism = 10.0; return;
    case Bound::shared:
      kernel.l1_bytes = gt640().l1_bytes_per_cycle / per_cycle(gops);
      kernel.instruction_parallelism = 10.0;
      return;
    case Bound::fp64:
      of_pipe(kernel.mix, Pipe::fp64) = of_pipe(gt640().pipe_rates, Pipe::fp64) / per_cycle(gops);
      kernel.instruction_parallelism = 2.0;
      return;
    case Bound::latency: return fit_parallelism(gt640(), kernel, gops);
    case Bound::dram:
      kernel.scattered_dram_cost = gt640().dram_gigabytes_per_second / gigabytes;
      return fit_parallelism(with_endless_dram(), kernel, kBeyondDram * gops);
  }
}

SimulatedKernel kernel_of(const Row& row) {
  SimulatedKernel kernel{.name = row.name,
                         .block = {.threads = row.threads, .registers = 32},
                         .blocks = row.blocks,
                         .mix = row.mix,
                         .scattered_requests = kRequests,
                         .l2_hit = row.gigabytes < 5.0 ? kHitOfCached : 0.0,
                         .l1_bytes = row.shared_bytes};
  const double bytes = row.gigabytes / row.gops / (1.0 - kernel.l2_hit);
  kernel.scattered = bytes / (kRequests * kernel.scattered_bytes);
  fit(kernel, row.bound, row.gops, row.gigabytes);
  kernel.instructions = row.gops * kAlone.value() / static_cast<double>(row.blocks) / kernel.warps();
  return kernel;
}

// Draws a factor from 1 / most to most; values above 1 are as likely as values below.
double factor(Random& random, double most) { return std::pow(most, 2.0 * random.uniform() - 1.0); }

SimulatedKernel micro_kernel(Random& random, std::size_t place) {
  SimulatedKernel kernel{.name = "micro" + std::to_string(place),
                         .block = {.threads = 256, .registers = 32},
                         .blocks = 5000,
                         .instructions = 4000,
                         .instruction_parallelism = factor(random, 3.0),
                         .scattered_requests = kRequests};
  const double kind = random.uniform();  // 0 for a kernel that only computes, 1 for a kernel that only moves data
  of_pipe(kernel.mix, Pipe::fp32) = 0.6 * random.uniform() * (1.0 - kind);
  of_pipe(kernel.mix, Pipe::integer) = 0.4 * random.uniform();
  of_pipe(kernel.mix, Pipe::special) = 0.1 * random.uniform() * (1.0 - kind);
  of_pipe(kernel.mix, Pipe::fp64) = random.uniform() < 0.2 ? 0.1 * random.uniform() : 0.0;
  kernel.l1_bytes = 40.0 * random.uniform() * random.uniform();
  kernel.l2_hit = random.uniform() < 0.5 ? 0.95 * random.uniform() : 0.0;
  kernel.scattered = 0.06 * kind * kind * random.uniform() / (1.0 - kernel.l2_hit);
  kernel.scattered_dram_cost = 1.0 + 0.2 * random.uniform();
  return kernel;
}

}  // namespace

const GpuModel& gt640() { return *find_gpu_model("GT640"); }

const std::vector<Gt640Kernel>& gt640_kernels() {
  static const std::vector<Gt640Kernel> kernels = [] {
    std::vector<Gt640Kernel> all;
    for (const Row& row : kRows) {
      const SimulatedKernel kernel = kernel_of(row);
      all.push_back({kernel, row.gops, row.gigabytes, resident_blocks(kernel)});
    }
    return all;
  }();
  return kernels;
}

const Gt640Kernel* find_gt640_kernel(std::string_view name) {
  const auto& all = gt640_kernels();
  const auto found = std::ranges::find_if(all, [&](const Gt640Kernel& each) { return each.kernel.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<SimulatedKernel> gt640_micro_kernels(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<SimulatedKernel> kernels;
  for (std::size_t i = 0; i < count; ++i) kernels.push_back(micro_kernel(random, i));
  return kernels;
}

std::vector<SimulatedKernel> gt640_varied_kernels(std::size_t count, std::uint64_t seed) {
  constexpr double kMostVariationFactor = 1.5;
  Random random(seed);
  std::vector<SimulatedKernel> kernels;
  for (std::size_t i = 0; i < count; ++i) {
    SimulatedKernel& kernel = kernels.emplace_back(gt640_kernels()[i % gt640_kernels().size()].kernel);
    kernel.name += "-" + std::to_string(i);
    kernel.instruction_parallelism *= factor(random, kMostVariationFactor);
    kernel.scattered *= factor(random, kMostVariationFactor);
    kernel.l1_bytes *= factor(random, kMostVariationFactor);
    for (double& share : kernel.mix) share = std::min(1.0, share * factor(random, kMostVariationFactor));
  }
  return kernels;
}

}  // namespace wattune::simulate

// The simulated GPUs and the sources of their numbers.
//
// Published are SMs, clocks, schedulers, units for each kind of instruction and DRAM bandwidth (vendors' white papers
// and data sheets). The clock of the GTX 680 is that of Kernelet's table 2. The schedulers of a C2050 issue every
// second cycle, so that its peak of instructions per cycle is 1, as in the paper.
//
// Latencies and the bandwidth of L2, for the V100 and later GPUs, were measured by others ("Dissecting the NVIDIA Volta
// GPU architecture via microbenchmarking" and its successors). For older GPUs they are assumed. Gaps and intervals of
// launches, the costs of requests in flight, and the cost of mixed requests are assumed.
#include <algorithm>

#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr std::array<std::string_view, kPipes> kPipeNames = {"fp32", "integer", "special", "fp64", "tensor", "memory"};

// Returns the C2050, which has one hardware queue. Launches begin 9.6 us apart. With that interval, slices of SAD are
// as slow as in figure 6 of Kernelet (66.7 %).
GpuModel c2050_gpu() {
  return {.name = "C2050",
          .capability = {2, 0},
          .sms = 14,
          .clock = Megahertz(1147),
          .schedulers = 2,
          .issue_rate = 0.5,
          .arithmetic_latency = 20,
          .pipe_rates = {1.0, 1.0, 0.125, 0.5, 0.0, 0.5},
          .l1_bytes_per_cycle = 64,
          .l2_gigabytes_per_second = 230,
          .dram_gigabytes_per_second = 144,
          .l2_latency = 260,
          .dram_latency = 560,
          .latency_per_request = 0.05,
          .dram_mixing_loss = 0.05,
          .hardware_queues = 1,
          .resident_grids = 16,
          .launch_gap = Nanoseconds(4000),
          .grid_interval = Nanoseconds(9600),
          .block_interval = Nanoseconds(10)};
}

GpuModel gtx680_gpu() {
  return {.name = "GTX680",
          .capability = {3, 0},
          .sms = 8,
          .clock = Megahertz(706),
          .schedulers = 4,
          .issue_rate = 2.0,
          .arithmetic_latency = 10,
          .pipe_rates = {6.0, 5.0, 1.0, 0.25, 0.0, 1.0},
          .l1_bytes_per_cycle = 128,
          .l2_gigabytes_per_second = 360,
          .dram_gigabytes_per_second = 192,
          .l2_latency = 220,
          .dram_latency = 400,
          .latency_per_request = 0.03,
          .dram_mixing_loss = 0.05,
          .hardware_queues = 1,
          .resident_grids = 16,
          .launch_gap = Nanoseconds(2500),
          .grid_interval = Nanoseconds(2500),
          .block_interval = Nanoseconds(8),
          .board = "GTX680"};
}

// Returns the GT 640 of Jiao et al. Its 710 MHz of DDR3 on 128 bits are 22.7 GB/s. No kernel of table 3 gets more than
// 19.5 GB/s. The most GOPS in that table, 10.1, are 4.1 instructions per cycle of an SM. Kernels of these compilers
// hardly ever issue two instructions at once.
GpuModel gt640_gpu() {
  GpuModel gpu = gtx680_gpu();
  gpu.name = "GT640";
  gpu.sms = 2;
  gpu.clock = Megahertz(1228);
  gpu.issue_rate = 1.03;
  gpu.l2_gigabytes_per_second = 157;
  gpu.dram_gigabytes_per_second = 19.7;
  gpu.board = "GT640";
  return gpu;
}

// Returns the K20c. It has several hardware queues, of which CUDA opens 8 by default.
GpuModel k20c_gpu() {
  GpuModel gpu = gtx680_gpu();
  gpu.name = "K20c";
  gpu.capability = {3, 5};
  gpu.sms = 13;
  gpu.pipe_rates = {6.0, 5.0, 1.0, 2.0, 0.0, 1.0};
  gpu.l2_gigabytes_per_second = 580;
  gpu.dram_gigabytes_per_second = 208;
  gpu.hardware_queues = 8;
  gpu.resident_grids = 32;
  gpu.board = "K20c";
  return gpu;
}

GpuModel k40c_gpu() {
  GpuModel gpu = k20c_gpu();
  gpu.name = "K40c";
  gpu.sms = 15;
  gpu.clock = Megahertz(745);
  gpu.l2_gigabytes_per_second = 610;
  gpu.dram_gigabytes_per_second = 288;
  gpu.board = "K40c";
  return gpu;
}

GpuModel v100_gpu() {
  return {.name = "V100",
          .capability = {7, 0},
          .sms = 80,
          .clock = Megahertz(1380),
          .schedulers = 4,
          .issue_rate = 1.0,
          .pipe_rates = {2.0, 2.0, 0.5, 1.0, 1.0, 1.0},
          .l1_bytes_per_cycle = 128,
          .l2_gigabytes_per_second = 2155,
          .dram_gigabytes_per_second = 900,
          .l2_latency = 193,
          .dram_latency = 400,
          .latency_per_request = 0.02,
          .dram_mixing_loss = 0.05,
          .hardware_queues = 8,
          .resident_grids = 128,
          .launch_gap = Nanoseconds(1500),
          .grid_interval = Nanoseconds(500),
          .block_interval = Nanoseconds(1),
          .board = "V100"};
}

GpuModel rtx8000_gpu() {
  GpuModel gpu = v100_gpu();
  gpu.name = "RTX8000";
  gpu.capability = {7, 5};
  gpu.sms = 72;
  gpu.clock = Megahertz(1770);
  gpu.pipe_rates = {2.0, 2.0, 0.5, 0.0625, 1.0, 1.0};
  gpu.l2_gigabytes_per_second = 1900;
  gpu.dram_gigabytes_per_second = 672;
  gpu.l2_latency = 188;
  gpu.dram_latency = 430;
  gpu.board = "";
  return gpu;
}

GpuModel a100_gpu() {
  GpuModel gpu = v100_gpu();
  gpu.name = "A100";
  gpu.capability = {8, 0};
  gpu.sms = 108;
  gpu.clock = Megahertz(1410);
  gpu.l2_gigabytes_per_second = 4400;
  gpu.dram_gigabytes_per_second = 1555;
  gpu.l2_latency = 200;
  gpu.dram_latency = 470;
  gpu.block_interval = Nanoseconds(0.7);
  gpu.board = "A100";
  return gpu;
}

// Returns the H100. The number of requests of an SM is fitted to random reads on 16 and 20 SMs of an H100 (green
// contexts of hopper_facts).
GpuModel h100_gpu() {
  GpuModel gpu = a100_gpu();
  gpu.name = "H100";
  gpu.capability = {9, 0};
  gpu.sms = 132;
  gpu.clock = Megahertz(1980);
  gpu.pipe_rates = {4.0, 2.0, 0.5, 2.0, 1.0, 1.3};
  gpu.l2_gigabytes_per_second = 5600;
  gpu.dram_gigabytes_per_second = 3350;
  gpu.l2_latency = 263;
  gpu.dram_latency = 800;
  gpu.block_interval = Nanoseconds(0.5);
  gpu.board = "H100";
  return gpu;
}

GpuModel h200_gpu() {
  GpuModel gpu = h100_gpu();
  gpu.name = "H200";
  gpu.dram_gigabytes_per_second = 4800;
  gpu.board = "";
  return gpu;
}

}  // namespace

std::string_view to_string(Pipe pipe) { return kPipeNames[static_cast<std::size_t>(pipe)]; }

const std::vector<GpuModel>& gpu_models() {
  static const std::vector<GpuModel> models = {c2050_gpu(), gtx680_gpu(),  gt640_gpu(), k20c_gpu(), k40c_gpu(),
                                               v100_gpu(),  rtx8000_gpu(), a100_gpu(),  h100_gpu(), h200_gpu()};
  return models;
}

const GpuModel* find_gpu_model(std::string_view name) {
  const auto found = std::ranges::find(gpu_models(), name, &GpuModel::name);
  return found == gpu_models().end() ? nullptr : &*found;
}

GpuModel with_sms(GpuModel gpu, unsigned sms) {
  const double share = static_cast<double>(sms) / gpu.sms;
  gpu.sms = sms;
  gpu.l2_gigabytes_per_second *= share;
  gpu.dram_gigabytes_per_second *= share;
  return gpu;
}

}  // namespace wattune::simulate

// GpuModel: a GPU as far as kernels that share it can tell: its multiprocessors (SMs), its memory, how it hands out
// blocks; and the table of those that Wattune knows.
//
// Values; any thread. What one SM holds is model::SmRoom's of the compute capability. src/simulate/gpu_table.cc says
// which numbers are published and which assumed; docs/simulate.md has the table.
//
//   simulate::GpuModel gpu = *simulate::find_gpu_model("H100");
//   gpu.variation_of_blocks = 0.05;
//   WATTUNE_ASSIGN(const auto mine, simulate::gpu_model_from_json(text));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/occupancy.h"

namespace wattune::simulate {

// What executes instructions, once for each SM. `memory` takes a cycle of its own for each request.
enum class Pipe { fp32, integer, special, fp64, tensor, memory };
constexpr std::size_t kPipes = 6;
std::string_view to_string(Pipe pipe);
constexpr std::uint64_t kSectorBytes = 32;  // in which L2 and DRAM are accessed

struct GpuModel {
  std::string name;
  model::ComputeCapability capability;
  unsigned sms = 1;
  Megahertz clock;
  unsigned schedulers = 1;                     // of an SM
  double issue_rate = 1.0;                     // instructions of warps that each can issue in a cycle
  double arithmetic_latency = 4.0;             // cycles until a warp can use the result of an instruction
  std::array<double, kPipes> pipe_rates = {};  // instructions of warps that each pipe takes in a cycle
  double l1_bytes_per_cycle = 128.0;           // of an SM, with what goes to shared memory
  double l2_gigabytes_per_second = 0.0;
  double dram_gigabytes_per_second = 0.0;
  double l2_latency = 0.0;           // cycles of a request that finds its data there
  double dram_latency = 0.0;         // of one that does not, at this clock: nanoseconds stay, cycles change
  double latency_per_request = 0.0;  // cycles that each request in flight of an SM adds to one
  double dram_mixing_loss = 0.0;     // share of its time that DRAM loses where kernels take turns
  unsigned hardware_queues = 1;      // into which streams are hashed
  unsigned resident_grids = 16;      // that may have blocks on the SMs at once
  Nanoseconds launch_gap;            // from the end of a launch to the first block of the next of its stream
  Nanoseconds grid_interval;         // between launches that are handed to the block scheduler
  Nanoseconds block_interval;        // between blocks that are given to SMs
  double variation_of_blocks = 0.0;  // standard deviation over mean of a block's work, beside the kernel's
  std::string board;                 // in board_models(): who draws power and has clocks; empty: nobody
};

const std::vector<GpuModel>& gpu_models();
// nullptr: there is none of that name.
const GpuModel* find_gpu_model(std::string_view name);

// "like" names the model that a custom one starts from, the other members are those above:
//   {"like": "H100", "name": "half", "sms": 66, "dram_gigabytes_per_second": 1680, "clock_mhz": 1500}
// Times are in ns ("launch_gap_ns"), rates of pipes in an object ("pipe_rates": {"fp64": 2}). parse_error, not_found (a
// member or model that does not exist), invalid_argument (what cannot be).
Result<GpuModel> gpu_model_from_json(const std::string& text);

// The same GPU with fewer SMs and their share of L2 and DRAM, which is faster to simulate in detail.
GpuModel with_sms(GpuModel gpu, unsigned sms);

}  // namespace wattune::simulate

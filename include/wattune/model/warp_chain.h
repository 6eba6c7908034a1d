// Kernelet's chain: how many instructions per cycle one or two kernels issue on a streaming multiprocessor (SM) that
// they share, from what a profile says of each.
//
// Zhong and He, "Kernelet: High-Throughput GPU Kernel Executions with Dynamic Slicing and Scheduling", section 4.4,
// with its printed errors corrected (docs/model.md): a Markov chain whose state is how many warps of each kernel wait
// for memory. Pure functions of values; any thread may call.
//
//   const model::WarpProfile add{.stalls = {{.ratio = 0.2, .latency = 600}}};
//   const model::WarpProfile fma{.issue_distance = 4};
//   const auto ipc = model::instructions_per_cycle(sm, std::array{model::WarpLoad{add, 32}, model::WarpLoad{fma, 32}});
#pragma once

#include <span>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::model {

// Instructions of one kind that make their warp wait for memory.
struct StallKind {
  double ratio = 0.0;    // Rm: of all instructions, 0 to 1
  double latency = 0.0;  // L0: cycles that one waits that meets no other
  double queued = 1.0;   // share of them that waits in the memory's queue; the others find their data before it
  double requests =
      1.0;  // what one asks of the memory, on average: 1 where accesses are coalesced, up to 32 where they are not
};

struct WarpProfile {
  // None: its warps never wait. Two: they have three states, ready and two of waiting (coalesced and not).
  std::vector<StallKind> stalls;
  double issue_distance = 1.0;  // cycles from an instruction of a warp to its next one, 1 in the paper
};

// An SM with its share of the memory.
struct ChainSm {
  unsigned schedulers = 1;
  double issue_rate = 1.0;          // instructions that a scheduler can issue in a cycle
  double requests_per_cycle = 1.0;  // B
  double contention = 1.0;          // a0: of the cycles that serving all requests in flight takes, those that one waits
  double offset = 0.0;              // b0, in cycles
};

struct WarpLoad {
  WarpProfile profile;
  unsigned warps = 0;  // resident on the SM
};

struct ChainOptions {
  // So many warps of a scheduler move as one, which makes the chain small where two kernels have three states each; a
  // block's warps, as in the paper. The fewer there are, the rougher the answer.
  unsigned warps_per_unit = 1;
  // States that are refused, since time grows with their cube.
  unsigned most_states = 2500;
};

// Of each of one or two loads, in instructions of the SM per cycle (equations 4 to 6). invalid_argument (a load, an SM
// or options that cannot be; more states than that).
Result<std::vector<double>> instructions_per_cycle(const ChainSm& sm, std::span<const WarpLoad> loads,
                                                   const ChainOptions& options = {});

}  // namespace wattune::model

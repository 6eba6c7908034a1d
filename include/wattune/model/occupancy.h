// Computes the occupancy of a streaming multiprocessor (SM) of an NVIDIA GPU: how many blocks of a kernel it holds at
// the same time, and which resource limits them.
//
// Runs without a GPU need the occupancy. A search can also leave out block shapes by it, before anything is compiled
// for them. If there is a device, its driver's answer counts instead (backend::Kernel::resources). The method is
// equations 1 to 5 of Guerreiro et al., "Multi-kernel auto-tuning on GPUs: performance and energy-aware optimization",
// PDP 2015, with the allocation units that the paper leaves out (docs/model.md). All functions are pure functions of
// values, and any thread may call them.
//
//   const auto gpu = model::compute_capability("sm_90");
//   const auto occupancy = model::occupancy(*gpu, {.threads = 256, .registers = 40, .static_shared_bytes = 8192});
//   if (occupancy && occupancy->fraction < 0.5) explain(occupancy->binding());
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::model {

// The compute capability of an NVIDIA GPU: 9.0 for an H100.
struct WATTUNE_EXPORT ComputeCapability {
  unsigned major = 0;
  unsigned minor = 0;

  auto operator<=>(const ComputeCapability&) const = default;
};

// Parses "sm_90", as in DeviceInfo::architecture, or "9.0". Fails with parse_error.
WATTUNE_EXPORT Result<ComputeCapability> compute_capability(std::string_view text);

// The resources that one block of a kernel needs.
struct WATTUNE_EXPORT BlockDemand {
  unsigned threads = 0;    // 1 to 1024
  unsigned registers = 0;  // per thread
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  unsigned barriers = 1;  // 0 to 16; they count from compute capability 9.0 on, as in NVIDIA's calculator
  // Bytes of the memory shared with the L1 cache that an SM gives to blocks. The number is rounded up to a size that
  // the GPU offers, and to the need of one block. If empty, the largest size is taken.
  std::optional<std::size_t> carveout_bytes;
};

// The resource of an SM that limits the number of blocks.
enum class OccupancyLimit { warps, blocks, registers, shared_memory, barriers };

WATTUNE_EXPORT std::string_view to_string(OccupancyLimit limit);

// The blocks of a kernel that are resident on an SM, and the limits that stop further ones.
struct WATTUNE_EXPORT Occupancy {
  unsigned blocks = 0;    // blocks resident on an SM; 0 if a single block needs too much
  unsigned warps = 0;     // warps of these blocks
  double fraction = 0.0;  // share of the warps that an SM has room for, 0 to 1
  // Blocks that each limit alone allows, in the order of OccupancyLimit; kUnlimited for a limit that does not apply.
  std::array<unsigned, 5> allowed{};

  static constexpr unsigned kUnlimited = std::numeric_limits<unsigned>::max();
  unsigned allowed_by(OccupancyLimit limit) const { return allowed[static_cast<std::size_t>(limit)]; }
  // Returns the limits that allow no further block; there is at least one.
  std::vector<OccupancyLimit> binding() const;
};

// Computes the occupancy for compute capability 2.0 to 12.1. Fails with not_found for another one, with
// invalid_argument if the threads, the barriers or the carveout are out of their range.
WATTUNE_EXPORT Result<Occupancy> occupancy(ComputeCapability gpu, const BlockDemand& block);

// The occupancy from which a candidate is worth a measurement (section III-A of Guerreiro et al. 2015).
struct WATTUNE_EXPORT OccupancyFilter {
  double share_of_best = 0.8;
  std::optional<double> at_least;  // a fixed occupancy that is used instead, as the paper's "e.g. > 80 %"
};

// Returns the indices into `fractions` of candidates that pass the filter, ascending. Candidates that do not fit at all
// never pass. Fails with invalid_argument if a share or a fraction is not from 0 to 1.
WATTUNE_EXPORT Result<std::vector<std::size_t>> with_high_occupancy(std::span<const double> fractions,
                                                                    const OccupancyFilter& filter = {});

}  // namespace wattune::model

#include "simulate/interface/simulated_kernel.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace wattune::inline v0_1::simulate {

namespace {

struct BoundedMember {
  std::string_view name;
  double value;
  double least;
  double most;
};

Result<void> check_member(const SimulatedKernel& kernel, const BoundedMember& member) {
  if (member.value >= member.least && member.value <= member.most) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("{} is from {} to {}", member.name, member.least, member.most))
      .about(fmt::format("{}", member.value))
      .with_context("simulated kernel " + kernel.name);
}

double most_accesses(const SimulatedKernel& kernel) {
  return std::accumulate(kernel.mix.begin(), kernel.mix.end(), kernel.coalesced + kernel.scattered);
}

}  // namespace

Result<void> check(const SimulatedKernel& kernel) {
  constexpr double kAny = std::numeric_limits<double>::max();
  const BoundedMember members[] = {{"instructions", kernel.instructions, 1, 1e12},
                                   {"blocks", static_cast<double>(kernel.blocks), 1, kAny},
                                   {"instruction_parallelism", kernel.instruction_parallelism, 0.01, 1e3},
                                   {"coalesced", kernel.coalesced, 0, 1},
                                   {"scattered", kernel.scattered, 0, 1},
                                   {"scattered_requests", kernel.scattered_requests, 1, 32},
                                   {"coalesced_bytes", kernel.coalesced_bytes, 0, 1e6},
                                   {"scattered_bytes", kernel.scattered_bytes, 0, 1e6},
                                   {"l2_hit", kernel.l2_hit, 0, 1},
                                   {"scattered_dram_cost", kernel.scattered_dram_cost, 1, 1e6},
                                   {"l1_bytes", kernel.l1_bytes, 0, 1e6},
                                   {"memory_parallelism", kernel.memory_parallelism, 1, 1e6},
                                   {"sharing_loss", kernel.sharing_loss, 0, 1},
                                   {"variation", kernel.variation, 0, 10},
                                   {"tail_share", kernel.tail_share, 0, 1},
                                   {"tail_work", kernel.tail_work, 0.05, 1e6},
                                   {"what the instructions are, added up,", most_accesses(kernel), 0, 1 + 1e-9}};
  for (const BoundedMember& member : members) WATTUNE_TRY(check_member(kernel, member));
  for (const double share : kernel.mix) WATTUNE_TRY(check_member(kernel, {"a share of the mix", share, 0, 1}));
  return {};
}

}  // namespace wattune::simulate

#include "wattune/model/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/allocation.h"
#include "model/multiprocessor.h"

namespace wattune::inline v0_1::model {

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostBarriers = 16;
constexpr double kRoundingOff = 1e-9;  // fractions that are lower than the bound by less than this also pass

// Returns the blocks that the registers allow. Launches are refused as if each block took registers equally from all
// partitions, although registers are given to warps one by one.
unsigned blocks_by_registers(const Multiprocessor& sm, const BlockDemand& block, unsigned partitions) {
  if (block.registers > sm.registers_per_thread) return 0;
  const unsigned per_warp = registers_per_warp(sm, block.registers);
  if (per_warp * rounded_up(warps_of(block), partitions) > sm.registers_per_block) return 0;
  if (per_warp == 0) return Occupancy::kUnlimited;
  return partitions * (sm.registers / partitions / per_warp) / warps_of(block);
}

unsigned by_registers(const Multiprocessor& sm, const BlockDemand& block) {
  if (blocks_by_registers(sm, block, sm.partitions_checked) == 0) return 0;
  return blocks_by_registers(sm, block, sm.partitions);
}

// Returns the shared memory that the SM offers to blocks. On GPUs before Volta, a block that does not fit into the
// carveout gets all of the memory.
std::size_t shared_bytes_for(const Multiprocessor& sm, const BlockDemand& block, std::size_t allocated) {
  if (!block.carveout_bytes) return sm.carveouts.back();
  const std::size_t preferred = offered(sm, *block.carveout_bytes);
  if (preferred >= allocated) return preferred;
  return sm.gpu.major >= 7 ? offered(sm, allocated) : sm.carveouts.back();
}

unsigned by_shared_memory(const Multiprocessor& sm, const BlockDemand& block) {
  const std::size_t most = sm.shared_bytes_per_block;
  if (block.static_shared_bytes > most || block.dynamic_shared_bytes > most - block.static_shared_bytes) return 0;
  const std::size_t allocated = shared_bytes_of(sm, block);
  if (allocated == 0) return Occupancy::kUnlimited;
  return static_cast<unsigned>(shared_bytes_for(sm, block, allocated) / allocated);
}

unsigned by_barriers(const Multiprocessor& sm, const BlockDemand& block) {
  return sm.barriers == 0 || block.barriers == 0 ? Occupancy::kUnlimited : sm.barriers / block.barriers;
}

Error refused(std::string message, std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(message)).about(std::move(what)).with_context("occupancy");
}

Result<void> check(const Multiprocessor& sm, const BlockDemand& block) {
  if (block.threads == 0 || block.threads > kMostThreads)
    return refused(fmt::format("a block has 1 to {} threads", kMostThreads), std::to_string(block.threads));
  if (block.barriers > kMostBarriers)
    return refused(fmt::format("a block has 0 to {} barriers", kMostBarriers), std::to_string(block.barriers));
  if (block.carveout_bytes > sm.carveouts.back())
    return refused(
        fmt::format("the carveout is more than the {} bytes of this compute capability", sm.carveouts.back()),
        std::to_string(*block.carveout_bytes));
  return {};
}

bool is_share(double value) { return value >= 0.0 && value <= 1.0; }

}  // namespace

unsigned warps_of(const BlockDemand& block) { return divided_up(block.threads, kWarp); }

// Returns the registers of a warp. For some numbers of registers, Fermi allocates two units at a time.
unsigned registers_per_warp(const Multiprocessor& sm, unsigned registers) {
  const bool doubled =
      sm.gpu.major == 2 && registers >= 21 && registers <= 46 && (registers % 8 == 5 || registers % 8 == 6);
  return rounded_up(registers * kWarp, sm.register_unit * (doubled ? 2 : 1));
}

std::size_t shared_bytes_of(const Multiprocessor& sm, const BlockDemand& block) {
  return rounded_up(block.static_shared_bytes + block.dynamic_shared_bytes + sm.shared_bytes_reserved, sm.shared_unit);
}

std::size_t offered(const Multiprocessor& sm, std::size_t bytes) {
  return *std::ranges::find_if(sm.carveouts, [&](std::size_t carveout) { return carveout >= bytes; });
}

std::string_view to_string(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::warps: return "warps";
    case OccupancyLimit::blocks: return "blocks";
    case OccupancyLimit::registers: return "registers";
    case OccupancyLimit::shared_memory: return "shared memory";
    case OccupancyLimit::barriers: return "barriers";
  }
  return "unknown";
}

Result<ComputeCapability> compute_capability(std::string_view text) {
  const Error error = Error(ErrorCode::parse_error, "this is no compute capability")
                          .about(std::string(text))
                          .hint("write it as sm_90 or 9.0");
  std::string digits(text.starts_with("sm_") ? text.substr(3) : text);
  if (!text.starts_with("sm_")) {
    const std::size_t point = digits.find('.');
    if (point == std::string::npos || point + 2 != digits.size()) return error;
    digits.erase(point, 1);
  }
  unsigned number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size() || digits.size() < 2) return error;
  return ComputeCapability{number / 10, number % 10};
}

Result<Occupancy> occupancy(ComputeCapability gpu, const BlockDemand& block) {
  WATTUNE_ASSIGN(const Multiprocessor* const sm, multiprocessor(gpu));
  WATTUNE_TRY(check(*sm, block));
  Occupancy result;
  result.allowed = {sm->warps / warps_of(block), sm->blocks, by_registers(*sm, block), by_shared_memory(*sm, block),
                    by_barriers(*sm, block)};
  result.blocks = std::ranges::min(result.allowed);
  result.warps = result.blocks * warps_of(block);
  result.fraction = static_cast<double>(result.warps) / sm->warps;
  return result;
}

std::vector<OccupancyLimit> Occupancy::binding() const {
  std::vector<OccupancyLimit> limits;
  for (std::size_t i = 0; i < allowed.size(); ++i)
    if (allowed[i] == blocks) limits.push_back(static_cast<OccupancyLimit>(i));
  return limits;
}

Result<std::vector<std::size_t>> with_high_occupancy(std::span<const double> fractions, const OccupancyFilter& filter) {
  const double asked = filter.at_least.value_or(filter.share_of_best);
  if (!is_share(asked)) return refused("the bound for occupancy is not from 0 to 1", fmt::format("{}", asked));
  double best = 0.0;
  for (const double fraction : fractions) {
    if (!is_share(fraction)) return refused("an occupancy is not from 0 to 1", fmt::format("{}", fraction));
    best = std::max(best, fraction);
  }
  const double least = filter.at_least ? asked : asked * best;
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < fractions.size(); ++i)
    if (fractions[i] > 0.0 && fractions[i] >= least - kRoundingOff) passed.push_back(i);
  return passed;
}

}  // namespace wattune::model

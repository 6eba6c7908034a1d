#include <algorithm>
#include <set>

#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Returns the middle blocks of `wanted` equal parts of the grid.
std::set<std::uint64_t> sampled_blocks(const backend::Geometry3& geometry, std::size_t wanted) {
  const std::uint64_t all = std::uint64_t{geometry.groups[0]} * geometry.groups[1] * geometry.groups[2];
  const std::uint64_t count = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(1, all));
  std::set<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count; ++i)
    blocks.insert(static_cast<std::uint64_t>((static_cast<double>(i) + 0.5) * static_cast<double>(all) /
                                             static_cast<double>(count)));
  return blocks;
}

BlockCosts mean_of(const std::vector<PtxCosts>& blocks) {
  BlockCosts mean;
  const double each = 1.0 / static_cast<double>(blocks.size());
  for (const PtxCosts& block : blocks) {
    mean.issued += each * static_cast<double>(block.issued);
    for (std::size_t i = 0; i < kPipes; ++i) mean.pipes[i] += each * static_cast<double>(block.pipes[i]);
    mean.bytes_read += each * static_cast<double>(block.sectors_read * kSectorBytes);
    mean.bytes_written += each * static_cast<double>(block.sectors_written * kSectorBytes);
    mean.accesses += each * static_cast<double>(block.accesses);
    mean.shared_accesses += each * static_cast<double>(block.shared_accesses);
    mean.barriers += each * static_cast<double>(block.barriers);
  }
  return mean;
}

}  // namespace

Result<BlockCosts> count_block(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                               std::span<const std::byte> parameters, VirtualMemory& memory,
                               const BlockSampleOptions& options) {
  PtxRunOptions run_options{.dynamic_shared_bytes = options.dynamic_shared_bytes,
                            .most_instructions = options.most_instructions,
                            .is_part = true,
                            .costs = true};
  std::vector<PtxCosts> counted;
  std::uint64_t instructions = 0;
  for (const std::uint64_t block : sampled_blocks(geometry, options.blocks)) {
    if (instructions >= options.most_instructions) break;
    run_options.order = {block};
    WATTUNE_ASSIGN(PtxRun run, PtxRun::start(module, kernel, geometry, parameters, memory, run_options));
    WATTUNE_TRY(run.finish());
    instructions += run.counts().instructions;
    counted.push_back(run.costs());
  }
  return mean_of(counted);
}

}  // namespace wattune::simulate

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "simulate/interface/ptx_profile.h"
#include "simulate/ptx/shuffled.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr std::uint64_t kFewBlocks = 256;  // all blocks of a grid are counted if there are at most this many
// The number of cells in the first round, and in the last round. It grows by a factor of 4 from round to round.
constexpr std::uint64_t kFewestCells = 16;
constexpr std::uint64_t kMostCells = 4096;
constexpr double kMostError = 0.1;        // largest standard error, as a share of the mean
constexpr std::size_t kFewestBlocks = 4;  // fewest blocks from which an error is computed
// Share of all instructions before which counting does not end. A few cheap blocks may otherwise miss one of several
// kinds of blocks.
constexpr double kEnough = 0.05;
constexpr std::uint64_t kPageCost = 1000;  // number of instructions that run in the time in which a page is read

using Axes = std::array<std::uint64_t, 3>;
using Place = std::array<double, 3>;  // position in a grid, as a share of each axis, 0 to 1

// Returns the number of blocks of a grid. It is 0 for an empty grid, which PtxRun refuses.
std::uint64_t blocks_of(const backend::Geometry3& geometry) {
  return std::uint64_t{geometry.groups[0]} * geometry.groups[1] * geometry.groups[2];
}

// Returns the number of parts into which each axis is cut to get `wanted` cells. An axis is halved only if each part
// has at least two blocks, so some grids get fewer cells.
Axes parts_of_axes(const backend::Geometry3& geometry, std::uint64_t wanted) {
  Axes parts = {1, 1, 1};
  for (std::uint64_t cells = 1; cells < wanted; cells *= 2) {
    std::size_t axis = parts.size();
    for (std::size_t i = parts.size(); i-- > 0;)
      if (geometry.groups[i] >= 2 * parts[i] && (axis == parts.size() || parts[i] < parts[axis])) axis = i;
    if (axis == parts.size()) break;
    parts[axis] *= 2;
  }
  return parts;
}

// Returns, for each axis, the index of the part in which a position lies, if axes are cut into `parts` parts.
Axes indices_of(const Place& place, const Axes& parts) {
  Axes indices = {};
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = std::min(parts[i] - 1, static_cast<std::uint64_t>(place[i] * static_cast<double>(parts[i])));
  return indices;
}

std::uint64_t linear(const Axes& indices, const Axes& parts) {
  return indices[0] + parts[0] * (indices[1] + parts[1] * indices[2]);
}

// Draws a random position in a cell.
Place place_in(std::uint64_t cell, const Axes& parts, Random& random) {
  Place place = {};
  for (std::size_t i = 0; i < place.size(); ++i, cell /= parts[i - 1])
    place[i] = (static_cast<double>(cell % parts[i]) + random.uniform()) / static_cast<double>(parts[i]);
  return place;
}

// A block whose costs were counted.
struct CountedBlock {
  Place place = {};
  PtxCosts costs;
};

double issued_by(const PtxCosts& block) { return static_cast<double>(block.issued); }

double bytes_of(const PtxCosts& block) {
  return static_cast<double>((block.sectors_read + block.sectors_written) * kSectorBytes);
}

void add(BlockCosts& sum, const PtxCosts& block, double weight) {
  sum.issued += weight * issued_by(block);
  for (std::size_t i = 0; i < kPipes; ++i) sum.pipes[i] += weight * static_cast<double>(block.pipes[i]);
  sum.bytes_read += weight * static_cast<double>(block.sectors_read * kSectorBytes);
  sum.bytes_written += weight * static_cast<double>(block.sectors_written * kSectorBytes);
  sum.accesses += weight * static_cast<double>(block.accesses);
  sum.shared_accesses += weight * static_cast<double>(block.shared_accesses);
  sum.barriers += weight * static_cast<double>(block.barriers);
}

void divide(BlockCosts& sum, double count) {
  for (double* const cost :
       {&sum.issued, &sum.bytes_read, &sum.bytes_written, &sum.accesses, &sum.shared_accesses, &sum.barriers})
    *cost /= count;
  for (double& cost : sum.pipes) cost /= count;
}

// Returns the variance of the sum of numbers that are drawn from one distribution. Returns 0 for a single number.
double variance_of_sum(const std::vector<double>& numbers) {
  if (numbers.size() < 2) return 0.0;
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0.0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return count * squares / (count - 1.0);
}

// Returns the standard error of the mean cost of blocks. It is computed from differences between blocks of the same
// cell, and between blocks that are alone in their cells.
double standard_error(const std::vector<CountedBlock>& blocks, const Axes& cells, double (*cost_of)(const PtxCosts&)) {
  std::map<std::uint64_t, std::vector<double>> by_cell;
  for (const CountedBlock& block : blocks)
    by_cell[linear(indices_of(block.place, cells), cells)].push_back(cost_of(block.costs));
  std::vector<double> alone;
  double variance = 0.0;
  for (const auto& [cell, costs] : by_cell) {
    if (costs.size() == 1) alone.push_back(costs.front());
    variance += variance_of_sum(costs);
  }
  return std::sqrt(variance + variance_of_sum(alone)) / static_cast<double>(blocks.size());
}

// A counter that runs blocks of a grid and keeps their costs.
class BlockCounter {
 public:
  BlockCounter(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
               std::span<const std::byte> parameters, VirtualMemory& memory, const BlockSampleOptions& options)
      : module_(module),
        kernel_(kernel),
        geometry_(geometry),
        parameters_(parameters),
        memory_(memory),
        options_{.dynamic_shared_bytes = options.dynamic_shared_bytes,
                 .most_instructions = options.most_instructions,
                 .is_part = true,
                 .costs = true},
        random_(options.seed) {}

  Result<void> count() {
    const std::uint64_t all = std::max<std::uint64_t>(1, blocks_of(geometry_));
    if (all <= kFewBlocks) return count_whole(all);
    for (const std::uint64_t end : {std::uint64_t{0}, all - 1}) {
      WATTUNE_ASSIGN(ends_.emplace_back(), run(end));
    }
    for (std::uint64_t cells = kFewestCells; cells <= kMostCells; cells *= 4) {
      coarse_ = parts_of_axes(geometry_, cells / 4);
      WATTUNE_TRY(count_in_cells(parts_of_axes(geometry_, cells)));
      if (is_spent(kEnough) && is_exact()) return {};
    }
    return {};
  }

  // Returns the mean costs over the grid. Fails with unavailable if the mean is not exact enough.
  Result<BlockCosts> mean() const {
    if (!is_exact())
      return Error(ErrorCode::unavailable,
                   fmt::format("kernel `{}`: after {} of {} blocks their mean cost is not known to {:.0f} %", kernel_,
                               sample_.size() + ends_.size(), blocks_of(geometry_), 100.0 * kMostError));
    return present_mean();
  }

 private:
  Result<void> count_whole(std::uint64_t all) {
    for (const std::uint64_t block : shuffled(all, random_)) {
      if (is_spent()) return {};
      WATTUNE_ASSIGN(sample_.emplace_back().costs, run(block));
    }
    return {};
  }

  // Counts a block in each cell in which no block is counted yet. The cells come in random order.
  Result<void> count_in_cells(const Axes& parts) {
    std::vector<bool> has_block(parts[0] * parts[1] * parts[2]);
    for (const CountedBlock& block : sample_) has_block[linear(indices_of(block.place, parts), parts)] = true;
    for (const std::uint64_t cell : shuffled(has_block.size(), random_)) {
      if (has_block[cell]) continue;
      if (is_spent()) return {};
      const Place place = place_in(cell, parts, random_);
      WATTUNE_ASSIGN(const PtxCosts costs, run(block_at(place)));
      sample_.push_back({place, costs});
    }
    return {};
  }

  // Returns the block at a position of a large grid. The first and the last block are counted already. In place of
  // them, their neighbours are returned.
  std::uint64_t block_at(const Place& place) const {
    const Axes groups = {geometry_.groups[0], geometry_.groups[1], geometry_.groups[2]};
    return std::clamp<std::uint64_t>(linear(indices_of(place, groups), groups), 1, blocks_of(geometry_) - 2);
  }

  Result<PtxCosts> run(std::uint64_t block) {
    options_.order = {block};
    WATTUNE_ASSIGN(PtxRun launched, PtxRun::start(module_, kernel_, geometry_, parameters_, memory_, options_));
    WATTUNE_TRY(launched.finish());
    instructions_ += launched.counts().instructions;
    return launched.costs();
  }

  // True if this share of the allowed instructions is spent. The time of reading pages is counted in instructions, too.
  bool is_spent(double share = 1.0) const {
    const std::uint64_t spent = instructions_ + kPageCost * memory_.pages_read();
    return static_cast<double>(spent) >= share * static_cast<double>(options_.most_instructions);
  }

  BlockCosts present_mean() const {
    const auto all = static_cast<double>(blocks_of(geometry_));
    BlockCosts mean;
    for (const PtxCosts& block : ends_) add(mean, block, 1.0);
    const double weight = (all - static_cast<double>(ends_.size())) / static_cast<double>(sample_.size());
    for (const CountedBlock& block : sample_) add(mean, block.costs, weight);
    divide(mean, all);
    return mean;
  }

  // True if all blocks were counted, or if the mean of instructions and bytes is exact enough. The mean of bytes does
  // not matter if they are fewer than instructions, since memory is then no bottleneck.
  bool is_exact() const {
    if (sample_.size() == blocks_of(geometry_)) return true;
    if (sample_.size() < kFewestBlocks) return false;
    const BlockCosts mean = present_mean();
    const double bytes = std::max(mean.bytes_read + mean.bytes_written, mean.issued);
    return standard_error(sample_, coarse_, &issued_by) <= kMostError * mean.issued &&
           standard_error(sample_, coarse_, &bytes_of) <= kMostError * bytes;
  }

  const PtxModule& module_;
  std::string_view kernel_;
  const backend::Geometry3& geometry_;
  std::span<const std::byte> parameters_;
  VirtualMemory& memory_;
  PtxRunOptions options_;
  Random random_;
  std::uint64_t instructions_ = 0;
  Axes coarse_ = {1, 1, 1};           // numbers of parts of the axes with which each cell has a few blocks
  std::vector<PtxCosts> ends_;        // costs of the first and the last block of a large grid
  std::vector<CountedBlock> sample_;  // all other counted blocks
};

}  // namespace

Result<BlockCosts> count_block(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                               std::span<const std::byte> parameters, VirtualMemory& memory,
                               const BlockSampleOptions& options) {
  BlockCounter counter(module, kernel, geometry, parameters, memory, options);
  WATTUNE_TRY(counter.count());
  return counter.mean();
}

}  // namespace wattune::simulate

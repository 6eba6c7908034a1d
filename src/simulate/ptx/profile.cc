#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulate/interface/ptx_profile.h"
#include "simulate/ptx/shuffled.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr std::uint64_t kCells = 256;
// Numbers of blocks after which the error is judged, before all cells are counted.
constexpr std::array<std::size_t, 2> kLooks = {16, 64};
constexpr double kMostError = 0.1;        // of the mean
constexpr std::size_t kFewestBlocks = 4;  // that tell an error
// Share of all instructions before which counting does not end. A few cheap blocks may lack one kind of several.
constexpr double kEnough = 0.1;

// Returns 0 for an empty grid, which PtxRun refuses.
std::uint64_t blocks_of(const backend::Geometry3& geometry) {
  return std::uint64_t{geometry.groups[0]} * geometry.groups[1] * geometry.groups[2];
}

// Returns into how many parts each axis is cut. An axis is halved again only if its parts have two blocks at least, so
// that some grids have fewer cells.
std::array<std::uint64_t, 3> parts_of_axes(const backend::Geometry3& geometry) {
  std::array<std::uint64_t, 3> parts = {1, 1, 1};
  for (std::uint64_t cells = 1; cells < kCells; cells *= 2) {
    std::size_t axis = parts.size();
    for (std::size_t i = parts.size(); i-- > 0;)
      if (geometry.groups[i] >= 2 * parts[i] && (axis == parts.size() || parts[i] < parts[axis])) axis = i;
    if (axis == parts.size()) break;
    parts[axis] *= 2;
  }
  return parts;
}

// Draws a place uniformly from one of equal parts of an axis.
std::uint64_t draw_in(std::uint64_t part, std::uint64_t parts, std::uint64_t blocks, Random& random) {
  const double share = (static_cast<double>(part) + random.uniform()) / static_cast<double>(parts);
  return std::min(blocks - 1, static_cast<std::uint64_t>(share * static_cast<double>(blocks)));
}

// Draws a block in each cell, cells in random order, and once more in some where there are fewer than 256 of them. Ends
// of the grid give way to their neighbours.
std::vector<std::uint64_t> drawn_blocks(const backend::Geometry3& geometry, Random& random) {
  const auto& groups = geometry.groups;
  const std::array<std::uint64_t, 3> parts = parts_of_axes(geometry);
  const std::vector<std::uint64_t> cells = shuffled(parts[0] * parts[1] * parts[2], random);
  std::vector<std::uint64_t> blocks;
  for (std::size_t i = 0; i < kCells; ++i) {
    const std::uint64_t cell = cells[i % cells.size()];
    const std::uint64_t x = draw_in(cell % parts[0], parts[0], groups[0], random);
    const std::uint64_t y = draw_in(cell / parts[0] % parts[1], parts[1], groups[1], random);
    const std::uint64_t z = draw_in(cell / parts[0] / parts[1], parts[2], groups[2], random);
    blocks.push_back(std::clamp<std::uint64_t>(x + groups[0] * (y + groups[1] * z), 1, blocks_of(geometry) - 2));
  }
  return blocks;
}

double bytes_of(const PtxCosts& block) {
  return static_cast<double>((block.sectors_read + block.sectors_written) * kSectorBytes);
}

void add(BlockCosts& sum, const PtxCosts& block, double weight) {
  sum.issued += weight * static_cast<double>(block.issued);
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

// Returns the standard error of the mean of a cost of these blocks.
template <typename Cost>
double standard_error(const std::vector<PtxCosts>& blocks, Cost cost_of) {
  const auto count = static_cast<double>(blocks.size());
  double sum = 0.0;
  for (const PtxCosts& block : blocks) sum += cost_of(block);
  double squares = 0.0;
  for (const PtxCosts& block : blocks) squares += (cost_of(block) - sum / count) * (cost_of(block) - sum / count);
  return std::sqrt(squares / (count - 1.0) / count);
}

// Runs blocks of a grid and keeps what they cost.
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
    if (all <= kCells) return count_sample(shuffled(all, random_));
    for (const std::uint64_t end : {std::uint64_t{0}, all - 1}) WATTUNE_TRY(count_one(end, ends_));
    return count_sample(drawn_blocks(geometry_, random_));
  }

  // Returns the mean over the grid. Fails with unavailable if too little is known of it.
  Result<BlockCosts> mean() const {
    if (!is_exact())
      return Error(ErrorCode::unavailable,
                   fmt::format("kernel `{}`: after {} of {} blocks their mean cost is not known to {:.0f} %", kernel_,
                               sample_.size() + ends_.size(), blocks_of(geometry_), 100.0 * kMostError));
    return present_mean();
  }

 private:
  Result<void> count_sample(const std::vector<std::uint64_t>& blocks) {
    for (const std::uint64_t block : blocks) {
      if (instructions_ >= options_.most_instructions || is_enough()) return {};
      WATTUNE_TRY(count_one(block, sample_));
    }
    return {};
  }

  Result<void> count_one(std::uint64_t block, std::vector<PtxCosts>& counted) {
    options_.order = {block};
    WATTUNE_ASSIGN(PtxRun run, PtxRun::start(module_, kernel_, geometry_, parameters_, memory_, options_));
    WATTUNE_TRY(run.finish());
    instructions_ += run.counts().instructions;
    counted.push_back(run.costs());
    return {};
  }

  bool is_enough() const {
    if (std::ranges::find(kLooks, sample_.size()) == kLooks.end()) return false;
    return static_cast<double>(instructions_) >= kEnough * static_cast<double>(options_.most_instructions) &&
           is_exact();
  }

  BlockCosts present_mean() const {
    const auto all = static_cast<double>(blocks_of(geometry_));
    BlockCosts mean;
    for (const PtxCosts& block : ends_) add(mean, block, 1.0);
    const double weight = (all - static_cast<double>(ends_.size())) / static_cast<double>(sample_.size());
    for (const PtxCosts& block : sample_) add(mean, block, weight);
    divide(mean, all);
    return mean;
  }

  // True if all blocks were counted, or if the mean of instructions and bytes is exact enough. Bytes that are fewer
  // than instructions fill no memory.
  bool is_exact() const {
    if (sample_.size() == blocks_of(geometry_)) return true;
    if (sample_.size() < kFewestBlocks) return false;
    const BlockCosts mean = present_mean();
    const double bytes = std::max(mean.bytes_read + mean.bytes_written, mean.issued);
    const auto issued_by = [](const PtxCosts& block) { return static_cast<double>(block.issued); };
    return standard_error(sample_, issued_by) <= kMostError * mean.issued &&
           standard_error(sample_, bytes_of) <= kMostError * bytes;
  }

  const PtxModule& module_;
  std::string_view kernel_;
  const backend::Geometry3& geometry_;
  std::span<const std::byte> parameters_;
  VirtualMemory& memory_;
  PtxRunOptions options_;
  Random random_;
  std::uint64_t instructions_ = 0;
  std::vector<PtxCosts> ends_;    // the first and the last block of a grid that is not counted whole
  std::vector<PtxCosts> sample_;  // the others
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

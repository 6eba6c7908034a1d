#include <fmt/format.h>

#include <algorithm>

#include "simulate/interface/ptx_run.h"
#include "simulate/ptx/block.h"
#include "simulate/ptx/shuffled.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Upper bounds of what a launch may request. The bound of shared memory is that of the largest GPUs.
constexpr std::size_t kMostSharedBytes = 227 * 1024;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostShuffledBlocks = std::uint64_t{1} << 26;  // most blocks whose order is kept in memory

Error launch_mistake(std::string_view kernel, std::string what) {
  return Error(ErrorCode::invalid_argument, fmt::format("kernel `{}`: {}", kernel, what));
}

// Converts the extent of a block or a grid. Fails if it is zero or too large.
Result<ptx::Index3> extent3(const std::array<std::size_t, 3>& extent, std::string_view kernel) {
  ptx::Index3 result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (extent[axis] == 0 || extent[axis] > 0x7fff'ffff)
      return launch_mistake(kernel, fmt::format("{} x {} x {} is no extent", extent[0], extent[1], extent[2]));
    result[axis] = static_cast<std::uint32_t>(extent[axis]);
  }
  return result;
}

// True if `order` names no block twice. Unless the run is only a part, `order` must also name every block.
bool names_blocks(const std::vector<std::uint64_t>& order, std::uint64_t count, bool is_part) {
  std::vector<std::uint64_t> sorted = order;
  std::ranges::sort(sorted);
  if (sorted.empty()) return false;
  const bool are_distinct = std::ranges::adjacent_find(sorted) == sorted.end();
  return are_distinct && sorted.back() < count && (is_part || sorted.size() == count);
}

Result<void> check_launch(const PtxKernel& kernel, const backend::Geometry3& geometry, std::size_t parameter_bytes) {
  const auto threads = static_cast<double>(geometry.group_size[0]) * static_cast<double>(geometry.group_size[1]) *
                       static_cast<double>(geometry.group_size[2]);
  if (threads > static_cast<double>(kernel.most_threads))
    return launch_mistake(kernel.name,
                          fmt::format("a block of {} threads, of {} at most", threads, kernel.most_threads));
  if (geometry.cooperative || geometry.cluster != std::array<std::size_t, 3>{1, 1, 1})
    return Error(
        ErrorCode::unavailable,
        fmt::format("kernel `{}`: the interpreter knows no clusters and no cooperative launches", kernel.name));
  if (parameter_bytes != kernel.parameter_bytes)
    return launch_mistake(kernel.name,
                          fmt::format("{} bytes of parameters instead of {}", parameter_bytes, kernel.parameter_bytes));
  return {};
}

}  // namespace

struct PtxRun::State {
  PtxModule module;
  PtxRunOptions options;
  ptx::Launch launch;
  std::uint64_t blocks = 0;
  std::uint64_t next = 0;
  std::optional<Random> random;
  std::vector<std::unique_ptr<ptx::Block>> resident;  // resident blocks by their place

  Result<void> prepare();
  void begin_blocks();
  Result<void> turn();
  bool has_ended() const { return launch.counts.blocks == blocks; }
};

void PtxRun::State::begin_blocks() {
  for (std::size_t place = 0; place < resident.size() && next < blocks; ++place) {
    if (resident[place] != nullptr) continue;
    const std::uint64_t index = options.order.empty() ? next : options.order[next];
    resident[place] = std::make_unique<ptx::Block>(launch, index, place);
    ++next;
  }
}

// Lets each resident block run once.
Result<void> PtxRun::State::turn() {
  begin_blocks();
  std::uint64_t done = 0;
  ptx::Block* unfinished = nullptr;
  const std::size_t first = random ? random->below(resident.size()) : 0;
  for (std::size_t i = 0; i < resident.size() && !launch.fault; ++i) {
    std::unique_ptr<ptx::Block>& block = resident[(first + i) % resident.size()];
    if (block == nullptr) continue;
    done += block->run(options.turn, random ? &*random : nullptr);
    if (block->has_ended()) {
      block.reset();
      ++launch.counts.blocks;
    } else {
      unfinished = block.get();
    }
  }
  if (!launch.fault && unfinished != nullptr && done == 0)
    unfinished->blame(ErrorCode::launch_failed, "all threads that are left wait, this one for others that never come");
  if (!launch.fault && unfinished != nullptr && launch.counts.instructions >= options.most_instructions)
    unfinished->blame(ErrorCode::timeout,
                      fmt::format("the kernel has not ended after {} instructions", launch.counts.instructions));
  if (launch.fault) return Error(*launch.fault);
  return {};
}

Result<void> PtxRun::State::prepare() {
  const std::uint64_t rows = std::uint64_t{launch.grid[0]} * launch.grid[1];
  if (rows > kMostBlocks / launch.grid[2]) return launch_mistake(launch.kernel, "more blocks than can be run");
  blocks = rows * launch.grid[2];
  if ((options.is_part || !options.order.empty()) && !names_blocks(options.order, blocks, options.is_part))
    return launch_mistake(launch.kernel, fmt::format("the order of blocks is not each of {} once", blocks));
  if (options.is_part) blocks = options.order.size();
  if (options.seed) random.emplace(*options.seed);
  if (random && options.order.empty() && blocks > kMostShuffledBlocks)
    return launch_mistake(launch.kernel, fmt::format("an order of {} blocks is too long to be drawn", blocks));
  if (random && options.order.empty()) options.order = shuffled(blocks, *random);
  options.turn = std::max<std::uint64_t>(1, options.turn);
  resident.resize(std::clamp<std::uint64_t>(options.resident_blocks, 1, blocks));
  return {};
}

PtxRun::PtxRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
PtxRun::PtxRun(PtxRun&&) noexcept = default;
PtxRun& PtxRun::operator=(PtxRun&&) noexcept = default;
PtxRun::~PtxRun() = default;

Result<PtxRun> PtxRun::start(const PtxModule& module, std::string_view kernel, const backend::Geometry3& geometry,
                             std::span<const std::byte> parameters, VirtualMemory& memory,
                             const PtxRunOptions& options) {
  WATTUNE_ASSIGN(const PtxKernel* const found, module.kernel(kernel));
  WATTUNE_TRY(check_launch(*found, geometry, parameters.size()));
  WATTUNE_ASSIGN(const ptx::Index3 grid, extent3(geometry.groups, kernel));
  WATTUNE_ASSIGN(const ptx::Index3 block, extent3(geometry.group_size, kernel));
  const ptx::Code& code = module.code();
  const std::size_t dynamic = options.dynamic_shared_bytes;
  const std::size_t shared = dynamic == 0 ? found->shared_bytes : code.dynamic_shared_offset + dynamic;
  if (dynamic > kMostSharedBytes || shared > kMostSharedBytes)
    return launch_mistake(kernel, fmt::format("{} bytes of shared memory, of {} at most", shared, kMostSharedBytes));
  const auto index = static_cast<std::size_t>(found - code.kernels.data());
  auto state = std::make_unique<State>(
      State{.module = module,
            .options = options,
            .launch = {.code = code,
                       .entry = code.functions[code.kernel_functions[index]],
                       .kernel = found->name,
                       .memory = memory,
                       .parameters = std::vector<std::byte>(parameters.begin(), parameters.end()),
                       .grid = grid,
                       .block = block,
                       .shared_bytes = static_cast<std::uint32_t>(shared),
                       .dynamic_shared_bytes = static_cast<std::uint32_t>(dynamic),
                       .multiprocessors = std::max(1u, options.multiprocessors)}});
  if (options.costs) state->launch.costs.emplace();
  WATTUNE_TRY(state->prepare());
  return PtxRun(std::move(state));
}

Result<bool> PtxRun::advance(std::uint64_t instructions) {
  ptx::Launch& launch = state_->launch;
  if (launch.fault) return Error(*launch.fault);
  launch.last_used = {};  // since the buffer may have been released
  const std::uint64_t begin = launch.counts.instructions;
  while (!state_->has_ended() && launch.counts.instructions - begin < instructions) WATTUNE_TRY(state_->turn());
  return state_->has_ended();
}

Result<void> PtxRun::finish() {
  while (true) {
    WATTUNE_ASSIGN(const bool ended, advance(state_->options.most_instructions));
    if (ended) return {};
  }
}

PtxCosts PtxRun::costs() const { return state_->launch.costs.value_or(PtxCosts()); }
const PtxCounts& PtxRun::counts() const { return state_->launch.counts; }
const std::string& PtxRun::printed() const { return state_->launch.printed; }

}  // namespace wattune::simulate

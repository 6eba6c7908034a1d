#include "simulate/gpu/block_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/root_of_squares.h"
#include "simulate/draw.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kLeastWork = 0.05;  // least work of a block, however much the work of blocks varies

Error gpu_refuses(ErrorCode code, std::string message, std::string what) {
  return Error(code, std::move(message)).about(std::move(what)).with_context("simulated GPU");
}

}  // namespace

BlockScheduler::BlockScheduler(const GpuModel& gpu, const GpuOptions& options)
    : gpu_(gpu),
      seed_(options.seed),
      green_contexts_{{0, gpu.sms}},
      streams_(1),
      queues_(gpu.hardware_queues),
      sms_(gpu.sms),
      room_(model::SmRoom::of(gpu.capability).value()) {}

Result<void> BlockScheduler::add_kernel(const SimulatedKernel& kernel) {
  WATTUNE_TRY(simulate::check(kernel));
  for (std::size_t pipe = 0; pipe < kPipes; ++pipe)
    if (kernel.mix[pipe] > 0.0 && gpu_.pipe_rates[pipe] <= 0.0)
      return gpu_refuses(ErrorCode::invalid_argument, fmt::format("{} has no such pipe", gpu_.name),
                         std::string(to_string(static_cast<Pipe>(pipe))));
  WATTUNE_ASSIGN(const model::BlockShare share, room_.share_of(kernel.block));
  kernels_.push_back(kernel);
  shares_.push_back(share);
  for (Sm& sm : sms_) sm.residents.push_back({share, 0});
  return {};
}

Result<GreenContextId> BlockScheduler::add_green_context(unsigned first, unsigned count) {
  if (count == 0 || first >= gpu_.sms || count > gpu_.sms - first)
    return gpu_refuses(ErrorCode::invalid_argument, fmt::format("there are {} SMs", gpu_.sms),
                       fmt::format("{} from {} on", count, first));
  green_contexts_.push_back({first, count});
  return green_contexts_.size() - 1;
}

Result<StreamId> BlockScheduler::add_stream(const StreamTraits& traits) {
  if (traits.green_context >= green_contexts_.size())
    return gpu_refuses(ErrorCode::not_found, "no such green context", fmt::format("{}", traits.green_context));
  streams_.push_back({.traits = traits});
  return streams_.size() - 1;
}

Result<void> BlockScheduler::check_persistent(const GridLaunch& launch, const Persistence& persistent) const {
  const model::SmRoom::Residents blocks{shares_[launch.kernel], persistent.per_sm};
  if (persistent.per_sm == 0 || !room_.holds({&blocks, 1}))
    return gpu_refuses(ErrorCode::invalid_argument, "an SM does not hold so many blocks of this kernel",
                       fmt::format("{}", persistent.per_sm));
  if (persistent.chunk == 0 || persistent.fetch < Nanoseconds(0))
    return gpu_refuses(ErrorCode::invalid_argument, "a chunk is a block at least and takes no negative time",
                       fmt::format("{} blocks, {} ns", persistent.chunk, persistent.fetch.value()));
  return {};
}

Result<void> BlockScheduler::check(const GridLaunch& launch) const {
  if (launch.kernel >= kernels_.size())
    return gpu_refuses(ErrorCode::not_found, "no such kernel", fmt::format("{}", launch.kernel));
  if (launch.stream >= streams_.size())
    return gpu_refuses(ErrorCode::not_found, "no such stream", fmt::format("{}", launch.stream));
  const std::uint64_t all = kernels_[launch.kernel].blocks;
  const std::uint64_t left = launch.first_block < all ? all - launch.first_block : 0;
  if (left == 0 || launch.blocks == 0 || launch.blocks.value_or(left) > left)
    return gpu_refuses(ErrorCode::out_of_range,
                       fmt::format("the grid of {} has {} blocks", kernels_[launch.kernel].name, all),
                       fmt::format("{} from {} on", launch.blocks.value_or(left), launch.first_block));
  if (launch.persistent) return check_persistent(launch, *launch.persistent);
  return {};
}

Result<LaunchId> BlockScheduler::submit(const GridLaunch& request, double now) {
  WATTUNE_TRY(check(request));
  Launch launch{.request = request, .next = request.first_block};
  launch.end = request.blocks ? request.first_block + *request.blocks : kernels_[request.kernel].blocks;
  launch.to_place = launch.left();
  launch.submitted = now;
  if (const auto& persistent = request.persistent) {
    const std::uint64_t sms = green_contexts_[streams_[request.stream].traits.green_context].count;
    launch.to_place = std::min(sms * persistent->per_sm, (launch.left() + persistent->chunk - 1) / persistent->chunk);
  }
  launches_.push_back(launch);
  const LaunchId id = launches_.size() - 1;
  queues_[request.stream % queues_.size()].push_back(id);
  next_moment_ = now;
  return id;
}

Result<void> BlockScheduler::stop(LaunchId id) {
  if (id >= launches_.size()) return gpu_refuses(ErrorCode::not_found, "no such launch", fmt::format("{}", id));
  Launch& launch = launches_[id];
  if (!launch.request.persistent)
    return gpu_refuses(ErrorCode::invalid_argument, "only persistent launches read a stop word", fmt::format("{}", id));
  launch.end = launch.next;
  launch.to_place = 0;
  return {};
}

double BlockScheduler::ready_moment(LaunchId id) const {
  const Stream& stream = streams_[launches_[id].request.stream];
  if (stream.busy) return kNever;
  const double after_stream = stream.fresh ? 0.0 : stream.last_end + gpu_.launch_gap.value();
  return std::max({launches_[id].submitted, after_stream, next_grid_});
}

void BlockScheduler::make_resident(LaunchId id) {
  const auto priority = [&](LaunchId each) { return streams_[launches_[each].request.stream].traits.priority; };
  const auto place = std::ranges::find_if(resident_, [&](LaunchId each) { return priority(each) < priority(id); });
  resident_.insert(place, id);
  streams_[launches_[id].request.stream].busy = true;
}

// Makes launches resident from the heads of their queues, in the order in which launches are ready.
void BlockScheduler::admit(double now) {
  while (resident_.size() < gpu_.resident_grids) {
    std::deque<LaunchId>* first = nullptr;
    double moment = kNever;
    for (auto& queue : queues_) {
      if (queue.empty() || ready_moment(queue.front()) >= moment) continue;
      first = &queue;
      moment = ready_moment(queue.front());
    }
    if (moment > now) {
      next_moment_ = std::min(next_moment_, moment);
      return;
    }
    make_resident(first->front());
    first->pop_front();
    next_grid_ = now + gpu_.grid_interval.value();
  }
}

bool BlockScheduler::fits(unsigned sm, KernelId kernel) {
  auto& residents = sms_[sm].residents;
  ++residents[kernel].blocks;
  const bool held = room_.holds(residents);
  --residents[kernel].blocks;
  return held;
}

void BlockScheduler::occupy(unsigned sm, KernelId kernel, int blocks) {
  sms_[sm].residents[kernel].blocks += static_cast<unsigned>(blocks);
  sms_[sm].warps += static_cast<unsigned>(blocks) * shares_[kernel].warps;
}

std::optional<unsigned> BlockScheduler::roomiest(const Launch& launch) {
  const auto& [first, count] = green_contexts_[streams_[launch.request.stream].traits.green_context];
  std::optional<unsigned> best;
  for (unsigned sm = first; sm < first + count; ++sm)
    if ((!best || sms_[sm].warps < sms_[*best].warps) && fits(sm, launch.request.kernel)) best = sm;
  return best;
}

std::size_t BlockScheduler::new_slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return slots_.size() - 1;
  }
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

// Takes the next logical block of the launch for a persistent block.
bool BlockScheduler::fetch(Launch& launch, RunningBlock& block) {
  if (block.chunk_left > 0) {
    ++block.block;
    --block.chunk_left;
    return true;
  }
  if (launch.left() == 0) return false;
  const std::uint64_t chunk =
      std::min<std::uint64_t>(launch.left(), launch.request.persistent ? launch.request.persistent->chunk : 1);
  block.block = launch.next;
  block.chunk_left = chunk - 1;
  launch.next += chunk;
  return true;
}

double BlockScheduler::work_of(const Launch& launch, std::uint64_t block) const {
  const SimulatedKernel& kernel = kernels_[launch.request.kernel];
  const double variation = root_of_squares(kernel.variation, gpu_.variation_of_blocks);
  if (variation <= 0.0 && kernel.tail_share <= 0.0) return 1.0;
  Random draws = draws_of(seed_ + 1 + launch.request.kernel, block);
  const double work = std::max(kLeastWork, 1.0 + variation * normal(draws));
  return draws.uniform() < kernel.tail_share ? work * kernel.tail_work : work;
}

BlockStart BlockScheduler::begin_block(std::size_t slot, double overhead, double now) {
  RunningBlock& block = slots_[slot];
  block.begin = now;
  const Launch& launch = launches_[block.launch];
  return {slot, launch.request.kernel, block.sm, work_of(launch, block.block), overhead};
}

// True if the launch must wait for one of `heads`: launches that have blocks left but find no room for them. A launch
// never overtakes another launch of its green context. Nor does a launch overtake another launch of higher priority if
// both may use the same SMs.
bool BlockScheduler::waits_behind(const std::vector<LaunchId>& heads, LaunchId id) const {
  const StreamTraits& own = streams_[launches_[id].request.stream].traits;
  const GreenContext& its_sms = green_contexts_[own.green_context];
  return std::ranges::any_of(heads, [&](LaunchId head) {
    const StreamTraits& first = streams_[launches_[head].request.stream].traits;
    const GreenContext& taken = green_contexts_[first.green_context];
    const bool overlaps = its_sms.first < taken.first + taken.count && taken.first < its_sms.first + its_sms.count;
    return first.green_context == own.green_context || (first.priority > own.priority && overlaps);
  });
}

bool BlockScheduler::place_one(LaunchId id, double now, std::vector<BlockStart>& starts) {
  Launch& launch = launches_[id];
  const std::optional<unsigned> sm = roomiest(launch);
  if (!sm) return false;
  const std::size_t slot = new_slot();
  slots_[slot] = {.launch = id, .sm = *sm};
  fetch(launch, slots_[slot]);
  occupy(*sm, launch.request.kernel, 1);
  --launch.to_place;
  ++launch.placed;
  if (launch.left() == 0) launch.to_place = 0;
  if (!launch.begin) launch.begin = now;
  const double overhead = launch.request.persistent ? launch.request.persistent->fetch.value() : 0.0;
  starts.push_back(begin_block(slot, overhead, now));
  next_block_ = now + gpu_.block_interval.value();
  return true;
}

std::vector<BlockStart> BlockScheduler::dispatch(double now) {
  next_moment_ = kNever;
  std::vector<BlockStart> starts;
  admit(now);
  std::vector<LaunchId> heads;  // launches that have blocks left but find no room for them
  for (std::size_t i = 0; i < resident_.size();) {
    const LaunchId id = resident_[i];
    if (launches_[id].to_place == 0 && launches_[id].placed == 0) {
      leave(id, now);
      admit(now);
      i = 0;
    } else if (launches_[id].to_place == 0 || waits_behind(heads, id)) {
      ++i;
    } else if (next_block_ > now) {
      next_moment_ = std::min(next_moment_, next_block_);
      return starts;
    } else if (!place_one(id, now, starts)) {
      heads.push_back(id);
    }
  }
  return starts;
}

std::optional<BlockStart> BlockScheduler::ended(std::size_t slot, double now) {
  RunningBlock& block = slots_[slot];
  Launch& launch = launches_[block.launch];
  ++launch.done;
  next_moment_ = now;
  const bool fresh_chunk = block.chunk_left == 0;
  const bool goes_on = launch.request.persistent && fetch(launch, block);
  if (launch.left() == 0) launch.to_place = 0;
  if (goes_on) return begin_block(slot, fresh_chunk ? launch.request.persistent->fetch.value() : 0.0, now);
  occupy(block.sm, launch.request.kernel, -1);
  --launch.placed;
  free_slots_.push_back(slot);
  if (launch.placed == 0 && launch.to_place == 0) leave(block.launch, now);
  return std::nullopt;
}

// Ends a launch. A launch that was stopped before it reached the SMs ends like a launch that ran.
void BlockScheduler::leave(LaunchId id, double now) {
  Launch& launch = launches_[id];
  std::erase(resident_, id);
  Stream& stream = streams_[launch.request.stream];
  stream.busy = false;
  stream.fresh = false;
  stream.last_end = now;
  launch.ended = true;
  launch.end_time = now;
  completions_.push_back({.launch = id,
                          .submitted = Nanoseconds(launch.submitted),
                          .begin = Nanoseconds(launch.begin.value_or(now)),
                          .end = Nanoseconds(now),
                          .blocks = launch.done,
                          .next_block = launch.next});
}

std::optional<Completion> BlockScheduler::take_completion() {
  if (completions_.empty()) return std::nullopt;
  const Completion completion = completions_.front();
  completions_.pop_front();
  return completion;
}

}  // namespace wattune::simulate

#include "simulate/ptx/block.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Initial contents of shared memory. They reveal a kernel that reads a byte before any thread wrote it.
constexpr std::byte kUnwritten{0xa5};

}  // namespace

Block::Block(Launch& launch, std::uint64_t index, std::size_t place)
    : launch_(launch), index_(index_at(index, launch.grid)), place_(place), shared_(launch.shared_bytes, kUnwritten) {
  const std::uint32_t threads = launch.threads_of_block();
  for (std::uint32_t first = 0; first < threads; first += kLanes) {
    const std::uint32_t lanes = std::min(threads - first, kLanes);
    warps_.emplace_back(*this, first / kLanes, lanes == kLanes ? kAllLanes : bit(lanes) - 1);
  }
  for (Barrier& barrier : barriers_) barrier.arrived.resize(warps_.size());
}

std::uint64_t Block::run(std::uint64_t turn, Random* random) {
  std::uint64_t done = 0;
  const std::size_t first = random == nullptr ? 0 : random->below(warps_.size());
  for (std::size_t i = 0; i < warps_.size() && !launch_.fault; ++i) {
    const std::uint64_t most = random == nullptr ? turn : 1 + random->below(turn);
    done += warps_[(first + i) % warps_.size()].run(most);
  }
  return done;
}

bool Block::has_ended() const {
  return std::ranges::all_of(warps_, [](const Warp& warp) { return warp.live() == 0; });
}

void Block::blame(ErrorCode code, std::string message) {
  const auto left = std::ranges::find_if(warps_, [](const Warp& warp) { return warp.live() != 0; });
  left->blame(code, std::move(message));
}

void Block::arrive(Warp& warp, const Arrival& arrival, LaneMask lanes) {
  Barrier& barrier = barriers_[arrival.barrier];
  const auto first = first_lane(lanes);
  if ((barrier.arrived[warp.index()] & lanes) != 0)
    return warp.fault(first, ErrorCode::launch_failed, "the thread is at this barrier already, which has not opened");
  const bool is_first = std::ranges::all_of(barrier.arrived, [](LaneMask mask) { return mask == 0; });
  if (!is_first && barrier.expected != arrival.expected)
    return warp.fault(first, ErrorCode::launch_failed,
                      "other threads at this barrier expect another number of threads");
  barrier.arrived[warp.index()] |= lanes;
  barrier.expected = arrival.expected;
  barrier.votes_true += static_cast<std::uint32_t>(std::popcount(arrival.votes & lanes));
  barrier.votes_all += static_cast<std::uint32_t>(std::popcount(lanes));
  open_if_complete(arrival.barrier);
}

void Block::look_at_barriers() {
  for (std::uint32_t i = 0; i < kBarriers; ++i) open_if_complete(i);
}

// True if enough threads are at the barrier. A warp counts as 32 threads once all its live threads are at the barrier.
bool Block::is_complete(const Barrier& barrier) const {
  std::uint32_t arrived = 0;
  std::uint32_t all = 0;
  for (const Warp& warp : warps_) {
    const LaneMask here = barrier.arrived[warp.index()];
    if (here == 0 && warp.live() == 0) continue;
    all += kLanes;
    if (here != 0 && (warp.live() & ~here) == 0) arrived += kLanes;
  }
  return arrived > 0 && arrived >= (barrier.expected == 0 ? all : barrier.expected);
}

void Block::open_if_complete(std::uint32_t index) {
  Barrier& barrier = barriers_[index];
  if (!is_complete(barrier)) return;
  std::ranges::fill(barrier.arrived, 0);
  barrier.result_true = std::exchange(barrier.votes_true, 0);
  barrier.result_all = std::exchange(barrier.votes_all, 0);
  for (Warp& warp : warps_) warp.release(index);
}

}  // namespace wattune::simulate::ptx

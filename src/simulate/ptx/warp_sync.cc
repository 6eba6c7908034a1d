// Implements synchronisation of the threads of a warp, both with each other and with the other threads of their block.
#include <fmt/format.h>

#include "simulate/ptx/block.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

void Warp::set_group(LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { groups_[lane] = lanes; });
}

void Warp::join(const Operation& operation, LaneMask lanes, const Operand& members) {
  for_lanes(lanes, [&](unsigned lane) {
    members_[lane] = static_cast<LaneMask>(word(members, lane));
    joining_[lane] = operation.finish;
    if ((members_[lane] & bit(lane)) == 0)
      fault(lane, ErrorCode::launch_failed,
            fmt::format("the member mask {:#x} is without the thread itself", members_[lane]));
  });
  waiting_ |= lanes;
  const LaneMask ready = joined(lanes);
  if (ready == lanes && fragments_[current_].lanes == lanes) {
    waiting_ &= ~lanes;
    operation.finish(*this, operation, lanes);
    return;
  }
  isolate(lanes, fragments_[current_].place);
  fragments_[current_].waiting = Waiting::for_warp;
  wake(ready);
}

// Returns the candidates that need not wait for other threads any more. These are the threads for which all live
// threads of their member mask wait at the same operation with the same mask.
LaneMask Warp::joined(LaneMask candidates) {
  LaneMask ready = 0;
  for_lanes(candidates, [&](unsigned lane) {
    const LaneMask group = members_[lane] & live_;
    if ((ready & bit(lane)) != 0 || !all_there(group, lane)) return;
    ready |= group;
    set_group(group);
  });
  return ready;
}

bool Warp::all_there(LaneMask group, unsigned lane) const {
  if ((group & ~waiting_) != 0) return false;
  bool same = true;
  for_lanes(group,
            [&](unsigned other) { same &= members_[other] == members_[lane] && joining_[other] == joining_[lane]; });
  return same;
}

void Warp::wake(LaneMask lanes) {
  if (lanes == 0) return;
  waiting_ &= ~lanes;
  const std::size_t count = fragments_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const LaneMask woken = fragments_[i].lanes & lanes;
    if (fragments_[i].waiting == Waiting::for_warp && woken != 0) resume(split(i, woken));
  }
}

void Warp::resume(std::size_t fragment) {
  const std::size_t before = current_;
  current_ = fragment;
  fragments_[fragment].waiting = Waiting::no;
  enter(fragments_[fragment].frame);
  const Operation& operation = operation_at(fragments_[fragment]);
  if (operation.finish != nullptr) operation.finish(*this, operation, fragments_[fragment].lanes);
  current_ = before;
  interrupted_ = true;
  last_change_ = turns_;
}

void Warp::wait_for_barrier(std::uint32_t barrier, LaneMask lanes) {
  isolate(lanes, fragments_[current_].place);
  fragments_[current_].waiting = Waiting::for_barrier;
  fragments_[current_].barrier = barrier;
}

void Warp::release(std::uint32_t barrier) {
  for (std::size_t i = 0; i < fragments_.size(); ++i)
    if (fragments_[i].waiting == Waiting::for_barrier && fragments_[i].barrier == barrier) resume(i);
}

}  // namespace wattune::simulate::ptx

// Implements divergence and reconvergence of the threads of a warp.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "simulate/ptx/block.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

constexpr std::size_t kNoFragment = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
// If no fragment joins another or splits in this many turns, the fragment that ran least recently goes ahead. The
// number is large enough to finish a usual loop after which other fragments wait. It is small compared with the number
// of turns that spinning may take.
constexpr std::uint64_t kMostTurnsInPlaceOrder = 256;
constexpr std::uint64_t kMostInstructionsBesideFragments = 256;  // instructions per turn, if there are other fragments
// Limits of the bytes of registers and of local memory, for all nested calls of a thread together.
constexpr std::uint32_t kMostRegisterBytes = 64 << 20;
constexpr std::uint32_t kMostLocalBytes = 512 << 10;

}  // namespace

std::uint64_t Warp::run(std::uint64_t most) {
  std::uint64_t done = 0;
  while (done < most && !launch_.fault) {
    const std::size_t chosen = choose();
    if (chosen == kNoFragment) break;
    done += execute(chosen, most - done);
  }
  return done;
}

bool Warp::comes_before(const Fragment& a, const Fragment& b) const {
  const std::uint32_t depth_a = frames_[a.frame].depth;
  const std::uint32_t depth_b = frames_[b.frame].depth;
  return depth_a != depth_b ? depth_a > depth_b : a.place < b.place;
}

std::size_t Warp::choose() {
  ++turns_;
  if (fragments_.size() > 1) merge();
  const bool impatient = turns_ - last_change_ > kMostTurnsInPlaceOrder;
  std::size_t best = kNoFragment;
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    const Fragment& fragment = fragments_[i];
    if (fragment.waiting != Waiting::no) continue;
    if (best == kNoFragment ||
        (impatient ? fragment.last_run < fragments_[best].last_run : comes_before(fragment, fragments_[best])))
      best = i;
  }
  return best;
}

// Joins running fragments that have reached the same place.
void Warp::merge() {
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    Fragment& into = fragments_[i];
    if (into.waiting != Waiting::no) continue;
    for (std::size_t j = fragments_.size() - 1; j > i; --j) {
      const Fragment& other = fragments_[j];
      if (other.waiting != Waiting::no || other.place != into.place || other.frame != into.frame) continue;
      into.lanes |= other.lanes;
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
      last_change_ = turns_;
    }
  }
}

// Returns the lowest place ahead of a fragment at which there is another fragment of the same frame.
std::uint32_t Warp::meeting_place(std::size_t fragment) const {
  const Fragment& self = fragments_[fragment];
  std::uint32_t nearest = kNowhere;
  for (const Fragment& other : fragments_)
    if (other.waiting == Waiting::no && other.frame == self.frame && other.place > self.place)
      nearest = std::min(nearest, other.place);
  return nearest;
}

std::uint64_t Warp::execute(std::size_t fragment, std::uint64_t most) {
  current_ = fragment;
  enter(fragments_[fragment].frame);
  const std::uint32_t meeting = meeting_place(fragment);
  if (fragments_.size() > 1) most = std::min(most, kMostInstructionsBesideFragments);
  interrupted_ = false;
  fragments_[fragment].last_run = turns_;
  std::uint64_t done = 0;
  do {
    Fragment& self = fragments_[fragment];
    const Operation& operation = code_[self.place++];
    ++launch_.counts.instructions;
    const LaneMask lanes = self.lanes & (predicate(operation.guard) ^ operation.guard_flip);
    launch_.counts.thread_instructions += static_cast<unsigned>(std::popcount(lanes));
    if (launch_.costs) note_costs(*this, operation, lanes);
    if (lanes != 0) operation.handler(*this, operation, lanes);
    ++done;
  } while (!interrupted_ && done < most && fragments_[fragment].place != meeting);
  return done;
}

void Warp::enter(std::uint32_t frame) {
  const Frame& entered = frames_[frame];
  code_ = entered.function->code.data();
  banks_[static_cast<std::size_t>(Bank::registers)] =
      reinterpret_cast<std::byte*>(registers_.data()) + entered.register_base;
  // Constants and specials are never written: the decoder accepts only registers as destinations.
  banks_[static_cast<std::size_t>(Bank::constants)] =
      reinterpret_cast<std::byte*>(const_cast<std::uint64_t*>(entered.function->constants.data()));
  banks_[static_cast<std::size_t>(Bank::specials)] = reinterpret_cast<std::byte*>(specials_.data());
}

const Operation& Warp::operation_at(const Fragment& fragment) const {
  const std::vector<Operation>& code = frames_[fragment.frame].function->code;
  return code[fragment.place == 0 ? 0 : fragment.place - 1];
}

// Moves these lanes of a fragment to a new fragment and returns its index. The old fragment keeps the other lanes.
std::size_t Warp::split(std::size_t fragment, LaneMask lanes) {
  if (fragments_[fragment].lanes == lanes) return fragment;
  Fragment part = fragments_[fragment];
  part.lanes = lanes;
  fragments_[fragment].lanes &= ~lanes;
  fragments_.push_back(part);
  return fragments_.size() - 1;
}

// Keeps only these lanes in the running fragment; the others continue from the given place as another fragment.
void Warp::isolate(LaneMask lanes, std::uint32_t place_of_others) {
  interrupted_ = true;
  last_change_ = turns_;
  const LaneMask others = fragments_[current_].lanes & ~lanes;
  if (others != 0) fragments_[split(current_, others)].place = place_of_others;
}

void Warp::branch(std::uint32_t target, LaneMask lanes) {
  Fragment& self = fragments_[current_];
  if (self.lanes != lanes) isolate(lanes, self.place);
  fragments_[current_].place = target;
  if (fragments_.size() > 1) interrupted_ = true;
}

LaneMask Warp::take_equal(const Operand& operand, LaneMask lanes) {
  const std::uint64_t first = word(operand, first_lane(lanes));
  LaneMask equal = 0;
  for_lanes(lanes, [&](unsigned lane) {
    if (word(operand, lane) == first) equal |= bit(lane);
  });
  if (equal != lanes) {
    isolate(fragments_[current_].lanes & ~(lanes & ~equal), fragments_[current_].place - 1);
  }
  return equal;
}

void Warp::call(const Call& call, std::uint32_t function, LaneMask lanes) {
  const Function& callee = launch_.code.functions[function];
  if (callee.parameters.size() != call.arguments.size() || callee.results.size() != call.results.size())
    return fault(first_lane(lanes), ErrorCode::launch_failed,
                 fmt::format("`{}` takes {} arguments and returns {} values, unlike this call", callee.source->name,
                             callee.parameters.size(), callee.results.size()));
  isolate(lanes, fragments_[current_].place);
  const std::uint32_t caller = fragments_[current_].frame;
  const std::uint32_t frame = new_frame(call, callee, lanes);
  if (launch_.fault) return;
  pass(call.arguments, callee.parameters, frames_[caller], frames_[frame], lanes);
  fragments_[current_].frame = frame;
  fragments_[current_].place = 0;
}

std::uint32_t Warp::new_frame(const Call& call, const Function& function, LaneMask lanes) {
  const Fragment& self = fragments_[current_];
  const Frame& caller = frames_[self.frame];
  const Frame frame{.function = &function,
                    .call = &call,
                    .parent = self.frame,
                    .depth = caller.depth + 1,
                    .register_base = caller.register_base + caller.function->register_bytes,
                    .local_base = caller.local_base + caller.function->local_bytes,
                    .return_place = self.place,
                    .lanes = lanes};
  reserve(frame, lanes);
  const auto unused = std::ranges::find(frames_, LaneMask{0}, &Frame::lanes);
  const auto index = static_cast<std::uint32_t>(unused - frames_.begin());
  if (unused == frames_.end())
    frames_.push_back(frame);
  else
    *unused = frame;
  return index;
}

// Grows the memory for a frame. New memory holds zeros, so that reading it before writing gives the same value in every
// run.
void Warp::reserve(const Frame& frame, LaneMask lanes) {
  const std::uint32_t registers = frame.register_base + frame.function->register_bytes;
  const std::uint32_t locals = frame.local_base + frame.function->local_bytes;
  if (registers > kMostRegisterBytes || locals > kMostLocalBytes)
    return fault(first_lane(lanes), ErrorCode::launch_failed, "calls nest too deep");
  if (registers_.size() * 8 < registers) registers_.resize((registers + 7) / 8);
  for_lanes(lanes, [&](unsigned lane) { local_[lane].resize(std::max<std::size_t>(local_[lane].size(), locals)); });
}

void Warp::pass(std::span<const Formal> from, std::span<const Formal> to, const Frame& source, const Frame& destination,
                LaneMask lanes) {
  auto* registers = reinterpret_cast<std::byte*>(registers_.data());
  const auto place = [&](const Formal& formal, const Frame& frame, unsigned lane) -> std::byte* {
    if (!formal.in_register) return local_[lane].data() + frame.local_base + formal.offset;
    std::byte* begin = registers + frame.register_base;
    if (formal.column.bank == Bank::constants)
      begin = reinterpret_cast<std::byte*>(const_cast<std::uint64_t*>(frame.function->constants.data()));
    return begin + formal.column.offset + std::size_t{lane} * formal.column.bytes;
  };
  for (std::size_t i = 0; i < from.size(); ++i)
    for_lanes(lanes, [&](unsigned lane) {
      std::memcpy(place(to[i], destination, lane), place(from[i], source, lane), std::min(from[i].bytes, to[i].bytes));
    });
}

void Warp::leave(LaneMask lanes) {
  const Fragment& self = fragments_[current_];
  if (self.frame == 0) return exit(lanes);
  isolate(lanes, self.place);
  Frame& frame = frames_[fragments_[current_].frame];
  const Frame& caller = frames_[frame.parent];
  pass(frame.function->results, frame.call->results, frame, caller, lanes);
  frame.lanes &= ~lanes;
  fragments_[current_].place = frame.return_place;
  fragments_[current_].frame = frame.parent;
}

void Warp::exit(LaneMask lanes) {
  isolate(lanes, fragments_[current_].place);
  for (std::uint32_t frame = fragments_[current_].frame; frame != 0; frame = frames_[frame].parent)
    frames_[frame].lanes &= ~lanes;
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(current_));
  live_ &= ~lanes;
  wake(joined(waiting_));
  block_.look_at_barriers();
}

}  // namespace wattune::simulate::ptx

// Implements barriers of a block and of a warp.
#include "simulate/ptx/block.h"
#include "simulate/ptx/families.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Index of the barrier's result among the operands. The operands before the result are the barrier, the number of
// threads (0 for all), and a predicate.
constexpr std::size_t kBarrierResult = 3;

void arrive_at_barrier(Warp& warp, const Operation& operation, LaneMask lanes, bool waits) {
  lanes = warp.take_equal(operation.operands[0], lanes);
  const auto first = first_lane(lanes);
  const auto barrier = static_cast<std::uint32_t>(warp.word(operation.operands[0], first));
  const auto expected = static_cast<std::uint32_t>(warp.word(operation.operands[1], first));
  if (barrier >= kBarriers) return warp.fault(first, ErrorCode::launch_failed, "a block has 16 barriers, 0 to 15");
  if (expected % kLanes != 0)
    return warp.fault(first, ErrorCode::launch_failed, "the number of threads at a barrier must be a multiple of 32");
  const LaneMask votes = warp.predicate(operation.operands[2]) ^ operation.flip;
  if (waits) warp.wait_for_barrier(barrier, lanes);
  warp.block().arrive(warp, {barrier, expected, votes}, lanes);
}

void barrier_sync(Warp& warp, const Operation& operation, LaneMask lanes) {
  arrive_at_barrier(warp, operation, lanes, true);
}
void barrier_arrive(Warp& warp, const Operation& operation, LaneMask lanes) {
  arrive_at_barrier(warp, operation, lanes, false);
}

enum BarrierVote : std::uint8_t { barrier_popc, barrier_and, barrier_or };

void finish_barrier_vote(Warp& warp, const Operation& operation, LaneMask lanes) {
  const auto first = first_lane(lanes);
  const auto barrier = static_cast<std::uint32_t>(warp.word(operation.operands[0], first));
  const std::uint32_t votes = warp.block().true_votes(barrier);
  const Operand& result = operation.operands[kBarrierResult];
  if (operation.choice == barrier_popc)
    return for_lanes(lanes, [&](unsigned lane) { warp.set_word(result, lane, votes); });
  const bool holds = operation.choice == barrier_and ? votes == warp.block().all_votes(barrier) : votes > 0;
  warp.set_predicate(result, lanes, holds ? kAllLanes : 0);
}

void finish_nothing(Warp& /*warp*/, const Operation& /*operation*/, LaneMask /*lanes*/) {}

void warp_barrier(Warp& warp, const Operation& operation, LaneMask lanes) {
  warp.join(operation, lanes, operation.operands[0]);
}

// Takes the operands: barrier {, threads}.
void barrier_operands(Decoder& decoder, bool has_predicate) {
  decoder.source(Type::u32);
  const bool has_count = decoder.operands_left() > (has_predicate ? 1u : 0u);
  if (has_count)
    decoder.source(Type::u32);
  else
    decoder.add(decoder.constant(0, 4));
}

Handler decode_barrier_vote(Decoder& decoder) {
  Operation& operation = decoder.operation();
  operation.choice = decoder.has("popc") ? barrier_popc : decoder.has("and") ? barrier_and : barrier_or;
  decoder.ignore("or");
  const Operand result = decoder.column_of(decoder.take(), decoder.type(), true, false);
  barrier_operands(decoder, true);
  decoder.source(Type::pred);
  decoder.add(result);
  operation.finish = &finish_barrier_vote;
  return &barrier_sync;
}

Handler decode_warp_barrier(Decoder& decoder) {
  decoder.ignore("sync");
  decoder.source(Type::b32);
  decoder.operation().finish = &finish_nothing;
  return &warp_barrier;
}

}  // namespace

Handler decode_bar(Decoder& decoder) {
  decoder.ignore("cta");
  decoder.ignore("aligned");
  if (decoder.has("warp")) return decode_warp_barrier(decoder);
  if (decoder.has("red")) return decode_barrier_vote(decoder);
  const bool arrives = decoder.has("arrive");
  decoder.ignore("sync");
  barrier_operands(decoder, false);
  decoder.add(decoder.constant(0, 0));
  return arrives ? &barrier_arrive : &barrier_sync;
}

}  // namespace wattune::simulate::ptx

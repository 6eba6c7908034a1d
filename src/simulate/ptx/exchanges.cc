// Implements exchanges between the threads of a warp: shuffles, votes, matches and reductions. Each thread first stores
// its value in Warp::exchange. When all members have done so, each computes its result from the values. In forms
// without .sync, the members are the threads at the instruction.
#include <algorithm>
#include <bit>
#include <limits>

#include "simulate/ptx/families.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Stores each thread's own value, so that other threads of the warp can read it. Then waits for the threads of the
// instruction's member mask. The value is the operand with index `count`, and the mask is the operand after it.
void exchange_value(Warp& warp, const Operation& operation, LaneMask lanes) {
  const Operand& value = operation.operands[operation.count];
  const LaneMask truth = value.bytes == 0 ? warp.predicate(value) ^ operation.flip : 0;
  for_lanes(lanes, [&](unsigned lane) {
    warp.exchange[lane] = value.bytes == 0 ? truth >> lane & 1 : warp.word(value, lane);
  });
  warp.join(operation, lanes, operation.operands[operation.count + 1u]);
}

// Stores each thread's own value as exchange_value() does, but finishes the exchange without waiting.
void exchange_at_once(Warp& warp, const Operation& operation, LaneMask lanes) {
  const Operand& value = operation.operands[operation.count];
  const LaneMask truth = value.bytes == 0 ? warp.predicate(value) ^ operation.flip : 0;
  for_lanes(lanes, [&](unsigned lane) {
    warp.exchange[lane] = value.bytes == 0 ? truth >> lane & 1 : warp.word(value, lane);
  });
  warp.set_group(lanes);
  operation.finish(warp, operation, lanes);
}

enum ShuffleMode : std::uint8_t { shuffle_up, shuffle_down, shuffle_butterfly, shuffle_index };

// The source lane of a shuffle by PTX's pseudocode, and whether that lane is in the segment. The operand c holds a
// clamp value in its low five bits, and above them the mask that makes segments.
struct ShuffleSource {
  unsigned lane = 0;
  bool in_range = false;
};
ShuffleSource shuffle_source(std::uint8_t mode, unsigned lane, std::uint32_t b, std::uint32_t c) {
  const auto self = static_cast<int>(lane);
  const auto offset = static_cast<int>(b & 31);
  const auto clamp = static_cast<int>(c & 31);
  const auto segment = static_cast<int>(c >> 8 & 31);
  const int last = (self & segment) | (clamp & ~segment);
  const int first = self & segment;
  int from = 0;
  bool in_range = false;
  switch (mode) {
    case shuffle_up:
      from = self - offset;
      in_range = from >= last;
      break;
    case shuffle_down:
      from = self + offset;
      in_range = from <= last;
      break;
    case shuffle_butterfly:
      from = self ^ offset;
      in_range = from <= last;
      break;
    default: from = first | (offset & ~segment); in_range = from <= last;
  }
  return {in_range ? static_cast<unsigned>(from) : lane, in_range};
}

// Finishes a shuffle. The operands are d, p, a, members, b and c. The value from a thread that does not take part is
// undefined in PTX; here it is the thread's own value.
void finish_shuffle(Warp& warp, const Operation& operation, LaneMask lanes) {
  LaneMask valid = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const auto b = static_cast<std::uint32_t>(warp.word(operation.operands[4], lane));
    const auto c = static_cast<std::uint32_t>(warp.word(operation.operands[5], lane));
    const ShuffleSource source = shuffle_source(operation.choice, lane, b, c);
    const bool is_there = (warp.group(lane) & bit(source.lane)) != 0;
    valid |= LaneMask{source.in_range} << lane;
    warp.set_word(operation.operands[0], lane, warp.exchange[is_there ? source.lane : lane]);
  });
  warp.set_predicate(operation.operands[1], lanes, valid);
}

LaneMask true_lanes(Warp& warp, LaneMask group) {
  LaneMask result = 0;
  for_lanes(group, [&](unsigned lane) { result |= LaneMask{warp.exchange[lane] != 0} << lane; });
  return result;
}

enum VoteMode : std::uint8_t { vote_all, vote_any, vote_uniform, vote_ballot };

bool vote_result(std::uint8_t mode, LaneMask votes, LaneMask group) {
  if (mode == vote_any) return votes != 0;
  return votes == group || (mode == vote_uniform && votes == 0);
}

// Finishes a vote. The operands are d, a and members.
void finish_vote(Warp& warp, const Operation& operation, LaneMask lanes) {
  LaneMask result = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const LaneMask group = warp.group(lane);
    const LaneMask votes = true_lanes(warp, group);
    if (operation.choice == vote_ballot)
      warp.set_word(operation.operands[0], lane, votes);
    else
      result |= LaneMask{vote_result(operation.choice, votes, group)} << lane;
  });
  if (operation.choice != vote_ballot) warp.set_predicate(operation.operands[0], lanes, result);
}

LaneMask equal_lanes(Warp& warp, unsigned lane) {
  LaneMask result = 0;
  for_lanes(warp.group(lane),
            [&](unsigned other) { result |= LaneMask{warp.exchange[other] == warp.exchange[lane]} << other; });
  return result;
}

// Finishes a match. The operands are d, p, a and members.
void finish_match_any(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { warp.set_word(operation.operands[0], lane, equal_lanes(warp, lane)); });
}
void finish_match_all(Warp& warp, const Operation& operation, LaneMask lanes) {
  LaneMask all = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const bool equal = equal_lanes(warp, lane) == warp.group(lane);
    warp.set_word(operation.operands[0], lane, equal ? warp.group(lane) : 0);
    all |= LaneMask{equal} << lane;
  });
  warp.set_predicate(operation.operands[1], lanes, all);
}

enum Reduction : std::uint8_t { reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, reduce_xor };

template <class T>
T reduced(std::uint8_t reduction, T a, T b) {
  switch (reduction) {
    case reduce_min: return std::min(a, b);
    case reduce_max: return std::max(a, b);
    case reduce_and: return a & b;
    case reduce_or: return a | b;
    case reduce_xor: return a ^ b;
    default: return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
}

// Finishes a reduction. The operands are d, a and members.
template <class T>
void finish_reduction(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const LaneMask group = warp.group(lane);
    const auto first = first_lane(group);
    auto result = static_cast<T>(warp.exchange[first]);
    for_lanes(group & ~bit(first), [&](unsigned other) {
      result = reduced(operation.choice, result, static_cast<T>(warp.exchange[other]));
    });
    warp.set_word(operation.operands[0], lane, static_cast<std::uint32_t>(result));
  });
}

// Finishes an election. The operands are d, p, any value and members. The results are the number of the lowest lane
// (d), and a predicate (p) that is true for the thread in that lane.
void finish_election(Warp& warp, const Operation& operation, LaneMask lanes) {
  LaneMask elected = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const auto leader = first_lane(warp.group(lane));
    warp.set_word(operation.operands[0], lane, leader);
    elected |= LaneMask{leader == lane} << lane;
  });
  warp.set_predicate(operation.operands[1], lanes, elected);
}

void active_mask(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) { warp.set_word(operation.operands[0], lane, lanes); });
}

// Sets up an exchange: stores the index of the value operand in `count`, and the function that finishes the exchange.
Handler exchange_of(Decoder& decoder, std::uint8_t value_operand, Handler finish, bool waits) {
  decoder.operation().count = value_operand;
  decoder.operation().finish = finish;
  return waits ? &exchange_value : &exchange_at_once;
}

std::uint8_t reduction_of(Decoder& decoder) {
  if (decoder.has("min")) return reduce_min;
  if (decoder.has("max")) return reduce_max;
  if (decoder.has("and")) return reduce_and;
  if (decoder.has("or")) return reduce_or;
  if (decoder.has("xor")) return reduce_xor;
  decoder.ignore("add");
  return reduce_add;
}

std::uint8_t shuffle_mode(Decoder& decoder) {
  if (decoder.has("up")) return shuffle_up;
  if (decoder.has("down")) return shuffle_down;
  if (decoder.has("bfly")) return shuffle_butterfly;
  decoder.ignore("idx");
  return shuffle_index;
}

std::uint8_t vote_mode(Decoder& decoder) {
  if (decoder.has("ballot")) return vote_ballot;
  if (decoder.has("any")) return vote_any;
  if (decoder.has("uni")) return vote_uniform;
  decoder.ignore("all");
  return vote_all;
}

}  // namespace

// Decodes shfl.sync.mode.b32 d|p, a, b, c, members. In the operation, the members come before b and c.
Handler decode_shfl(Decoder& decoder) {
  const bool waits = decoder.has("sync");
  decoder.operation().choice = shuffle_mode(decoder);
  decoder.ignore("b32");
  decoder.destination_pair(Type::b32, Type::pred);
  decoder.source(Type::b32);
  const Operand b = decoder.column_of(decoder.take(), Type::b32, false, false);
  const Operand c = decoder.column_of(decoder.take(), Type::b32, false, false);
  if (waits)
    decoder.source(Type::b32);
  else
    decoder.add(decoder.constant(kAllLanes, 4));
  decoder.add(b);
  decoder.add(c);
  return exchange_of(decoder, 2, &finish_shuffle, waits);
}

Handler decode_vote(Decoder& decoder) {
  const bool waits = decoder.has("sync");
  decoder.operation().choice = vote_mode(decoder);
  const Type type = decoder.type();
  if (type != (decoder.operation().choice == vote_ballot ? Type::b32 : Type::pred)) return nullptr;
  decoder.destination(type);
  decoder.source(Type::pred);
  if (waits) decoder.source(Type::b32);
  return exchange_of(decoder, 1, &finish_vote, waits);
}

Handler decode_match(Decoder& decoder) {
  const bool waits = decoder.has("sync");
  const bool all = decoder.has("all");
  decoder.ignore("any");
  const Type type = decoder.type();
  decoder.destination_pair(Type::b32, Type::pred);
  decoder.source(type);
  decoder.source(Type::b32);
  return waits ? exchange_of(decoder, 2, all ? &finish_match_all : &finish_match_any, true) : nullptr;
}

Handler decode_redux(Decoder& decoder) {
  const bool waits = decoder.has("sync");
  decoder.operation().choice = reduction_of(decoder);
  const Type type = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  decoder.source(Type::b32);
  if (!waits || is_float(type) || bytes_of(type) != 4) return nullptr;
  return exchange_of(decoder, 1, is_signed(type) ? &finish_reduction<std::int32_t> : &finish_reduction<std::uint32_t>,
                     true);
}

Handler decode_elect(Decoder& decoder) {
  decoder.ignore("sync");
  decoder.destination_pair(Type::b32, Type::pred);
  decoder.add(decoder.constant(0, 4));
  decoder.source(Type::b32);
  return exchange_of(decoder, 2, &finish_election, true);
}

Handler decode_activemask(Decoder& decoder) {
  decoder.ignore("b32");
  decoder.destination(Type::b32);
  return &active_mask;
}

}  // namespace wattune::simulate::ptx

// Implements additions that extend over several registers, with a carry from each register to the next. The carry is
// the flag CC.CF, a predicate of the frame.
#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/warp.h"
#include "simulate/ptx/wide.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

enum CarryUse : std::uint8_t { carry_in = 1, carry_out = 2 };

// Adds or subtracts. The operands are result, a, b and the carry.
template <class T, bool subtracts>
void with_carry(Warp& warp, const Operation& operation, LaneMask lanes) {
  T* const result = warp.column<T>(operation.operands[0]);
  const T* const a = warp.column<T>(operation.operands[1]);
  const T* const b = warp.column<T>(operation.operands[2]);
  const LaneMask before = (operation.choice & carry_in) != 0 ? warp.predicate(operation.operands[3]) : 0;
  LaneMask after = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const Wide<T> in = before >> lane & 1;
    const Wide<T> sum = subtracts ? static_cast<Wide<T>>(Wide<T>{a[lane]} - b[lane] - in)
                                  : static_cast<Wide<T>>(Wide<T>{a[lane]} + b[lane] + in);
    result[lane] = static_cast<T>(sum);
    after |= static_cast<LaneMask>(sum >> (sizeof(T) * 8) & 1) << lane;
  });
  if ((operation.choice & carry_out) != 0) warp.set_predicate(operation.operands[3], lanes, after);
}

// Multiplies and adds. The operands are result, a, b, c and the carry. If `combine` is not 0, the high half of the
// product is taken.
template <class T, class Signed>
void mad_with_carry(Warp& warp, const Operation& operation, LaneMask lanes) {
  T* const result = warp.column<T>(operation.operands[0]);
  const Signed* const a = warp.column<Signed>(operation.operands[1]);
  const Signed* const b = warp.column<Signed>(operation.operands[2]);
  const T* const c = warp.column<T>(operation.operands[3]);
  const LaneMask before = (operation.choice & carry_in) != 0 ? warp.predicate(operation.operands[4]) : 0;
  LaneMask after = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const auto product = static_cast<Wide<T>>(Wide<Signed>{a[lane]} * b[lane]);
    const auto half = static_cast<T>(operation.combine != 0 ? product >> (sizeof(T) * 8) : product);
    const auto sum = static_cast<Wide<T>>(Wide<T>{half} + c[lane] + (before >> lane & 1));
    result[lane] = static_cast<T>(sum);
    after |= static_cast<LaneMask>(sum >> (sizeof(T) * 8) & 1) << lane;
  });
  if ((operation.choice & carry_out) != 0) warp.set_predicate(operation.operands[4], lanes, after);
}

void carry_use(Decoder& decoder, std::string_view opcode_with_carry) {
  const bool in = decoder.instruction().opcode == opcode_with_carry;
  const bool out = decoder.has("cc");
  decoder.operation().choice = static_cast<std::uint8_t>((in ? carry_in : 0) | (out ? carry_out : 0));
  decoder.add(decoder.carry());
}

template <bool subtracts>
Handler decode_with_carry(Decoder& decoder, std::string_view opcode_with_carry) {
  const Type type = decoder.type();
  decoder.destination(type);
  decoder.source(type);
  decoder.source(type);
  carry_use(decoder, opcode_with_carry);
  if (bytes_of(type) == 4) return &with_carry<std::uint32_t, subtracts>;
  return bytes_of(type) == 8 ? &with_carry<std::uint64_t, subtracts> : nullptr;
}

}  // namespace

Handler decode_add_carry(Decoder& decoder) { return decode_with_carry<false>(decoder, "addc"); }
Handler decode_sub_carry(Decoder& decoder) { return decode_with_carry<true>(decoder, "subc"); }

Handler decode_mad_carry(Decoder& decoder) {
  const Type type = decoder.type();
  decoder.destination(type);
  for (int i = 0; i < 3; ++i) decoder.source(type);
  carry_use(decoder, "madc");
  decoder.operation().combine = decoder.has("hi") ? 1 : 0;
  decoder.ignore("lo");
  switch (type) {
    case Type::u32: return &mad_with_carry<std::uint32_t, std::uint32_t>;
    case Type::s32: return &mad_with_carry<std::uint32_t, std::int32_t>;
    case Type::u64: return &mad_with_carry<std::uint64_t, std::uint64_t>;
    case Type::s64: return &mad_with_carry<std::uint64_t, std::int64_t>;
    default: return nullptr;
  }
}

}  // namespace wattune::simulate::ptx

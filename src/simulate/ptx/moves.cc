// Implements instructions that move values without computing.
#include <array>

#include "simulate/ptx/block.h"
#include "simulate/ptx/by_type.h"
#include "simulate/ptx/families.h"
#include "simulate/ptx/lanes.h"
#include "simulate/ptx/specials.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

template <class T>
T same(T a) {
  return a;
}

void move_predicate(Warp& warp, const Operation& operation, LaneMask lanes) {
  warp.set_predicate(operation.operands[0], lanes, warp.predicate(operation.operands[1]) ^ operation.flip);
}

// Packs `count` parts into a register, with the first part in the lowest bits.
void pack(Warp& warp, const Operation& operation, LaneMask lanes) {
  const unsigned part_bits = operation.operands[0].bytes * 8u / operation.count;
  for_lanes(lanes, [&](unsigned lane) {
    std::uint64_t whole = 0;
    for (unsigned i = 0; i < operation.count; ++i)
      whole |= warp.word(operation.operands[i + 1], lane) << (i * part_bits);
    warp.set_word(operation.operands[0], lane, whole);
  });
}
void unpack(Warp& warp, const Operation& operation, LaneMask lanes) {
  const Operand& source = operation.operands[operation.count];
  const unsigned part_bits = source.bytes * 8u / operation.count;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t whole = warp.word(source, lane);
    for (unsigned i = 0; i < operation.count; ++i) warp.set_word(operation.operands[i], lane, whole >> (i * part_bits));
  });
}

// The largest number of components of a vector that is moved.
constexpr unsigned kMostMovedComponents = 4;

// Moves a vector. All components are read before any is written, because the two vectors may share a register.
void move_vector(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    std::array<std::uint64_t, kMostMovedComponents> values;
    for (unsigned i = 0; i < operation.count; ++i) values[i] = warp.word(operation.operands[operation.count + i], lane);
    for (unsigned i = 0; i < operation.count; ++i) warp.set_word(operation.operands[i], lane, values[i]);
  });
}

// Reads a special register, which has 32 bits, into a register of any width.
void resize(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes,
            [&](unsigned lane) { warp.set_word(operation.operands[0], lane, warp.word(operation.operands[1], lane)); });
}

// Reads the clock, which is the number of instructions that the run has executed. So the clock advances, and it is the
// same in equal runs.
void read_clock(Warp& warp, const Operation& operation, LaneMask lanes) {
  const std::uint64_t now = warp.launch().counts.instructions >> operation.immediate;
  for_lanes(lanes, [&](unsigned lane) { warp.set_word(operation.operands[0], lane, now); });
}

// Computes the address of a variable in the frame. The address is valid only while the function runs.
void frame_address(Warp& warp, const Operation& operation, LaneMask lanes) {
  const std::uint64_t address = static_cast<std::uint64_t>(operation.immediate) + warp.local_base();
  for_lanes(lanes, [&](unsigned lane) { warp.set_word(operation.operands[0], lane, address); });
}

void add_window(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = warp.word(operation.operands[1], lane);
    warp.set_word(operation.operands[0], lane, address + static_cast<std::uint64_t>(operation.immediate));
  });
}

// Sets the predicate of lanes whose generic address lies in the window that begins at `immediate`. If `immediate` is 0,
// sets it for addresses in no window.
void is_in_space(Warp& warp, const Operation& operation, LaneMask lanes) {
  const auto window = static_cast<std::uint64_t>(operation.immediate);
  LaneMask result = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = warp.word(operation.operands[1], lane);
    const bool inside = window == 0 ? address < kSharedWindow : address - window < kWindowBytes;
    result |= LaneMask{inside} << lane;
  });
  warp.set_predicate(operation.operands[0], lanes, result);
}

std::optional<std::int64_t> clock_shift(std::string_view name) {
  if (name == "%clock" || name == "%clock64" || name == "%globaltimer" || name == "%globaltimer_lo") return 0;
  if (name == "%clock_hi" || name == "%globaltimer_hi") return 32;
  return std::nullopt;
}

std::uint64_t window_begin(Space space) {
  if (space == Space::shared) return kSharedWindow;
  if (space == Space::local) return kLocalWindow;
  return space == Space::parameter ? kParameterWindow : 0;
}

Type type_of_bits(unsigned bits) {
  switch (bits) {
    case 8: return Type::b8;
    case 16: return Type::b16;
    case 32: return Type::b32;
    default: return Type::none;
  }
}

// Takes the parts of a vector operand as the next operands.
void take_parts(Decoder& decoder, Type whole, bool are_destinations) {
  const slice::PtxOperand& vector = decoder.take();
  const auto count = static_cast<unsigned>(vector.elements.size());
  const Type part = count == 0 ? Type::none : type_of_bits(bytes_of(whole) * 8 / count);
  if (part == Type::none) return decoder.refuse_form();
  for (const slice::PtxOperand& element : vector.elements)
    decoder.add(decoder.column_of(element, part, are_destinations, false));
  decoder.operation().count = static_cast<std::uint8_t>(count);
}

// Returns the handler for taking the address of a variable of the frame. Returns nullptr if the operand is something
// else. Precondition: the destination was taken.
Handler frame_address_of(Decoder& decoder, std::uint64_t window) {
  const slice::PtxOperand& operand = decoder.peek();
  if (operand.kind != slice::PtxOperandKind::name) return nullptr;
  const std::optional<Named> variable = decoder.named(operand.name);
  if (!variable || !variable->in_frame) return nullptr;
  decoder.take();
  decoder.operation().immediate = static_cast<std::int64_t>(variable->address + window) + operand.offset;
  return &frame_address;
}

Handler decode_move_from(Decoder& decoder, Type type) {
  const slice::PtxOperand& operand = decoder.peek();
  if (const std::optional<std::int64_t> shift = clock_shift(operand.name)) {
    decoder.take();
    decoder.operation().immediate = *shift;
    return &read_clock;
  }
  if (const Handler handler = frame_address_of(decoder, 0)) return handler;
  if (operand.name.starts_with("%pm") && operand.name.size() > 3 && !decoder.named(operand.name)) {
    decoder.take();
    decoder.operation().immediate = 63;  // a shift by 63 bits, so that performance counters are read as zero
    return &read_clock;
  }
  if (special_named(operand.name) && bytes_of(type) != 4) {
    decoder.add(decoder.column_of(decoder.take(), Type::b32, false, false));
    return &resize;
  }
  decoder.source(type);
  return for_bits(type, [](auto zero) { return lanewise<same<decltype(zero)>>; });
}

}  // namespace

Handler decode_mov(Decoder& decoder) {
  const unsigned count = decoder.vector_length();
  const Type type = decoder.type();
  if (count > 1) {
    if (count > kMostMovedComponents || type == Type::pred || type == Type::none) return nullptr;
    decoder.vector(count, type, true, false);
    decoder.vector(count, type, false, false);
    decoder.operation().count = static_cast<std::uint8_t>(count);
    return &move_vector;
  }
  if (decoder.peek().kind == slice::PtxOperandKind::vector) {
    take_parts(decoder, type, true);
    decoder.source(type);
    return &unpack;
  }
  decoder.destination(type);
  if (decoder.peek().kind == slice::PtxOperandKind::vector) {
    take_parts(decoder, type, false);
    return &pack;
  }
  if (type != Type::pred) return decode_move_from(decoder, type);
  decoder.source(type);
  return &move_predicate;
}

Handler decode_cvta(Decoder& decoder) {
  const bool from_generic = decoder.has("to");
  decoder.space(Space::generic);
  const std::uint64_t window = window_begin(decoder.operation().space);
  const Type type = decoder.type();
  decoder.destination(type);
  if (!from_generic)
    if (const Handler handler = frame_address_of(decoder, window)) return handler;
  decoder.source(type);
  decoder.operation().immediate = static_cast<std::int64_t>(from_generic ? 0 - window : window);
  return &add_window;
}

Handler decode_isspacep(Decoder& decoder) {
  decoder.space(Space::generic);
  decoder.operation().immediate = static_cast<std::int64_t>(window_begin(decoder.operation().space));
  decoder.destination(Type::pred);
  decoder.source(Type::u64);
  return &is_in_space;
}

// Decodes instructions that order accesses to memory or let time pass. They do nothing, since here all threads see all
// accesses in one order.
Handler decode_nothing(Decoder& decoder) {
  decoder.ignore_prefix("");
  while (decoder.operands_left() > 0) decoder.take();
  return [](Warp& /*warp*/, const Operation& /*operation*/, LaneMask /*lanes*/) {};
}

}  // namespace wattune::simulate::ptx

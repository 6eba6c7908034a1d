// Implements loads, stores and asynchronous copies, which are done at once.
#include <algorithm>
#include <cstring>

#include "simulate/ptx/families.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Loads `count` elements into the first operands, from the address in the next operand.
template <class T>
void load(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::byte* from = warp.memory(operation, lane, sizeof(T) * operation.count);
    if (from == nullptr) return;
    for (unsigned i = 0; i < operation.count; ++i, from += sizeof(T)) {
      T value;
      std::memcpy(&value, from, sizeof(T));
      const Operand& destination = operation.operands[i];
      if (destination.bytes == sizeof(T))
        warp.column<T>(destination)[lane] = value;
      else
        warp.set_word(destination, lane, static_cast<std::uint64_t>(std::int64_t{value}));
    }
  });
}
template <>
void load<std::uint64_t>(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::byte* from = warp.memory(operation, lane, sizeof(std::uint64_t) * operation.count);
    if (from == nullptr) return;
    for (unsigned i = 0; i < operation.count; ++i)
      std::memcpy(&warp.column<std::uint64_t>(operation.operands[i])[lane], from + i * sizeof(std::uint64_t),
                  sizeof(std::uint64_t));
  });
}

template <class T>
void store(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    std::byte* to = warp.memory(operation, lane, sizeof(T) * operation.count);
    if (to == nullptr) return;
    for (unsigned i = 0; i < operation.count; ++i, to += sizeof(T))
      std::memcpy(to, warp.at(operation.operands[i]) + std::size_t{lane} * operation.operands[i].bytes, sizeof(T));
  });
}

// Accepts and ignores modifiers of caching and of visibility, which have no effect here.
void ignore_memory_modifiers(Decoder& decoder) {
  for (const std::string_view modifier : {"weak", "relaxed", "acquire", "release", "volatile", "mmio", "cta", "cluster",
                                          "gpu", "sys", "nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt"})
    decoder.ignore(modifier);
  decoder.ignore_prefix("L1::");
  decoder.ignore_prefix("L2::");
}

// Takes one register, or a vector of them.
void elements(Decoder& decoder, Type type, bool are_destinations) {
  const unsigned count = decoder.vector_length();
  if (count == 1 && decoder.peek().kind != slice::PtxOperandKind::vector)
    decoder.add(decoder.column_of(decoder.take(), type, are_destinations, true));
  else
    decoder.vector(count, type, are_destinations, true);
  decoder.operation().count = static_cast<std::uint8_t>(count);
}

// Accepts and ignores a caching hint, which may be the last operand.
void ignore_cache_policy(Decoder& decoder) {
  if (decoder.instruction().has("L2::cache_hint")) decoder.take();
}

Handler load_of(Type type) {
  switch (bytes_of(type)) {
    case 1: return is_signed(type) ? &load<std::int8_t> : &load<std::uint8_t>;
    case 2: return is_signed(type) ? &load<std::int16_t> : &load<std::uint16_t>;
    case 4: return is_signed(type) ? &load<std::int32_t> : &load<std::uint32_t>;
    case 8: return &load<std::uint64_t>;
    default: return nullptr;
  }
}

Handler store_of(Type type) {
  switch (bytes_of(type)) {
    case 1: return &store<std::uint8_t>;
    case 2: return &store<std::uint16_t>;
    case 4: return &store<std::uint32_t>;
    case 8: return &store<std::uint64_t>;
    default: return nullptr;
  }
}

// Copies `immediate` bytes. Its operands are the shared address, the global address, the number of bytes to read (the
// other bytes become zeros), and a predicate. If the predicate is true, no byte is read.
void copy_to_shared(Warp& warp, const Operation& operation, LaneMask lanes) {
  const auto bytes = static_cast<std::size_t>(operation.immediate);
  const LaneMask ignored = warp.predicate(operation.operands[3]) ^ operation.flip;
  for_lanes(lanes, [&](unsigned lane) {
    const std::size_t wanted = std::min<std::size_t>(bytes, warp.word(operation.operands[2], lane));
    const std::size_t read = (ignored & bit(lane)) != 0 ? 0 : wanted;
    const std::uint64_t to_address = warp.word(operation.operands[0], lane) + operation.target;
    std::byte* const to = warp.memory(Space::shared, lane, to_address, bytes, bytes);
    if (to == nullptr) return;
    const std::uint64_t from_address = warp.word(operation.operands[1], lane) + operation.offset;
    const std::byte* const from = read == 0 ? to : warp.memory(Space::global, lane, from_address, read, bytes);
    if (from == nullptr) return;
    std::memmove(to, from, read);
    std::memset(to + read, 0, bytes - read);
  });
}

// Decodes cp.async.ca.shared.global [to], [from], bytes {, bytes to read or a predicate} {, policy}.
Handler decode_asynchronous_copy(Decoder& decoder) {
  Operation& operation = decoder.operation();
  decoder.space(Space::shared);
  decoder.ignore("shared");
  decoder.ignore("shared::cta");
  decoder.ignore("global");
  decoder.address(decoder.take());
  operation.target = static_cast<std::uint32_t>(operation.immediate);
  decoder.address(decoder.take());
  operation.offset = static_cast<std::uint64_t>(operation.immediate);
  operation.immediate = static_cast<std::int64_t>(decoder.take().bits);
  if (operation.immediate != 4 && operation.immediate != 8 && operation.immediate != 16) return nullptr;
  const bool has_policy = decoder.instruction().has("L2::cache_hint");
  const bool has_more = decoder.operands_left() > (has_policy ? 1u : 0u);
  const std::optional<Named> next = has_more ? decoder.named(decoder.peek().name) : std::nullopt;
  const bool is_predicate = next && next->in_register && next->bytes == 0;
  if (has_more && !is_predicate)
    decoder.source(Type::u32);
  else
    decoder.add(decoder.constant(static_cast<std::uint64_t>(operation.immediate), 4));
  if (is_predicate)
    decoder.source(Type::pred);
  else
    decoder.add(decoder.constant(0, 0));
  return &copy_to_shared;
}

}  // namespace

Handler decode_ld(Decoder& decoder) {
  ignore_memory_modifiers(decoder);
  decoder.space(Space::generic);
  const Type type = decoder.type();
  elements(decoder, type, true);
  decoder.address(decoder.take());
  ignore_cache_policy(decoder);
  return load_of(type);
}

Handler decode_st(Decoder& decoder) {
  ignore_memory_modifiers(decoder);
  decoder.space(Space::generic);
  const Type type = decoder.type();
  const slice::PtxOperand& address = decoder.take();
  elements(decoder, type, false);
  decoder.address(address);
  ignore_cache_policy(decoder);
  return store_of(type);
}

// Decodes a prefetch. It does nothing, since there are no caches.
Handler decode_prefetch(Decoder& decoder) { return decode_nothing(decoder); }

Handler decode_cp(Decoder& decoder) {
  const slice::PtxInstruction& copy = decoder.instruction();
  if (!decoder.has("async") || copy.has("bulk") || copy.has("mbarrier")) return nullptr;
  if (copy.has("commit_group") || copy.has("wait_group") || copy.has("wait_all")) return decode_nothing(decoder);
  ignore_memory_modifiers(decoder);
  const Handler handler = decode_asynchronous_copy(decoder);
  if (copy.has("L2::cache_hint")) decoder.take();
  return handler;
}

}  // namespace wattune::simulate::ptx

#include "slice/warp_values.h"

#include <algorithm>
#include <string_view>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::uint64_t kLaneBits = 5;
constexpr std::uint64_t kLastLane = 31;
constexpr std::uint64_t kLargestDivisor = 0xffff;  // fits into 16 bits, the narrowest width of div

bool is_whole_type(std::string_view modifier) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "u8", "s8", "b8"});
  return std::ranges::find(kTypes, modifier) != kTypes.end();
}

// True if a modifier changes neither the lower bits of an integer instruction's result nor the way in which the
// instruction compares.
bool is_harmless(std::string_view modifier) {
  static constexpr auto kModifiers =
      std::to_array<std::string_view>({"lo", "wide", "lt", "le", "gt", "ge", "ls", "hi", "hs", "eq", "ne"});
  return is_whole_type(modifier) || std::ranges::find(kModifiers, modifier) != kModifiers.end();
}

std::size_t sources_of(std::string_view opcode) {
  if (opcode == "mov" || opcode == "cvt") return 1;
  if (opcode == "mad" || opcode == "selp" || opcode == "bfe") return 3;
  static constexpr auto kOfTwo = std::to_array<std::string_view>(
      {"add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr", "setp"});
  return std::ranges::find(kOfTwo, opcode) == kOfTwo.end() ? 0 : 2;
}

bool is_index(const WarpValue& value) { return value.spread == Spread::index; }

// An integer instruction, together with the known properties of its sources. Precondition: computes_whole_numbers() is
// true for the instruction.
class WholeNumbers {
 public:
  WholeNumbers(const PtxInstruction& instruction, const SourceValues& sources)
      : instruction_(instruction),
        count_(sources_of(instruction.opcode)),
        a_(sources[0]),
        b_(sources[1]),
        c_(sources[2]) {
    for (std::size_t i = 0; i < count_; ++i) spread_ = std::max(spread_, sources[i].spread);
  }

  WarpValue result() const {
    if (spread_ == Spread::thread) return {Spread::thread};
    if (spread_ != Spread::index) return {spread_, makes_multiple(), is_copy() && a_.is_warp_size};
    if (makes_index()) return {Spread::index};
    if (is("and") && (a_.is_multiple || b_.is_multiple)) return {Spread::warp, true};
    return {keeps_warps_together() ? Spread::warp : Spread::thread};
  }

 private:
  bool is(std::string_view opcode) const { return instruction_.opcode == opcode; }

  const PtxOperand& source(std::size_t i) const { return instruction_.operands[i + 1]; }
  bool is_number(std::size_t i) const { return source(i).kind == PtxOperandKind::integer; }
  bool is_last_lane(std::size_t i) const { return is_number(i) && (source(i).bits & kLastLane) == kLastLane; }
  bool shifts_past_lanes() const { return is_number(1) && source(1).bits >= kLaneBits && source(1).bits < 64; }

  bool is_copy() const { return is("mov") || is("cvt"); }

  // True if the instruction is an unsigned division by a nonzero multiple of 32.
  bool divides_by_warps() const {
    const bool has_no_sign = instruction_.has("u16") || instruction_.has("u32") || instruction_.has("u64");
    const bool is_positive = is_number(1) && source(1).bits - 1 < kLargestDivisor;
    return has_no_sign && (b_.is_warp_size || (b_.is_multiple && is_positive));
  }

  // True if the five lowest bits of the result are 0. Assumes that all sources are the same in all threads of a warp.
  bool makes_multiple() const {
    if (is_copy()) return a_.is_multiple;
    if (is("and") || is("mul")) return a_.is_multiple || b_.is_multiple;
    if (is("shl")) return a_.is_multiple || shifts_past_lanes();
    if (is("mad")) return (a_.is_multiple || b_.is_multiple) && c_.is_multiple;
    const bool of_both = is("add") || is("sub") || is("or") || is("xor") || is("min") || is("max") || is("selp");
    return of_both && a_.is_multiple && b_.is_multiple;
  }

  bool makes_index() const {
    if (is_copy()) return true;
    if (is("add") || is("or") || is("xor")) return a_.is_multiple || b_.is_multiple;
    if (is("sub")) return b_.is_multiple;
    if (is("mad")) return is_uniform(a_) && is_uniform(b_) && (a_.is_multiple || b_.is_multiple);
    if (is("and")) return is_last_lane(0) || is_last_lane(1);
    if (is("rem")) return divides_by_warps();
    return is("selp") && is_index(a_) && is_index(b_) && is_uniform(c_);
  }

  // True if the result is the same in all threads of a warp although a source depends on the lane.
  bool keeps_warps_together() const {
    if (is("shr")) return shifts_past_lanes();
    if (is("bfe")) return shifts_past_lanes() && is_uniform(c_);
    if (is("div")) return divides_by_warps();
    return is("setp") && compares_whole_warps();
  }

  // True if the instruction compares an index with a multiple of 32, so that all threads of a warp get the same result.
  bool compares_whole_warps() const {
    const bool with_less = has_any("lt", "lo") || has_any("ge", "hs");  // the comparison is a < b or its negation
    const bool with_more = has_any("gt", "hi") || has_any("le", "ls");
    if (is_index(a_)) return (with_less && b_.is_multiple) || (with_more && is_last_lane(1));
    return (with_more && a_.is_multiple) || (with_less && is_last_lane(0));
  }

  bool has_any(std::string_view one, std::string_view other) const {
    return instruction_.has(one) || instruction_.has(other);
  }

  const PtxInstruction& instruction_;
  std::size_t count_;
  WarpValue a_;
  WarpValue b_;
  WarpValue c_;
  Spread spread_ = Spread::block;
};

}  // namespace

WarpValue joined(const WarpValue& a, const WarpValue& b) {
  if (a.spread == Spread::none) return b;
  if (b.spread == Spread::none) return a;
  if (a.spread != b.spread && (!is_uniform(a) || !is_uniform(b))) return {Spread::thread};
  return {std::max(a.spread, b.spread), a.is_multiple && b.is_multiple, a.is_warp_size && b.is_warp_size};
}

bool computes_whole_numbers(const PtxInstruction& instruction) {
  const std::size_t sources = sources_of(instruction.opcode);
  if (sources == 0 || instruction.operands.size() != sources + 1 || instruction.modifiers.empty()) return false;
  if (!std::ranges::all_of(instruction.modifiers, is_harmless) || !is_whole_type(instruction.modifiers.back()))
    return false;
  // In setp, `hi` is a comparison. In other instructions, `hi` selects the upper half of a product, which is not
  // followed.
  return !instruction.has("hi") || instruction.opcode == "setp";
}

WarpValue result_of(const PtxInstruction& instruction, const SourceValues& sources) {
  return WholeNumbers(instruction, sources).result();
}

WarpValue value_of_number(std::uint64_t bits) {
  return {Spread::block, (bits & kLastLane) == 0, bits == kLastLane + 1};
}

}  // namespace wattune::slice

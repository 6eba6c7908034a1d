// The values that the threads of a warp hold in one register, and what instructions of whole numbers make of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// How a value differs between threads.
enum class Spread : std::uint8_t {
  none,    // no value is known yet
  block,   // the same in all threads of the block
  warp,    // the same in all threads of a warp
  index,   // the five lowest bits are the thread's lane, and all others are the same in all threads of a warp
  thread,  // not known to be the same in any two threads
};

struct WarpValue {
  Spread spread = Spread::none;
  bool is_multiple = false;   // its five lowest bits are 0; only said of values that are the same throughout a warp
  bool is_warp_size = false;  // it is 32

  bool operator==(const WarpValue&) const = default;
};

inline bool is_uniform(const WarpValue& value) { return value.spread == Spread::block || value.spread == Spread::warp; }

// Returns what is known of a register that holds one of two values. Threads that hold different ones are not meant:
// they took different ways.
WarpValue joined(const WarpValue& a, const WarpValue& b);

inline constexpr std::size_t kSources = 3;
using SourceValues = std::array<WarpValue, kSources>;  // of the operands behind the destination

// Tells whether result_of() knows the instruction: it computes with whole numbers, moves or compares them, loses no
// lower bits, and has up to three sources.
bool computes_whole_numbers(const PtxInstruction& instruction);

// Returns what such an instruction makes of its sources. Precondition: none of the values is Spread::none.
WarpValue result_of(const PtxInstruction& instruction, const SourceValues& sources);

// Returns what is known of a number in the text.
WarpValue value_of_number(std::uint64_t bits);

}  // namespace wattune::slice

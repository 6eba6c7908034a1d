// Describes the values that the threads of a warp have in one register, and computes how integer instructions change
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// The way in which a value may differ between threads.
enum class Spread : std::uint8_t {
  none,    // nothing is known yet
  block,   // the same in all threads of the block
  warp,    // the same in all threads of a warp
  index,   // the five lowest bits are the thread's lane, and all others are the same in all threads of a warp
  thread,  // not known to be the same in any two threads
};

struct WarpValue {
  Spread spread = Spread::none;
  bool is_multiple = false;   // true if its five lowest bits are 0, and all threads of a warp agree
  bool is_warp_size = false;  // true if its value is 32

  bool operator==(const WarpValue&) const = default;
};

inline bool is_uniform(const WarpValue& value) { return value.spread == Spread::block || value.spread == Spread::warp; }

// Returns what is known about a register that holds one of two values. Threads that hold different ones have taken
// different paths, and are not compared.
WarpValue joined(const WarpValue& a, const WarpValue& b);

inline constexpr std::size_t kSources = 3;
using SourceValues = std::array<WarpValue, kSources>;  // values of the operands after the destination

// True if result_of() can handle the instruction: an integer computation, move or comparison that loses no lower bits
// and has at most three sources.
bool computes_whole_numbers(const PtxInstruction& instruction);

// Returns what is known about the instruction's result. Preconditions: computes_whole_numbers() is true for it, and no
// value is Spread::none.
WarpValue result_of(const PtxInstruction& instruction, const SourceValues& sources);

// Returns what is known about a constant.
WarpValue value_of_number(std::uint64_t bits);

}  // namespace wattune::slice

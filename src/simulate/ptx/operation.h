// Operation is a decoded instruction: a function and the places of its operands.
#pragma once

#include <array>
#include <cstdint>

#include "simulate/ptx/costs.h"
#include "simulate/ptx/lane_mask.h"

namespace wattune::inline v0_1::simulate::ptx {

// The memories that hold operands. An operand is a column. It holds the values of all lanes one after another, or a
// LaneMask for a predicate. Constants are repeated 32 times, so that operations treat all operands alike.
enum class Bank : std::uint8_t { registers, constants, specials };

struct Operand {
  std::uint32_t offset = 0;  // offset of the column in its bank, in bytes
  Bank bank = Bank::registers;
  std::uint8_t bytes = 0;  // bytes of each value; 0 for a predicate
};

// The space of an address. Addresses in `generic` and `global` are addresses of the VirtualMemory, or lie in one of the
// windows below.
enum class Space : std::uint8_t { generic, global, shared, local, parameter };

// The first generic addresses of shared memory, of local memory, of parameters, and of functions.
constexpr std::uint64_t kSharedWindow = 0x0001'0000'0000'0000;
constexpr std::uint64_t kLocalWindow = 0x0002'0000'0000'0000;
constexpr std::uint64_t kParameterWindow = 0x0003'0000'0000'0000;
constexpr std::uint64_t kFunctionWindow = 0x0004'0000'0000'0000;
constexpr std::uint64_t kWindowBytes = 0x0000'0001'0000'0000;
// The address of a function is its index times this number, counted from the beginning of the window.
constexpr std::uint64_t kFunctionStride = 16;

enum class Rounding : std::uint8_t { nearest, zero, down, up, away };

class Warp;
struct Operation;

// Runs an operation for these lanes of the warp. Precondition: there is at least one lane.
using Handler = void (*)(Warp&, const Operation&, LaneMask);

// The largest number of operands of an operation: a vector load of eight has nine.
constexpr std::size_t kMostOperands = 9;

struct Operation {
  Handler handler = nullptr;
  // The second part of an operation that waits for other threads. It runs when all of them have arrived.
  Handler finish = nullptr;
  std::array<Operand, kMostOperands> operands = {};
  Operand guard;
  LaneMask guard_flip = 0;  // all ones if the guard is negated (@!)
  LaneMask flip = 0;        // all ones for a negated predicate operand
  std::int64_t immediate = 0;
  std::uint64_t offset = 0;  // offset of a second address
  std::uint32_t target = 0;  // index of the operation to which a branch goes; for a call, the index of the call
  std::uint32_t source = 0;  // index of the PtxInstruction
  std::uint8_t count = 0;    // number of elements of a vector
  std::uint8_t choice = 0;   // a number whose meaning depends on the family
  std::uint8_t combine = 0;
  Rounding rounding = Rounding::nearest;
  Space space = Space::generic;
  bool in_frame = false;  // true if an address is relative to the frame's local memory
  bool flush = false;     // .ftz
  bool saturate = false;  // .sat
  Cost cost = {};
};

}  // namespace wattune::simulate::ptx

#include "simulate/ptx/costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "simulate/ptx/type.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

struct UnitRow {
  std::string_view opcode;
  Unit unit;
};

// The unit of each opcode. All other opcodes use the floating-point or the integer pipe, depending on their type.
// Comparisons, minima and selections use the integer pipe for every type, and counting bits uses the special one (CUDA
// Programming Guide, arithmetic throughput).
constexpr std::array kUnits = {
    UnitRow{"activemask", Unit::scheduler},
    UnitRow{"applypriority", Unit::memory},
    UnitRow{"atom", Unit::memory},
    UnitRow{"bar", Unit::scheduler},
    UnitRow{"barrier", Unit::scheduler},
    UnitRow{"bfind", Unit::special},
    UnitRow{"bra", Unit::scheduler},
    UnitRow{"brev", Unit::special},
    UnitRow{"brkpt", Unit::scheduler},
    UnitRow{"brx", Unit::scheduler},
    UnitRow{"call", Unit::scheduler},
    UnitRow{"clz", Unit::special},
    UnitRow{"cos", Unit::special},
    UnitRow{"cp", Unit::memory},
    UnitRow{"cvta", Unit::nothing},
    UnitRow{"discard", Unit::memory},
    UnitRow{"elect", Unit::scheduler},
    UnitRow{"ex2", Unit::special},
    UnitRow{"exit", Unit::scheduler},
    UnitRow{"fence", Unit::scheduler},
    UnitRow{"fns", Unit::special},
    UnitRow{"ld", Unit::memory},
    UnitRow{"ldu", Unit::memory},
    UnitRow{"lg2", Unit::special},
    UnitRow{"match", Unit::memory},
    UnitRow{"max", Unit::integer},
    UnitRow{"membar", Unit::scheduler},
    UnitRow{"min", Unit::integer},
    UnitRow{"mov", Unit::nothing},
    UnitRow{"nanosleep", Unit::scheduler},
    UnitRow{"pmevent", Unit::nothing},
    UnitRow{"popc", Unit::special},
    UnitRow{"prefetch", Unit::memory},
    UnitRow{"prefetchu", Unit::memory},
    UnitRow{"rcp", Unit::special},
    UnitRow{"red", Unit::memory},
    UnitRow{"redux", Unit::memory},
    UnitRow{"ret", Unit::scheduler},
    UnitRow{"rsqrt", Unit::special},
    UnitRow{"selp", Unit::integer},
    UnitRow{"set", Unit::integer},
    UnitRow{"setp", Unit::integer},
    UnitRow{"shfl", Unit::memory},
    UnitRow{"sin", Unit::special},
    UnitRow{"slct", Unit::integer},
    UnitRow{"sqrt", Unit::special},
    UnitRow{"st", Unit::memory},
    UnitRow{"tanh", Unit::special},
    UnitRow{"trap", Unit::scheduler},
    UnitRow{"vote", Unit::scheduler},
};
static_assert(std::ranges::is_sorted(kUnits, {}, &UnitRow::opcode));

// Returns the last type that the instruction names. If f64 is among its types, as in conversions, returns f64.
Type type_of(const slice::PtxInstruction& instruction) {
  Type type = Type::none;
  for (const std::string_view modifier : instruction.modifiers)
    if (const auto named = type_named(modifier); named && type != Type::f64) type = *named;
  return type;
}

Unit arithmetic_unit(std::string_view opcode, Type type) {
  if (type == Type::f64) return Unit::fp64;
  if (!is_float(type) || opcode == "cvt") return Unit::integer;
  return opcode == "div" ? Unit::special : Unit::fp32;
}

Unit unit_of(const slice::PtxInstruction& instruction, Type type) {
  if (instruction.has("param")) return Unit::nothing;  // its machine code is an operand of another instruction
  const auto row = std::ranges::lower_bound(kUnits, instruction.opcode, {}, &UnitRow::opcode);
  if (row == kUnits.end() || row->opcode != instruction.opcode) return arithmetic_unit(instruction.opcode, type);
  return row->unit == Unit::special && type == Type::f64 ? Unit::fp64 : row->unit;
}

// Returns the kind of access to global or shared memory. Accesses to constants do not count, because constants have
// their own cache and path.
Access access_of(const slice::PtxInstruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (instruction.has("param") || instruction.has("const") || instruction.has("local")) return Access::none;
  if (opcode == "ld" || opcode == "ldu") return Access::load;
  if (opcode == "st") return Access::store;
  if (opcode == "atom" || opcode == "red") return Access::atomic;
  return opcode == "cp" && instruction.has("global") ? Access::copy : Access::none;
}

bool is_block_barrier(const slice::PtxInstruction& instruction) {
  return (instruction.opcode == "bar" || instruction.opcode == "barrier") && !instruction.has("warp");
}

// Returns a lane's address. For a copy, returns the address in global memory.
std::uint64_t global_address(Warp& warp, const Operation& operation, unsigned lane) {
  if (operation.cost.access == Access::copy) return warp.word(operation.operands[1], lane) + operation.offset;
  return warp.address(operation, operation.count, lane);
}

bool is_global(const Operation& operation, std::uint64_t address) {
  if (operation.cost.access == Access::copy || operation.space == Space::global) return true;
  return operation.space == Space::generic && address < kSharedWindow;
}

bool is_shared(const Operation& operation, std::uint64_t address) {
  if (operation.space == Space::shared) return true;
  return operation.space == Space::generic && address >= kSharedWindow && address < kLocalWindow;
}

// Counts the sectors of an access. Accesses are aligned to their sizes, which are at most 32 bytes, so each lane's
// access lies in one sector.
std::uint64_t sectors_of(Warp& warp, const Operation& operation, LaneMask lanes) {
  std::array<std::uint64_t, kLanes> sectors{};
  std::size_t count = 0;
  for_lanes(lanes, [&](unsigned lane) { sectors[count++] = global_address(warp, operation, lane) / kSectorBytes; });
  std::sort(sectors.begin(), sectors.begin() + count);
  return static_cast<std::uint64_t>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
}

// Counts an access. Returns the cycles for which the memory pipe is busy. All lanes are assumed to access the same
// space as the first lane.
std::uint64_t note_access(Warp& warp, const Operation& operation, LaneMask lanes, PtxCosts& costs) {
  constexpr std::uint64_t kSectorsPerCycle = 4;
  const Access access = operation.cost.access;
  const std::uint64_t first = global_address(warp, operation, first_lane(lanes));
  const bool shared = is_shared(operation, first) || access == Access::copy;
  const bool global = is_global(operation, first);
  costs.shared_accesses += shared ? 1 : 0;
  costs.accesses += shared || global ? 1 : 0;
  if (!global) return 1;
  const std::uint64_t sectors = sectors_of(warp, operation, lanes);
  if (access != Access::store) costs.sectors_read += sectors;
  if (access == Access::store || access == Access::atomic) costs.sectors_written += sectors;
  return (sectors + kSectorsPerCycle - 1) / kSectorsPerCycle;
}

}  // namespace

Cost cost_of(const slice::PtxInstruction& instruction) {
  return {.unit = unit_of(instruction, type_of(instruction)),
          .access = access_of(instruction),
          .is_barrier = is_block_barrier(instruction)};
}

void note_costs(Warp& warp, const Operation& operation, LaneMask lanes) {
  PtxCosts& costs = *warp.launch().costs;
  const Cost& cost = operation.cost;
  if (cost.unit == Unit::nothing) return;
  ++costs.issued;
  costs.barriers += cost.is_barrier ? 1 : 0;
  if (cost.unit == Unit::scheduler) return;
  const bool accesses = cost.access != Access::none && lanes != 0;
  costs.pipes[static_cast<std::size_t>(cost.unit)] += accesses ? note_access(warp, operation, lanes, costs) : 1;
}

}  // namespace wattune::simulate::ptx

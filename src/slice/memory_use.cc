#include "slice/memory_use.h"

#include <algorithm>
#include <array>
#include <optional>

namespace wattune::inline v0_1::slice {

namespace {

template <std::size_t N>
bool is_listed(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// The memory in which an address lies.
enum class Memory : std::uint8_t { generic, device, shared, local, fixed };

std::optional<Memory> memory_named(std::string_view modifier) {
  if (modifier == "global") return Memory::device;
  if (modifier.starts_with("shared")) return Memory::shared;
  if (modifier == "local") return Memory::local;
  if (modifier == "const" || modifier.starts_with("param")) return Memory::fixed;
  return std::nullopt;
}

// Returns the first memory that the instruction's modifiers name. For a copy, this is the memory of the destination.
Memory memory_of(const PtxInstruction& instruction) {
  for (const std::string_view modifier : instruction.modifiers)
    if (const auto memory = memory_named(modifier)) return *memory;
  return Memory::generic;
}

bool is_address(const PtxOperand& operand) { return operand.kind == PtxOperandKind::address; }

// True if the instruction reads only data that other blocks do not change. Textures do not change while a grid runs,
// nor does memory that is read by .nc. Tensor memory and barriers belong to one block.
bool reads_what_stays(const PtxInstruction& instruction) {
  static constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"tex", "tld4", "txq", "suq", "ldu", "tcgen05", "clusterlaunchcontrol", "mbarrier"});
  return instruction.has("nc") || is_listed(instruction.opcode, kOpcodes);
}

class UseFinder {
 public:
  explicit UseFinder(const PtxInstruction& instruction) : instruction_(instruction) {}

  MemoryUses find() {
    if (instruction_.opcode == "exit") add(MemoryUse::ends_thread);
    const auto& operands = instruction_.operands;
    if (operands.empty() || reads_what_stays(instruction_)) return uses_;
    const bool goes_to_address = is_address(operands.front());
    if (instruction_.opcode == "ldmatrix") {
      add(MemoryUse::reads_shared);
    } else if (goes_to_address) {
      look_at_writes(memory_of(instruction_));
      if (instruction_.opcode == "cp") look_at_copy();
    } else if (std::any_of(operands.begin() + 1, operands.end(), is_address)) {
      look_at_reads(memory_of(instruction_));
      if (instruction_.opcode == "atom") look_at_writes(memory_of(instruction_));
    }
    return uses_;
  }

 private:
  void add(MemoryUse use) { uses_.set(static_cast<std::size_t>(use)); }

  void look_at_reads(Memory memory) {
    const bool generic = memory == Memory::generic;
    if (generic || memory == Memory::device) add(MemoryUse::reads_device);
    if (generic || memory == Memory::shared) add(MemoryUse::reads_shared);
    if (generic || memory == Memory::local) add(MemoryUse::reads_local);
  }

  void look_at_writes(Memory memory) {
    const bool generic = memory == Memory::generic;
    if (generic || memory == Memory::shared) add(MemoryUse::writes_shared);
    if (generic || memory == Memory::local) add(MemoryUse::writes_local);
  }

  void look_at_copy() {
    if (memory_of(instruction_) == Memory::shared && instruction_.has("global")) add(MemoryUse::reads_device);
  }

  const PtxInstruction& instruction_;
  MemoryUses uses_;
};

}  // namespace

MemoryUses memory_uses_of(const PtxInstruction& instruction) { return UseFinder(instruction).find(); }

bool is_generic(const PtxInstruction& instruction) { return memory_of(instruction) == Memory::generic; }

MemoryUses uses_of_space(PtxSpace space) {
  const bool shared = space == PtxSpace::shared;
  MemoryUses uses;
  uses.set(static_cast<std::size_t>(shared ? MemoryUse::reads_shared : MemoryUse::reads_local));
  uses.set(static_cast<std::size_t>(shared ? MemoryUse::writes_shared : MemoryUse::writes_local));
  return uses;
}

bool is_drivers_function(std::string_view function) {
  static constexpr auto kFunctions =
      std::to_array<std::string_view>({"vprintf", "malloc", "free", "__assertfail", "__nv_isClusterShared"});
  return is_listed(function, kFunctions);
}

MemoryUses memory_uses_of_foreign(std::string_view function) {
  return is_drivers_function(function) ? MemoryUses() : ~MemoryUses();
}

bool writes_first_operand(const PtxInstruction& instruction) {
  static constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"bra", "brx", "ret", "exit", "red", "membar", "fence", "trap", "nanosleep", "brkpt", "pmevent", "call"});
  if (instruction.operands.empty() || is_address(instruction.operands.front())) return false;
  if (instruction.opcode == "bar" || instruction.opcode == "barrier") return instruction.has("red");
  return !is_listed(instruction.opcode, kOpcodes);
}

}  // namespace wattune::slice

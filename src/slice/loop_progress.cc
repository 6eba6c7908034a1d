#include "slice/loop_progress.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace wattune::inline v0_1::slice {

namespace {

// The largest number of instructions over which the origin of a value is traced back.
constexpr int kDeepestValue = 16;
// The largest step of an address in a loop, in bytes. A step of 2^31 would return to the first address after two
// iterations.
constexpr std::int64_t kLongestStep = 1 << 20;

bool is_short_enough(std::int64_t step) { return step >= -kLongestStep && step <= kLongestStep; }

// True if the instruction computes with integers of 32 bits or more, and its result is exact except for overflow.
bool is_plain_arithmetic(const PtxInstruction& instruction) {
  return std::ranges::none_of(instruction.modifiers, [](std::string_view modifier) {
    return modifier.ends_with('8') || modifier.ends_with("16") || modifier.starts_with('f') || modifier == "hi" ||
           modifier == "sat" || modifier == "cc";
  });
}

bool is_number(const PtxOperand& operand) { return operand.kind == PtxOperandKind::integer; }

bool is_register(const PtxOperand& operand) {
  return operand.kind == PtxOperandKind::name && !operand.minus && !operand.logical_not && operand.elements.empty() &&
         operand.offset == 0;
}

std::optional<std::int64_t> scaled(std::optional<std::int64_t> step, const PtxOperand& factor, bool by_power) {
  const auto number = static_cast<std::int64_t>(factor.bits);
  if (!step || !is_number(factor) || !is_short_enough(number) || (by_power && (number < 0 || number > 20)))
    return std::nullopt;
  return *step * (by_power ? std::int64_t{1} << number : number);
}

std::optional<std::int64_t> sum_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

// Returns the constant that an instruction such as `x = y + number` adds. Returns nullopt for other instructions.
std::optional<std::int64_t> added_number(const PtxInstruction& instruction) {
  const auto& operands = instruction.operands;
  if (!is_plain_arithmetic(instruction) || operands.size() < 2 || !is_register(operands[1])) return std::nullopt;
  if (instruction.opcode == "mov") return 0;
  if (instruction.opcode != "add" && instruction.opcode != "sub") return std::nullopt;
  if (operands.size() != 3 || !is_number(operands[2])) return std::nullopt;
  const auto number = static_cast<std::int64_t>(operands[2].bits);
  if (!is_short_enough(number)) return std::nullopt;
  return instruction.opcode == "add" ? number : -number;
}

// Returns the operand with the address that the instruction reads. An atomic exchange also writes to that address.
const PtxOperand* address_read(const PtxInstruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() < 2 || operands[1].kind != PtxOperandKind::address) return nullptr;
  return operands[1].elements.empty() && !operands[1].name.empty() ? &operands[1] : nullptr;
}

bool compares_whole_numbers(const PtxInstruction& instruction) {
  return instruction.opcode == "setp" && instruction.operands.size() == 3 && is_plain_arithmetic(instruction) &&
         is_register(instruction.operands[0]);
}

}  // namespace

LoopProgress::LoopProgress(const FunctionBody& body, const Loop& loop)
    : body_(body), loop_(loop), inside_(body.flow.blocks.size(), false) {
  for (const std::uint32_t block : loop.blocks) inside_[block] = true;
}

// True if every path from the loop's head back to it passes through the block.
bool LoopProgress::on_every_way(std::uint32_t block) const {
  if (block == loop_.head) return true;
  const auto [known, added] = on_every_way_.emplace(block, false);
  if (!added) return known->second;
  std::vector<bool> seen(body_.flow.blocks.size(), false);
  seen[block] = true;
  std::vector<std::uint32_t> open = {loop_.head};
  while (!open.empty()) {
    const std::uint32_t from = open.back();
    open.pop_back();
    for (const std::uint32_t next : body_.flow.blocks[from].successors) {
      if (next == loop_.head) return false;
      if (!is_inside(next) || seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return known->second = true;
}

bool LoopProgress::happens_every_time(std::uint32_t index) const {
  return instruction(index).guard.empty() && on_every_way(body_.block_of[index]);
}

std::vector<std::uint32_t> LoopProgress::definitions(VariableNumber variable) const {
  std::vector<std::uint32_t> inside;
  for (const std::uint32_t index : body_.variables.definitions(variable))
    if (is_inside(body_.block_of[index])) inside.push_back(index);
  return inside;
}

std::optional<std::uint32_t> LoopProgress::only_definition(VariableNumber variable) const {
  const std::vector<std::uint32_t> all = definitions(variable);
  if (all.size() != 1 || !happens_every_time(all.front())) return std::nullopt;
  return all.front();
}

VariableNumber LoopProgress::variable(const PtxOperand& operand, std::uint32_t index) const {
  return body_.variables.number(operand.name, instruction(index));
}

bool LoopProgress::stays(const PtxOperand& address, std::uint32_t index) const {
  return definitions(variable(address, index)).empty();
}

bool LoopProgress::moves_on(std::uint32_t read) const {
  const PtxOperand* address = address_read(instruction(read));
  if (address == nullptr) return false;
  const PtxOperand base{.name = address->name};
  const auto moved = step(base, read, kDeepestValue);
  return moved && *moved != 0;
}

bool LoopProgress::reads_one_place(std::uint32_t read) const {
  const PtxOperand* address = address_read(instruction(read));
  return address == nullptr || stays(*address, read);
}

// Returns the amount by which a variable grows in each iteration, even if the additions are made to copies of the
// variable. Returns nullopt if the amount is unknown.
std::optional<std::int64_t> LoopProgress::increment(VariableNumber variable) const {
  std::int64_t sum = 0;
  VariableNumber at = variable;
  for (int i = 0; i < kDeepestValue; ++i) {
    const auto definition = only_definition(at);
    const auto added = definition ? added_number(instruction(*definition)) : std::nullopt;
    if (!added) return std::nullopt;
    sum += *added;
    at = this->variable(instruction(*definition).operands[1], *definition);
    if (at == variable) return sum;
  }
  return std::nullopt;
}

// Returns the amount by which a value changes in each iteration. It is 0 if the loop does not change the value. Returns
// nullopt if the amount is unknown.
std::optional<std::int64_t> LoopProgress::step(const PtxOperand& operand, std::uint32_t index, int depth) const {
  if (is_number(operand)) return 0;
  if (!is_register(operand) || is_special_register(operand.name) || depth == 0) return std::nullopt;
  const VariableNumber at = variable(operand, index);
  if (definitions(at).empty()) return 0;
  const auto definition = only_definition(at);
  if (!definition) return std::nullopt;
  auto moved = increment(at);
  if (!moved) moved = step_of_result(*definition, depth - 1);
  return moved && is_short_enough(*moved) ? moved : std::nullopt;
}

std::optional<std::int64_t> LoopProgress::step_of_result(std::uint32_t index, int depth) const {
  const PtxInstruction& result = instruction(index);
  const auto& operands = result.operands;
  if (!is_plain_arithmetic(result) || operands.size() < 2) return std::nullopt;
  const auto of = [&](std::size_t i) { return step(operands[i], index, depth); };
  if (operands.size() == 2 && (result.opcode == "mov" || result.opcode == "cvt" || result.opcode == "cvta"))
    return of(1);
  if (operands.size() == 3 && result.opcode == "add") return sum_of(of(1), of(2));
  if (operands.size() == 3 && result.opcode == "sub")
    return sum_of(of(1), scaled(of(2), {.kind = PtxOperandKind::integer, .bits = ~std::uint64_t{0}}, false));
  if (operands.size() == 3 && (result.opcode == "mul" || result.opcode == "shl"))
    return scaled(of(1), operands[2], result.opcode == "shl");
  if (operands.size() == 4 && result.opcode == "mad") return sum_of(scaled(of(1), operands[2], false), of(3));
  return std::nullopt;
}

bool LoopProgress::only_retries() const {
  for (const std::uint32_t block : loop_.blocks)
    for (std::uint32_t i = body_.flow.blocks[block].first; i < body_.flow.blocks[block].last; ++i)
      if (is_swap(i) && std::ranges::any_of(loop_.blocks, [&](std::uint32_t end) { return ends_when_equal(end, i); }))
        return true;
  return false;
}

// True if the instruction is a compare-and-swap at a fixed address. It must always compare with the latest value that
// this instruction, or a read of the address, returned.
bool LoopProgress::is_swap(std::uint32_t index) const {
  const PtxInstruction& swap = instruction(index);
  const PtxOperand* address = address_read(swap);
  return swap.opcode == "atom" && swap.has("cas") && address != nullptr && swap.operands.size() >= 4 &&
         is_register(swap.operands[0]) && happens_every_time(index) && stays(*address, index) &&
         is_found(swap.operands[2], index, index, kDeepestValue);
}

// True if the value, in each iteration, was returned by the compare-and-swap `swap` or by a read of the same address.
bool LoopProgress::is_found(const PtxOperand& operand, std::uint32_t index, std::uint32_t swap, int depth) const {
  if (!is_register(operand) || depth == 0) return false;
  const std::vector<std::uint32_t> all = definitions(variable(operand, index));
  return !all.empty() && std::ranges::all_of(all, [&](std::uint32_t definition) {
    if (!happens_every_time(definition)) return false;
    if (definition == swap) return true;
    const PtxInstruction& by = instruction(definition);
    if (by.opcode == "mov" && by.operands.size() == 2) return is_found(by.operands[1], definition, swap, depth - 1);
    const PtxOperand* address = by.opcode == "ld" ? address_read(by) : nullptr;
    const PtxOperand& swapped = instruction(swap).operands[1];
    return address != nullptr && is_register(by.operands[0]) && address->offset == swapped.offset &&
           variable(*address, definition) == variable(swapped, swap);
  });
}

// Returns the comparison of integers by which this block decides whether the loop continues. Returns nullopt if there
// is no such comparison, or if some iterations do not pass the block.
std::optional<std::uint32_t> LoopProgress::deciding_test(std::uint32_t block) const {
  const FlowBlock& flow = body_.flow.blocks[block];
  if (flow.first == flow.last || flow.successors.size() != 2 || !on_every_way(block)) return std::nullopt;
  const PtxInstruction& branch = instruction(flow.last - 1);
  if (branch.opcode != "bra" || branch.guard.empty()) return std::nullopt;
  const auto test = only_definition(body_.variables.number(branch.guard, branch));
  return test && compares_whole_numbers(instruction(*test)) ? test : std::nullopt;
}

// True if the loop ends at this block when the block's comparison gives `test`.
bool LoopProgress::ends_if(std::uint32_t block, bool test) const {
  const FlowBlock& flow = body_.flow.blocks[block];
  const bool taken = test != instruction(flow.last - 1).guard_negated;
  return !is_inside(flow.successors[taken ? 0 : 1]);
}

// Recognises `setp.ne p, found, expected; @p bra again;` and similar code.
bool LoopProgress::ends_when_equal(std::uint32_t block, std::uint32_t swap) const {
  const auto definition = deciding_test(block);
  if (!definition) return false;
  const PtxInstruction& test = instruction(*definition);
  const VariableNumber result = variable(instruction(swap).operands[0], swap);
  if (!is_variable(test.operands[1], *definition, result) && !is_variable(test.operands[2], *definition, result))
    return false;
  for (const std::size_t side : {1, 2})
    if (!is_found(test.operands[side], *definition, swap, kDeepestValue)) return false;
  return (test.has("eq") && ends_if(block, true)) || (test.has("ne") && ends_if(block, false));
}

bool LoopProgress::closes_in() const {
  return std::ranges::any_of(loop_.blocks, [&](std::uint32_t block) { return ends_when_bounds_meet(block); });
}

// Recognises `setp.lt p, low, high; @p bra again;` and similar code.
bool LoopProgress::ends_when_bounds_meet(std::uint32_t block) const {
  const auto test = deciding_test(block);
  if (!test) return false;
  const PtxInstruction& compare = instruction(*test);
  const bool below = compare.has("lt") || compare.has("lo");
  const bool above = compare.has("gt") || compare.has("hi");
  const bool not_below = compare.has("ge") || compare.has("hs");
  const bool not_above = compare.has("le") || compare.has("ls");
  if (!below && !above && !not_below && !not_above) return false;
  const std::size_t low = below || not_below ? 1 : 2;
  return ends_if(block, not_below || not_above) && halves(compare.operands[low], compare.operands[3 - low], *test);
}

// Recognises `low = p ? low : middle + 1; high = p ? middle : high`, in either order of the two values.
bool LoopProgress::halves(const PtxOperand& low, const PtxOperand& high, std::uint32_t test) const {
  const auto of_low = earlier_definition(low, test);
  const auto of_high = earlier_definition(high, test);
  if (!of_low || !of_high) return false;
  const PtxInstruction& choose_low = instruction(*of_low);
  const PtxInstruction& choose_high = instruction(*of_high);
  if (choose_low.opcode != "selp" || choose_high.opcode != "selp") return false;
  if (choose_low.operands.size() != 4 || choose_high.operands.size() != 4) return false;
  const auto chosen_by = earlier_definition(choose_low.operands[3], std::min(*of_low, *of_high));
  if (!chosen_by || !is_variable(choose_high.operands[3], *of_high, variable(choose_low.operands[3], *of_low)))
    return false;
  const VariableNumber low_number = variable(low, test);
  const VariableNumber high_number = variable(high, test);
  for (const std::size_t kept : {1, 2}) {
    if (!is_variable(choose_low.operands[kept], *of_low, low_number)) continue;
    if (!is_variable(choose_high.operands[3 - kept], *of_high, high_number)) continue;
    const PtxOperand& middle = choose_high.operands[kept];
    const auto behind = earlier_definition(choose_low.operands[3 - kept], *of_low);
    if (!behind || added_number(instruction(*behind)) != 1 || !is_register(middle)) continue;
    return is_variable(instruction(*behind).operands[1], *behind, variable(middle, *of_high)) &&
           is_middle(instruction(*behind).operands[1], *behind, low_number, high_number) &&
           is_middle(middle, *of_high, low_number, high_number);
  }
  return false;
}

// Recognises `low + (high - low) / 2` and `(low + high) / 2`, also with conversions between these instructions.
bool LoopProgress::is_middle(const PtxOperand& middle, std::uint32_t user, VariableNumber low,
                             VariableNumber high) const {
  const auto made_of = [&](std::optional<std::uint32_t> index, std::string_view opcode, VariableNumber a,
                           VariableNumber b) {
    return index && is_plain(*index, opcode, 3) && comes_from(instruction(*index).operands[1], *index, a) &&
           comes_from(instruction(*index).operands[2], *index, b);
  };
  const auto of_middle = earlier_result(middle, user);
  if (const auto sum = halved(of_middle)) return made_of(sum, "add", low, high) || made_of(sum, "add", high, low);
  if (!of_middle || !is_plain(*of_middle, "add", 3)) return false;
  const auto& operands = instruction(*of_middle).operands;
  return std::ranges::any_of(std::array{1, 2}, [&](int half) {
    return comes_from(operands[3 - half], *of_middle, low) &&
           made_of(halved(earlier_result(operands[half], *of_middle)), "sub", high, low);
  });
}

// Returns the instruction whose result is halved by the instruction `index`. Recognises `x >> 1`, and `(x + (x >> 63))
// >> 1`, which rounds toward zero.
std::optional<std::uint32_t> LoopProgress::halved(std::optional<std::uint32_t> index) const {
  if (!index || !is_shift_by(*index, {1})) return std::nullopt;
  const auto whole = earlier_result(instruction(*index).operands[1], *index);
  if (!whole || !is_plain(*whole, "add", 3)) return whole;
  const auto sign = earlier_result(instruction(*whole).operands[2], *whole);
  if (!sign || !is_shift_by(*sign, {31, 63})) return whole;
  const auto signed_number = earlier_result(instruction(*whole).operands[1], *whole);
  return signed_number == earlier_result(instruction(*sign).operands[1], *sign) ? signed_number : std::nullopt;
}

bool LoopProgress::is_shift_by(std::uint32_t index, std::initializer_list<std::uint64_t> numbers) const {
  const auto& operands = instruction(index).operands;
  return is_plain(index, "shr", 3) && is_number(operands[2]) &&
         std::ranges::find(numbers, operands[2].bits) != numbers.end();
}

bool LoopProgress::is_plain(std::uint32_t index, std::string_view opcode, std::size_t operands) const {
  const PtxInstruction& found = instruction(index);
  return found.opcode == opcode && found.operands.size() == operands && is_plain_arithmetic(found);
}

bool LoopProgress::is_conversion(std::uint32_t index) const { return is_plain(index, "cvt", 2); }

// Returns the same definition as earlier_definition(), but goes back over conversions.
std::optional<std::uint32_t> LoopProgress::earlier_result(const PtxOperand& operand, std::uint32_t user) const {
  auto definition = earlier_definition(operand, user);
  while (definition && is_conversion(*definition))
    definition = earlier_definition(instruction(*definition).operands[1], *definition);
  return definition;
}

// True if the value is that of the variable, or is converted from it.
bool LoopProgress::comes_from(const PtxOperand& operand, std::uint32_t index, VariableNumber variable) const {
  if (is_variable(operand, index, variable)) return true;
  const auto definition = earlier_definition(operand, index);
  return definition && is_conversion(*definition) &&
         comes_from(instruction(*definition).operands[1], *definition, variable);
}

bool LoopProgress::strides_over_grid() const {
  return std::ranges::any_of(loop_.blocks, [&](std::uint32_t block) { return ends_behind_stride(block); });
}

// Recognises `add i, i, stride; setp.lt p, i, count; @p bra again;`, where `stride` is the number of blocks or a
// multiple of it.
bool LoopProgress::ends_behind_stride(std::uint32_t block) const {
  const auto test = deciding_test(block);
  if (!test) return false;
  const PtxInstruction& compare = instruction(*test);
  const bool below = compare.has("lt") || compare.has("lo");
  const bool not_below = compare.has("ge") || compare.has("hs");
  if ((!below && !not_below) || !ends_if(block, not_below)) return false;
  const auto added = earlier_definition(compare.operands[1], *test);
  if (!added || !is_plain(*added, "add", 3) || !is_unchanged(compare.operands[2], *test)) return false;
  const VariableNumber count = variable(compare.operands[1], *test);
  return std::ranges::any_of(std::array{1, 2}, [&](int side) {
    const auto& operands = instruction(*added).operands;
    return is_variable(operands[side], *added, count) && is_grid_stride(operands[3 - side], *added, kDeepestValue);
  });
}

bool LoopProgress::is_unchanged(const PtxOperand& operand, std::uint32_t index) const {
  return is_number(operand) || (is_register(operand) && definitions(variable(operand, index)).empty());
}

// True if a value is the number of blocks in the grid, or a multiple of that number.
bool LoopProgress::is_grid_stride(const PtxOperand& operand, std::uint32_t index, int depth) const {
  if (operand.kind != PtxOperandKind::name || depth == 0) return false;
  if (operand.name.starts_with("%nctaid.")) return true;
  const auto& all = body_.variables.definitions(variable(operand, index));
  if (!is_register(operand) || all.size() != 1) return false;
  const PtxInstruction& made = instruction(all.front());
  const auto from = [&](std::size_t i) { return is_grid_stride(made.operands[i], all.front(), depth - 1); };
  if (is_plain(all.front(), "mov", 2) || is_conversion(all.front())) return from(1);
  if (is_plain(all.front(), "shl", 3)) return is_number(made.operands[2]) && from(1);
  return is_plain(all.front(), "mul", 3) && (from(1) || from(2));
}

// Returns the operand's only definition in the loop. Returns nullopt unless the definition runs in every iteration,
// before the instruction `user`.
std::optional<std::uint32_t> LoopProgress::earlier_definition(const PtxOperand& operand, std::uint32_t user) const {
  if (!is_register(operand)) return std::nullopt;
  const auto definition = only_definition(variable(operand, user));
  return definition && *definition < user ? definition : std::nullopt;
}

bool LoopProgress::is_variable(const PtxOperand& operand, std::uint32_t index, VariableNumber variable) const {
  return is_register(operand) && this->variable(operand, index) == variable;
}

}  // namespace wattune::slice

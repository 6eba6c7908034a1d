#include "slice/body_patch.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::slice {

namespace {

std::string clone_name(std::string_view function) { return fmt::format("{}__wattune", function); }

// True if the function has registers as parameters, as functions of old PTX do.
bool passes_registers(const PtxFunction& function) {
  return !function.parameters.empty() && function.parameters.front().space == PtxSpace::reg;
}

// Returns the name of the argument for a coordinate in a call. If the caller is itself a clone, it has a parameter for
// the same coordinate, so the two names must differ.
std::string argument_name(Coordinate coordinate) { return name_of(coordinate) + "_argument"; }

template <typename Use>
void for_each(const CoordinateSet& set, const Use& use) {
  for (const Coordinate coordinate : kCoordinates)
    if (contains(set, coordinate)) use(coordinate);
}

std::string load_all(const CoordinateSet& set, const LoadCoordinate& load) {
  std::string code;
  for_each(set, [&](Coordinate coordinate) { code += load(coordinate); });
  return code;
}

// Returns the registers that replace a read of a special register. "%ctaid" without an axis becomes a vector of four
// elements, the last of which is zero.
std::string replacement(const CoordinateSet& set) {
  std::string registers;
  for_each(set, [&](Coordinate coordinate) { registers += register_of(coordinate) + ", "; });
  if (set.count() > 1) return fmt::format("{{{}0}}", registers);
  return registers.substr(0, registers.size() - 2);
}

void replace_reads(TextEdits& edits, const PtxOperand& operand) {
  if (operand.kind == PtxOperandKind::name)
    if (const CoordinateSet set = coordinates_in(operand.name); set.any())
      edits.replace(operand.text, replacement(set));
  for (const PtxOperand& element : operand.elements) replace_reads(edits, element);
}

bool is_narrow_move(const PtxInstruction& instruction) {
  return instruction.opcode == "mov" && (instruction.has("u16") || instruction.has("s16") || instruction.has("b16"));
}

// Widens a move of 16 bits to 32. mov.u16 may read the lower half of a special register, but not the lower half of the
// 32-bit register that replaces it.
void widen_narrow_move(TextEdits& edits, const PtxInstruction& instruction) {
  const std::string_view last = instruction.modifiers.back();
  edits.replace({instruction.opcode.data(), last.data() + last.size()}, "cvt.u16.u32");
}

// Replaces a 16-bit move of a whole vector such as %ctaid by one move for each axis, since cvt accepts no vectors.
void split_narrow_move(TextEdits& edits, const PtxInstruction& instruction, const CoordinateSet& set) {
  const PtxOperand& to = instruction.operands.front();
  const std::string guard(instruction.text.data(), instruction.opcode.data());
  std::vector<std::string> registers;
  for_each(set, [&](Coordinate coordinate) { registers.push_back(register_of(coordinate)); });
  registers.emplace_back("0");
  std::string code;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const bool is_list = to.kind == PtxOperandKind::vector;
    if (is_list && i >= to.elements.size()) break;
    const std::string part = is_list ? std::string(to.elements[i].text) : fmt::format("{}.{}", to.text, "xyzw"[i]);
    if (part != "_") code += fmt::format("{}cvt.u16.u32 {}, {};\n\t", guard, part, registers[i]);
  }
  edits.replace(instruction.text, code);
}

void patch_reads(TextEdits& edits, const PtxInstruction& instruction, const LoadCoordinate& load) {
  const CoordinateSet set = coordinates_read(instruction);
  if (set.none()) return;
  edits.insert_before(instruction.text, load_all(set, load));
  if (is_narrow_move(instruction) && set.count() > 1) return split_narrow_move(edits, instruction, set);
  for (const PtxOperand& operand : instruction.operands) replace_reads(edits, operand);
  if (is_narrow_move(instruction)) widen_narrow_move(edits, instruction);
}

std::string argument_names(const PtxFunction& callee, const CoordinateSet& set) {
  std::string names;
  for_each(set, [&](Coordinate coordinate) {
    names +=
        (names.empty() ? "" : ", ") + (passes_registers(callee) ? register_of(coordinate) : argument_name(coordinate));
  });
  return names;
}

void add_arguments(TextEdits& edits, const PtxInstruction& call, const PtxOperand& target, const std::string& names) {
  const auto* behind = &target + 1;
  const bool has_list = behind != call.operands.data() + call.operands.size() && behind->kind == PtxOperandKind::list;
  if (!has_list) return edits.insert_behind(target.text, fmt::format(", ({})", names));
  edits.insert_before(behind->text.substr(behind->text.size() - 1), (behind->elements.empty() ? "" : ", ") + names);
}

// Replaces a call of a function by a call of its clone. The additional parameters are declared inside braces, so that
// two calls in one scope do not declare them twice.
void patch_call(TextEdits& edits, const PtxInstruction& call, const CallGraph& calls, const LoadCoordinate& load) {
  const std::string_view callee_name = callee_of(call);
  const auto callee = calls.functions.find(callee_name);
  if (callee == calls.functions.end()) return;
  const CoordinateSet set = calls.coordinates(callee_name);
  if (set.none()) return;
  std::string before = "{\n" + load_all(set, load);
  if (!passes_registers(*callee->second.function))
    for_each(set, [&](Coordinate coordinate) {
      before += fmt::format("\t.param .b32 {0};\n\tst.param.b32 [{0}], {1};\n", argument_name(coordinate),
                            register_of(coordinate));
    });
  edits.insert_before(call.text, before);
  const auto target = std::ranges::find(call.operands, PtxOperandKind::name, &PtxOperand::kind);
  edits.replace(target->text, clone_name(callee_name));
  add_arguments(edits, call, *target, argument_names(*callee->second.function, set));
  edits.insert_behind(call.text, "\n}");
}

std::string parameter_declarations(const PtxFunction& function, const CoordinateSet& set) {
  std::string declarations;
  for_each(set, [&](Coordinate coordinate) {
    declarations += declarations.empty() && function.parameters.empty() ? "" : ", ";
    declarations +=
        passes_registers(function) ? ".reg .b32 " + register_of(coordinate) : ".param .b32 " + name_of(coordinate);
  });
  return declarations;
}

void add_parameters(TextEdits& edits, const PtxFunction& function, const std::string& declarations) {
  if (function.parameter_list.empty()) return edits.insert_behind(function.name, "(" + declarations + ")");
  edits.insert_before(function.parameter_list.substr(function.parameter_list.size() - 1), declarations);
}

std::string clone(const PtxFunction& function, const CallGraph& calls, const CoordinateSet& set) {
  TextEdits edits(function.text);
  edits.replace(function.name, clone_name(function.name));
  add_parameters(edits, function, parameter_declarations(function, set));
  if (function.body.empty()) return edits.apply();
  const bool in_registers = passes_registers(function);
  if (!in_registers) edits.insert_behind(function.body.substr(0, 1), "\n" + declare_registers(set));
  patch_body(edits, function, calls, [&](Coordinate coordinate) {
    return in_registers ? std::string()
                        : fmt::format("ld.param.b32 {}, [{}];\n\t", register_of(coordinate), name_of(coordinate));
  });
  return edits.apply();
}

}  // namespace

void patch_body(TextEdits& edits, const PtxFunction& function, const CallGraph& calls, const LoadCoordinate& load) {
  for (const PtxInstruction& instruction : function.instructions) {
    patch_reads(edits, instruction, load);
    patch_call(edits, instruction, calls, load);
  }
}

void add_clones(TextEdits& module, const PtxTree& tree, const CallGraph& calls,
                const std::vector<std::string_view>& entries) {
  std::set<std::string_view> cloned;
  for (const std::string_view entry : entries) cloned.merge(calls.called_directly(entry));
  for (const PtxFunction& function : tree.functions) {
    if (function.entry || !cloned.contains(function.name)) continue;
    const CoordinateSet set = calls.coordinates(function.name);
    if (set.any()) module.insert_behind(function.text, "\n\n" + clone(function, calls, set));
  }
}

std::string declare_registers(const CoordinateSet& set) {
  std::string code;
  for_each(set, [&](Coordinate coordinate) { code += fmt::format("\t.reg .b32 {};\n", register_of(coordinate)); });
  return code;
}

}  // namespace wattune::slice

// Implements branches, calls and the ends of threads.
#include <fmt/format.h>

#include "simulate/ptx/families.h"
#include "simulate/ptx/runtime_functions.h"
#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

void jump(Warp& warp, const Operation& operation, LaneMask lanes) { warp.branch(operation.target, lanes); }

void indexed_jump(Warp& warp, const Operation& operation, LaneMask lanes) {
  lanes = warp.take_equal(operation.operands[0], lanes);
  const auto first = first_lane(lanes);
  const std::uint64_t index = warp.word(operation.operands[0], first);
  const std::vector<std::uint32_t>& table = warp.function().tables[operation.target];
  if (index >= table.size())
    return warp.fault(first, ErrorCode::launch_failed,
                      fmt::format("branch {} of a table that has {}", index, table.size()));
  warp.branch(table[index], lanes);
}

void direct_call(Warp& warp, const Operation& operation, LaneMask lanes) {
  const Call& call = warp.function().calls[operation.target];
  warp.call(call, *call.function, lanes);
}

void indirect_call(Warp& warp, const Operation& operation, LaneMask lanes) {
  lanes = warp.take_equal(operation.operands[0], lanes);
  const auto first = first_lane(lanes);
  const std::uint64_t address = warp.word(operation.operands[0], first);
  const std::uint64_t index = (address - kFunctionWindow) / kFunctionStride;
  const std::vector<Function>& functions = warp.launch().code.functions;
  if (address < kFunctionWindow || index >= functions.size())
    return warp.fault(first, ErrorCode::launch_failed, fmt::format("a call of {:#x}, which is no function", address));
  const Function& callee = functions[index];
  if (callee.refusal) return warp.fault(first, ErrorCode::launch_failed, callee.refusal->to_string());
  if (callee.code.empty())
    return warp.fault(first, ErrorCode::launch_failed, fmt::format("`{}` is declared only", callee.source->name));
  warp.call(warp.function().calls[operation.target], static_cast<std::uint32_t>(index), lanes);
}

void leave_function(Warp& warp, const Operation& /*operation*/, LaneMask lanes) { warp.leave(lanes); }
void end_threads(Warp& warp, const Operation& /*operation*/, LaneMask lanes) { warp.exit(lanes); }
void stop_with_trap(Warp& warp, const Operation& /*operation*/, LaneMask lanes) {
  warp.fault(first_lane(lanes), ErrorCode::launch_failed, "the kernel ended itself");
}

std::vector<Formal> passed(Decoder& decoder) {
  std::vector<Formal> formals;
  const slice::PtxOperand& operand = decoder.take();
  if (operand.kind != slice::PtxOperandKind::list) return {decoder.formal_of(operand)};
  for (const slice::PtxOperand& element : operand.elements) formals.push_back(decoder.formal_of(element));
  return formals;
}

// True if the call has results. The operands of a call are `(results), function, (arguments), prototype`, and only the
// function is required.
bool has_results(const slice::PtxInstruction& call) {
  return !call.operands.empty() && call.operands.front().kind == slice::PtxOperandKind::list;
}

Handler decode_call_of(Decoder& decoder, const slice::PtxOperand& callee, std::uint32_t call) {
  Function& function = decoder.function();
  const std::optional<std::uint32_t> index = decoder.function_named(callee.name);
  if (!index) {
    decoder.add(decoder.column_of(callee, Type::b64, false, false));
    return &indirect_call;
  }
  if (const Handler runtime = runtime_function(callee.name)) return runtime;
  if (decoder.function_at(*index).source->body.empty()) {
    decoder.refuse(fmt::format("`{}` is declared, but not defined in this text", callee.name));
    return nullptr;
  }
  function.calls[call].function = index;
  function.callees.push_back(*index);
  return &direct_call;
}

}  // namespace

Handler leave_handler() { return &leave_function; }

Handler decode_bra(Decoder& decoder) {
  decoder.ignore("uni");
  if (const auto target = decoder.label(decoder.take().name)) decoder.operation().target = *target;
  return &jump;
}

Handler decode_brx(Decoder& decoder) {
  decoder.ignore("idx");
  decoder.ignore("uni");
  decoder.source(Type::u32);
  const slice::PtxTable* table = decoder.table(decoder.take().name);
  if (table == nullptr || table->directive != "branchtargets") {
    decoder.refuse("the list of targets is missing", ErrorCode::invalid_argument);
    return nullptr;
  }
  std::vector<std::uint32_t> targets;
  for (const std::string_view name : table->targets) targets.push_back(decoder.label(name).value_or(0));
  decoder.operation().target = static_cast<std::uint32_t>(decoder.function().tables.size());
  decoder.function().tables.push_back(std::move(targets));
  return &indexed_jump;
}

Handler decode_call(Decoder& decoder) {
  decoder.ignore("uni");
  Call call;
  if (has_results(decoder.instruction())) call.results = passed(decoder);
  const slice::PtxOperand& callee = decoder.take();
  if (decoder.peek().kind == slice::PtxOperandKind::list) call.arguments = passed(decoder);
  if (decoder.operands_left() > 0) decoder.take();  // takes the prototype, or the list of possible callees
  const auto index = static_cast<std::uint32_t>(decoder.function().calls.size());
  decoder.function().calls.push_back(std::move(call));
  decoder.operation().target = index;
  return decode_call_of(decoder, callee, index);
}

Handler decode_ret(Decoder& decoder) {
  decoder.ignore("uni");
  return &leave_function;
}

Handler decode_exit(Decoder& /*decoder*/) { return &end_threads; }
Handler decode_trap(Decoder& /*decoder*/) { return &stop_with_trap; }

}  // namespace wattune::simulate::ptx

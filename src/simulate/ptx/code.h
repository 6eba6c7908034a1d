// Code: a module after decoding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/ptx/operation.h"
#include "wattune/core/error.h"
#include "wattune/simulate/ptx_module.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::simulate::ptx {

// A parameter or result of a function that is called, or what a call passes for it.
struct Formal {
  bool in_register = false;
  Operand column;            // of one in a register
  std::uint32_t offset = 0;  // of one in local memory: from the frame's beginning
  std::uint32_t bytes = 0;
};

struct Call {
  std::optional<std::uint32_t> function;  // empty: its address is in an operand
  std::vector<Formal> arguments;
  std::vector<Formal> results;
};

struct Function {
  std::vector<Operation> code;
  std::vector<std::uint64_t> constants;
  std::vector<Call> calls;
  std::vector<std::vector<std::uint32_t>> tables;  // operations, of brx.idx
  std::uint32_t register_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::vector<Formal> parameters;
  std::vector<Formal> results;
  std::vector<std::uint32_t> callees;
  std::optional<Error> refusal;  // what cannot be run of it
  const slice::PtxFunction* source = nullptr;
};

struct Code {
  slice::PtxTree tree;
  std::vector<Function> functions;
  std::vector<PtxKernel> kernels;
  std::vector<std::uint32_t> kernel_functions;  // by kernel
  std::map<std::string, PtxSymbol, std::less<>> symbols;
  std::uint64_t dynamic_shared_offset = 0;  // where shared memory of no declared size begins
  std::vector<std::uint32_t> specials;      // the special registers that it reads; their columns lie in this order
};

}  // namespace wattune::simulate::ptx

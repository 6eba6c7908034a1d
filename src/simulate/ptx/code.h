// Code is a decoded module: its functions, operations and constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/interface/ptx_module.h"
#include "simulate/ptx/operation.h"
#include "slice/interface/ptx_tree.h"
#include "wattune/core/error.h"

namespace wattune::inline v0_1::simulate::ptx {

// A parameter or result of a function, or the value that a call passes for it.
struct Formal {
  bool in_register = false;
  Operand column;            // register of the parameter, if it is in a register
  std::uint32_t offset = 0;  // offset from the beginning of the frame, for a value in local memory
  std::uint32_t bytes = 0;
};

struct Call {
  std::optional<std::uint32_t> function;  // the called function; nullopt if an operand holds its address
  std::vector<Formal> arguments;
  std::vector<Formal> results;
};

struct Function {
  std::vector<Operation> code;
  std::vector<std::uint64_t> constants;
  std::vector<Call> calls;
  std::vector<std::vector<std::uint32_t>> tables;  // target lists of the brx.idx instructions
  std::uint32_t register_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::vector<Formal> parameters;
  std::vector<Formal> results;
  std::vector<std::uint32_t> callees;
  std::optional<Error> refusal;  // the error of an instruction that cannot be run; nullopt if all can be run
  const slice::PtxFunction* source = nullptr;
};

struct Code {
  slice::PtxTree tree;
  std::vector<Function> functions;
  std::vector<PtxKernel> kernels;
  std::vector<std::uint32_t> kernel_functions;  // the index of each kernel's function
  std::map<std::string, PtxSymbol, std::less<>> symbols;
  std::uint64_t dynamic_shared_offset = 0;  // offset at which shared memory without a declared size begins
  std::vector<std::uint32_t> specials;      // special registers that the module reads, in the order of their columns
};

}  // namespace wattune::simulate::ptx

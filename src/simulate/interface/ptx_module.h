// PtxModule is a PTX text made ready to run on the host, with its variables placed in a VirtualMemory.
//
// load() and kernel() find the instructions that the interpreter does not know, so they are not discovered while a
// kernel runs. A module shares its code with its copies and may be used by any thread; the memory must outlive it.
//
//   WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "gemm.ptx"));
//   WATTUNE_ASSIGN(const PtxModule module, PtxModule::load(tree, memory));
//   WATTUNE_ASSIGN(const PtxKernel* kernel, module.kernel("gemm"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/interface/virtual_memory.h"
#include "slice/interface/ptx_tree.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::simulate {

namespace ptx {
struct Code;
}

// The place of a parameter in the parameter bytes of a launch.
struct PtxParameter {
  std::string name;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct PtxKernel {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::size_t parameter_bytes = 0;
  std::size_t shared_bytes = 0;     // bytes of variables with a size, in the kernel and in all device functions
  std::size_t local_bytes = 0;      // bytes per thread, without the local memory of functions that the kernel calls
  std::size_t most_threads = 1024;  // largest number of threads per block
};

// A variable of the module.
struct PtxSymbol {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

class PtxModule {
 public:
  // Places the variables in memory with their initial values. Fails with unavailable if the interpreter lacks a feature
  // that the whole module needs; kernel() reports features that only one kernel needs. Fails with invalid_argument if
  // the text contradicts itself.
  static Result<PtxModule> load(const slice::PtxTree& tree, VirtualMemory& memory);

  std::vector<std::string> kernels() const;
  // Finds a kernel. Fails with not_found if there is none of this name. Fails with unavailable or invalid_argument,
  // naming the line, if the kernel or a function that it calls by name has an instruction that cannot be run.
  Result<const PtxKernel*> kernel(std::string_view name) const;
  std::optional<PtxSymbol> symbol(std::string_view name) const;

  const ptx::Code& code() const { return *code_; }

 private:
  explicit PtxModule(std::shared_ptr<const ptx::Code> code) : code_(std::move(code)) {}

  std::shared_ptr<const ptx::Code> code_;
};

}  // namespace wattune::simulate

#include <fmt/format.h>

#include "backend/cuda/compiler.h"
#include "backend/cuda/cu_api.h"
#include "backend/cuda/function_name.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/ptxas_log.h"
#include "backend/cuda/source_text.h"
#include "wattune/backend/compile.h"

namespace wattune::backend {

namespace {

using namespace cuda;

Result<std::string> compiler_name(const KernelSource& source) {
  if (source.compiler == Compiler::nvcc) return std::string("nvcc");
  WATTUNE_ASSIGN(const NvrtcApi* nvrtc, nvrtc_api());
  return "NVRTC " + version_text(nvrtc->version);
}

// A failure without what the assembler says of kernels before it fails.
Error without_figures(const Error& error) {
  if (error.code() != ErrorCode::compile_failed) return error;
  return Error(error.code(), read_ptxas_log(error.message()).rest).native(error.native_code(), error.native_name());
}

}  // namespace

Result<CompileReport> compile_cuda(const KernelSource& source, std::span<const Macro> macros,
                                   const std::string& architecture, Nanoseconds limit) {
  if (source.language != Language::cuda || kind_of(source) != SourceKind::cuda_cpp)
    return Error(ErrorCode::invalid_argument, "only CUDA C++ is compiled without a device").about(source.file.string());
  KernelSource talkative = source;
  talkative.options.emplace_back("--ptxas-options=-v");
  const Result<Image> compiled = compile({.architecture = architecture}, talkative, macros, limit);
  if (!compiled) return without_figures(compiled.error());
  const Image& image = *compiled;
  const PtxasLog log = read_ptxas_log(image.log);
  std::vector<std::string> symbols;
  for (const auto& [symbol, resources] : log.kernels) symbols.push_back(symbol);
  std::string wanted = with_values(source.function, macros);
  if (const auto told = image.symbols.find(wanted); told != image.symbols.end()) wanted = told->second;
  WATTUNE_ASSIGN(const std::size_t found, find_function(wanted, symbols));
  CompileReport report{.function = function_of_symbol(symbols[found]),
                       .symbol = symbols[found],
                       .compiler = {},
                       .resources = log.kernels.at(symbols[found]),
                       .log = log.rest};
  report.resources.binary_bytes = image.code.size();
  WATTUNE_ASSIGN(report.compiler, compiler_name(source));
  return report;
}

}  // namespace wattune::backend

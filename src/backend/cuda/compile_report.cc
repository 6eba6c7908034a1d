#include <fmt/format.h>

#include <string_view>

#include "backend/cuda/compiler.h"
#include "backend/cuda/cu_api.h"
#include "backend/cuda/cubin.h"
#include "backend/cuda/function_name.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/signature.h"
#include "backend/cuda/source_text.h"
#include "backend/interface/compile.h"

namespace wattune::inline v0_1::backend {

namespace {

Result<std::string> compiler_name(const KernelSource& source) {
  if (source.compiler == Compiler::nvcc) return std::string("nvcc");
  WATTUNE_ASSIGN(const cuda::NvrtcApi* nvrtc, cuda::nvrtc_api());
  return "NVRTC " + cuda::version_text(nvrtc->version);
}

}  // namespace

Result<CompileReport> compile_cuda(const KernelSource& source, std::span<const Macro> macros,
                                   const std::string& architecture, Nanoseconds limit) {
  using namespace cuda;
  if (source.language != Language::cuda || kind_of(source) != SourceKind::cuda_cpp)
    return Error(ErrorCode::invalid_argument, "only CUDA C++ is compiled without a device").about(source.file.string());
  WATTUNE_ASSIGN(const Image image, compile({.architecture = architecture}, source, macros, limit));
  WATTUNE_ASSIGN(const std::string compiler, compiler_name(source));
  if (image.kind == ImageKind::ptx) {
    constexpr std::string_view kVirtual = "compute_";
    const std::string named = named_architecture(source).value_or(architecture);
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} makes only PTX for {}, whose resources are known on a device only", compiler, named))
        .hint(named.starts_with(kVirtual) ? fmt::format("did you mean `sm_{}`?", named.substr(kVirtual.size())) : "");
  }
  std::vector<std::string> symbols;
  for (const auto& [symbol, resources] : image.resources) symbols.push_back(symbol);
  WATTUNE_ASSIGN(const std::string symbol, find_symbol(image, source.function, macros, symbols));
  CompileReport report{.function = function_of_symbol(symbol),
                       .symbol = symbol,
                       .compiler = compiler,
                       .kind = image.kind,
                       .resources = image.resources.at(symbol),
                       .log = image.log};
  report.resources.binary_bytes = image.code.size();
  CubinFacts facts = facts_of_cubin(image.code);
  if (const auto sizes = facts.parameters.find(symbol); sizes != facts.parameters.end())
    report.parameters = with_sizes(parameters_of(symbol, image.parameters), sizes->second);
  report.constants = std::move(facts.constants);
  return report;
}

}  // namespace wattune::backend

#include <algorithm>
#include <cctype>

#include "backend/cuda/compiler.h"
#include "backend/cuda/function_name.h"
#include "backend/cuda/source_text.h"
#include "backend/interface/compile.h"

namespace wattune::inline v0_1::backend {

namespace {

// Returns "compute_90a" for a name of an architecture such as "sm_90a" or "arch=compute_90a,code=sm_90a".
std::string virtual_architecture(const std::string& named) {
  const std::size_t at = named.find('_');
  if (at == std::string::npos) return named;
  const auto end = std::find_if_not(named.begin() + static_cast<std::ptrdiff_t>(at) + 1, named.end(),
                                    [](unsigned char c) { return std::isalnum(c) != 0; });
  return "compute" + std::string(named.begin() + static_cast<std::ptrdiff_t>(at), end);
}

}  // namespace

Result<Image> compile_ptx(CompileTarget target, KernelSource source, std::span<const Macro> macros, Nanoseconds limit) {
  using namespace cuda;
  const SourceKind kind = kind_of(source);
  if (kind == SourceKind::cubin)
    return Error(ErrorCode::invalid_argument, "machine code has no PTX").about(source.file.string());
  if (kind == SourceKind::ptx) return compile(target, source, macros, limit);
  target.architecture = virtual_architecture(named_architecture(source).value_or(target.architecture));
  return compile(target, without_architecture(std::move(source)), macros, limit);
}

Result<std::string> find_symbol(const Image& image, const std::string& function, std::span<const Macro> macros,
                                const std::vector<std::string>& symbols) {
  std::string wanted = cuda::with_values(function, macros);
  if (const auto told = image.symbols.find(wanted); told != image.symbols.end()) wanted = told->second;
  WATTUNE_ASSIGN(const std::size_t found, cuda::find_function(wanted, symbols));
  return symbols[found];
}

}  // namespace wattune::backend

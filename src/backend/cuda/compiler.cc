#include "backend/cuda/compiler.h"

#include <fmt/format.h>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/toolkit.h"
#include "core/stopwatch.h"

namespace wattune::backend::cuda {

Result<std::string> identify_compiler(const KernelSource& source, int driver_version) {
  const std::string headers = fmt::format("{}", fmt::join(toolkit_include_folders(), ":"));
  if (source.compiler == Compiler::nvcc) {
    WATTUNE_ASSIGN(const std::string version, nvcc_version());
    return version + headers;
  }
  WATTUNE_ASSIGN(const NvrtcApi* nvrtc, nvrtc_api(driver_version));
  return fmt::format("NVRTC {} {} {}", version_text(nvrtc->version), nvrtc->file, headers);
}

Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit) {
  if (kind_of(source) != SourceKind::cuda_cpp) return Image{source.text, {}, {}};
  if (source.compiler == Compiler::nvcc) return compile_with_nvcc(target, source, macros, limit);
  const Stopwatch stopwatch;
  WATTUNE_ASSIGN(Image image, compile_with_nvrtc(target, source, macros));
  if (stopwatch.elapsed() > limit)
    return Error(ErrorCode::timeout, fmt::format("compiling took longer than {:g} ms", to_ms(limit)));
  return image;
}

}  // namespace wattune::backend::cuda

#include "backend/cuda/compiler.h"

#include <fmt/format.h>

#include <chrono>

#include "backend/cuda/source_text.h"

namespace wattune::backend::cuda {

Result<Image> compile(const KernelSource& source, std::span<const Macro> macros, const Target& target,
                      Nanoseconds limit) {
  if (kind_of(source) != SourceKind::cuda_cpp) return Image{source.text, {}, {}};
  if (source.compiler == Compiler::nvcc) return compile_with_nvcc(source, macros, target, limit);
  const auto start = std::chrono::steady_clock::now();
  WATTUNE_ASSIGN(Image image, compile_with_nvrtc(source, macros, target));
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  if (took.count() > limit.value())
    return Error(ErrorCode::timeout, fmt::format("compiling took longer than {:g} ms", to_ms(limit)));
  return image;
}

}  // namespace wattune::backend::cuda

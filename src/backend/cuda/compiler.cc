#include "backend/cuda/compiler.h"

#include <fmt/format.h>

#include <optional>

#include "backend/compile/name_collision.h"
#include "backend/cuda/cu_api.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/ptxas_log.h"
#include "backend/cuda/signature.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/toolkit.h"
#include "backend/interface/polling.h"
#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

Result<Image> compile_with_wanted(const CompileTarget& target, const KernelSource& source,
                                  std::span<const Macro> macros, Nanoseconds limit) {
  if (source.compiler == Compiler::nvcc) return compile_with_nvcc(target, source, macros, limit);
  const Stopwatch stopwatch;
  WATTUNE_ASSIGN(Image image, compile_with_nvrtc(target, source, macros));
  if (stopwatch.elapsed() > limit) return compiled_too_long(limit);
  return image;
}

// Returns the lines of the assembler's log that concern the user, without the last line break.
std::string without_figures(const PtxasLog& log) { return log.rest.substr(0, log.rest.find_last_not_of('\n') + 1); }

// Returns the kind of an image. It is PTX or a cubin, because compilers make nothing else.
ImageKind image_kind(SourceKind kind) { return kind == SourceKind::ptx ? ImageKind::ptx : ImageKind::cubin; }

// Returns the declared parameters of functions whose symbol is their name (`extern "C"`).
std::map<std::string, std::vector<KernelParameter>> parameters_in(const KernelSource& source,
                                                                  std::span<const Macro> macros) {
  std::vector<std::string> functions = source.other_functions;
  functions.push_back(source.function);
  const PlainCode code = read_code(source, macros);
  std::map<std::string, std::vector<KernelParameter>> parameters;
  for (const std::string& function : functions)
    if (auto declared = declared_parameters(code, function, Language::cuda))
      parameters[function] = *std::move(declared);
  return parameters;
}

}  // namespace

Result<std::string> identify_compiler(const KernelSource& source, std::optional<int> driver_version) {
  const std::string headers = fmt::format("{}", fmt::join(toolkit_include_folders(), ":"));
  if (source.compiler == Compiler::nvcc) {
    WATTUNE_ASSIGN(const std::string version, nvcc_version());
    return version + headers;
  }
  WATTUNE_ASSIGN(const NvrtcApi* nvrtc, nvrtc_api(driver_version));
  return fmt::format("NVRTC {} {} {}", version_text(nvrtc->version), nvrtc->file, headers);
}

// Compiles a source, with the option that makes the assembler report register spills, which the driver does not report.
Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit) {
  if (const SourceKind kind = kind_of(source); kind != SourceKind::cuda_cpp)
    return Image{.code = source.text, .log = {}, .symbols = {}, .kind = image_kind(kind)};
  KernelSource talkative = source;
  talkative.options.emplace_back("--ptxas-options=-v");
  Result<Image> image = compile_with_wanted(target, talkative, macros, limit);
  if (!image && image.error().code() == ErrorCode::compile_failed) {
    const auto compile_again = [&](std::span<const Macro> with) -> std::optional<std::string> {
      const Result<Image> again = compile_with_wanted(target, source, with, limit);
      return again ? std::nullopt : std::optional(again.error().message());
    };
    const std::string collision = tested_collision(source, macros, image.error().message(), compile_again);
    return Error(ErrorCode::compile_failed, without_figures(read_ptxas_log(image.error().message())))
        .native(image.error().native_code(), image.error().native_name())
        .hint(collision.empty() ? image.error().advice() : collision);
  }
  if (!image) return image.error();
  PtxasLog log = read_ptxas_log(image->log);
  image->log = without_figures(log);
  image->resources = std::move(log.kernels);
  image->parameters = parameters_in(source, macros);
  image->kind = image_kind(kind_of_text(image->code));
  return image;
}

}  // namespace wattune::backend::cuda

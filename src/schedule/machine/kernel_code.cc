// Loads the code of kernels, with the forms in which they can be launched in parts.
#include <algorithm>
#include <utility>

#include "backend/interface/compile.h"
#include "schedule/interface/loaded_kernel.h"
#include "slice/interface/opencl.h"
#include "slice/interface/twins.h"
#include "wattune/backend/registry.h"

namespace wattune::inline v0_1::schedule {

namespace {

using slice::TwinForm;
using Macros = std::span<const backend::Macro>;
using CodeOr = Result<std::shared_ptr<const KernelCode>>;

const std::vector<TwinForm> kForms = {TwinForm::add, TwinForm::linear, TwinForm::persistent};

// Returns why no part of the launch may run by itself; empty if a part may.
std::string refusal_of(const backend::Geometry3& geometry, const LoadOptions& options) {
  if (!options.with_twins) return options.why_whole;
  if (geometry.cooperative) return "its launch is cooperative, so that all of its blocks must run at once";
  if (geometry.cluster != std::array<std::size_t, 3>{1, 1, 1})
    return "its launch has thread block clusters, which must not be divided";
  return {};
}

KernelCode whole_only(std::unique_ptr<backend::Kernel> kernel, const std::string& why) {
  return {.whole = std::move(kernel), .no_slices = why, .no_persistent = why};
}

CodeOr load_whole(backend::Device& device, const KernelSource& source, Macros macros, const LoadOptions& options,
                  const std::string& why) {
  WATTUNE_ASSIGN(const auto program, device.build(source, macros, options.limit));
  WATTUNE_ASSIGN(auto kernel, program->kernel(source.function));
  return std::make_shared<const KernelCode>(whole_only(std::move(kernel), why));
}

std::string words_of(const slice::Obstacle* obstacle) {
  if (obstacle == nullptr) return {};
  return obstacle->construct + ": " + obstacle->reason;
}

// A PTX text with its twins, and the analysis of the original.
struct TwinText {
  slice::PtxTree tree;
  slice::TwinModule module;
  std::string symbol;  // symbol of the kernel
};

Result<TwinText> add_twins(const backend::Image& image, const KernelSource& source, Macros macros) {
  WATTUNE_ASSIGN(slice::PtxTree tree, slice::parse_ptx(image.code, source.file.string()));
  std::vector<std::string> symbols;
  for (const slice::PtxFunction& function : tree.functions)
    if (function.entry) symbols.emplace_back(function.name);
  WATTUNE_ASSIGN(std::string symbol, backend::find_symbol(image, source.function, macros, symbols));
  WATTUNE_ASSIGN(slice::TwinModule module, slice::add_twins(tree, kForms));
  return TwinText{std::move(tree), std::move(module), std::move(symbol)};
}

Result<void> find_twins(backend::Program& program, const TwinText& text, KernelCode& code) {
  for (const TwinForm form : kForms) {
    const slice::Twin* twin = text.module.find(text.symbol, form);
    if (twin == nullptr) continue;
    WATTUNE_ASSIGN(code.twins[form], program.kernel(twin->name));
  }
  const std::vector<slice::KernelAnalysis> kernels = slice::analyse(text.tree);
  const auto kernel = std::ranges::find(kernels, text.symbol, &slice::KernelAnalysis::name);
  code.order_sensitive = kernel->order_sensitive.has_value();
  code.persistent_blocks = kernel->persistent_blocks;
  if (!code.twins.contains(TwinForm::add) && !code.twins.contains(TwinForm::linear))
    code.no_slices = words_of(kernel->obstacle_to(TwinForm::linear));
  if (!code.twins.contains(TwinForm::persistent))
    code.no_persistent = words_of(kernel->obstacle_to(TwinForm::persistent));
  return {};
}

// Returns the PTX that the device's compiler makes; a source that is PTX is returned as it is.
Result<backend::Image> ptx_of(backend::Device& device, const KernelSource& source, Macros macros, Nanoseconds limit) {
  Result<backend::CompileTarget> target = device.compile_target(source);
  if (!target && target.error().code() != ErrorCode::unavailable) return std::move(target).error();
  return backend::compile_ptx(target ? *std::move(target) : backend::CompileTarget(), source, macros, limit);
}

CodeOr load_cuda(backend::Device& device, const KernelSource& source, Macros macros, const LoadOptions& options) {
  Result<backend::Image> image = ptx_of(device, source, macros, options.limit);
  if (!image && image.error().code() == ErrorCode::invalid_argument)
    return load_whole(device, source, macros, options, image.error().message());
  if (!image) return std::move(image).error();
  Result<TwinText> text = add_twins(*image, source, macros);
  if (!text && text.error().code() == ErrorCode::not_found) return std::move(text).error();
  std::string original = text ? std::exchange(image->code, text->module.text) : std::string();
  WATTUNE_ASSIGN(const auto program, device.load(*image, macros, options.limit));
  WATTUNE_ASSIGN(auto whole, program->kernel(source.function));
  if (!text) return std::make_shared<const KernelCode>(whole_only(std::move(whole), text.error().to_string()));
  KernelCode code{.whole = std::move(whole)};
  WATTUNE_TRY(find_twins(*program, *text, code));
  code.ptx = std::move(original);
  code.symbol = std::move(text->symbol);
  return std::make_shared<const KernelCode>(std::move(code));
}

// Tells whether slices need the preamble. The options and the values of parameters are also searched, because they may
// contain the functions' names or name a file to include.
Result<bool> needs_preamble(const KernelSource& source, Macros macros) {
  WATTUNE_ASSIGN(const slice::OpenclAnalysis analysis, slice::analyse_opencl(source.text, source.file.string()));
  std::string given;
  for (const std::string& option : source.options) given += option + "\n";
  for (const backend::Macro& macro : macros) given += macro.name + " " + macro.value + "\n";
  WATTUNE_ASSIGN(const slice::OpenclAnalysis beside, slice::analyse_opencl(given, source.file.string()));
  return analysis.needs_preamble || beside.needs_preamble || given.find("-include") != std::string::npos;
}

slice::NdRange range_of(const backend::Geometry3& geometry) {
  slice::NdRange range;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.local[axis] = geometry.group_size[axis];
    range.global[axis] = geometry.groups[axis] * geometry.group_size[axis];
  }
  return range;
}

// The message if the compiler has found something that the source alone does not show.
constexpr char kHiddenRefusal[] =
    "its code for slices does not compile; a file that it includes, or a macro, may launch kernels, use pipes, hold "
    "assembly, or redefine names of OpenCL that slices replace";

CodeOr load_opencl(backend::Device& device, const KernelSource& source, Macros macros,
                   const backend::Geometry3& geometry, const LoadOptions& options) {
  const Result<bool> preamble = needs_preamble(source, macros);
  if (!preamble) return load_whole(device, source, macros, options, preamble.error().to_string());
  WATTUNE_ASSIGN(const auto program, device.build(source, macros, options.limit));
  KernelCode code;
  code.no_persistent = "blocks stay resident in CUDA kernels only";
  WATTUNE_ASSIGN(code.whole, program->kernel(source.function));
  if (*preamble) {
    KernelSource sliced = source;
    WATTUNE_ASSIGN(sliced.text, slice::with_preamble(source.text, range_of(geometry)));
    const auto of_slices = device.build(sliced, macros, options.limit);
    if (!of_slices && of_slices.error().code() != ErrorCode::compile_failed) return of_slices.error();
    if (!of_slices) return std::make_shared<const KernelCode>(whole_only(std::move(code.whole), kHiddenRefusal));
    WATTUNE_ASSIGN(code.from_group, (*of_slices)->kernel(source.function));
  } else {
    WATTUNE_ASSIGN(code.from_group, program->kernel(source.function));
  }
  return std::make_shared<const KernelCode>(std::move(code));
}

}  // namespace

backend::Kernel* KernelCode::twin(slice::TwinForm form) const {
  const auto found = twins.find(form);
  return found == twins.end() ? nullptr : found->second.get();
}

Result<std::shared_ptr<const KernelCode>> load_code(backend::Device& device, const KernelSource& source,
                                                    std::span<const backend::Macro> macros,
                                                    const backend::Geometry3& geometry, const LoadOptions& options) {
  if (const std::string why = refusal_of(geometry, options); !why.empty())
    return load_whole(device, source, macros, options, why);
  if (source.language == Language::cuda) return load_cuda(device, source, macros, options);
  if (source.language == Language::opencl) return load_opencl(device, source, macros, geometry, options);
  return load_whole(device, source, macros, options, "a function of the host has no blocks that could run apart");
}

}  // namespace wattune::schedule

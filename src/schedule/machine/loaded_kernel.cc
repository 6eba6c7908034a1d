#include "schedule/interface/loaded_kernel.h"

#include <fmt/format.h>

#include <array>

#include "core/stopwatch.h"
#include "measure/interface/output_check.h"
#include "schedule/interface/kernel_buffers.h"
#include "tune/interface/argument_contents.h"
#include "tune/interface/launch_arguments.h"
#include "tune/interface/launch_plan.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The parts that all copies of a kernel have in common.
struct Recipe {
  const KernelSpec& spec;
  const tune::Launch& launch;
  tune::ArgumentContents& contents;
  std::shared_ptr<const KernelCode> code;
  Nanoseconds compile_time;
  const LoadOptions& options;
};

Error refuse_spec(std::string what) { return Error(ErrorCode::invalid_argument, std::move(what)); }

Result<void> check_single(const tune::Launch& launch, const DeviceInfo& device) {
  if (launch.steps.size() != 1 || launch.steps.front().repeat != 1)
    return refuse_spec("a spec of several launches cannot be one kernel of a queue")
        .hint("give each a spec of its own");
  if (std::string beyond = tune::limit_exceeded(launch, device); !beyond.empty()) return refuse_spec(std::move(beyond));
  return {};
}

Result<std::unique_ptr<backend::Buffer>> create(backend::Device& device, const tune::PlannedBuffer& planned) {
  return planned.pixels ? device.create_pixel_buffer(*planned.pixels) : device.create_buffer(planned.bytes);
}

Result<ArgumentBuffers> make_buffers(backend::Device& device, backend::Stream& stream, const Recipe& recipe,
                                     std::size_t argument, const tune::PlannedBuffer& planned) {
  const ArgumentAccess access = std::get<VectorArgument>(recipe.spec.arguments[argument].kind).access;
  ArgumentBuffers made;
  WATTUNE_ASSIGN(made.buffer, create(device, planned));
  if (access == ArgumentAccess::write_only) {
    WATTUNE_TRY(stream.fill(*made.buffer, measure::kPoison));
    return made;
  }
  WATTUNE_ASSIGN(const std::span<const std::byte> contents, recipe.contents.get(argument, planned.length));
  if (access == ArgumentAccess::read_only) {
    WATTUNE_TRY(stream.write(*made.buffer, contents));
    return made;
  }
  WATTUNE_ASSIGN(made.pristine, create(device, planned));
  WATTUNE_TRY(stream.write(*made.pristine, contents));
  WATTUNE_TRY(stream.copy(*made.pristine, *made.buffer));
  return made;
}

Result<ArgumentBuffers> find_or_make(backend::Device& device, backend::Stream& stream, const Recipe& recipe,
                                     std::size_t argument, const tune::PlannedBuffer& planned) {
  KernelBuffers* const shared = recipe.options.buffers;
  if (shared == nullptr) return make_buffers(device, stream, recipe, argument, planned);
  if (auto found = shared->find(argument, planned)) return *std::move(found);
  WATTUNE_ASSIGN(ArgumentBuffers made, make_buffers(device, stream, recipe, argument, planned));
  const ArgumentAccess access = std::get<VectorArgument>(recipe.spec.arguments[argument].kind).access;
  shared->add(argument, planned, made, access == ArgumentAccess::read_only);
  return made;
}

Result<std::shared_ptr<const LoadedKernel>> make_copy(backend::Device& device, backend::Stream& stream,
                                                      const Recipe& recipe) {
  const tune::PlannedStep& step = recipe.launch.steps.front();
  auto kernel =
      std::make_shared<LoadedKernel>(LoadedKernel{.name = recipe.spec.name.empty() ? step.function : recipe.spec.name,
                                                  .code = recipe.code,
                                                  .geometry = step.geometry,
                                                  .arguments = {},
                                                  .buffers = {},
                                                  .compile_time = recipe.compile_time});
  std::vector<const backend::Buffer*> buffers;
  for (std::size_t i = 0; i < recipe.launch.arguments.size(); ++i) {
    ArgumentBuffers its;
    if (const auto* planned = std::get_if<tune::PlannedBuffer>(&recipe.launch.arguments[i])) {
      WATTUNE_ASSIGN(its, find_or_make(device, stream, recipe, i, *planned));
    }
    buffers.push_back(its.buffer.get());
    kernel->buffers.push_back(std::move(its.buffer));
    kernel->pristine.push_back(std::move(its.pristine));
  }
  WATTUNE_TRY(stream.finish(recipe.options.limit));
  kernel->arguments = tune::launch_arguments(recipe.spec.arguments, recipe.launch, step, buffers);
  return std::shared_ptr<const LoadedKernel>(std::move(kernel));
}

}  // namespace

Result<std::shared_ptr<const LoadedKernel>> with_own_outputs(backend::Device& device, const KernelSpec& spec,
                                                             const LoadedKernel& kernel) {
  auto copy = std::make_shared<LoadedKernel>(kernel);
  for (std::size_t i = 0; i < copy->buffers.size(); ++i) {
    const backend::Buffer* const shared = kernel.buffers[i].get();
    if (shared == nullptr || std::get<VectorArgument>(spec.arguments[i].kind).access == ArgumentAccess::read_only)
      continue;
    if (shared->has_pixels())
      return Error(ErrorCode::unavailable, "pixels are not copied").about(spec.arguments[i].name);
    WATTUNE_ASSIGN(copy->buffers[i], device.create_buffer(shared->bytes()));
    for (backend::LaunchArgument& argument : copy->arguments)
      if (const auto* used = std::get_if<const backend::Buffer*>(&argument); used != nullptr && *used == shared)
        argument = copy->buffers[i].get();
  }
  return std::shared_ptr<const LoadedKernel>(std::move(copy));
}

std::string why_not_persistent(const LoadedKernel& kernel) {
  const KernelCode& code = *kernel.code;
  const std::array<std::size_t, 3>& block = kernel.geometry.group_size;
  if (!code.no_persistent.empty() || slice::has_shape(block, code.persistent_blocks)) return code.no_persistent;
  return fmt::format(
      "some threads return early, which a persistent twin allows only where {}, and this block is {} x {} x {}",
      slice::words_for(code.persistent_blocks), block[0], block[1], block[2]);
}

slice::Grid grid_of(const backend::Geometry3& geometry) {
  const auto size = [&](std::size_t axis) { return static_cast<std::uint32_t>(geometry.groups[axis]); };
  return {size(0), size(1), size(2)};
}

Result<std::vector<std::shared_ptr<const LoadedKernel>>> load_kernel(backend::Device& device, const KernelSpec& spec,
                                                                     const Configuration& configuration,
                                                                     const LoadOptions& options) {
  KernelSpec own = spec;
  WATTUNE_TRY(use_language(own, device.info().languages));
  const auto names = std::make_shared<const tune::Names>(own.problem_size, own.parameters);
  WATTUNE_ASSIGN(const auto plan, tune::LaunchPlan::compile(own, launches_of(own), names));
  WATTUNE_ASSIGN(const tune::Launch launch, plan.evaluate(configuration));
  WATTUNE_TRY(check_single(launch, device.info()));
  KernelSource source = launched_source(own);
  source.function = launch.steps.front().function;
  const std::vector<backend::Macro> macros = tune::macros_of(own.parameters, configuration);
  const Stopwatch compiling;
  WATTUNE_ASSIGN(const auto code, load_code(device, source, macros, launch.steps.front().geometry, options));
  const Nanoseconds compile_time = compiling.elapsed();
  tune::ArgumentContents contents(own.arguments);
  WATTUNE_TRY(contents.compile(names));
  const Recipe recipe{own, launch, contents, code, compile_time, options};
  WATTUNE_ASSIGN(const auto stream, device.create_stream());
  std::vector<std::shared_ptr<const LoadedKernel>> copies;
  while (copies.size() < options.copies) {
    WATTUNE_ASSIGN(copies.emplace_back(), make_copy(device, *stream, recipe));
  }
  return copies;
}

}  // namespace wattune::schedule

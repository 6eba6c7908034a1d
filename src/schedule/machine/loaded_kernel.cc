#include "schedule/interface/loaded_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/stopwatch.h"
#include "measure/interface/output_check.h"
#include "schedule/interface/kernel_buffers.h"
#include "tune/interface/argument_contents.h"
#include "tune/interface/launch_arguments.h"
#include "tune/interface/launch_plan.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The largest number of launches of a work. A stream takes about a thousand launches before it makes the sender wait.
constexpr std::size_t kMostLaunches = 1000;
// The largest number of different grids in a sequence. In OpenCL each grid needs other code for its slices. More code
// would take longer to compile than it gains.
constexpr std::size_t kMostGrids = 8;

// The parts that all copies of a kernel have in common.
struct Recipe {
  const KernelSpec& spec;
  const tune::Launch& launch;
  tune::ArgumentContents& contents;
  std::vector<std::shared_ptr<const KernelCode>> codes;  // code of each step
  Nanoseconds compile_time;
  const LoadOptions& options;
};

Error refuse_spec(std::string what) { return Error(ErrorCode::invalid_argument, std::move(what)); }

Result<void> check_launches(const tune::Launch& launch, const DeviceInfo& device) {
  std::size_t launches = 0;
  for (const tune::PlannedStep& step : launch.steps) launches += step.repeat;
  if (launches > kMostLaunches)
    return refuse_spec(fmt::format("the spec has {} launches, and a work has at most {}", launches, kMostLaunches))
        .hint("let the spec repeat fewer of them");
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

std::vector<std::optional<std::size_t>> sources_of(const tune::PlannedStep& step) {
  std::vector<std::optional<std::size_t>> sources;
  for (const std::size_t argument : step.arguments) {
    const bool has_own = std::ranges::count(step.values, argument, &tune::PlannedValue::argument) > 0;
    sources.push_back(has_own ? std::nullopt : std::optional(argument));
  }
  return sources;
}

LoadedKernel launch_of_step(const Recipe& recipe, std::size_t place, std::span<const backend::Buffer* const> buffers) {
  const tune::PlannedStep& step = recipe.launch.steps[place];
  return {.name = step.function,
          .code = recipe.codes[place],
          .geometry = step.geometry,
          .arguments = tune::launch_arguments(recipe.spec.arguments, recipe.launch, step, buffers),
          .buffers = {},
          .sources = sources_of(step)};
}

Result<std::shared_ptr<const LoadedKernel>> make_copy(backend::Device& device, backend::Stream& stream,
                                                      const Recipe& recipe) {
  std::vector<ArgumentBuffers> all(recipe.launch.arguments.size());
  std::vector<const backend::Buffer*> buffers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto* planned = std::get_if<tune::PlannedBuffer>(&recipe.launch.arguments[i])) {
      WATTUNE_ASSIGN(all[i], find_or_make(device, stream, recipe, i, *planned));
    }
    buffers.push_back(all[i].buffer.get());
  }
  WATTUNE_TRY(stream.finish(recipe.options.limit));
  auto kernel = std::make_shared<LoadedKernel>(launch_of_step(recipe, 0, buffers));
  if (!recipe.spec.name.empty()) kernel->name = recipe.spec.name;
  kernel->compile_time = recipe.compile_time;
  kernel->holders = recipe.launch.holders;
  for (ArgumentBuffers& its : all) {
    kernel->buffers.push_back(std::move(its.buffer));
    kernel->pristine.push_back(std::move(its.pristine));
  }
  for (std::size_t place = 0; place < recipe.launch.steps.size(); ++place) {
    const std::size_t repeat = recipe.launch.steps[place].repeat - (place == 0 ? 1 : 0);
    if (repeat == 0) continue;
    const auto launch = std::make_shared<const LoadedKernel>(launch_of_step(recipe, place, buffers));
    kernel->then.insert(kernel->then.end(), repeat, launch);
  }
  return std::shared_ptr<const LoadedKernel>(std::move(kernel));
}

// Returns the source with this function as the one that is launched.
KernelSource source_of_function(KernelSource source, const std::string& function) {
  if (source.function == function) return source;
  std::erase(source.other_functions, function);
  source.other_functions.push_back(std::exchange(source.function, function));
  return source;
}

// Tells whether two launches run the same code. Slices in OpenCL have code for their grid (`by_grid`).
bool is_same_code(const tune::PlannedStep& one, const tune::PlannedStep& other, bool by_grid) {
  if (one.function != other.function) return false;
  return by_grid
             ? one.geometry == other.geometry
             : one.geometry.cooperative == other.geometry.cooperative && one.geometry.cluster == other.geometry.cluster;
}

// Returns for each step the first step that runs the same code.
std::vector<std::size_t> first_with_code(std::span<const tune::PlannedStep> steps, bool by_grid) {
  std::vector<std::size_t> first;
  for (const tune::PlannedStep& step : steps) {
    const auto same = [&](const tune::PlannedStep& other) { return is_same_code(step, other, by_grid); };
    first.push_back(static_cast<std::size_t>(std::ranges::find_if(steps, same) - steps.begin()));
  }
  return first;
}

// Loads the code of each step. Equal code is loaded only once.
Result<std::vector<std::shared_ptr<const KernelCode>>> load_codes(backend::Device& device, const KernelSource& source,
                                                                  std::span<const backend::Macro> macros,
                                                                  std::span<const tune::PlannedStep> steps,
                                                                  LoadOptions options) {
  const bool by_grid = source.language == Language::opencl && options.with_twins;
  std::vector<std::size_t> first = first_with_code(steps, by_grid);
  const std::size_t grids = std::set<std::size_t>(first.begin(), first.end()).size();
  if (by_grid && grids > kMostGrids) {
    options.with_twins = false;
    options.why_whole = fmt::format(
        "its launches have {} different grids, and slices of each would need code of their own (at most {})", grids,
        kMostGrids);
    first = first_with_code(steps, false);
  }
  std::vector<std::shared_ptr<const KernelCode>> codes;
  for (std::size_t place = 0; place < steps.size(); ++place) {
    if (first[place] < place) {
      codes.push_back(codes[first[place]]);
      continue;
    }
    const tune::PlannedStep& step = steps[place];
    WATTUNE_ASSIGN(codes.emplace_back(),
                   load_code(device, source_of_function(source, step.function), macros, step.geometry, options));
  }
  return codes;
}

void replace_in_launch(LoadedKernel& launch, const ReplaceArgument& replace) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    replace(launch.arguments[i], i < launch.sources.size() ? launch.sources[i] : std::nullopt);
}

// Returns the reason of the first launch that has one. In a sequence it names the launch, unless all launches have the
// same reason.
template <typename Why>
std::string first_reason(const LoadedKernel& kernel, Why why) {
  for (std::size_t place = 0; place < launches_in(kernel); ++place) {
    const std::string reason = why(launch_at(kernel, place));
    if (reason.empty()) continue;
    const auto is_same = [&](const auto& launch) { return why(*launch) == reason; };
    const bool is_of_all = place == 0 && std::ranges::all_of(kernel.then, is_same);
    return is_of_all ? reason : fmt::format("{} (launch {} of {})", reason, place + 1, launches_in(kernel));
  }
  return {};
}

std::string why_not_persistent_launch(const LoadedKernel& launch) {
  const KernelCode& code = *launch.code;
  const std::array<std::size_t, 3>& block = launch.geometry.group_size;
  if (!code.no_persistent.empty() || slice::has_shape(block, code.persistent_blocks)) return code.no_persistent;
  return fmt::format(
      "some of its threads return early, so that its blocks can stay resident only where {}, and they are {} x {} x {}",
      slice::words_for(code.persistent_blocks), block[0], block[1], block[2]);
}

}  // namespace

void replace_arguments(LoadedKernel& kernel, const ReplaceArgument& replace) {
  replace_in_launch(kernel, replace);
  // Copies of repeated launches.
  std::map<std::shared_ptr<const LoadedKernel>, std::shared_ptr<const LoadedKernel>> copies;
  for (std::shared_ptr<const LoadedKernel>& next : kernel.then) {
    std::shared_ptr<const LoadedKernel>& known = copies[next];
    if (known == nullptr) {
      const auto copy = std::make_shared<LoadedKernel>(*next);
      replace_in_launch(*copy, replace);
      known = copy;
    }
    next = known;
  }
}

Result<std::shared_ptr<const LoadedKernel>> with_own_outputs(backend::Device& device, const KernelSpec& spec,
                                                             const LoadedKernel& kernel) {
  auto copy = std::make_shared<LoadedKernel>(kernel);
  std::map<const backend::Buffer*, const backend::Buffer*> own;  // the copy's own buffer, by the shared buffer
  for (std::size_t i = 0; i < copy->buffers.size(); ++i) {
    const backend::Buffer* const shared = kernel.buffers[i].get();
    if (shared == nullptr || std::get<VectorArgument>(spec.arguments[i].kind).access == ArgumentAccess::read_only)
      continue;
    if (shared->has_pixels())
      return Error(ErrorCode::unavailable, "an image cannot be copied, so that works cannot have one of their own")
          .about(spec.arguments[i].name);
    WATTUNE_ASSIGN(copy->buffers[i], device.create_buffer(shared->bytes()));
    own[shared] = copy->buffers[i].get();
  }
  replace_arguments(*copy, [&](backend::LaunchArgument& argument, const std::optional<std::size_t>&) {
    auto* const used = std::get_if<const backend::Buffer*>(&argument);
    if (const auto found = used == nullptr ? own.end() : own.find(*used); found != own.end()) *used = found->second;
  });
  return std::shared_ptr<const LoadedKernel>(std::move(copy));
}

std::string why_no_slices(const LoadedKernel& kernel) {
  return first_reason(kernel, [](const LoadedKernel& launch) { return launch.code->no_slices; });
}

std::string why_not_persistent(const LoadedKernel& kernel) { return first_reason(kernel, why_not_persistent_launch); }

bool is_order_sensitive(const LoadedKernel& kernel) {
  return kernel.code->order_sensitive ||
         std::ranges::any_of(kernel.then, [](const auto& launch) { return launch->code->order_sensitive; });
}

slice::Grid grid_of(const backend::Geometry3& geometry) {
  const auto size = [&](std::size_t axis) { return static_cast<std::uint32_t>(geometry.groups[axis]); };
  return {size(0), size(1), size(2)};
}

std::uint64_t blocks_of(const LoadedKernel& kernel) {
  std::uint64_t blocks = 0;
  for (std::size_t place = 0; place < launches_in(kernel); ++place) {
    const slice::Grid grid = grid_of(launch_at(kernel, place).geometry);
    blocks += std::uint64_t{grid.x} * grid.y * grid.z;
  }
  return blocks;
}

Result<std::vector<std::shared_ptr<const LoadedKernel>>> load_kernel(backend::Device& device, const KernelSpec& spec,
                                                                     const Configuration& configuration,
                                                                     const LoadOptions& options) {
  KernelSpec own = spec;
  WATTUNE_TRY(use_language(own, device.info().languages));
  const auto names = std::make_shared<const tune::Names>(own.problem_size, own.parameters);
  WATTUNE_ASSIGN(const auto plan, tune::LaunchPlan::compile(own, launches_of(own), names));
  WATTUNE_ASSIGN(const tune::Launch launch, plan.evaluate(configuration));
  WATTUNE_TRY(check_launches(launch, device.info()));
  const std::vector<backend::Macro> macros = tune::macros_of(own.parameters, configuration);
  const Stopwatch compiling;
  WATTUNE_ASSIGN(auto codes, load_codes(device, launched_source(own), macros, launch.steps, options));
  const Nanoseconds compile_time = compiling.elapsed();
  tune::ArgumentContents contents(own.arguments);
  WATTUNE_TRY(contents.compile(names));
  const Recipe recipe{own, launch, contents, std::move(codes), compile_time, options};
  WATTUNE_ASSIGN(const auto stream, device.create_stream());
  std::vector<std::shared_ptr<const LoadedKernel>> copies;
  while (copies.size() < options.copies) {
    WATTUNE_ASSIGN(copies.emplace_back(), make_copy(device, *stream, recipe));
  }
  return copies;
}

}  // namespace wattune::schedule

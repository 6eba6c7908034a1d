#include "dynamic/screening/screening_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::dynamic {

namespace {

std::uint64_t bytes_on_device(const Argument& argument, const tune::PlannedArgument& planned) {
  const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned);
  if (buffer == nullptr) return 0;
  const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
  const bool twice = vector != nullptr && vector->access == ArgumentAccess::read_write;
  return buffer->bytes * (twice ? 2 : 1);
}

// Halves the largest even size. Returns false if no size is even.
bool halve_largest(std::vector<NamedSize>& sizes) {
  NamedSize* largest = nullptr;
  for (NamedSize& size : sizes)
    if (size.value > 1 && size.value % 2 == 0 && (largest == nullptr || size.value > largest->value)) largest = &size;
  if (largest != nullptr) largest->value /= 2;
  return largest != nullptr;
}

// The assumed time of a step per byte of data. Steps in a worker that moved 20 MB on an H200 took thirty times as long
// per byte (docs/results/dynamic.md). But their time includes copies between processes, which delay no kernel, and few
// outputs are copied. With this constant, 4 ms allow 200 MB, several times the caches of such a GPU. For data that fit
// into caches, other configurations would be the best.
constexpr double kNanosecondsPerByte = 0.02;
// Number of runs in a step: the first launch, six samples, and the run whose outputs are compared. Much slower
// candidates are launched only once or twice.
constexpr double kRunsPerStep = 8.0;

// Returns the fraction of the work that remains with smaller sizes. The work is assumed to be proportional to the bytes
// or to the product of the sizes, whichever becomes smaller. If a kernel's work depends even more on the sizes, it
// becomes smaller still.
double part_of(const std::vector<NamedSize>& smaller, const std::vector<NamedSize>& whole, double part_of_bytes) {
  double product = 1.0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    product *= static_cast<double>(smaller[i].value) / static_cast<double>(whole[i].value);
  return std::min(product, part_of_bytes);
}

Nanoseconds time_of(const ScreeningStep& step, std::uint64_t bytes, double part) {
  return Nanoseconds(kNanosecondsPerByte * static_cast<double>(bytes)) + kRunsPerStep * part * step.kernel_time;
}

// Halves the largest size, even if it is odd. Returns false if no size can be halved.
bool halve_largest_of_all(std::vector<NamedSize>& sizes) {
  const auto largest = std::ranges::max_element(sizes, {}, &NamedSize::value);
  if (largest == sizes.end() || largest->value <= 1) return false;
  largest->value /= 2;
  return true;
}

Error too_large(const Problem& problem, std::uint64_t needed, std::uint64_t most) {
  return Error(ErrorCode::unavailable,
               fmt::format("screening kernel `{}` at {} takes {:.4g} MB of the device's memory, and may take {:.4g} MB",
                           problem.spec.name, to_string(problem.key), static_cast<double>(needed) / 1e6,
                           static_cast<double>(most) / 1e6))
      .hint(
          "only the best known runs; leave it a larger part of the device's memory, or choose another level of safety");
}

}  // namespace

Result<std::uint64_t> screening_memory(const KernelSpec& spec, const space::SearchSpace& space) {
  const auto names = std::make_shared<const tune::Names>(spec.problem_size, space.parameters());
  WATTUNE_ASSIGN(const tune::LaunchPlan plan, tune::LaunchPlan::compile(spec, launches_of(spec), names));
  WATTUNE_ASSIGN(const auto planned, plan.arguments(space.configuration(space.default_configuration())));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < planned.size(); ++i) bytes += bytes_on_device(spec.arguments[i], planned[i]);
  return bytes;
}

Result<KernelSpec> fit_to_memory(const Problem& problem, std::uint64_t most) {
  KernelSpec spec = problem.spec;
  WATTUNE_ASSIGN(const std::uint64_t whole, screening_memory(spec, problem.space));
  for (std::uint64_t needed = whole; needed > most;) {
    if (!halve_largest(spec.problem_size)) return too_large(problem, whole, most);
    WATTUNE_ASSIGN(needed, screening_memory(spec, problem.space));
  }
  return spec;
}

Result<KernelSpec> fit_to_time(KernelSpec spec, const space::SearchSpace& space, const ScreeningStep& step) {
  const std::vector<NamedSize> sizes = spec.problem_size;
  WATTUNE_ASSIGN(const std::uint64_t whole, screening_memory(spec, space));
  const auto takes = [&](std::uint64_t bytes) {
    const double part_of_bytes = static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
    return time_of(step, bytes, part_of(spec.problem_size, sizes, part_of_bytes));
  };
  for (std::uint64_t needed = whole; takes(needed) > step.most;) {
    KernelSpec smaller = spec;
    if (!halve_largest_of_all(smaller.problem_size)) break;
    WATTUNE_ASSIGN(const std::uint64_t less, screening_memory(smaller, space));
    if (less >= needed) break;
    needed = less;
    spec = std::move(smaller);
  }
  return spec;
}

}  // namespace wattune::dynamic

// Measures how much more a launch through the library costs than the driver's own call, on one device in this process.
//
//   launch_overhead [PAIRS [DEVICE]]        default 1000, cuda:0
//
// The kernel takes a pointer, a float and an int, and does nothing. Its image is loaded three times: by bare calls into
// a context that is current for this thread, by a Device attached to that context, and by a Device with a context of
// its own. Each call of the last one makes its context current and then restores the old one.
//
// Blocks of launches by PreparedLaunch alternate with blocks of launches by cuLaunchKernel. A block begins with an
// empty queue and does not fill it. Its result is the host's time over the number of launches.
//
// The program prints medians of the results. For the differences between neighbouring blocks it prints the median with
// its confidence interval. A second row of raw launches shows the difference that the method finds where there is none.
//
// Without a GPU the tests' stand-in for libcuda serves; then only the library's own part is measured
// (docs/results/overhead.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "lab/perf/raw_launch.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"

namespace wattune {
namespace {

using perf::kLaunches;
using perf::Raw;

constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);
constexpr char kSource[] =
    "extern \"C\" __global__ void scale(float* x, float factor, int n) {\n"
    "  if (static_cast<int>(threadIdx.x) < n) x[threadIdx.x] *= factor;\n"
    "}\n";

// The same kernel, launched through the library.
struct Prepared {
  std::unique_ptr<backend::Program> program;
  std::unique_ptr<backend::Kernel> kernel;
  std::unique_ptr<backend::Stream> stream;
  std::unique_ptr<backend::PreparedLaunch> launch;
};

template <typename T>
backend::ScalarBytes scalar(T value) {
  backend::ScalarBytes scalar{std::vector<std::byte>(sizeof value)};
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

Result<Prepared> prepare(backend::Device& device, const backend::Image& image) {
  Prepared prepared;
  WATTUNE_ASSIGN(prepared.program, device.load(image, {}, kLimit));
  WATTUNE_ASSIGN(prepared.kernel, prepared.program->kernel("scale"));
  WATTUNE_ASSIGN(prepared.stream, device.create_stream());
  const backend::Buffer* const none = nullptr;
  const std::vector<backend::LaunchArgument> arguments{none, scalar(2.0F), scalar(0)};
  WATTUNE_ASSIGN(prepared.launch, prepared.stream->prepare(*prepared.kernel, {.group_size = {32, 1, 1}}, arguments));
  return prepared;
}

Result<void> compare(const std::string& selector, std::size_t pairs) {
  WATTUNE_ASSIGN(const auto device, backend::open_device(selector));
  KernelSource source;
  source.language = Language::cuda;
  source.text = kSource;
  source.function = "scale";
  WATTUNE_ASSIGN(const backend::CompileTarget target, device->compile_target(source));
  WATTUNE_ASSIGN(const backend::Image image, backend::compile_image(target, source, {}, kLimit));
  const int ordinal = std::atoi(selector.c_str() + selector.find(':') + 1);
  WATTUNE_ASSIGN(Raw raw, Raw::make(ordinal, image));
  WATTUNE_ASSIGN(const auto attached_device, backend::attach_cuda());
  WATTUNE_ASSIGN(const Prepared attached, prepare(*attached_device, image));
  WATTUNE_ASSIGN(const Prepared apart, prepare(*device, image));

  int failures = 0;
  const auto through_driver = [&] {
    const double time = perf::time_block([&] { failures += raw.send() != 0; });
    raw.finish();
    return time;
  };
  const auto through_library = [&](const Prepared& prepared) {
    const double time = perf::time_block([&] { failures += !prepared.launch->send(); });
    failures += !prepared.stream->finish(kLimit);
    return time;
  };
  const std::array<std::function<double()>, 4> ways = {through_driver, [&] { return through_library(attached); },
                                                       [&] { return through_library(apart); }, through_driver};
  const std::vector<std::vector<double>> times = perf::alternate(ways, pairs);
  if (failures > 0) return Error(ErrorCode::launch_failed, fmt::format("{} launches failed", failures));
  fmt::print("{} ({}), {} blocks of {} launches each, nanoseconds of the host for one launch\n", device->info().name,
             device->info().driver_version, pairs, kLaunches);
  fmt::print("{:<44} {:>9} {:>9}   {}\n", "", "median", "added", "95 % interval of what is added");
  fmt::print("{:<44} {:>9.1f}\n", "cuLaunchKernel", perf::summary(times[0]).median);
  perf::report("PreparedLaunch::send, its context is current", times[1], times[0]);
  perf::report("PreparedLaunch::send, another one is current", times[2], times[0]);
  perf::report("cuLaunchKernel, again", times[3], times[0]);
  return {};
}

}  // namespace
}  // namespace wattune

int main(int argc, char** argv) {
  const std::size_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const auto done = wattune::compare(argc > 2 ? argv[2] : "cuda:0", std::max<std::size_t>(pairs, 1));
  if (done) return 0;
  fmt::print(stderr, "launch_overhead: {}\n", done.error().to_string());
  return 1;
}

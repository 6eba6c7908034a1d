// What calling a tunable kernel costs more than launching it with bare calls of the driver, in the application's own
// context and stream.
//
//   call_overhead [ROUNDS [DEVICE]]        default 1000, cuda:0; opencl: the first OpenCL device
//
// The kernel takes a pointer, a float and an int, and has one configuration. With Mode::best calls never ask anything;
// with Mode::automatic its tuning is over, and one call of TuningPolicy::watch_every is timed. Blocks alternate as in
// launch_overhead.cc (docs/results/overhead.md).
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "backend/opencl/cl_api.h"
#include "dynamic/scale_spec.h"
#include "perf/raw_launch.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"
#include "wattune/dynamic/tuner.h"

namespace wattune {
namespace {

using perf::kLaunches;

constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);
constexpr char kCuda[] =
    "extern \"C\" __global__ void scale(float* x, float factor, int n) {\n"
    "  if (static_cast<int>(threadIdx.x) < n) x[threadIdx.x] *= factor;\n"
    "}\n";
constexpr char kOpenCl[] =
    "kernel void scale(global float* x, float factor, int n) {\n"
    "  if (get_global_id(0) < n) x[get_global_id(0)] *= factor;\n"
    "}\n";
constexpr int kElements = 32;

// With the arguments as perf::Raw launches them.
KernelSpec spec_in(Language language) {
  const bool is_cuda = language == Language::cuda;
  KernelSpec spec =
      test::scale_spec(language, is_cuda ? kCuda : kOpenCl, kElements, {{.name = "BLOCK", .values = {32}}});
  std::swap(spec.arguments[1], spec.arguments[2]);
  return spec;
}

// What a call asks the driver besides its launch (cuda_calls_test.cc counts that), alone and in nanoseconds.
struct DriverParts {
  double context = 0.0;  // cuCtxGetCurrent
  double capture = 0.0;  // cuStreamIsCapturing
  double times = 0.0;    // the events of a timed call: made, recorded, asked, read, destroyed
};

// The ways to launch it, each a block of launches into an empty queue.
struct Ways {
  std::function<int()> raw;      // one launch; what the driver answered
  std::function<void()> finish;  // the queue
  std::function<Result<void>(dynamic::TunableKernel& kernel)> call;
  std::optional<DriverParts> driver = {};  // where they are known
};

// What is left of `added` is the library's own.
void report_parts(const DriverParts& driver, double added_by_best, double added_by_automatic) {
  const double asked = driver.context + driver.capture;
  const double timed = driver.times / static_cast<double>(dynamic::TuningPolicy().watch_every);
  fmt::print("of that the driver's: {:.1f} the current context, {:.1f} capture, {:.1f} the events of a timed call\n",
             driver.context, driver.capture, driver.times);
  fmt::print("the library's own: {:.1f} (best), {:.1f} (automatic, if each {}th call is timed)\n",
             added_by_best - asked, added_by_automatic - asked - timed, dynamic::TuningPolicy().watch_every);
}

Result<void> compare(backend::Device& device, Language language, const Ways& ways, std::size_t rounds) {
  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(device));
  const auto make = [&](dynamic::Mode mode) {
    return tuner->kernel(spec_in(language), {.policy = {.mode = mode, .safety = dynamic::Safety::trusted}});
  };
  WATTUNE_ASSIGN(const auto best, make(dynamic::Mode::best));
  WATTUNE_ASSIGN(const auto automatic, make(dynamic::Mode::automatic));
  const auto is_over = [&] { return automatic->report().keys.front().state.starts_with("tuned"); };
  for (bool over = false; !over; over = is_over()) {
    WATTUNE_TRY(ways.call(*best));
    WATTUNE_TRY(ways.call(*automatic));
    ways.finish();
  }
  int failures = 0;
  const auto block = [&](const std::function<bool()>& launch) {
    return [&, launch] {
      const double time = perf::time_block([&] { failures += !launch(); });
      ways.finish();
      return time;
    };
  };
  const std::array<std::function<double()>, 4> blocks = {
      block([&] { return ways.raw() == 0; }), block([&] { return ways.call(*best).has_value(); }),
      block([&] { return ways.call(*automatic).has_value(); }), block([&] { return ways.raw() == 0; })};
  const std::vector<std::vector<double>> times = perf::alternate(blocks, rounds);
  if (failures > 0) return Error(ErrorCode::launch_failed, fmt::format("{} launches failed", failures));
  const double raw = perf::summary(times[0]).median;
  fmt::print("{} ({}), {} blocks of {} launches each, nanoseconds of the host for one launch\n", device.info().name,
             device.info().driver_version, rounds, kLaunches);
  fmt::print("{:<44} {:>9} {:>9}   {}\n", "", "median", "added", "95 % interval of what is added");
  fmt::print("{:<44} {:>9.1f}\n", "bare calls", raw);
  perf::report("a call, Mode::best", times[1], times[0]);
  perf::report("a call, Mode::automatic, tuning is over", times[2], times[0]);
  perf::report("bare calls, again", times[3], times[0]);
  const double best_call = perf::summary(times[1]).median;
  const double automatic_call = perf::summary(times[2]).median;
  fmt::print("ratio to bare calls: {:.3f} (best), {:.3f} (automatic)\n", best_call / raw, automatic_call / raw);
  if (ways.driver) report_parts(*ways.driver, best_call - raw, automatic_call - raw);
  return {};
}

// The medians of blocks in turns.
DriverParts time_driver(perf::Raw& raw, std::size_t rounds) {
  const auto block = [](const std::function<void()>& call) { return [call] { return perf::time_block(call); }; };
  const std::array<std::function<double()>, 3> blocks = {
      block([&] { raw.ask_for_context(); }), block([&] { raw.ask_for_capture(); }), [&] {
        const double time = perf::time_block([&] { raw.time_nothing(); });
        raw.finish();
        return time;
      }};
  const std::vector<std::vector<double>> times = perf::alternate(blocks, rounds);
  return {.context = perf::summary(times[0]).median,
          .capture = perf::summary(times[1]).median,
          .times = perf::summary(times[2]).median};
}

Result<void> compare_cuda(const std::string& selector, std::size_t rounds) {
  KernelSource source = spec_in(Language::cuda).source;
  WATTUNE_ASSIGN(const auto compiling, backend::open_device(selector));
  WATTUNE_ASSIGN(const backend::CompileTarget target, compiling->compile_target(source));
  WATTUNE_ASSIGN(const backend::Image image, backend::compile_image(target, source, {}, kLimit));
  WATTUNE_ASSIGN(perf::Raw raw, perf::Raw::make(std::atoi(selector.c_str() + selector.find(':') + 1), image));
  WATTUNE_ASSIGN(const auto device, backend::attach_cuda());
  WATTUNE_ASSIGN(const auto memory, device->create_buffer(kElements * sizeof(float)));
  auto* const x = reinterpret_cast<float*>(memory->memory());
  raw.set_memory(memory->memory(), kElements);
  return compare(*device, Language::cuda,
                 {.raw = [&] { return raw.send(); },
                  .finish = [&] { raw.finish(); },
                  .call = [&](dynamic::TunableKernel& kernel) { return kernel(raw.stream(), x, 2.0F, kElements); },
                  .driver = time_driver(raw, rounds)},
                 rounds);
}

Result<void> compare_opencl(std::size_t rounds) {
  WATTUNE_ASSIGN(const backend::opencl::ClApi* const cl, backend::opencl::cl_api());
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  if (cl->clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr) != CL_SUCCESS)
    return Error(ErrorCode::unavailable, "no OpenCL device on this machine");
  const cl_context context = cl->clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
  const cl_command_queue queue = cl->clCreateCommandQueue(context, id, CL_QUEUE_PROFILING_ENABLE, nullptr);
  const cl_mem x = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, kElements * sizeof(float), nullptr, nullptr);
  const char* text = kOpenCl;
  const cl_program program = cl->clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
  cl->clBuildProgram(program, 1, &id, "", nullptr, nullptr);
  const cl_kernel kernel = cl->clCreateKernel(program, "scale", nullptr);
  constexpr std::size_t kSize = kElements;
  const float factor = 2.0F;
  const cl_int n = kElements;
  WATTUNE_ASSIGN(const auto device, backend::attach_opencl(context, id));
  WATTUNE_ASSIGN(const auto stream, backend::adopt_stream(*device, queue));
  const auto launch = [&] {
    cl_int code = cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &x);
    code |= cl->clSetKernelArg(kernel, 1, sizeof factor, &factor);
    code |= cl->clSetKernelArg(kernel, 2, sizeof n, &n);
    return code | cl->clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kSize, &kSize, 0, nullptr, nullptr);
  };
  const auto finish = [&] {
    while (*stream->state() != backend::StreamState::idle) {
    }
  };
  // The objects of OpenCL go with the process.
  return compare(*device, Language::opencl,
                 {.raw = launch,
                  .finish = finish,
                  .call = [&](dynamic::TunableKernel& tunable) { return tunable(queue, x, factor, kElements); }},
                 rounds);
}

}  // namespace
}  // namespace wattune

int main(int argc, char** argv) {
  const std::size_t rounds = std::max<std::size_t>(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000, 1);
  const std::string device = argc > 2 ? argv[2] : "cuda:0";
  const auto done = device == "opencl" ? wattune::compare_opencl(rounds) : wattune::compare_cuda(device, rounds);
  if (done) return 0;
  fmt::print(stderr, "call_overhead: {}\n", done.error().to_string());
  return 1;
}

// Measures how much more a call of a tunable kernel costs than a launch by bare calls of the driver. Both use the
// application's own context and stream.
//
//   call_overhead [ROUNDS [DEVICE]]        default 1000, cuda:0; opencl: the first OpenCL device
//
// The kernel takes a pointer, a float and an int, and has one configuration. It is called with Mode::best, where a call
// decides nothing, and with Mode::automatic after the end of tuning. Then one call in TuningPolicy::watch_every is
// timed.
//
// Blocks of calls and blocks of bare launches alternate, as in launch_overhead.cc (docs/results/overhead.md).
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/opencl/cl_api.h"
#include "dynamic/scale_spec.h"
#include "lab/perf/raw_launch.h"
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

// Returns the spec of the kernel, with the arguments in the order that perf::Raw passes.
KernelSpec spec_in(Language language) {
  const bool is_cuda = language == Language::cuda;
  KernelSpec spec =
      test::scale_spec(language, is_cuda ? kCuda : kOpenCl, kElements, {{.name = "BLOCK", .values = {32}}});
  std::swap(spec.arguments[1], spec.arguments[2]);
  return spec;
}

// A step of a call besides its launch. It is measured alone, between two bare launches, so that its code and data have
// left the nearest caches. A locked operation also waits for the writes of the launch before it.
struct Part {
  std::string what;
  std::function<void()> act;
};

// The functions that launch one kernel, by the driver and by the library.
struct Ways {
  std::function<int()> raw;      // one launch; returns the driver's status
  std::function<void()> finish;  // the queue
  std::function<Result<void>(dynamic::TunableKernel& kernel)> call;
  std::vector<Part> parts = {};  // the known parts of a call
};

void report_parts(const Ways& ways, std::size_t rounds) {
  const auto block = [&](const std::function<void()>& act) {
    return [&, act] {
      const double time = perf::time_block([&] {
        act();
        ways.raw();
      });
      ways.finish();
      return time;
    };
  };
  std::vector<std::function<double()>> blocks{block([] {})};
  for (const Part& part : ways.parts) blocks.emplace_back(block(part.act));
  const std::vector<std::vector<double>> times = perf::alternate(blocks, rounds);
  fmt::print("what parts of a call add to bare calls\n");
  for (std::size_t i = 0; i < ways.parts.size(); ++i) perf::report(ways.parts[i].what, times[i + 1], times[0]);
}

Result<void> compare(backend::Device& device, Language language, const Ways& ways, std::size_t rounds) {
  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(device));
  const auto make = [&](dynamic::Mode mode) {
    return tuner->kernel(spec_in(language), {.policy = {.mode = mode, .safety = dynamic::Safety::trusted}});
  };
  WATTUNE_ASSIGN(const auto best, make(dynamic::Mode::best));
  WATTUNE_ASSIGN(const auto automatic, make(dynamic::Mode::automatic));
  const auto is_over = [&] { return automatic->report().keys.front().stage == dynamic::TuningStage::complete; };
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
  fmt::print("ratio to bare calls: {:.3f} (best), {:.3f} (automatic)\n", perf::summary(times[1]).median / raw,
             perf::summary(times[2]).median / raw);
  if (!ways.parts.empty()) report_parts(ways, rounds);
  return {};
}

// Returns the steps of a call besides its launch. A call makes no query of the driver (cuda_calls_test.cc).
std::vector<Part> parts_of_a_call(const perf::Raw& raw) {
  const auto lock = std::make_shared<std::recursive_mutex>();
  const auto count = std::make_shared<std::atomic<std::uint64_t>>();
  return {{"a lock that nobody else wants", [lock] { const std::lock_guard locked(*lock); }},
          {"an atomic counter", [count] { count->fetch_add(1, std::memory_order_relaxed); }},
          {"the events of a timed call", [&] { raw.time_nothing(); }}};
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
                  .parts = parts_of_a_call(raw)},
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
  // Releases no object of OpenCL; they last until the process ends.
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

// What launching a kernel through the library costs more than the driver's own call, on one device in this process.
//
//   launch_overhead [PAIRS [DEVICE]]        default 1000, cuda:0
//
// One image is loaded three times: with bare calls into a context that is current for this thread, by a device that is
// attached to that context, and by a device in a context of its own, which each of its calls makes current and then
// not. Its kernel takes a pointer, a float and an int, and does nothing. Blocks of launches through the
// PreparedLaunches and through cuLaunchKernel alternate, each into an empty queue that it does not fill; what counts is
// the host's time of a block by the launches in it. Prints medians, and of the differences of neighbours the median
// with its interval; a second row of raw launches shows what the method makes of no difference at all. Without a GPU
// the tests' stand-in for libcuda serves, which leaves the library's part (docs/results/overhead.md).
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "backend/cuda/cu_api.h"
#include "measure/median_interval.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"

namespace wattune {
namespace {

using backend::cuda::CuApi;

constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);
constexpr int kLaunches = 200;  // of a block; a stream takes about a thousand before it makes the host wait
constexpr char kSource[] =
    "extern \"C\" __global__ void scale(float* x, float factor, int n) {\n"
    "  if (static_cast<int>(threadIdx.x) < n) x[threadIdx.x] *= factor;\n"
    "}\n";

using LaunchKernel = int (*)(backend::cuda::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, backend::cuda::CUstream, void**, void**);

Result<void*> driver_launch() {
  const char* const chosen = std::getenv("WATTUNE_LIBCUDA");
  void* const library = dlopen(chosen != nullptr ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library != nullptr ? dlsym(library, "cuLaunchKernel") : nullptr;
  if (symbol == nullptr) return Error(ErrorCode::unavailable, "the driver has no cuLaunchKernel");
  return symbol;
}

Result<void> check(backend::cuda::CUresult code, std::string_view doing) {
  if (code == backend::cuda::CUDA_SUCCESS) return {};
  return Error(ErrorCode::unavailable, fmt::format("{} failed with {}", doing, code));
}

// The same launch with bare calls, in a context of its own that stays current.
class Raw {
 public:
  static Result<Raw> make(int ordinal, const backend::Image& image) {
    Raw raw;
    WATTUNE_ASSIGN(raw.cu_, backend::cuda::cu_api());
    WATTUNE_ASSIGN(void* const launch, driver_launch());
    raw.launch_ = reinterpret_cast<LaunchKernel>(launch);
    backend::cuda::CUdevice device = 0;
    WATTUNE_TRY(check(raw.cu_->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
    backend::cuda::CUcontext context = nullptr;
    WATTUNE_TRY(check(raw.cu_->cuCtxCreate(&context, 0, device), "cuCtxCreate"));
    WATTUNE_TRY(check(raw.cu_->cuStreamCreate(&raw.stream_, 0), "cuStreamCreate"));
    char log[64] = {};
    backend::cuda::CUjit_option options[] = {
        backend::cuda::CU_JIT_INFO_LOG_BUFFER, backend::cuda::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        backend::cuda::CU_JIT_ERROR_LOG_BUFFER, backend::cuda::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* const bytes = reinterpret_cast<void*>(sizeof log / 2);
    void* values[] = {log, bytes, log + sizeof log / 2, bytes};
    backend::cuda::CUmodule module = nullptr;
    WATTUNE_TRY(check(raw.cu_->cuModuleLoadDataEx(&module, image.code.c_str(), 4, options, values), "loading"));
    WATTUNE_TRY(check(raw.cu_->cuModuleEnumerateFunctions(&raw.function_, 1, module), "cuModuleEnumerateFunctions"));
    return raw;
  }

  int send() {
    void* parameters[] = {&x_, &factor_, &n_};
    return launch_(function_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr);
  }
  void finish() const {
    while (cu_->cuStreamQuery(stream_) == backend::cuda::CUDA_ERROR_NOT_READY) {
    }
  }

 private:
  const CuApi* cu_ = nullptr;
  LaunchKernel launch_ = nullptr;
  backend::cuda::CUstream stream_ = nullptr;
  backend::cuda::CUfunction function_ = nullptr;
  backend::cuda::CUdeviceptr x_ = 0;
  float factor_ = 2.0F;
  int n_ = 0;
};

// The same launch through the library.
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

// Nanoseconds of one launch.
template <typename Send>
double time_block(const Send& send) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i) send();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / kLaunches;
}

measure::MedianInterval summary(std::vector<double> values) {
  std::ranges::sort(values);
  return measure::median_interval(values, 0.95);
}

void report(const std::string& what, const std::vector<double>& values, const std::vector<double>& raw) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) differences.push_back(values[i] - raw[i]);
  const measure::MedianInterval added = summary(differences);
  fmt::print("{:<44} {:>9.1f} {:>9.1f}   {:.1f} to {:.1f}\n", what, summary(values).median, added.median, added.low,
             added.high);
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
    const double time = time_block([&] { failures += raw.send() != 0; });
    raw.finish();
    return time;
  };
  const auto through_library = [&](const Prepared& prepared) {
    const double time = time_block([&] { failures += !prepared.launch->send(); });
    failures += !prepared.stream->finish(kLimit);
    return time;
  };
  const std::array<std::function<double()>, 4> ways = {through_driver, [&] { return through_library(attached); },
                                                       [&] { return through_library(apart); }, through_driver};
  std::array<std::vector<double>, 4> times;
  for (std::size_t i = 0; i < pairs; ++i) {
    // Each takes each place in turn, so that what a block leaves behind falls on all alike.
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t which = (i + turn) % ways.size();
      times[which].push_back(ways[which]());
    }
  }
  if (failures > 0) return Error(ErrorCode::launch_failed, fmt::format("{} launches failed", failures));
  fmt::print("{} ({}), {} blocks of {} launches each, nanoseconds of the host for one launch\n", device->info().name,
             device->info().driver_version, pairs, kLaunches);
  fmt::print("{:<44} {:>9} {:>9}   {}\n", "", "median", "added", "95 % interval of what is added");
  fmt::print("{:<44} {:>9.1f}\n", "cuLaunchKernel", summary(times[0]).median);
  report("PreparedLaunch::send, its context is current", times[1], times[0]);
  report("PreparedLaunch::send, another one is current", times[2], times[0]);
  report("cuLaunchKernel, again", times[3], times[0]);
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

// Runs a tuned kernel in an application that uses OpenCL already. The kernel runs in the application's own context and
// queue, on its buffer, between its own commands. With CUDA, the three lines that name OpenCL's objects are
//
//   attach_cuda()                                       // the current context, the runtime API's too
//   adopt_stream(*device, stream)                       // CUstream or cudaStream_t
//   adopt_buffer(*device, address, bytes)               // CUdeviceptr
//
// and the kernel is CUDA C++ (KernelSource::language).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/store/formats.h"
#include "wattune/tune/evaluator.h"

namespace {

using wattune::Result;

constexpr const char* kSource = R"(
__kernel void scale(__global float* x, int n) {
  for (int i = 0; i < PER_ITEM; ++i) {
    const int at = get_group_id(0) * BLOCK * PER_ITEM + i * BLOCK + get_local_id(0);
    if (at < n) x[at] *= 2.0f;
  }
})";

constexpr int kElements = 100'000;
constexpr wattune::Nanoseconds kLimit = wattune::nanoseconds_from_seconds(60);

// The application without tuning: its context, its queue, its memory.
struct Application {
  Application(cl_device_id with) : device(with) {
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
    std::vector<float> ones(kElements, 1.0f);
    x = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float), ones.data(),
                       nullptr);
  }
  ~Application() {
    clReleaseMemObject(x);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem x;
};

Result<void> double_ten_times(Application& application, const std::vector<wattune::Parameter>& parameters,
                              const wattune::Configuration& configuration) {
  using namespace wattune;
  WATTUNE_ASSIGN(const auto device, backend::attach_opencl(application.context, application.device));
  WATTUNE_ASSIGN(const auto stream, backend::adopt_stream(*device, application.queue));
  WATTUNE_ASSIGN(const auto x, backend::adopt_buffer(*device, application.x));

  const KernelSource source{.function = "scale", .file = "scale.cl", .text = kSource};
  WATTUNE_ASSIGN(const auto program, device->build(source, tune::macros_of(parameters, configuration), kLimit));
  WATTUNE_ASSIGN(const auto kernel, program->kernel("scale"));
  const auto block = static_cast<std::size_t>(configuration.find("BLOCK")->as_integer());
  const auto per_item = static_cast<std::size_t>(configuration.find("PER_ITEM")->as_integer());
  const backend::Geometry3 geometry{.groups = {(kElements + block * per_item - 1) / (block * per_item), 1, 1},
                                    .group_size = {block, 1, 1}};
  const auto length = std::as_bytes(std::span(&kElements, 1));
  const backend::LaunchArgument arguments[] = {x.get(), backend::ScalarBytes{{length.begin(), length.end()}}};
  WATTUNE_ASSIGN(const auto launch, stream->prepare(*kernel, geometry, arguments));
  for (int i = 0; i < 10; ++i) WATTUNE_TRY(launch->send());
  clFinish(application.queue);  // the application waits as it always does
  return {};
}

Result<void> run(Application& application, const char* results_file) {
  using namespace wattune;
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(results_file));
  const Trial* best = results.best();
  if (best == nullptr) return Error(ErrorCode::mismatch, "no configuration was correct").about(results_file);
  WATTUNE_TRY(double_ten_times(application, results.info.parameters, best->configuration));
  std::vector<float> x(kElements);
  clEnqueueReadBuffer(application.queue, application.x, CL_TRUE, 0, x.size() * sizeof(float), x.data(), 0, nullptr,
                      nullptr);
  for (const float value : x)
    if (value != 1024.0f) return Error(ErrorCode::internal, "a wrong result");
  std::printf("1 doubled ten times is 1024, in the application's own queue\n");
  return {};
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
    std::printf("no OpenCL device here\n");
    return 1;
  }
  Application application(device);
  const Result<void> result = run(application, WATTUNE_EXAMPLE_DATA "/scale.json");
  if (result) return 0;
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return 1;
}

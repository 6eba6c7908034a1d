// A kernel that tunes itself while the application calls it. The application uses OpenCL already, with its own context,
// queue and buffer. With CUDA the line that attaches is
//
//   const auto device = backend::attach_cuda().value();   // the current context, the runtime API's too
//
// a cudaStream_t and the pointer of cudaMalloc take the places of queue and buffer in the call, and the kernel is CUDA
// C++ (KernelSource::language).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/dynamic/tuner.h"

namespace {

using wattune::Result;
namespace dynamic = wattune::dynamic;

// The kernel in OpenCL C. Each work-item adds to PER_ITEM elements: to adjacent ones if STRETCH is 1, else to every
// BLOCK-th one of its work-group's part.
constexpr const char* kSource = R"(
__kernel void add(__global float* x, int n, float by) {
  for (int i = 0; i < PER_ITEM; ++i) {
    const int at = STRETCH ? get_global_id(0) * PER_ITEM + i
                           : get_group_id(0) * BLOCK * PER_ITEM + i * BLOCK + get_local_id(0);
    if (at < n) x[at] += by;
  }
})";

constexpr int kElements = 100'000;

wattune::KernelSpec add_spec() {
  using namespace wattune;
  KernelSpec spec;
  spec.name = "add";
  spec.source = {.language = Language::opencl, .function = "add", .text = kSource};
  spec.problem_size = {{"n", kElements}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0] = {"n"};
  spec.geometry.work_group[0] = {"BLOCK"};
  spec.geometry.divisors[0] = {{"BLOCK"}, {"PER_ITEM"}};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write}, {}},
                    {"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}},
                    {"by", ScalarArgument{.type = ElementType::float32, .value = {"1.0"}}, {}}};
  spec.parameters = {{.name = "BLOCK", .values = {16, 64, 256}},
                     {.name = "PER_ITEM", .values = {1, 4, 16}},
                     {.name = "STRETCH", .values = {0, 1}}};
  return spec;
}

Result<void> run(cl_context context, cl_device_id id, cl_command_queue queue, cl_mem x) {
  WATTUNE_ASSIGN(const auto device, wattune::backend::attach_opencl(context, id));
  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(*device, {.budget = {.share = 0.5}}));
  WATTUNE_ASSIGN(const auto add, tuner->kernel(add_spec(), {.policy = {.safety = dynamic::Safety::trusted}}));

  constexpr int kCalls = 2'000;
  for (int i = 0; i < kCalls; ++i) {
    WATTUNE_TRY((*add)(queue, x, kElements, 1.0f));  // instead of clSetKernelArg and clEnqueueNDRangeKernel
    if (i % 10 == 9) clFinish(queue);                // the application waits here in any case
  }
  std::vector<float> values(kElements);
  clEnqueueReadBuffer(queue, x, CL_TRUE, 0, values.size() * sizeof(float), values.data(), 0, nullptr, nullptr);
  for (const float value : values)
    if (value != static_cast<float>(kCalls)) return wattune::Error(wattune::ErrorCode::internal, "a wrong result");

  const dynamic::KeyReport key = add->report().keys.front();
  std::printf("%d calls, %llu configurations tried in them, now it runs %s\n", kCalls,
              static_cast<unsigned long long>(key.explored), key.best->to_string().c_str());
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
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, nullptr);
  std::vector<float> zeros(kElements, 0.0f);
  const cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zeros.size() * sizeof(float),
                                  zeros.data(), nullptr);
  const Result<void> result = run(context, device, queue, x);
  clReleaseMemObject(x);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  if (result) return 0;
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return 1;
}

// Runs two kernels together on memory that an application has already, in its own OpenCL context. With CUDA,
// open(kernels) suffices, because it uses the context of the runtime API; arguments are then pointers from
// cudaMalloc().
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/schedule/session.h"

using namespace wattune;

constexpr cl_int kElements = 1 << 16;
constexpr const char* kSource = R"(
kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; }
kernel void add(global const float* x, global float* sum) { sum[get_global_id(0)] += x[get_global_id(0)]; }
)";

// Returns a kernel with these arguments. To measure it, the session makes its own vectors.
schedule::CorunKernel kernel(const char* function, std::vector<Argument> arguments) {
  KernelSpec spec;
  spec.name = function;
  spec.source = {.function = function, .file = "vectors.cl", .text = kSource};
  spec.problem_size = {{"n", kElements}};
  spec.geometry.sizes[0].text = "n";
  spec.geometry.work_group[0].text = "64";
  spec.arguments = std::move(arguments);
  return {.spec = std::move(spec)};
}

Argument floats(const char* name, ArgumentAccess access) {
  return {name, VectorArgument{.length = {"n"}, .access = access}};
}

Result<void> run(cl_context context, cl_device_id device, cl_mem x, cl_mem y, cl_mem sum) {
  WATTUNE_ASSIGN(const auto attached, backend::attach_opencl(context, device));
  const Argument factor{"factor", ScalarArgument{.type = ElementType::float32, .value = {"1.0"}}};
  WATTUNE_ASSIGN(const auto session,
                 schedule::open(*attached, {kernel("scale", {floats("x", ArgumentAccess::read_write), factor}),
                                            kernel("add", {floats("x", ArgumentAccess::read_only),
                                                           floats("sum", ArgumentAccess::read_write)})}));
  // The first two works may run together. The third work waits for the second, because it changes the vector y that the
  // second reads.
  WATTUNE_ASSIGN(const schedule::Ticket scaled, session->submit({.kernel = 0}, {{"x", x}, {"factor", 3.0F}}));
  WATTUNE_ASSIGN(const schedule::Ticket added, session->submit({.kernel = 1}, {{"x", y}, {"sum", sum}}));
  WATTUNE_ASSIGN(const schedule::Ticket last,
                 session->submit({.kernel = 0, .after = {added.id()}}, {{"x", y}, {"factor", 5.0F}}));
  WATTUNE_TRY(scaled.wait());
  WATTUNE_TRY(last.wait());
  return {};
}

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
    std::printf("no OpenCL device here\n");
    return 1;
  }
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  std::vector<float> values(kElements, 2.0F);
  std::vector<cl_mem> memory;  // x, y and sum, all of twos
  while (memory.size() < 3)
    memory.push_back(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                                    values.data(), nullptr));
  const Result<void> done = run(context, device, memory[0], memory[1], memory[2]);
  std::vector<float> found;  // the last value of each
  for (const cl_mem each : memory) {
    clEnqueueReadBuffer(queue, each, CL_TRUE, 0, values.size() * sizeof(float), values.data(), 0, nullptr, nullptr);
    found.push_back(values.back());
    clReleaseMemObject(each);
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  if (done && found == std::vector<float>{6.0F, 10.0F, 4.0F}) {
    std::printf("2 times 3, 2 times 5, and 2 plus 2, in the application's own memory\n");
    return 0;
  }
  std::fprintf(stderr, "%s\n", done ? "a wrong result" : done.error().to_string().c_str());
  return 1;
}

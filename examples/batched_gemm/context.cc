#include "context.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace batched_gemm {

namespace {

using wattune::Error;
using wattune::ErrorCode;
using wattune::Result;
namespace backend = wattune::backend;

// A driver's library. It stays loaded until the program ends.
class Driver {
 public:
  explicit Driver(const char* library) : handle_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {}

  // Loads the function `name` of the library into `function`, whose type must be the function's.
  template <typename Function>
  Result<void> load(const char* name, Function*& function) const {
    void* const symbol = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    if (symbol == nullptr) return Error(ErrorCode::unavailable, "the driver lacks a function").about(name);
    function = reinterpret_cast<Function*>(symbol);
    return {};
  }

 private:
  void* handle_;
};

Result<void> succeeded(int status, const char* what) {
  if (status == 0) return {};
  return Error(ErrorCode::unavailable, fmt::format("the driver refused {} with {}", what, status));
}

// Returns the numbers in a selector: 0 and 1 for "opencl:0:1".
std::vector<unsigned> numbers_in(const std::string& selector) {
  std::vector<unsigned> numbers;
  for (std::size_t colon = selector.find(':'); colon != std::string::npos; colon = selector.find(':', colon + 1)) {
    unsigned& number = numbers.emplace_back(0);
    std::from_chars(selector.data() + colon + 1, selector.data() + selector.size(), number);
  }
  return numbers;
}

template <typename Stream>
Result<Attached> with_stream(std::unique_ptr<backend::Device> device, Stream* handle) {
  WATTUNE_ASSIGN(auto stream, backend::adopt_stream(*device, handle));
  return Attached{std::move(device), std::move(stream), handle};
}

// Attaches to the context that CUDA's runtime API uses too, and to the default stream of this thread
// (CU_STREAM_PER_THREAD).
Result<Attached> attach_cuda(int ordinal) {
  const Driver driver("libcuda.so.1");
  int (*initialise)(unsigned) = nullptr;
  int (*get_device)(int*, int) = nullptr;
  int (*retain)(CUctx_st**, int) = nullptr;
  int (*set_current)(CUctx_st*) = nullptr;
  WATTUNE_TRY(driver.load("cuInit", initialise));
  WATTUNE_TRY(driver.load("cuDeviceGet", get_device));
  WATTUNE_TRY(driver.load("cuDevicePrimaryCtxRetain", retain));
  WATTUNE_TRY(driver.load("cuCtxSetCurrent", set_current));
  int device = 0;
  CUctx_st* context = nullptr;
  WATTUNE_TRY(succeeded(initialise(0), "to start"));
  WATTUNE_TRY(succeeded(get_device(&device, ordinal), "the device"));
  WATTUNE_TRY(succeeded(retain(&context, device), "a context"));
  WATTUNE_TRY(succeeded(set_current(context), "to make a context current"));
  WATTUNE_ASSIGN(auto attached, backend::attach_cuda());
  return with_stream(std::move(attached), reinterpret_cast<CUstream_st*>(std::uintptr_t{2}));
}

struct OpenClDevice {
  void* platform = nullptr;
  _cl_device_id* device = nullptr;
};

Result<OpenClDevice> find_opencl(const Driver& driver, unsigned platform, unsigned device) {
  int (*get_platforms)(unsigned, void**, unsigned*) = nullptr;
  int (*get_devices)(void*, std::uint64_t, unsigned, _cl_device_id**, unsigned*) = nullptr;
  WATTUNE_TRY(driver.load("clGetPlatformIDs", get_platforms));
  WATTUNE_TRY(driver.load("clGetDeviceIDs", get_devices));
  constexpr std::uint64_t kAllDevices = 0xFFFFFFFF;
  std::vector<void*> platforms(platform + 1);
  std::vector<_cl_device_id*> devices(device + 1);
  WATTUNE_TRY(succeeded(get_platforms(platform + 1, platforms.data(), nullptr), "its platforms"));
  WATTUNE_TRY(
      succeeded(get_devices(platforms[platform], kAllDevices, device + 1, devices.data(), nullptr), "its devices"));
  return OpenClDevice{platforms[platform], devices[device]};
}

// Attaches to a new context, with a queue that runs its commands in order and times them.
Result<Attached> attach_opencl(unsigned platform, unsigned ordinal) {
  const Driver driver("libOpenCL.so.1");
  _cl_context* (*create_context)(const std::intptr_t*, unsigned, _cl_device_id* const*, void*, void*, int*) = nullptr;
  _cl_command_queue* (*create_queue)(_cl_context*, _cl_device_id*, std::uint64_t, int*) = nullptr;
  WATTUNE_TRY(driver.load("clCreateContext", create_context));
  WATTUNE_TRY(driver.load("clCreateCommandQueue", create_queue));
  WATTUNE_ASSIGN(const OpenClDevice found, find_opencl(driver, platform, ordinal));
  constexpr std::uint64_t kProfiling = 2;
  int status = 0;
  _cl_context* const context = create_context(nullptr, 1, &found.device, nullptr, nullptr, &status);
  WATTUNE_TRY(succeeded(status, "a context"));
  _cl_command_queue* const queue = create_queue(context, found.device, kProfiling, &status);
  WATTUNE_TRY(succeeded(status, "a queue"));
  WATTUNE_ASSIGN(auto attached, backend::attach_opencl(context, found.device));
  return with_stream(std::move(attached), queue);
}

}  // namespace

Result<Attached> attach_to(const wattune::DeviceInfo& info) {
  std::vector<unsigned> numbers = numbers_in(info.selector);
  numbers.resize(2);
  if (info.backend == "cuda") return attach_cuda(static_cast<int>(numbers[0]));
  if (info.backend == "opencl") return attach_opencl(numbers[0], numbers[1]);
  return Error(ErrorCode::unavailable, "a device that is neither CUDA's nor OpenCL's").about(info.selector);
}

}  // namespace batched_gemm

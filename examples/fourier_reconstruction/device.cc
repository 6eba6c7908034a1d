#define CL_TARGET_OPENCL_VERSION 120
#include "device.h"

#include <CL/cl.h>
#include <dlfcn.h>

#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"

namespace fourier {
namespace {

using namespace wattune;

Error no_context(const DeviceInfo& info) {
  return Error(ErrorCode::unavailable, "no context can be made on this device").about(info.selector);
}

// Loads the function. Leaves `function` empty if the library or the function is missing.
template <typename Function>
void find(const char* library, const char* name, Function*& function) {
  if (void* const handle = dlopen(library, RTLD_NOW)) function = reinterpret_cast<Function*>(dlsym(handle, name));
}

// A CUDA device with its primary context, which the runtime API uses too.
class CudaDevice : public AttachedDevice {
 public:
  ~CudaDevice() override {
    device_.reset();
    if (context_ != nullptr) release_(ordinal_);
  }
  backend::Device& device() override { return *device_; }

  Result<void> open(const DeviceInfo& info) {
    constexpr const char* kLibrary = "libcuda.so.1";
    find(kLibrary, "cuInit", init_);
    find(kLibrary, "cuDevicePrimaryCtxRetain", retain_);
    find(kLibrary, "cuDevicePrimaryCtxRelease_v2", release_);
    ordinal_ = std::stoi(info.selector.substr(info.selector.find(':') + 1));
    const bool is_found = init_ != nullptr && retain_ != nullptr && release_ != nullptr;
    if (!is_found || init_(0) != 0 || retain_(&context_, ordinal_) != 0) return no_context(info);
    WATTUNE_ASSIGN(device_, backend::attach_cuda(context_));
    return {};
  }

 private:
  int (*init_)(unsigned) = nullptr;
  int (*retain_)(CUctx_st**, int) = nullptr;
  int (*release_)(int) = nullptr;
  int ordinal_ = 0;
  CUctx_st* context_ = nullptr;
  std::unique_ptr<backend::Device> device_;
};

// An OpenCL device with a context. Selectors name platform and device by their positions: "opencl:0:1".
class OpenClDevice : public AttachedDevice {
 public:
  ~OpenClDevice() override {
    device_.reset();
    if (context_ != nullptr) release_(context_);
  }
  backend::Device& device() override { return *device_; }

  Result<void> open(const DeviceInfo& info) {
    constexpr const char* kLibrary = "libOpenCL.so.1";
    find(kLibrary, "clGetPlatformIDs", platforms_);
    find(kLibrary, "clGetDeviceIDs", devices_);
    find(kLibrary, "clCreateContext", create_);
    find(kLibrary, "clReleaseContext", release_);
    cl_device_id device = find_device(info.selector);
    if (device != nullptr) context_ = create_(nullptr, 1, &device, nullptr, nullptr, nullptr);
    if (context_ == nullptr) return no_context(info);
    WATTUNE_ASSIGN(device_, backend::attach_opencl(context_, device));
    return {};
  }

 private:
  cl_device_id find_device(const std::string& selector) const {
    if (platforms_ == nullptr || devices_ == nullptr || create_ == nullptr || release_ == nullptr) return nullptr;
    const std::size_t second = selector.find(':', selector.find(':') + 1);
    const auto platform = static_cast<cl_uint>(std::stoul(selector.substr(selector.find(':') + 1)));
    const auto device = static_cast<cl_uint>(std::stoul(selector.substr(second + 1)));
    std::vector<cl_platform_id> platforms(platform + 1);
    cl_uint found = 0;
    if (platforms_(platform + 1, platforms.data(), &found) != CL_SUCCESS || found <= platform) return nullptr;
    std::vector<cl_device_id> devices(device + 1);
    if (devices_(platforms[platform], CL_DEVICE_TYPE_ALL, device + 1, devices.data(), &found) != CL_SUCCESS)
      return nullptr;
    return found > device ? devices[device] : nullptr;
  }

  decltype(clGetPlatformIDs)* platforms_ = nullptr;
  decltype(clGetDeviceIDs)* devices_ = nullptr;
  decltype(clCreateContext)* create_ = nullptr;
  decltype(clReleaseContext)* release_ = nullptr;
  cl_context context_ = nullptr;
  std::unique_ptr<backend::Device> device_;
};

template <typename Opened>
Result<std::unique_ptr<AttachedDevice>> open(const DeviceInfo& info) {
  auto opened = std::make_unique<Opened>();
  WATTUNE_TRY(opened->open(info));
  return std::unique_ptr<AttachedDevice>(std::move(opened));
}

}  // namespace

Result<std::unique_ptr<AttachedDevice>> attach(const std::string& wanted) {
  WATTUNE_ASSIGN(const DeviceInfo info,
                 backend::select_device(backend::discover(), wanted, {Language::cuda, Language::opencl}));
  return info.backend == "cuda" ? open<CudaDevice>(info) : open<OpenClDevice>(info);
}

}  // namespace fourier

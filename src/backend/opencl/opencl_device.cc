#include "backend/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/device/attached.h"
#include "backend/device/foreign_object.h"
#include "backend/opencl/buffer.h"
#include "backend/opencl/compiler.h"
#include "backend/opencl/discovery.h"
#include "backend/opencl/pixel_buffer.h"
#include "backend/opencl/program.h"
#include "backend/opencl/stream.h"
#include "core/interface/suggest.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

class OpenClDevice : public Device {
 public:
  OpenClDevice(ClDevice device, std::shared_ptr<Session> session)
      : device_(std::move(device)), session_(std::move(session)) {}
  ~OpenClDevice() override { session_->close(); }

  const DeviceInfo& info() const override { return device_.info; }

  Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                         Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    if (source.language != Language::opencl)
      return Error(ErrorCode::invalid_argument, "an OpenCL device compiles OpenCL C, not CUDA C++");
    return build_program(session_, source, macros, limit);
  }

  Result<CompileTarget> compile_target(const KernelSource&) override {
    WATTUNE_TRY(session_->check());
    return target_of(session_);
  }

  Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro>, Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    return load_program(session_, image, limit);
  }

  Result<Counters*> counters() override { return Error(ErrorCode::unavailable, "OpenCL has no hardware counters"); }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_TRY(session_->check());
    return OpenClBuffer::make(session_, bytes);
  }

  Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& layout) override {
    WATTUNE_TRY(session_->check());
    return OpenClPixelBuffer::make(session_, layout);
  }

  Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) override {
    WATTUNE_TRY(session_->check());
    if (options.units.count > 0) return no_unit_ranges(info());
    return make_stream(session_);
  }

  Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait) override {
    WATTUNE_TRY(check_own(*session_, streams));
    return Device::finish(streams, wait);
  }

  Result<Sensors*> sensors() override { return Error(ErrorCode::unavailable, "sensors are read of CUDA devices only"); }

  // Fails, because OpenCL does not report which board a device is on.
  Result<ClockControl*> clock_control() override {
    return Error(ErrorCode::unavailable, "clocks are set of CUDA devices only");
  }

  Result<void> reset() override {
    if (session_->attached()) return belongs_to_application(device_.info);
    session_->close();
    WATTUNE_ASSIGN(session_, Session::open(device_));
    return {};
  }

  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  ClDevice device_;
  std::shared_ptr<Session> session_;
};

// Returns the session of an OpenCL device of this process; fails for any other device.
Result<std::shared_ptr<Session>> session_of_device(Device& device) {
  const auto* const opencl = dynamic_cast<const OpenClDevice*>(&device);
  if (opencl == nullptr) return no_home(device.info(), "OpenCL");
  WATTUNE_TRY(opencl->session()->check());
  return opencl->session();
}

// Tells whether the context includes the device.
bool has_device(const ClApi& cl, cl_context context, cl_device_id device) {
  std::size_t size = 0;
  if (cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size) != CL_SUCCESS) return false;
  std::vector<cl_device_id> devices(size / sizeof device);  // NOLINT(bugprone-sizeof-expression): of the handles
  cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr);
  return std::ranges::count(devices, device) > 0;
}

}  // namespace

Result<std::vector<DeviceInfo>> discover_devices() {
  WATTUNE_ASSIGN(const std::vector<ClDevice> devices, list_devices());
  std::vector<DeviceInfo> infos;
  for (const ClDevice& device : devices) infos.push_back(device.info);
  return infos;
}

Result<std::unique_ptr<Device>> open_device(const std::string& selector) {
  WATTUNE_ASSIGN(const std::vector<ClDevice> devices, list_devices());
  std::vector<std::string> selectors;
  for (const ClDevice& device : devices) {
    selectors.push_back(device.info.selector);
    if (device.info.selector != selector) continue;
    WATTUNE_ASSIGN(std::shared_ptr<Session> session, Session::open(device));
    return std::unique_ptr<Device>(std::make_unique<OpenClDevice>(device, std::move(session)));
  }
  return Error(ErrorCode::not_found, fmt::format("no device `{}`", selector)).hint(suggest(selector, selectors));
}

}  // namespace wattune::backend::opencl

namespace wattune::inline v0_1::backend {

Result<std::unique_ptr<Device>> attach_opencl(_cl_context* context, _cl_device_id* device) {
  using namespace opencl;
  WATTUNE_ASSIGN(const ClApi* cl, cl_api());
  if (context == nullptr || !has_device(*cl, context, device))
    return Error(ErrorCode::invalid_argument,
                 "the handle that was passed is not an OpenCL context that has this device");
  WATTUNE_ASSIGN(ClDevice described, describe_device(device));
  WATTUNE_ASSIGN(std::shared_ptr<Session> session, Session::attach(described, context));
  return std::unique_ptr<Device>(std::make_unique<OpenClDevice>(std::move(described), std::move(session)));
}

Result<std::unique_ptr<Stream>> adopt_stream(Device& device, _cl_command_queue* queue) {
  WATTUNE_ASSIGN(const std::shared_ptr<opencl::Session> session, opencl::session_of_device(device));
  return opencl::adopt_stream(session, queue);
}

Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, _cl_mem* memory) {
  WATTUNE_ASSIGN(const std::shared_ptr<opencl::Session> session, opencl::session_of_device(device));
  return opencl::OpenClBuffer::adopt(session, memory);
}

}  // namespace wattune::backend

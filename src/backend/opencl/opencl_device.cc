#include "backend/opencl/opencl_device.h"

#include <fmt/format.h>

#include "backend/opencl/buffer.h"
#include "backend/opencl/compiler.h"
#include "backend/opencl/discovery.h"
#include "backend/opencl/pixel_buffer.h"
#include "backend/opencl/program.h"
#include "backend/opencl/stream.h"
#include "wattune/core/suggest.h"

namespace wattune::backend::opencl {

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

  Result<std::unique_ptr<Stream>> create_stream() override {
    WATTUNE_TRY(session_->check());
    return make_stream(session_);
  }

  Result<void> reset() override {
    session_->close();
    WATTUNE_ASSIGN(session_, Session::open(device_));
    return {};
  }

 private:
  ClDevice device_;
  std::shared_ptr<Session> session_;
};

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

#include "backend/cuda/cuda_device.h"

#include <fmt/format.h>

#include "backend/cuda/buffer.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/discovery.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/pixel_buffer.h"
#include "backend/cuda/program.h"
#include "backend/cuda/range_profiler.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/stream.h"
#include "backend/polling.h"
#include "core/stopwatch.h"
#include "wattune/core/suggest.h"

namespace wattune::backend::cuda {

namespace {

class CudaDevice : public Device {
 public:
  CudaDevice(CuDevice device, std::shared_ptr<Session> session)
      : device_(std::move(device)), session_(std::move(session)), dispatcher_(std::make_shared<Dispatcher>(session_)) {}
  ~CudaDevice() override { session_->end(); }

  const DeviceInfo& info() const override { return device_.info; }

  Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                         Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    if (source.language != Language::cuda)
      return Error(ErrorCode::invalid_argument, "a CUDA device compiles CUDA C++, not OpenCL C");
    WATTUNE_ASSIGN(Image image, compile(target(), source, macros, limit));
    return load_program(session_, std::move(image), macros);
  }

  Result<std::optional<CompileTarget>> compile_target(const KernelSource& source) override {
    if (kind_of(source) != SourceKind::cuda_cpp) return std::optional<CompileTarget>();
    CompileTarget result = target();
    WATTUNE_ASSIGN(result.compiler, identify_compiler(source, result.driver_version));
    return std::optional(std::move(result));
  }

  Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros, Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    const Stopwatch stopwatch;
    Result<std::unique_ptr<Program>> program = load_program(session_, image, macros);
    if (program && stopwatch.elapsed() > limit) return compiled_too_long(limit);
    return program;
  }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_TRY(session_->check());
    return CudaBuffer::make(session_, bytes);
  }

  Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& layout) override {
    WATTUNE_TRY(session_->check());
    return CudaPixelBuffer::make(session_, layout);
  }

  Result<std::unique_ptr<Stream>> create_stream() override {
    WATTUNE_TRY(session_->check());
    return make_stream(dispatcher_);
  }

  Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait) override {
    return finish_streams(*dispatcher_, streams, wait);
  }

  Result<SensorReadings> read_sensors() override { return session_->sensors().read(); }

  Result<std::vector<CounterInfo>> counters() override {
    WATTUNE_TRY(session_->check());
    return counters_of(*session_);
  }

  Result<void> reset() override {
    session_->end();
    WATTUNE_ASSIGN(session_, Session::open(device_));
    dispatcher_ = std::make_shared<Dispatcher>(session_);
    return {};
  }

 private:
  CompileTarget target() const {
    return {.backend = "cuda",
            .architecture = device_.info.architecture,
            .driver_version = session_->cu().version,
            .compiler = {}};
  }

  CuDevice device_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Dispatcher> dispatcher_;  // of all streams of the session
};

}  // namespace

Result<std::vector<DeviceInfo>> discover_devices() {
  WATTUNE_ASSIGN(const std::vector<CuDevice> devices, list_devices());
  std::vector<DeviceInfo> infos;
  for (const CuDevice& device : devices) infos.push_back(device.info);
  return infos;
}

Result<std::unique_ptr<Device>> open_device(const std::string& selector) {
  WATTUNE_ASSIGN(const std::vector<CuDevice> devices, list_devices());
  std::vector<std::string> selectors;
  for (const CuDevice& device : devices) {
    selectors.push_back(device.info.selector);
    if (device.info.selector != selector) continue;
    WATTUNE_ASSIGN(std::shared_ptr<Session> session, Session::open(device));
    return std::unique_ptr<Device>(std::make_unique<CudaDevice>(device, std::move(session)));
  }
  return Error(ErrorCode::not_found, fmt::format("no device `{}`", selector)).hint(suggest(selector, selectors));
}

std::string missing() {
  const Result<const CuApi*> cu = cu_api();
  if (!cu) return {};
  const auto nvrtc = nvrtc_api((*cu)->version);
  if (!nvrtc) return nvrtc.error().to_string();
  if (const auto nvml = nvml_api(); !nvml) return nvml.error().to_string() + "; clocks and power are not read";
  if ((*nvrtc)->version / 1000 <= (*cu)->version / 1000) return {};
  return fmt::format(
      "NVRTC {} is newer than the driver, which supports CUDA {} and may not load its code: install a "
      "newer driver, or let CUDA_HOME name an older toolkit",
      version_text((*nvrtc)->version), version_text((*cu)->version));
}

}  // namespace wattune::backend::cuda

#include "backend/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/buffer.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/cuda_error.h"
#include "backend/cuda/discovery.h"
#include "backend/cuda/graph.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/pixel_buffer.h"
#include "backend/cuda/private_memory.h"
#include "backend/cuda/program.h"
#include "backend/cuda/range_profiler.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/stream.h"
#include "backend/device/attached.h"
#include "backend/interface/polling.h"
#include "backend/interface/sharing.h"
#include "core/interface/suggest.h"
#include "core/stopwatch.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

class CudaCounters : public Counters {
 public:
  // Makes the counters of the session's device. The device keeps `session` up to date when it is reset.
  explicit CudaCounters(const std::shared_ptr<Session>& session) : session_(session) {}

  Result<std::vector<CounterInfo>> list() override {
    WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
    return counters_of(*session_);
  }

  Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters,
                                    Nanoseconds limit) override {
    return cuda::count(*session_, stream, counters, limit);
  }

 private:
  const std::shared_ptr<Session>& session_;
};

class CudaDevice : public Device {
 public:
  CudaDevice(CuDevice device, std::shared_ptr<Session> session)
      : device_(std::move(device)),
        session_(std::move(session)),
        dispatcher_(std::make_shared<Dispatcher>(session_)),
        green_contexts_(std::make_unique<GreenContexts>(session_)),
        sensors_(device_.pci_bus_id) {}
  ~CudaDevice() override { session_->end(); }

  const DeviceInfo& info() const override { return device_.info; }

  Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                         Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    if (source.language != Language::cuda)
      return Error(ErrorCode::invalid_argument, "a CUDA device compiles CUDA C++, not OpenCL C");
    const Stopwatch stopwatch;
    WATTUNE_ASSIGN(const Image image, compile(target(), source, macros, limit));
    return load_within(image, macros, limit, stopwatch);
  }

  Result<CompileTarget> compile_target(const KernelSource& source) override {
    if (kind_of(source) != SourceKind::cuda_cpp)
      return Error(ErrorCode::unavailable, "PTX and cubin files are loaded as they are");
    CompileTarget result = target();
    WATTUNE_ASSIGN(result.compiler, identify_compiler(source, result.driver_version));
    return result;
  }

  Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros, Nanoseconds limit) override {
    return load_within(image, macros, limit, Stopwatch());
  }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
    return CudaBuffer::make(session_, bytes);
  }

  Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& layout) override {
    WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
    return CudaPixelBuffer::make(session_, layout);
  }

  Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) override {
    return make_stream(dispatcher_, options, *green_contexts_);
  }

  Result<unsigned> unit_grain() override {
    WATTUNE_ASSIGN(const CurrentContext current, session_->enter());
    return green_contexts_->grain();
  }

  Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait) override {
    return finish_streams(*dispatcher_, streams, wait);
  }

  Result<Sensors*> sensors() override {
    WATTUNE_TRY(sensors_.check());
    return &sensors_;
  }

  // Returns the control of the board's clocks, which outlives resets of the device.
  Result<ClockControl*> clock_control() override {
    if (!clocks_) {
      WATTUNE_ASSIGN(clocks_, open_clock_control(device_.pci_bus_id));
    }
    return clocks_.get();
  }

  Result<Counters*> counters() override { return &counters_; }

  Result<void> reset() override {
    if (session_->attached()) return belongs_to_application(device_.info);
    session_->end();
    WATTUNE_ASSIGN(session_, Session::open(device_));
    dispatcher_ = std::make_shared<Dispatcher>(session_);
    green_contexts_ = std::make_unique<GreenContexts>(session_);
    return {};
  }

  const std::shared_ptr<Dispatcher>& dispatcher() const { return dispatcher_; }

 private:
  CompileTarget target() const {
    return {.backend = "cuda",
            .architecture = device_.info.architecture,
            .driver_version = session_->cu().version,
            .compiler = {}};
  }

  // Loads a program. Fails with timeout if `stopwatch` then shows more than `limit`.
  Result<std::unique_ptr<Program>> load_within(const Image& image, std::span<const Macro> macros, Nanoseconds limit,
                                               const Stopwatch& stopwatch) {
    Result<std::unique_ptr<Program>> program = load_program(session_, image, macros);
    if (program && stopwatch.elapsed() > limit) return compiled_too_long(limit);
    return program;
  }

  CuDevice device_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Dispatcher> dispatcher_;  // serves all streams of the session
  std::unique_ptr<GreenContexts> green_contexts_;
  nvml::NvmlSensors sensors_;
  std::unique_ptr<ClockControl> clocks_;  // nullptr until clock_control() is called
  CudaCounters counters_{session_};
};

// Returns the device of the current context.
Result<CuDevice> device_of_context(const CuApi& cu) {
  CUdevice id = 0;
  if (const CUresult code = cu.cuCtxGetDevice(&id); code != CUDA_SUCCESS)
    return cu_error(cu, code, "asking for the device of a context");
  WATTUNE_ASSIGN(std::vector<CuDevice> devices, list_devices());
  const auto found = std::ranges::find(devices, id, &CuDevice::id);
  if (found == devices.end()) return Error(ErrorCode::internal, "the device of a context is not listed");
  return std::move(*found);
}

// Opens a device with a session that `open` makes.
Result<std::unique_ptr<Device>> open_in_session(const std::string& selector,
                                                Result<std::shared_ptr<Session>> (*open)(const CuDevice& device)) {
  WATTUNE_ASSIGN(const std::vector<CuDevice> devices, list_devices());
  std::vector<std::string> selectors;
  for (const CuDevice& device : devices) {
    selectors.push_back(device.info.selector);
    if (device.info.selector != selector) continue;
    WATTUNE_ASSIGN(std::shared_ptr<Session> session, open(device));
    return std::unique_ptr<Device>(std::make_unique<CudaDevice>(device, std::move(session)));
  }
  return Error(ErrorCode::not_found, fmt::format("no device `{}`", selector)).hint(suggest(selector, selectors));
}

// Returns the dispatcher of a CUDA device of this process; fails for any other device.
Result<std::shared_ptr<Dispatcher>> dispatcher_of(Device& device) {
  const auto* const cuda = dynamic_cast<const CudaDevice*>(&device);
  if (cuda != nullptr) return cuda->dispatcher();
  return no_home(device.info(), "CUDA");
}

}  // namespace

Result<std::vector<DeviceInfo>> discover_devices() {
  WATTUNE_ASSIGN(const std::vector<CuDevice> devices, list_devices());
  std::vector<DeviceInfo> infos;
  for (const CuDevice& device : devices) infos.push_back(device.info);
  return infos;
}

Result<std::unique_ptr<Device>> open_device(const std::string& selector) {
  return open_in_session(selector, &Session::open);
}

std::string missing() {
  const Result<const CuApi*> cu = cu_api();
  if (!cu) return {};
  const auto nvrtc = nvrtc_api((*cu)->version);
  if (!nvrtc) return nvrtc.error().to_string();
  if (const auto library = nvml::nvml_api(); !library)
    return library.error().to_string() + "; clocks and power are not read";
  if ((*nvrtc)->version / 1000 <= (*cu)->version / 1000) return {};
  return fmt::format(
      "NVRTC {} is newer than the driver, which supports CUDA {} and may not load its code: install a "
      "newer driver, or let CUDA_HOME name an older toolkit",
      version_text((*nvrtc)->version), version_text((*cu)->version));
}

}  // namespace wattune::backend::cuda

namespace wattune::inline v0_1::backend {

Result<std::unique_ptr<Device>> attach_cuda(CUctx_st* context) {
  using namespace cuda;
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  if (context == nullptr) cu->cuCtxGetCurrent(&context);
  if (context == nullptr)
    return Error(ErrorCode::invalid_argument, "no CUDA context is current for the thread that attaches")
        .hint("make one current first, as the runtime API does with cudaFree(0), or pass the context");
  const CurrentContext current(*cu, context);
  if (current.code() != CUDA_SUCCESS)
    return Error(ErrorCode::invalid_argument, "the handle that was passed is not a live CUDA context")
        .native(current.code(), cu_error(*cu, current.code(), {}).native_name());
  WATTUNE_ASSIGN(CuDevice device, device_of_context(*cu));
  WATTUNE_ASSIGN(std::shared_ptr<Session> session, Session::attach(device, context));
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(device), std::move(session)));
}

Result<std::unique_ptr<Device>> open_cuda_in_primary_context(const std::string& selector) {
  return cuda::open_in_session(selector, &cuda::Session::open_primary);
}

Result<std::unique_ptr<Stream>> adopt_stream(Device& device, CUstream_st* stream) {
  WATTUNE_ASSIGN(const std::shared_ptr<cuda::Dispatcher> dispatcher, cuda::dispatcher_of(device));
  return cuda::adopt_stream(dispatcher, stream);
}

Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, std::uint64_t address, std::size_t bytes) {
  WATTUNE_ASSIGN(const std::shared_ptr<cuda::Dispatcher> dispatcher, cuda::dispatcher_of(device));
  const std::shared_ptr<cuda::Session>& session = dispatcher->session();
  WATTUNE_ASSIGN(const cuda::CurrentContext current, session->enter());
  return cuda::CudaBuffer::adopt(session, address, bytes);
}

std::uint64_t free_memory(Device& device) {
  const std::uint64_t all = device.info().global_memory_bytes.value_or(0);
  const Result<std::shared_ptr<cuda::Dispatcher>> dispatcher = cuda::dispatcher_of(device);
  if (!dispatcher) return all;
  cuda::Session& session = *(*dispatcher)->session();
  const Result<cuda::CurrentContext> current = session.enter();
  std::size_t free = 0;
  std::size_t total = 0;
  if (!current || session.cu().cuMemGetInfo(&free, &total) != cuda::CUDA_SUCCESS) return all;
  return free;
}

Result<std::size_t> memory_bytes(Device& device, std::uint64_t address, std::size_t enough) {
  constexpr std::size_t kPiece = std::size_t{2} << 20;  // the smallest piece that the driver maps
  WATTUNE_ASSIGN(const std::shared_ptr<cuda::Dispatcher> dispatcher, cuda::dispatcher_of(device));
  const cuda::CuApi& cu = dispatcher->session()->cu();
  WATTUNE_ASSIGN(const cuda::CurrentContext current, dispatcher->session()->enter());
  cuda::CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  if (cu.cuMemGetAddressRange(&begin, &bytes, address) != cuda::CUDA_SUCCESS)
    return Error(ErrorCode::not_found, fmt::format("the driver knows of no memory at {:#x}", address));
  std::uint64_t end = begin + bytes;
  while (end - address < enough && end % kPiece == 0 && bytes % kPiece == 0 &&
         cu.cuMemGetAddressRange(&begin, &bytes, end) == cuda::CUDA_SUCCESS)
    end = begin + bytes;
  return end - address;
}

Result<void> make_room_for_private_memory(Device& device, std::size_t bytes) {
  const Result<std::shared_ptr<cuda::Dispatcher>> dispatcher = cuda::dispatcher_of(device);
  return dispatcher ? cuda::make_room_for_private_memory((*dispatcher)->session(), bytes) : Result<void>();
}

Result<std::vector<GraphLaunch>> launches_in(Device& device, CUgraph_st* graph) {
  WATTUNE_ASSIGN(const std::shared_ptr<cuda::Dispatcher> dispatcher, cuda::dispatcher_of(device));
  WATTUNE_ASSIGN(const cuda::CurrentContext current, dispatcher->session()->enter());
  return cuda::launches_in(*dispatcher->session(), graph);
}

const void* function_of(const Kernel& kernel) {
  const auto* const own = dynamic_cast<const cuda::CudaKernel*>(&kernel);
  return own != nullptr ? own->get() : nullptr;
}

Result<void> replace_launch(CUgraphExec_st* executable, CUgraphNode_st* node, PreparedLaunch& by) {
  return cuda::replace_launch(executable, node, by);
}

void keep_loaded(Program& program) { cuda::keep_loaded(program); }

RelaxedCapture::RelaxedCapture() {
  const cuda::CuApi* const cu = cuda::loaded_cu_api();
  if (cu == nullptr) return;
  auto mode = cuda::CU_STREAM_CAPTURE_MODE_RELAXED;
  if (cu->cuThreadExchangeStreamCaptureMode(&mode) == cuda::CUDA_SUCCESS) previous_ = mode;
}

RelaxedCapture::~RelaxedCapture() {
  if (!previous_) return;
  auto mode = static_cast<cuda::CUstreamCaptureMode>(*previous_);
  cuda::loaded_cu_api()->cuThreadExchangeStreamCaptureMode(&mode);
}

}  // namespace wattune::backend

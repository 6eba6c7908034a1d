#include "backend/cuda/stream.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "backend/cuda/buffer.h"
#include "backend/cuda/cuda_error.h"
#include "backend/cuda/hold.h"
#include "backend/cuda/program.h"
#include "backend/launch_check.h"
#include "backend/polling.h"

namespace wattune::backend::cuda {

namespace {

// The events around a launch. Shared with the Event that the caller holds.
struct Timing {
  Handle<CUevent> start;
  Handle<CUevent> end;
  bool recorded = false;
  Conditions conditions;
};

class CudaEvent : public Event {
 public:
  explicit CudaEvent(std::shared_ptr<const Timing> timing) : timing_(std::move(timing)) {}

  Result<Nanoseconds> duration() const override {
    Session& session = *timing_->start.session();
    WATTUNE_TRY(session.check());
    float milliseconds = 0.0f;
    const CUresult code = timing_->recorded
                              ? session.cu().cuEventElapsedTime(&milliseconds, timing_->start.get(), timing_->end.get())
                              : CUDA_ERROR_NOT_READY;
    if (code == CUDA_ERROR_NOT_READY) return Error(ErrorCode::invalid_argument, "the launch has not finished");
    if (code != CUDA_SUCCESS) return session.failure(code, "reading how long a kernel ran");
    if (milliseconds <= 0.0f) return Error(ErrorCode::unavailable, "the device reported no time for a kernel");
    return nanoseconds_from_ms(static_cast<double>(milliseconds));
  }
  Conditions conditions() const override { return timing_->conditions; }

 private:
  std::shared_ptr<const Timing> timing_;
};

// A launch with everything the driver is given, owned.
struct PreparedLaunch {
  CUfunction function = nullptr;
  CUlaunchConfig config{};
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::vector<std::byte>> values;  // of the parameters
  std::shared_ptr<Timing> timing;
};

std::vector<CUlaunchAttribute> attributes_of(const Geometry3& geometry) {
  std::vector<CUlaunchAttribute> attributes;
  if (geometry.cooperative) {
    attributes.push_back({CU_LAUNCH_ATTRIBUTE_COOPERATIVE, {}, {}});
    attributes.back().value.cooperative = 1;
  }
  if (geometry.cluster != std::array<std::size_t, 3>{1, 1, 1}) {
    attributes.push_back({CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, {}, {}});
    attributes.back().value.clusterDim = {static_cast<unsigned>(geometry.cluster[0]),
                                          static_cast<unsigned>(geometry.cluster[1]),
                                          static_cast<unsigned>(geometry.cluster[2])};
  }
  return attributes;
}

CUlaunchConfig config_of(const Geometry3& geometry, std::size_t dynamic_bytes) {
  const auto size = [](std::size_t value) { return static_cast<unsigned>(value); };
  return {.gridDimX = size(geometry.groups[0]),
          .gridDimY = size(geometry.groups[1]),
          .gridDimZ = size(geometry.groups[2]),
          .blockDimX = size(geometry.group_size[0]),
          .blockDimY = size(geometry.group_size[1]),
          .blockDimZ = size(geometry.group_size[2]),
          .sharedMemBytes = size(dynamic_bytes),
          .hStream = nullptr,
          .attrs = nullptr,
          .numAttrs = 0};
}

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// What the interface hands back are objects of this backend.
const CudaBuffer& own(const Buffer& buffer) { return static_cast<const CudaBuffer&>(buffer); }

Error refused(const Kernel& kernel, const std::string& reason) {
  return Error(ErrorCode::launch_failed, fmt::format("kernel `{}` cannot be launched: {}", kernel.name(), reason));
}

// The limits of CUDA beyond those that every backend has.
Result<void> check_limits(const DeviceInfo& info, const CudaKernel& kernel, const Geometry3& geometry,
                          std::size_t dynamic_bytes) {
  constexpr std::array<std::size_t, 3> kMaxGrid{0x7fffffff, 65535, 65535};  // of every compute capability since 3.0
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.groups[axis] > kMaxGrid[axis])
      return refused(kernel, fmt::format("a grid of {} blocks in {}, at most {} are possible", geometry.groups[axis],
                                         "xyz"[axis], kMaxGrid[axis]));
    if (geometry.cluster[axis] == 0 || geometry.groups[axis] % geometry.cluster[axis] != 0)
      return refused(kernel, fmt::format("a grid of {} blocks in {} is no multiple of clusters of {}",
                                         geometry.groups[axis], "xyz"[axis], geometry.cluster[axis]));
  }
  const std::size_t shared = kernel.static_local_bytes() + dynamic_bytes;
  if (shared <= info.local_memory_bytes) return {};
  return refused(kernel, fmt::format("{} bytes of shared memory, the device has {}", shared, info.local_memory_bytes));
}

class CudaStream : public Stream {
 public:
  explicit CudaStream(Handle<CUstream> stream) : stream_(std::move(stream)), hold_(stream_.session(), stream_.get()) {}

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    return add("writing a buffer", Kind::transfer, data.size(), [this, to = own(buffer).contents(), data] {
      return cu().cuMemcpyHtoDAsync(to, data.data(), data.size(), stream_.get());
    });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    return read(own(buffer).contents(), data);
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    return copy(own(from).contents(), own(to).contents(), from.bytes());
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    return add("filling a buffer", Kind::device, buffer.bytes(),
               [this, to = own(buffer).contents(), value, bytes = buffer.bytes()] {
                 return cu().cuMemsetD8Async(to, std::to_integer<unsigned char>(value), bytes, stream_.get());
               });
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_TRY(session().check());
    WATTUNE_TRY(check_launch(session().info(), kernel, geometry, arguments));
    auto& own_kernel = static_cast<CudaKernel&>(kernel);
    const std::size_t dynamic_bytes = local_bytes_of(arguments);
    WATTUNE_TRY(check_limits(session().info(), own_kernel, geometry, dynamic_bytes));
    WATTUNE_TRY(allow(own_kernel, geometry, dynamic_bytes));
    WATTUNE_TRY(copy_constants(own_kernel, arguments));

    // At its first launch the driver may have to wait, to load the code or to make room for its stack.
    const Kind kind = own_kernel.was_launched() ? Kind::launch : Kind::device;
    own_kernel.set_launched();
    auto prepared = std::make_shared<PreparedLaunch>();
    prepared->function = own_kernel.get();
    prepared->config = config_of(geometry, dynamic_bytes);
    prepared->attributes = attributes_of(geometry);
    WATTUNE_ASSIGN(prepared->values, parameter_values(own_kernel, arguments));
    WATTUNE_ASSIGN(prepared->timing, make_timing());
    WATTUNE_TRY(
        add(fmt::format("running kernel `{}`", kernel.name()), kind, 1, [this, prepared] { return run(*prepared); }));
    timings_.push_back(prepared->timing);
    return std::unique_ptr<Event>(std::make_unique<CudaEvent>(prepared->timing));
  }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(session().check());
    const std::vector<Command> commands = std::exchange(commands_, {});
    const Timings timings = std::exchange(timings_, {});
    const Polling polling;
    std::string running = "waiting for the device";  // the command that a failure is most likely of
    std::size_t sent = 0;
    for (const Command& command : commands) {
      if (command.kind == Kind::transfer) {
        WATTUNE_TRY(wait(polling, limit, running));
      } else if (command.kind == Kind::launch) {
        hold_.take();
      }
      if (const CUresult code = command.run(); code != CUDA_SUCCESS) {
        Error error = session().failure(code, command.doing);
        (void)wait(polling, limit, running);  // what was sent before may still use the caller's memory
        return error;
      }
      running = command.doing;
      if (++sent % kHeldCommands == 0) hold_.let_go();
    }
    hold_.let_go();
    read_conditions(timings);
    return wait(polling, limit, running);
  }

  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(finish(limit));
    const std::span<const std::byte> guard = session().guard();
    if (guard.empty()) return std::array<std::size_t, 2>{};
    const std::array<CUdeviceptr, 2> zones = own(buffer).guards();
    std::array<std::vector<std::byte>, 2> found;
    for (std::size_t side = 0; side < 2; ++side) {
      found[side].resize(guard.size());
      WATTUNE_TRY(read(zones[side], found[side]));
    }
    WATTUNE_TRY(finish(limit));
    std::array<std::size_t, 2> changed{};
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < guard.size(); ++i) changed[side] += found[side][i] != guard[i];
      if (changed[side] == 0) continue;
      WATTUNE_TRY(add("renewing a guard zone", Kind::transfer, guard.size(), [this, to = zones[side], guard] {
        return cu().cuMemcpyHtoDAsync(to, guard.data(), guard.size(), stream_.get());
      }));
    }
    WATTUNE_TRY(finish(limit));
    return changed;
  }

 private:
  enum class Kind {
    device,    // on the device alone
    transfer,  // of ordinary host memory: blocks until the stream has come to it, so it waits for its turn here, where
               // a kernel that never ends is noticed
    launch,    // may be held, so that the host's own time does not show in that of the kernel
  };

  // A stream takes about a thousand commands before it makes the host wait. A launch sends three.
  static constexpr std::size_t kHeldCommands = 128;

  using Timings = std::vector<std::shared_ptr<Timing>>;

  struct Command {
    std::string doing;
    Kind kind = Kind::device;
    std::function<CUresult()> run;  // hands it to the driver
  };

  Session& session() const { return *stream_.session(); }
  const CuApi& cu() const { return session().cu(); }

  // Commands are held back until finish(). Those of no bytes do nothing.
  Result<void> add(std::string doing, Kind kind, std::size_t bytes, std::function<CUresult()> run) {
    WATTUNE_TRY(session().check());
    if (bytes > 0) commands_.push_back({std::move(doing), kind, std::move(run)});
    return {};
  }

  Result<void> read(CUdeviceptr from, std::span<std::byte> data) {
    return add("reading a buffer", Kind::transfer, data.size(),
               [this, from, data] { return cu().cuMemcpyDtoHAsync(data.data(), from, data.size(), stream_.get()); });
  }

  Result<void> copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) {
    return add("copying a buffer", Kind::device, bytes,
               [this, from, to, bytes] { return cu().cuMemcpyDtoDAsync(to, from, bytes, stream_.get()); });
  }

  Result<void> wait(const Polling& polling, Nanoseconds limit, const std::string& running) {
    hold_.let_go();
    for (;;) {
      const CUresult code = cu().cuStreamQuery(stream_.get());
      if (code == CUDA_SUCCESS) return {};
      if (code != CUDA_ERROR_NOT_READY) return session().failure(code, running);
      if (polling.elapsed() > limit) {
        session().abandon();
        return Error(ErrorCode::timeout, fmt::format("the kernel ran longer than {:g} ms", to_ms(limit)));
      }
      polling.pause();
    }
  }

  // While the device is at work on what it was sent.
  void read_conditions(const Timings& timings) {
    if (timings.empty()) return;
    const Conditions conditions = session().sensors().conditions();
    for (const std::shared_ptr<Timing>& timing : timings) timing->conditions = conditions;
  }

  CUresult run(PreparedLaunch& launch) {
    launch.config.hStream = stream_.get();
    launch.config.attrs = launch.attributes.data();
    launch.config.numAttrs = static_cast<unsigned>(launch.attributes.size());
    std::vector<void*> pointers;
    for (std::vector<std::byte>& value : launch.values) pointers.push_back(value.data());
    CUresult code = cu().cuEventRecord(launch.timing->start.get(), stream_.get());
    if (code == CUDA_SUCCESS) code = cu().cuLaunchKernelEx(&launch.config, launch.function, pointers.data(), nullptr);
    if (code == CUDA_SUCCESS) code = cu().cuEventRecord(launch.timing->end.get(), stream_.get());
    launch.timing->recorded = code == CUDA_SUCCESS;
    return code;
  }

  Result<void> allow(const CudaKernel& kernel, const Geometry3& geometry, std::size_t dynamic_bytes) {
    constexpr std::size_t kPortableCluster = 8;
    WATTUNE_TRY(kernel.allow_local_memory(dynamic_bytes));
    if (geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2] <= kPortableCluster) return {};
    const CUresult code = cu().cuFuncSetAttribute(kernel.get(), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (code == CUDA_SUCCESS) return {};
    return session().failure(code, fmt::format("allowing kernel `{}` large clusters", kernel.name()));
  }

  Result<void> copy_constants(const CudaKernel& kernel, std::span<const LaunchArgument> arguments) {
    for (const LaunchArgument& argument : arguments) {
      const auto* constant = std::get_if<ConstantBuffer>(&argument);
      if (constant == nullptr) continue;
      CUdeviceptr address = 0;
      std::size_t bytes = 0;
      const CUresult code = cu().cuModuleGetGlobal(&address, &bytes, kernel.module(), constant->symbol.c_str());
      if (code == CUDA_ERROR_NOT_FOUND)
        return Error(ErrorCode::not_found, fmt::format("no constant symbol `{}` in the program", constant->symbol))
            .hint("declare it extern \"C\", or it has a longer name");
      if (code != CUDA_SUCCESS) return session().failure(code, fmt::format("looking for `{}`", constant->symbol));
      if (constant->buffer->bytes() > bytes)
        return Error(ErrorCode::mismatch, fmt::format("constant symbol `{}` has {} bytes, the argument {}",
                                                      constant->symbol, bytes, constant->buffer->bytes()));
      WATTUNE_TRY(copy(own(*constant->buffer).contents(), address, constant->buffer->bytes()));
    }
    return {};
  }

  static Result<std::vector<std::vector<std::byte>>> parameter_values(const CudaKernel& kernel,
                                                                      std::span<const LaunchArgument> arguments) {
    std::vector<std::vector<std::byte>> values;
    for (const LaunchArgument& argument : arguments) {
      if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
        values.push_back(bytes_of(*buffer != nullptr ? own(**buffer).contents() : CUdeviceptr{0}));
      } else if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) {
        values.push_back(scalar->bytes);
      } else {
        continue;
      }
      const std::size_t index = values.size() - 1;
      const std::size_t wanted = kernel.parameter_bytes()[index];
      if (values.back().size() != wanted)
        return Error(ErrorCode::mismatch, fmt::format("parameter {} of kernel `{}` has {} bytes, the argument {}",
                                                      index, kernel.name(), wanted, values.back().size()));
    }
    return values;
  }

  Result<std::shared_ptr<Timing>> make_timing() {
    auto timing = std::make_shared<Timing>();
    for (Handle<CUevent>* handle : {&timing->start, &timing->end}) {
      CUevent event = nullptr;
      if (const CUresult code = cu().cuEventCreate(&event, 0); code != CUDA_SUCCESS)
        return session().failure(code, "making an event");
      *handle = Handle<CUevent>(stream_.session(), event);
    }
    return timing;
  }

  Handle<CUstream> stream_;
  Hold hold_;
  // Since the last finish.
  std::vector<Command> commands_;
  Timings timings_;
};

}  // namespace

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session) {
  // CU_STREAM_DEFAULT waits for the default stream, in which new buffers get their guard zones: small copies return
  // before they have reached the device.
  constexpr unsigned kDefault = 0;
  CUstream stream = nullptr;
  if (const CUresult code = session->cu().cuStreamCreate(&stream, kDefault); code != CUDA_SUCCESS)
    return session->failure(code, "making a stream");
  return std::unique_ptr<Stream>(std::make_unique<CudaStream>(Handle<CUstream>(session, stream)));
}

}  // namespace wattune::backend::cuda

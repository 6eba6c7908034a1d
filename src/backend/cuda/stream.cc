#include "backend/cuda/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "backend/counting.h"
#include "backend/cuda/buffer.h"
#include "backend/cuda/driver_launch.h"
#include "backend/cuda/hold.h"
#include "backend/cuda/program.h"
#include "backend/cuda/range_profiler.h"
#include "backend/foreign_object.h"
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
  explicit CudaEvent(std::shared_ptr<const Timing> timing)
      : Event(*timing->start.session()), timing_(std::move(timing)) {}

  Result<Nanoseconds> duration() const override {
    Session& session = *timing_->start.session();
    WATTUNE_ASSIGN(const CurrentContext current, session.enter());
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

// Of objects that were seen to be of this session.
CudaMemory& own(Buffer& buffer) { return static_cast<CudaMemory&>(buffer); }
const CudaMemory& own(const Buffer& buffer) { return static_cast<const CudaMemory&>(buffer); }
CudaKernel& own(Kernel& kernel) { return static_cast<CudaKernel&>(kernel); }

class CudaStream : public Stream {
 public:
  class Prepared;

  explicit CudaStream(Handle<CUstream> stream) : stream_(std::move(stream)), hold_(stream_) {}

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add("writing a buffer", Kind::transfer, data.size(),
               [this, &to = own(buffer), data] { return to.write(stream_.get(), data.data()); });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add("reading a buffer", Kind::transfer, data.size(),
               [this, &from = own(buffer), data] { return from.read(stream_.get(), data.data()); });
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    return add("copying a buffer", Kind::device, from.bytes(),
               [this, &from = own(from), &to = own(to)] { return from.copy(stream_.get(), to); });
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    return add("filling a buffer", buffer.has_pixels() ? Kind::transfer : Kind::device, buffer.bytes(),
               [this, &memory = own(buffer), value] { return memory.fill(stream_.get(), value); });
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    WATTUNE_ASSIGN(const std::shared_ptr<const DriverLaunch> launch,
                   DriverLaunch::make(stream_, kernel, geometry, arguments));
    // At its first launch the driver may have to wait, to load the code or to make room for its stack.
    const Kind kind = own(kernel).was_launched() ? Kind::launch : Kind::first_launch;
    own(kernel).set_launched();
    WATTUNE_ASSIGN(const std::shared_ptr<Timing> timing, make_timing());
    WATTUNE_TRY(add(running(kernel), kind, 1, [this, launch, timing] { return send(*launch, *timing); }));
    if (!stream_.borrowed()) timings_.push_back(timing);
    return std::unique_ptr<Event>(std::make_unique<CudaEvent>(timing));
  }

  Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                  std::span<const LaunchArgument> arguments) override;

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    const std::vector<Command> commands = std::exchange(commands_, {});
    const Timings timings = std::exchange(timings_, {});
    const Polling polling;
    const Command* last = nullptr;  // sent: a failure is most likely of it
    std::size_t sent = 0;
    for (const Command& command : commands) {
      if (command.kind == Kind::transfer) {
        WATTUNE_TRY(wait(polling, limit, last));
      } else if (command.kind == Kind::launch) {
        hold_.take();
      } else if (command.kind == Kind::first_launch) {
        hold_.let_go();
      }
      if (const CUresult code = command.run(); code != CUDA_SUCCESS) {
        Error error = session().failure(code, command.doing);
        (void)wait(polling, limit, last);  // what was sent before may still use the caller's memory
        return error;
      }
      last = &command;
      if (++sent % kHeldCommands == 0) hold_.let_go();
    }
    hold_.let_go();
    read_conditions(timings);
    return wait(polling, limit, last);
  }

  Result<std::vector<Metric>> count(const std::vector<std::string>& counters, Nanoseconds limit) {
    if (stream_.borrowed())
      return Error(ErrorCode::unavailable, "counters are not counted in a stream of the application's")
          .hint("count them in a stream that the device makes");
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    const std::vector<Command> commands = std::exchange(commands_, {});
    timings_.clear();
    WATTUNE_ASSIGN(const auto profiler, RangeProfiler::start(stream_.session(), counters));
    if (std::ranges::none_of(commands, &Command::launches)) return std::vector<Metric>();
    const Polling polling;
    while (!profiler->complete()) {
      if (polling.elapsed() > limit) return took_too_long(true, limit);
      WATTUNE_TRY(run_pass(commands, *profiler, polling, limit));
    }
    return profiler->values();
  }

  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(check(buffer));
    WATTUNE_TRY(finish(limit));
    if (buffer.has_pixels() || static_cast<const CudaBuffer&>(buffer).guard_bytes() == 0)
      return std::array<std::size_t, 2>{};
    const std::span<const std::byte> guard = session().guard();
    const std::array<CUdeviceptr, 2> zones = static_cast<const CudaBuffer&>(buffer).guards();
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
    first_launch,  // or another that is not held
    launch,        // may be held, so that the host's own time does not show in that of the kernel
  };

  // A stream takes about a thousand commands before it makes the host wait. A launch sends three, and one for each
  // constant symbol.
  static constexpr std::size_t kHeldCommands = 128;

  using Timings = std::vector<std::shared_ptr<Timing>>;

  struct Command {
    std::string doing;
    Kind kind = Kind::device;
    std::function<CUresult()> run;  // hands it to the driver

    bool launches() const { return kind == Kind::first_launch || kind == Kind::launch; }
  };

  Session& session() const { return *stream_.session(); }
  const CuApi& cu() const { return session().cu(); }

  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(session().check());
    return check_own(session(), buffer, "the buffer");
  }

  // Commands are held back until finish(), but in a stream of the application's, which sends its own at once and in
  // their order. Those of no bytes do nothing.
  Result<void> add(std::string doing, Kind kind, std::size_t bytes, std::function<CUresult()> run) {
    WATTUNE_TRY(session().check());
    if (bytes == 0) return {};
    if (stream_.borrowed()) return send_at_once(doing, run);
    commands_.push_back({std::move(doing), kind, std::move(run)});
    return {};
  }

  Result<void> send_at_once(const std::string& doing, const std::function<CUresult()>& run) {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    if (const CUresult code = run(); code != CUDA_SUCCESS) return session().failure(code, doing);
    return {};
  }

  Result<void> read(CUdeviceptr from, std::span<std::byte> data) {
    return add("reading a buffer", Kind::transfer, data.size(),
               [this, from, data] { return cu().cuMemcpyDtoHAsync(data.data(), from, data.size(), stream_.get()); });
  }

  // For what was sent, `last` the last of it, if any.
  Result<void> wait(const Polling& polling, Nanoseconds limit, const Command* last) {
    hold_.let_go();
    for (;;) {
      const CUresult code = cu().cuStreamQuery(stream_.get());
      if (code == CUDA_SUCCESS) return {};
      if (code != CUDA_ERROR_NOT_READY)
        return session().failure(code, last != nullptr ? last->doing : "waiting for the device");
      if (polling.elapsed() > limit) {
        session().abandon();
        return took_too_long(last != nullptr && last->launches(), limit);
      }
      polling.pause();
    }
  }

  // Counts from the first launch to the last, with nothing else under way.
  Result<void> run_pass(const std::vector<Command>& commands, RangeProfiler& profiler, const Polling& polling,
                        Nanoseconds limit) {
    const auto first = std::ranges::find_if(commands, &Command::launches);
    const auto last = std::ranges::find_if(commands.rbegin(), commands.rend(), &Command::launches).base() - 1;
    for (auto command = commands.begin(); command != commands.end(); ++command) {
      if (command == first) WATTUNE_TRY(profiler.begin_pass());
      if (const CUresult code = command->run(); code != CUDA_SUCCESS) return session().failure(code, command->doing);
      WATTUNE_TRY(wait(polling, limit, &*command));
      if (command == last) WATTUNE_TRY(profiler.end_pass());
    }
    return {};
  }

  // While the device is at work on what it was sent.
  void read_conditions(const Timings& timings) {
    if (timings.empty()) return;
    const Conditions conditions = session().sensors().conditions();
    for (const std::shared_ptr<Timing>& timing : timings) timing->conditions = conditions;
  }

  static std::string running(const Kernel& kernel) { return fmt::format("running kernel `{}`", kernel.name()); }

  CUresult send(const DriverLaunch& launch, Timing& timing) const {
    CUresult code = launch.copy_constants(cu());
    if (code == CUDA_SUCCESS) code = cu().cuEventRecord(timing.start.get(), stream_.get());
    if (code == CUDA_SUCCESS) code = launch.start(cu());
    if (code == CUDA_SUCCESS) code = cu().cuEventRecord(timing.end.get(), stream_.get());
    timing.recorded = code == CUDA_SUCCESS;
    return code;
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

// Checks nothing that was checked when it was prepared: an application launches it thousands of times a second.
class CudaStream::Prepared : public PreparedLaunch {
 public:
  Prepared(CudaStream& stream, std::shared_ptr<const DriverLaunch> launch, std::string doing)
      : stream_(stream), launch_(std::move(launch)), doing_(std::move(doing)) {}

  Result<void> send() override {
    WATTUNE_ASSIGN(const CurrentContext current, stream_.session().enter());
    if (!stream_.commands_.empty())
      return stream_.add(doing_, Kind::first_launch, 1,
                         [&cu = stream_.cu(), launch = launch_] { return send(cu, *launch); });
    if (const CUresult code = send(stream_.cu(), *launch_); code != CUDA_SUCCESS)
      return stream_.session().failure(code, doing_);
    return {};
  }

 private:
  static CUresult send(const CuApi& cu, const DriverLaunch& launch) {
    const CUresult code = launch.copy_constants(cu);
    return code == CUDA_SUCCESS ? launch.start(cu) : code;
  }

  CudaStream& stream_;
  std::shared_ptr<const DriverLaunch> launch_;
  std::string doing_;
};

Result<std::unique_ptr<PreparedLaunch>> CudaStream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                            std::span<const LaunchArgument> arguments) {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(std::shared_ptr<const DriverLaunch> launch, DriverLaunch::make(stream_, kernel, geometry, arguments));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<Prepared>(*this, std::move(launch), running(kernel)));
}

}  // namespace

Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters, Nanoseconds limit) {
  auto* const own_stream = dynamic_cast<CudaStream*>(&stream);
  return own_stream != nullptr ? own_stream->count(counters, limit) : stream_of_another_device();
}

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session) {
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  CUstream stream = nullptr;
  // It waits for no other stream, be it the default one of an application.
  if (const CUresult code = session->cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING); code != CUDA_SUCCESS)
    return session->failure(code, "making a stream");
  return std::unique_ptr<Stream>(std::make_unique<CudaStream>(Handle<CUstream>(session, stream)));
}

Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Session>& session, CUstream stream) {
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  CUcontext context = nullptr;
  const CUresult code = session->cu().cuStreamGetCtx(stream, &context);
  if (code != CUDA_SUCCESS || context != session->context())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the stream is not of the context on {} that was attached to", session->info().selector))
        .hint("attach to the stream's own context");
  return std::unique_ptr<Stream>(std::make_unique<CudaStream>(Handle<CUstream>::borrow(session, stream)));
}

}  // namespace wattune::backend::cuda

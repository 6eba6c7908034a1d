#include "backend/cuda/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/buffer.h"
#include "backend/cuda/driver_launch.h"
#include "backend/cuda/launch_graph.h"
#include "backend/cuda/program.h"
#include "backend/cuda/range_profiler.h"
#include "backend/device/foreign_object.h"
#include "backend/device/rebinding.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

using Kind = Command::Kind;

// Casts an object that is known to be of this session.
CudaMemory& own(Buffer& buffer) { return static_cast<CudaMemory&>(buffer); }
const CudaMemory& own(const Buffer& buffer) { return static_cast<const CudaMemory&>(buffer); }
CudaKernel& own(Kernel& kernel) { return static_cast<CudaKernel&>(kernel); }

// True if the launch may have been refused because another context, or no context, was current.
bool minds_current_context(CUresult code) {
  return code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_INVALID_CONTEXT ||
         code == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

class CudaStream : public Stream {
 public:
  class Prepared;
  class PreparedGraph;

  // Makes a stream. `green` is the green context in which it was made; nullptr for the session's own context.
  CudaStream(std::shared_ptr<Dispatcher> dispatcher, Handle<CUstream> stream, bool at_once, GreenContext green = {})
      : Stream(*dispatcher->session()),
        dispatcher_(std::move(dispatcher)),
        green_(std::move(green)),
        lane_(std::move(stream), at_once) {}
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() override { dispatcher_->forget(lane_); }

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add("writing a buffer", Kind::transfer, data.size(),
               [this, &to = own(buffer), data] { return to.write(raw(), data.data()); });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add("reading a buffer", Kind::transfer, data.size(),
               [this, &from = own(buffer), data] { return from.read(raw(), data.data()); });
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    return add("copying a buffer", Kind::device, from.bytes(),
               [this, &from = own(from), &to = own(to)] { return from.copy(raw(), to); });
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    return add("filling a buffer", buffer.has_pixels() ? Kind::transfer : Kind::device, buffer.bytes(),
               [this, &memory = own(buffer), value] { return memory.fill(raw(), value); });
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    WATTUNE_ASSIGN(const std::shared_ptr<const DriverLaunch> launch,
                   DriverLaunch::make(lane_.stream, kernel, geometry, arguments));
    return give_timed(own(kernel), launch);
  }

  // Gives a timed launch to the dispatcher. Precondition: the session is entered.
  Result<std::unique_ptr<Event>> give_timed(CudaKernel& kernel, const std::shared_ptr<const DriverLaunch>& launch) {
    // At the first launch of a kernel, the driver may have to wait for loading its code or allocating its stack.
    const Kind kind = kernel.was_launched() ? Kind::launch : Kind::first_launch;
    kernel.set_launched();
    return give_timed(running(kernel), kind, [this, launch](Timing& timing) { return send(*launch, timing); });
  }

  // Gives a timed command to the dispatcher. Precondition: the session is entered.
  Result<std::unique_ptr<Event>> give_timed(std::string doing, Kind kind, std::function<CUresult(Timing&)> send_it) {
    WATTUNE_ASSIGN(const std::shared_ptr<Timing> timing, make_timing());
    const auto run = [send_it = std::move(send_it), &timing = *timing] { return send_it(timing); };
    WATTUNE_TRY(dispatcher_->give(
        lane_, {.doing = std::move(doing), .kind = kind, .run = run, .timing = timing, .awaited = {}}));
    return std::unique_ptr<Event>(std::make_unique<CudaEvent>(dispatcher_, timing));
  }

  Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                  std::span<const LaunchArgument> arguments) override;
  Result<std::unique_ptr<PreparedLaunch>> prepare_graph(std::span<const GraphNode> nodes, std::size_t times) override;

  Result<void> wait_for(const Event& event) override {
    WATTUNE_TRY(session().check());
    WATTUNE_TRY(check_own(session(), event, "the event"));
    return dispatcher_->wait_for(lane_, static_cast<const CudaEvent&>(event).timing());
  }

  Result<void> submit() override { return dispatcher_->submit(lanes()); }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(dispatcher_->finish(lanes(), {.limit = limit}));
    return {};
  }

  Result<StreamState> state() const override {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    if (captures()) return StreamState::capturing;
    if (!lane_.at_once && dispatcher_->keeps(lane_)) return StreamState::busy;
    const RelaxedCapture relaxed;  // otherwise the query would end another thread's capture
    const CUresult code = cu().cuStreamQuery(raw());
    if (code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_CONTEXT_IS_DESTROYED)
      return Error(ErrorCode::invalid_argument, "the application has destroyed the stream");
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_NOT_READY) return session().failure(code, "asking a stream");
    return code == CUDA_SUCCESS ? StreamState::idle : StreamState::busy;
  }

  bool is_capturing() const override {
    const Result<CurrentContext> current = session().enter();
    return current && captures();
  }

  // Tells whether the stream captures. For the legacy default stream, an error reports that another stream is captured;
  // then the default stream must not be used.
  bool captures() const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult code = cu().cuStreamIsCapturing(raw(), &status);
    return code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  Result<std::vector<Metric>> count(const std::vector<std::string>& counters, Nanoseconds limit) {
    if (lane_.at_once)
      return Error(ErrorCode::unavailable,
                   "counters are not counted in a stream that sends at once, such as an application's")
          .hint("count them in a stream that the device makes");
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    WATTUNE_ASSIGN(const std::vector<Command> commands, dispatcher_->take(lane_));
    WATTUNE_ASSIGN(const auto profiler, RangeProfiler::start(lane_.stream.session(), counters));
    if (std::ranges::none_of(commands, &Command::launches)) return std::vector<Metric>();
    const Polling polling;
    WATTUNE_TRY(dispatcher_->settle(lanes(), polling, limit));
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
        return cu().cuMemcpyHtoDAsync(to, guard.data(), guard.size(), raw());
      }));
    }
    WATTUNE_TRY(finish(limit));
    return changed;
  }

  Lane& lane() { return lane_; }

 private:
  Session& session() const { return *lane_.stream.session(); }
  const CuApi& cu() const { return session().cu(); }
  CUstream raw() const { return lane_.stream.get(); }
  std::array<Lane*, 1> lanes() { return {&lane_}; }

  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(session().check());
    return check_own(session(), buffer, "the buffer");
  }

  // Gives a command to the dispatcher. A command for 0 bytes is dropped.
  Result<void> add(std::string doing, Kind kind, std::size_t bytes, std::function<CUresult()> run) {
    if (bytes == 0) return session().check();
    return dispatcher_->give(lane_, {.doing = std::move(doing), .kind = kind, .run = std::move(run)});
  }

  Result<void> read(CUdeviceptr from, std::span<std::byte> data) {
    return add("reading a buffer", Kind::transfer, data.size(),
               [this, from, data] { return cu().cuMemcpyDtoHAsync(data.data(), from, data.size(), raw()); });
  }

  // Runs the commands and counts from the first launch to the last, with no other work on the device.
  Result<void> run_pass(const std::vector<Command>& commands, RangeProfiler& profiler, const Polling& polling,
                        Nanoseconds limit) {
    const auto first = std::ranges::find_if(commands, &Command::launches);
    const auto last = std::ranges::find_if(commands.rbegin(), commands.rend(), &Command::launches).base() - 1;
    for (auto command = commands.begin(); command != commands.end(); ++command) {
      if (command == first) WATTUNE_TRY(profiler.begin_pass());
      if (const CUresult code = command->run(); code != CUDA_SUCCESS) return session().failure(code, command->doing);
      lane_.last = *command;
      WATTUNE_TRY(dispatcher_->settle(lanes(), polling, limit));
      if (command == last) WATTUNE_TRY(profiler.end_pass());
    }
    return {};
  }

  static std::string running(const Kernel& kernel) { return fmt::format("running kernel `{}`", kernel.name()); }

  CUresult send(const DriverLaunch& launch) const {
    const CUresult code = launch.copy_constants(cu());
    return code == CUDA_SUCCESS ? launch.start(cu()) : code;
  }

  CUresult send(const LaunchGraph& graph) const {
    const CUresult code = graph.copy_constants(cu(), raw());
    return code == CUDA_SUCCESS ? graph.start(cu(), raw()) : code;
  }

  CUresult send(const DriverLaunch& launch, Timing& timing) const {
    const CUresult code = launch.copy_constants(cu());
    return code == CUDA_SUCCESS ? timed(timing, [&] { return launch.start(cu()); }) : code;
  }

  CUresult send(const LaunchGraph& graph, Timing& timing) const {
    const CUresult code = graph.copy_constants(cu(), raw());
    return code == CUDA_SUCCESS ? timed(timing, [&] { return graph.start(cu(), raw()); }) : code;
  }

  // Calls `start` between the records of the two events.
  CUresult timed(Timing& timing, const auto& start) const {
    CUresult code = cu().cuEventRecord(timing.start.get(), raw());
    if (code == CUDA_SUCCESS) code = start();
    if (code == CUDA_SUCCESS) code = cu().cuEventRecord(timing.end.get(), raw());
    timing.recorded = code == CUDA_SUCCESS;
    return code;
  }

  Result<std::shared_ptr<Timing>> make_timing() {
    auto timing = std::make_shared<Timing>();
    WATTUNE_ASSIGN(timing->start, make_event(lane_.stream.session()));
    WATTUNE_ASSIGN(timing->end, make_event(lane_.stream.session()));
    timing->lane = &lane_;
    return timing;
  }

  std::shared_ptr<Dispatcher> dispatcher_;
  GreenContext green_;  // destroyed after the stream that was made in it
  Lane lane_;
};

// A prepared launch. A send does not repeat the checks, because an application may launch thousands of times a second.
class CudaStream::Prepared : public PreparedLaunch {
 public:
  Prepared(CudaStream& stream, CudaKernel& kernel, std::shared_ptr<DriverLaunch> launch)
      : stream_(stream), kernel_(kernel), launch_(std::move(launch)), doing_(running(kernel)) {}

  // Sends the launch. The driver is not asked for the current context, because a launch goes into the context of its
  // stream. Default streams belong to the current context, and refuse objects of another one. After such a refusal the
  // context is entered and the launch repeated.
  Result<void> send() override {
    if (!stream_.lane_.at_once || launch_->has_constants()) return send_entered();
    WATTUNE_TRY(stream_.session().check());
    const CUresult code = launch_->start(stream_.cu());
    if (code == CUDA_SUCCESS) return {};
    if (minds_current_context(code)) return send_entered();
    return stream_.session().failure(code, doing_);
  }

  Result<std::unique_ptr<Event>> send_timed() override {
    WATTUNE_ASSIGN(const CurrentContext current, stream_.session().enter());
    return stream_.give_timed(kernel_, stream_.lane_.at_once ? launch_ : as_it_is());
  }

  Result<void> replace(CUgraphExec executable, CUgraphNode node) {
    Session& session = stream_.session();
    WATTUNE_ASSIGN(const CurrentContext current, session.enter());
    if (!launch_->is_plain())
      return Error(ErrorCode::invalid_argument,
                   fmt::format("kernel `{}` is launched cooperatively, with clusters or constants, which no launch in "
                               "a graph can become",
                               kernel_.name()));
    const CUDA_KERNEL_NODE_PARAMS parameters = launch_->node_parameters();
    const CUresult code = session.cu().cuGraphExecKernelNodeSetParams(executable, node, &parameters);
    return code == CUDA_SUCCESS ? Result<void>() : session.failure(code, "replacing a launch in a graph");
  }

  Result<void> set_memory(std::size_t argument, std::uint64_t memory) override {
    if (!launch_->set_memory(argument, memory)) return no_such_memory(kernel_, argument);
    return {};
  }

  Result<void> set_scalar(std::size_t argument, std::span<const std::byte> bytes) override {
    if (!launch_->set_scalar(argument, bytes)) return no_such_scalar(kernel_, argument, bytes);
    return {};
  }

 private:
  Result<void> send_entered() {
    WATTUNE_ASSIGN(const CurrentContext current, stream_.session().enter());
    if (!stream_.lane_.at_once && stream_.dispatcher_->keeps(stream_.lane_))
      return stream_.add(doing_, Kind::first_launch, 1,
                         [&stream = stream_, launch = as_it_is()] { return stream.send(*launch); });
    if (const CUresult code = stream_.send(*launch_); code != CUDA_SUCCESS)
      return stream_.session().failure(code, doing_);
    return {};
  }

  // Returns a copy for a command that is kept, because arguments that are set later must not change that command.
  std::shared_ptr<const DriverLaunch> as_it_is() const { return std::make_shared<const DriverLaunch>(*launch_); }

  CudaStream& stream_;
  CudaKernel& kernel_;
  std::shared_ptr<DriverLaunch> launch_;
  std::string doing_;
};

// A prepared graph. It is never held: a graph may have more launches than a held stream takes.
class CudaStream::PreparedGraph : public PreparedLaunch {
 public:
  PreparedGraph(CudaStream& stream, std::shared_ptr<const LaunchGraph> graph)
      : stream_(stream), graph_(std::move(graph)) {}

  Result<void> send() override {
    return stream_.add(kDoing, Kind::first_launch, 1,
                       [&stream = stream_, graph = graph_] { return stream.send(*graph); });
  }

  Result<std::unique_ptr<Event>> send_timed() override {
    WATTUNE_ASSIGN(const CurrentContext current, stream_.session().enter());
    return stream_.give_timed(kDoing, Kind::first_launch, [&stream = stream_, graph = graph_](Timing& timing) {
      return stream.send(*graph, timing);
    });
  }

 private:
  static constexpr const char* kDoing = "running a graph of launches";

  CudaStream& stream_;
  std::shared_ptr<const LaunchGraph> graph_;
};

Result<std::unique_ptr<PreparedLaunch>> CudaStream::prepare_graph(std::span<const GraphNode> nodes, std::size_t times) {
  if (nodes.empty() || times == 0) return Error(ErrorCode::invalid_argument, "a graph of launches needs a launch");
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(auto graph, LaunchGraph::make(lane_.stream.session(), nodes, times));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<PreparedGraph>(*this, std::move(graph)));
}

Result<std::unique_ptr<PreparedLaunch>> CudaStream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                            std::span<const LaunchArgument> arguments) {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  WATTUNE_ASSIGN(std::shared_ptr<DriverLaunch> launch, DriverLaunch::make(lane_.stream, kernel, geometry, arguments));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<Prepared>(*this, own(kernel), std::move(launch)));
}

}  // namespace

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Dispatcher>& dispatcher, const StreamOptions& options,
                                            GreenContexts& green_contexts) {
  const std::shared_ptr<Session>& session = dispatcher->session();
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  GreenContext green;
  if (options.units.count > 0) {
    WATTUNE_ASSIGN(green, green_contexts.get(options.units));
  }
  const int urgency = -options.priority;  // in CUDA the lower number goes first
  CUstream stream = nullptr;
  // The stream waits for no other stream, not even for the default stream of an application.
  const CUresult code =
      green ? session->cu().cuGreenCtxStreamCreate(&stream, green->get(), CU_STREAM_NON_BLOCKING, urgency)
            : session->cu().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, urgency);
  if (code != CUDA_SUCCESS) return session->failure(code, "making a stream");
  return std::unique_ptr<Stream>(
      std::make_unique<CudaStream>(dispatcher, Handle<CUstream>(session, stream), options.at_once, std::move(green)));
}

Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Dispatcher>& dispatcher, CUstream stream) {
  const std::shared_ptr<Session>& session = dispatcher->session();
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  CUcontext context = nullptr;
  const CUresult code = session->cu().cuStreamGetCtx(stream, &context);
  if (code != CUDA_SUCCESS || context != session->context())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the stream is not of the context on {} that was attached to", session->info().selector))
        .hint("attach to the stream's own context");
  return std::unique_ptr<Stream>(
      std::make_unique<CudaStream>(dispatcher, Handle<CUstream>::borrow(session, stream), true));
}

Result<std::vector<SensorSample>> finish_streams(Dispatcher& dispatcher, std::span<Stream* const> streams,
                                                 const Wait& wait) {
  std::vector<Lane*> lanes;
  for (Stream* const stream : streams) {
    WATTUNE_TRY(check_own(*dispatcher.session(), *stream, "the stream"));
    lanes.push_back(&static_cast<CudaStream*>(stream)->lane());
  }
  return dispatcher.finish(lanes, wait);
}

Result<void> replace_launch(CUgraphExec executable, CUgraphNode node, PreparedLaunch& by) {
  auto* const prepared = dynamic_cast<CudaStream::Prepared*>(&by);
  if (prepared == nullptr) return Error(ErrorCode::invalid_argument, "a graph takes launches of CUDA in this process");
  return prepared->replace(executable, node);
}

Result<std::vector<Metric>> count(const Session& session, Stream& stream, const std::vector<std::string>& counters,
                                  Nanoseconds limit) {
  WATTUNE_TRY(session.check());
  WATTUNE_TRY(check_own(session, stream, "the stream"));
  return static_cast<CudaStream&>(stream).count(counters, limit);
}

}  // namespace wattune::backend::cuda

// The client's side: Device and its objects, as names for what lives in a worker.
#include <fmt/format.h>

#include <thread>

#include "backend/counting.h"
#include "backend/foreign_object.h"
#include "backend/launch_check.h"
#include "backend/worker/connection.h"
#include "core/logging.h"
#include "wattune/backend/worker.h"

namespace wattune::backend {

namespace worker {
namespace {

using ConnectionPointer = std::shared_ptr<Connection>;

// For requests that neither compile nor run anything.
constexpr Nanoseconds kPromptly = nanoseconds_from_seconds(60);

// An object in the worker, which drops it when this one is destroyed.
class Remote {
 public:
  Remote(ConnectionPointer connection, ObjectId id) : connection_(std::move(connection)), id_(id) {}
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  ~Remote() { connection_->release(id_); }

  ObjectId id() const { return id_; }
  Connection& connection() const { return *connection_; }
  const ConnectionPointer& shared_connection() const { return connection_; }

 private:
  ConnectionPointer connection_;
  ObjectId id_;
};

class WorkerBuffer : public Buffer, public Remote {
 public:
  WorkerBuffer(ConnectionPointer connection, ObjectId id, std::size_t bytes, bool pixels)
      : Buffer(*connection), Remote(std::move(connection), id), bytes_(bytes), pixels_(pixels) {}
  std::size_t bytes() const override { return bytes_; }
  bool has_pixels() const override { return pixels_; }

 private:
  std::size_t bytes_;
  bool pixels_;
};

class WorkerKernel : public Kernel, public Remote {
 public:
  WorkerKernel(ConnectionPointer connection, std::string name, const KernelAnswer& answer)
      : Kernel(*connection), Remote(std::move(connection), answer.id), name_(std::move(name)), answer_(answer) {}
  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return answer_.argument_count; }
  std::span<const KernelParameter> parameters() const override { return answer_.parameters; }
  std::size_t max_work_group_size() const override { return answer_.max_work_group_size; }
  Result<KernelResources> resources(std::size_t group_size, std::size_t local_bytes) const override {
    return connection().ask<KernelResources>(Request::resources, ResourcesRequest{id(), group_size, local_bytes},
                                             kPromptly);
  }

 private:
  std::string name_;
  KernelAnswer answer_;
};

class WorkerProgram : public Program, public Remote {
 public:
  WorkerProgram(ConnectionPointer connection, BuildAnswer answer)
      : Program(*connection), Remote(std::move(connection), answer.id), log_(std::move(answer.log)) {}
  const std::string& build_log() const override { return log_; }
  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    WATTUNE_ASSIGN(const KernelAnswer answer,
                   connection().ask<KernelAnswer>(Request::kernel, KernelRequest{id(), name}, kPromptly));
    return std::unique_ptr<Kernel>(std::make_unique<WorkerKernel>(shared_connection(), name, answer));
  }

 private:
  std::string log_;
};

// How a launch ended, shared by the stream, which fills it in, and the event.
struct LaunchEnd {
  Result<Nanoseconds> duration = Error(ErrorCode::invalid_argument, "the launch has not finished");
  Conditions conditions;
};
using LaunchEndPointer = std::shared_ptr<LaunchEnd>;

class WorkerEvent : public Event {
 public:
  explicit WorkerEvent(LaunchEndPointer end) : end_(std::move(end)) {}
  Result<Nanoseconds> duration() const override { return end_->duration; }
  Conditions conditions() const override { return end_->conditions; }

 private:
  LaunchEndPointer end_;
};

// Of an object that was seen to be of this connection.
ObjectId id_of(const Buffer& buffer) { return static_cast<const WorkerBuffer&>(buffer).id(); }

class WorkerStream : public Stream, public Remote {
 public:
  WorkerStream(ConnectionPointer connection, ObjectId id) : Remote(std::move(connection), id) {}

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    commands_.emplace_back(WriteCommand{id_of(buffer), data.size()});
    sent_.push_back(data);
    return {};
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    commands_.emplace_back(ReadCommand{id_of(buffer), data.size()});
    received_.push_back(data);
    return {};
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    commands_.emplace_back(CopyCommand{id_of(from), id_of(to)});
    return {};
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    commands_.emplace_back(FillCommand{id_of(buffer), value});
    return {};
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_TRY(connection().check());
    WATTUNE_TRY(check_launch(connection(), kernel, geometry, arguments));
    LaunchCommand command{static_cast<const WorkerKernel&>(kernel).id(), geometry, {}};
    for (const LaunchArgument& argument : arguments) {
      if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
        command.arguments.emplace_back(BufferArgument{*buffer != nullptr ? id_of(**buffer) : 0});
      } else if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) {
        command.arguments.emplace_back(*scalar);
      } else if (const auto* constant = std::get_if<ConstantBuffer>(&argument)) {
        command.arguments.emplace_back(ConstantArgument{constant->symbol, id_of(*constant->buffer)});
      } else if (const auto* sampling = std::get_if<Sampling>(&argument)) {
        command.arguments.emplace_back(*sampling);
      } else {
        command.arguments.emplace_back(std::get<LocalBytes>(argument));
      }
    }
    commands_.emplace_back(std::move(command));
    ends_.push_back(std::make_shared<LaunchEnd>());
    return std::unique_ptr<Event>(std::make_unique<WorkerEvent>(ends_.back()));
  }

  void allow_compiling(Nanoseconds limit) override { compile_limit_ = limit; }

  Result<void> finish(Nanoseconds limit) override {
    if (commands_.empty()) return connection().check();
    WATTUNE_TRY(run(limit, 0));
    return {};
  }

  Result<std::vector<Metric>> count(const std::vector<std::string>& counters, Nanoseconds limit) {
    WATTUNE_ASSIGN(RunAnswer answer, run(limit, 0, counters));
    return std::move(answer.counters);
  }

  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(check(buffer));
    WATTUNE_ASSIGN(const RunAnswer answer, run(limit, id_of(buffer)));
    return std::array<std::size_t, 2>{answer.changed_guard_bytes[0], answer.changed_guard_bytes[1]};
  }

 private:
  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(connection().check());
    return check_own(connection(), buffer, "the buffer");
  }

  Result<RunAnswer> run(Nanoseconds limit, ObjectId guarded_buffer, const std::vector<std::string>& counters = {}) {
    const Nanoseconds compile_limit = std::exchange(compile_limit_, Nanoseconds());
    const RunRequest request{id(), limit, compile_limit, std::exchange(commands_, {}), guarded_buffer, counters};
    const auto sent = std::exchange(sent_, {});
    const auto received = std::exchange(received_, {});
    const auto ends = std::exchange(ends_, {});
    Result<RunAnswer> answer =
        connection().ask<RunAnswer>(Request::run, request, limit + compile_limit, sent, received);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends[i]->duration = duration_of(answer, i);
      if (answer) ends[i]->conditions = answer->conditions;
    }
    return answer;
  }

  static Result<Nanoseconds> duration_of(const Result<RunAnswer>& answer, std::size_t launch) {
    if (!answer) return answer.error();
    if (launch >= answer->durations.size())
      return Error(ErrorCode::internal, "the worker did not tell the time of a launch");
    if (const auto* time = std::get_if<Nanoseconds>(&answer->durations[launch])) return *time;
    return to_error(std::get<ErrorFields>(answer->durations[launch]));
  }

  // Since the last finish, with what they write and read, and the launches among them.
  std::vector<Command> commands_;
  std::vector<std::span<const std::byte>> sent_;
  std::vector<std::span<std::byte>> received_;
  std::vector<LaunchEndPointer> ends_;
  Nanoseconds compile_limit_;  // of the next finish
};

class WorkerCounters : public Counters {
 public:
  // Of the device whose connection this is, in each of its lives.
  explicit WorkerCounters(const ConnectionPointer& connection) : connection_(connection) {}

  Result<std::vector<CounterInfo>> list() override {
    return connection_->ask<std::vector<CounterInfo>>(Request::counter_list, Nothing{}, kPromptly);
  }

  Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters,
                                    Nanoseconds limit) override {
    auto* const own = dynamic_cast<WorkerStream*>(&stream);
    return own != nullptr ? own->count(counters, limit) : stream_of_another_device();
  }

 private:
  const ConnectionPointer& connection_;
};

// PoCL's words where it finds no memory.
std::string advice_on(const Error& error) {
  if (error.message().find("Not enough memory to run on this device") == std::string::npos) return error.advice();
  return "PoCL asks /sys how much memory there is: mount it into the container; or let --memory-limit allow more";
}

// A worker that could not be made to serve is missing, not lost.
Error unavailable_if_lost(Error error) {
  if (error.code() != ErrorCode::device_lost && error.code() != ErrorCode::timeout) return error;
  return Error(ErrorCode::unavailable, error.message())
      .native(error.native_code(), error.native_name())
      .hint(advice_on(error))
      .with_context("starting a worker");
}

// A worker that was started, and its first answer.
template <typename Answer>
struct Started {
  ConnectionPointer connection;
  Answer answer;
};

template <typename Answer, typename Asked>
Result<Started<Answer>> start_once(const WorkerOptions& options, Request request, const Asked& asked) {
  WATTUNE_ASSIGN(ConnectionPointer connection, Connection::start(options));
  WATTUNE_ASSIGN(Answer answer, connection->ask<Answer>(request, asked, options.start_limit));
  return Started<Answer>{std::move(connection), std::move(answer)};
}

// A worker that is killed from outside while it starts, perhaps because memory ran out, is started again.
template <typename Answer, typename Asked>
Result<Started<Answer>> start_worker(const WorkerOptions& options, Request request, const Asked& asked) {
  constexpr int kTries = 4;
  constexpr std::chrono::milliseconds kPause{250};
  auto started = start_once<Answer>(options, request, asked);
  for (int i = 1; i < kTries && !started && killed_from_outside(started.error()); ++i) {
    std::this_thread::sleep_for(kPause);
    started = start_once<Answer>(options, request, asked);
  }
  if (!started) return unavailable_if_lost(std::move(started).error());
  return started;
}

// Those of the device behind a connection that a reset replaces.
class WorkerSensors : public Sensors {
 public:
  explicit WorkerSensors(const ConnectionPointer& connection) : connection_(connection) {}
  Result<SensorReadings> read() override {
    return connection_->ask<SensorReadings>(Request::sensors, Nothing{}, kPromptly);
  }

 private:
  const ConnectionPointer& connection_;
};

class WorkerDevice : public Device {
 public:
  static Result<std::unique_ptr<Device>> open(const std::string& selector, const WorkerOptions& options) {
    std::unique_ptr<WorkerDevice> device(new WorkerDevice(selector, options));
    WATTUNE_ASSIGN(device->info_, device->connect());
    return std::unique_ptr<Device>(std::move(device));
  }

  const DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                         Nanoseconds limit) override {
    const BuildRequest request{source, {macros.begin(), macros.end()}, limit};
    WATTUNE_ASSIGN(BuildAnswer answer, connection_->ask<BuildAnswer>(Request::build, request, limit));
    return std::unique_ptr<Program>(std::make_unique<WorkerProgram>(connection_, std::move(answer)));
  }

  Result<CompileTarget> compile_target(const KernelSource& source) override {
    return connection_->ask<CompileTarget>(Request::target, TargetRequest{source}, kPromptly);
  }

  Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros, Nanoseconds limit) override {
    const LoadRequest request{image, {macros.begin(), macros.end()}, limit};
    WATTUNE_ASSIGN(BuildAnswer answer, connection_->ask<BuildAnswer>(Request::load, request, limit));
    return std::unique_ptr<Program>(std::make_unique<WorkerProgram>(connection_, std::move(answer)));
  }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_ASSIGN(const Created answer, connection_->ask<Created>(Request::buffer, BufferRequest{bytes}, kPromptly));
    return std::unique_ptr<Buffer>(std::make_unique<WorkerBuffer>(connection_, answer.id, bytes, false));
  }

  Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& layout) override {
    WATTUNE_ASSIGN(const Created answer,
                   connection_->ask<Created>(Request::pixel_buffer, PixelBufferRequest{layout}, kPromptly));
    return std::unique_ptr<Buffer>(std::make_unique<WorkerBuffer>(connection_, answer.id, bytes_of(layout), true));
  }

  Result<std::unique_ptr<Stream>> create_stream() override {
    WATTUNE_ASSIGN(const Created answer, connection_->ask<Created>(Request::stream, Nothing{}, kPromptly));
    return std::unique_ptr<Stream>(std::make_unique<WorkerStream>(connection_, answer.id));
  }

  // A device that names none is asked why.
  Result<Sensors*> sensors() override {
    if (info_.sensors.empty()) WATTUNE_TRY(sensors_.read());
    return &sensors_;
  }

  Result<ClockControl*> clock_control() override {
    if (!clocks_) {
      WATTUNE_ASSIGN(const BoardAnswer answer, connection_->ask<BoardAnswer>(Request::board, Nothing{}, kPromptly));
      WATTUNE_ASSIGN(clocks_, open_clock_control(answer.board));
    }
    return clocks_.get();
  }

  Result<Counters*> counters() override {
    WATTUNE_TRY(connection_->ask<Nothing>(Request::counters, Nothing{}, kPromptly));
    return &counters_;
  }

  Result<void> reset() override {
    log_info("{} is reset: a new worker", selector_);
    connection_->close();
    Result<DeviceInfo> info = connect();
    if (info) return {};
    return std::move(info).error();
  }

 private:
  WorkerDevice(std::string selector, WorkerOptions options)
      : selector_(std::move(selector)), options_(std::move(options)) {}

  // A new worker with the device open. The old connection stays when there is none.
  Result<DeviceInfo> connect() {
    WATTUNE_ASSIGN(auto started, start_worker<DeviceInfo>(options_, Request::open, OpenRequest{selector_}));
    connection_ = std::move(started.connection);
    connection_->set_info(started.answer);
    return std::move(started.answer);
  }

  std::string selector_;
  WorkerOptions options_;
  DeviceInfo info_;
  ConnectionPointer connection_;
  WorkerSensors sensors_{connection_};
  WorkerCounters counters_{connection_};
  std::unique_ptr<ClockControl> clocks_;  // once somebody asked for it; no worker's end touches it
};

}  // namespace
}  // namespace worker

Result<Discovery> discover_in_worker(const WorkerOptions& options) {
  using namespace worker;
  WATTUNE_ASSIGN(auto started, start_worker<Discovery>(options, Request::discover, Nothing{}));
  return std::move(started.answer);
}

bool killed_from_outside(const Error& error) {
  return error.code() == ErrorCode::device_lost && error.native_name() == "SIGKILL";
}

Result<std::unique_ptr<Device>> open_device_in_worker(const std::string& selector, const WorkerOptions& options) {
  return worker::WorkerDevice::open(selector, options);
}

}  // namespace wattune::backend

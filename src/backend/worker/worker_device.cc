// The client's side of the protocol: a Device and its objects, which refer to objects in a worker.
#include <fmt/format.h>

#include <thread>

#include "backend/interface/connection.h"
#include "backend/interface/kill_count.h"
#include "backend/worker/remote.h"
#include "backend/worker/worker_stream.h"
#include "core/logging.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {

namespace worker {
namespace {

class WorkerProgram : public Program, public Remote {
 public:
  WorkerProgram(ConnectionPointer connection, BuildAnswer answer)
      : Program(*connection), Remote(std::move(connection), answer.id), log_(std::move(answer.log)) {}
  const std::string& build_log() const override { return log_; }
  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    WATTUNE_ASSIGN(const KernelAnswer answer,
                   connection().ask<KernelAnswer>(Request::kernel, KernelRequest{id(), name}, kShortRequestLimit));
    return std::unique_ptr<Kernel>(std::make_unique<WorkerKernel>(shared_connection(), name, answer));
  }

 private:
  std::string log_;
};

class WorkerCounters : public Counters {
 public:
  // Makes the counters of the connection's device; the device replaces `connection` when it is reset.
  explicit WorkerCounters(const ConnectionPointer& connection) : connection_(connection) {}

  Result<std::vector<CounterInfo>> list() override {
    return connection_->ask<std::vector<CounterInfo>>(Request::counter_list, Nothing{}, kShortRequestLimit);
  }

  Result<std::vector<Metric>> count(Stream& stream, const std::vector<std::string>& counters,
                                    Nanoseconds limit) override {
    return worker::count(*connection_, stream, counters, limit);
  }

 private:
  const ConnectionPointer& connection_;
};

// Returns advice for the error, also for PoCL's message when it lacks memory.
std::string advice_on(const Error& error) {
  if (error.message().find("Not enough memory to run on this device") == std::string::npos) return error.advice();
  return "PoCL asks /sys how much memory there is: mount it into the container; or allow the worker more memory";
}

// Turns device_lost into unavailable: a worker that never served is missing, not lost.
Error unavailable_if_lost(Error error) {
  if (error.code() != ErrorCode::device_lost && error.code() != ErrorCode::timeout) return error;
  return Error(ErrorCode::unavailable, error.message())
      .native(error.native_code(), error.native_name())
      .hint(advice_on(error))
      .with_context("starting a worker");
}

// A worker that was started, with its first answer.
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

// Starts a worker. A worker that is killed from outside while it starts, perhaps because memory ran out, is started
// again.
template <typename Answer, typename Asked>
Result<Started<Answer>> start_worker(const WorkerOptions& options, Request request, const Asked& asked) {
  constexpr std::chrono::milliseconds kPause{250};
  KillCount kills;
  auto started = start_once<Answer>(options, request, asked);
  while (!started && kills.allow_another(started.error())) {
    std::this_thread::sleep_for(kPause);
    started = start_once<Answer>(options, request, asked);
  }
  if (!started) return unavailable_if_lost(std::move(started).error());
  return started;
}

// The sensors of a device in a worker. It refers to the owner's connection, because a reset of the device replaces the
// connection.
class WorkerSensors : public Sensors {
 public:
  explicit WorkerSensors(const ConnectionPointer& connection) : connection_(connection) {}
  Result<SensorReadings> read() override {
    return connection_->ask<SensorReadings>(Request::sensors, Nothing{}, kShortRequestLimit);
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
    return connection_->ask<CompileTarget>(Request::target, TargetRequest{source}, kShortRequestLimit);
  }

  Result<std::unique_ptr<Program>> load(const Image& image, std::span<const Macro> macros, Nanoseconds limit) override {
    const LoadRequest request{image, {macros.begin(), macros.end()}, limit};
    WATTUNE_ASSIGN(BuildAnswer answer, connection_->ask<BuildAnswer>(Request::load, request, limit));
    return std::unique_ptr<Program>(std::make_unique<WorkerProgram>(connection_, std::move(answer)));
  }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_ASSIGN(const Created answer,
                   connection_->ask<Created>(Request::buffer, BufferRequest{bytes}, kShortRequestLimit));
    return std::unique_ptr<Buffer>(std::make_unique<WorkerBuffer>(connection_, answer.id, bytes, false));
  }

  Result<std::unique_ptr<Buffer>> create_pixel_buffer(const PixelLayout& layout) override {
    WATTUNE_ASSIGN(const Created answer,
                   connection_->ask<Created>(Request::pixel_buffer, PixelBufferRequest{layout}, kShortRequestLimit));
    return std::unique_ptr<Buffer>(std::make_unique<WorkerBuffer>(connection_, answer.id, bytes_of(layout), true));
  }

  Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) override {
    if (options.units.count > 0) return no_unit_ranges(info());
    return make_stream(outbox_);
  }

  Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait) override {
    return finish_streams(outbox_, streams, wait);
  }

  // Returns the sensors. If the device has none, asks the worker for the reason.
  Result<Sensors*> sensors() override {
    if (info_.sensors.empty()) WATTUNE_TRY(sensors_.read());
    return &sensors_;
  }

  Result<ClockControl*> clock_control() override {
    if (!clocks_) {
      WATTUNE_ASSIGN(const BoardAnswer answer,
                     connection_->ask<BoardAnswer>(Request::board, Nothing{}, kShortRequestLimit));
      WATTUNE_ASSIGN(clocks_, open_clock_control(answer.board));
    }
    return clocks_.get();
  }

  Result<Counters*> counters() override {
    WATTUNE_TRY(connection_->ask<Nothing>(Request::counters, Nothing{}, kShortRequestLimit));
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

  // Starts a new worker and opens the device in it. If that fails, keeps the old connection.
  Result<DeviceInfo> connect() {
    WATTUNE_ASSIGN(auto started, start_worker<DeviceInfo>(options_, Request::open, OpenRequest{selector_}));
    connection_ = std::move(started.connection);
    connection_->set_info(started.answer);
    outbox_ = std::make_shared<Outbox>(Outbox{connection_});
    return std::move(started.answer);
  }

  std::string selector_;
  WorkerOptions options_;
  DeviceInfo info_;
  ConnectionPointer connection_;
  std::shared_ptr<Outbox> outbox_;  // the state that all streams of the connection share
  WorkerSensors sensors_{connection_};
  WorkerCounters counters_{connection_};
  std::unique_ptr<ClockControl> clocks_;  // nullptr until clock_control() is called; it outlives workers
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

#include "backend/worker/worker_stream.h"

#include <algorithm>

#include "backend/device/foreign_object.h"
#include "backend/interface/launch_check.h"

namespace wattune::inline v0_1::backend::worker {

class WorkerStream : public Stream, public Remote {
 public:
  WorkerStream(std::shared_ptr<Outbox> outbox, ObjectId id)
      : Stream(*outbox->connection), Remote(outbox->connection, id), outbox_(std::move(outbox)) {}
  WorkerStream(const WorkerStream&) = delete;
  WorkerStream& operator=(const WorkerStream&) = delete;
  ~WorkerStream() override;

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add({.command = WriteCommand{id_of(buffer), data.size()}, .sent = data});
  }
  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add({.command = ReadCommand{id_of(buffer), data.size()}, .received = data});
  }
  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    return add({.command = CopyCommand{id_of(from), id_of(to)}});
  }
  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    return add({.command = FillCommand{id_of(buffer), value}});
  }
  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override;
  Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                  std::span<const LaunchArgument> arguments) override;
  Result<std::unique_ptr<PreparedLaunch>> prepare_graph(std::span<const GraphNode> nodes, std::size_t times) override;
  Result<void> wait_for(const Event& event) override;
  void allow_compiling(Nanoseconds limit) override { compile_limit_ = limit; }
  Result<void> submit() override;
  Result<void> finish(Nanoseconds limit) override;
  Result<std::vector<Metric>> count(const std::vector<std::string>& counters, Nanoseconds limit);
  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override;

 private:
  friend class Dispatch;
  class Prepared;
  class PreparedGraph;

  // Adds a launch, or a graph, that is timed.
  template <typename Launch>
  Result<std::unique_ptr<Event>> add_launch(Launch command);
  Result<LaunchCommand> command_of(Kernel& kernel, const Geometry3& geometry,
                                   std::span<const LaunchArgument> arguments) const;
  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(connection().check());
    return check_own(connection(), buffer, "the buffer");
  }
  // Returns the id of an object that is known to be of this connection.
  static ObjectId id_of(const Buffer& buffer) { return static_cast<const WorkerBuffer&>(buffer).id(); }
  static LaunchCommand::Argument to_sent(const LaunchArgument& argument);
  Result<void> add(Outgoing outgoing, WorkerStream* awaited = nullptr);
  Result<RunAnswer> run(RunRequest request);

  std::shared_ptr<Outbox> outbox_;
  Nanoseconds compile_limit_;  // the limit of compiling in the next finish
  // True if commands were sent since the last finish, so that their results are still to come.
  bool under_way_ = false;
  std::vector<std::span<std::byte>> received_;
  std::vector<std::shared_ptr<RemoteLaunch>> launches_;
};

namespace {

class WorkerEvent : public Event {
 public:
  WorkerEvent(std::shared_ptr<Outbox> outbox, std::shared_ptr<RemoteLaunch> launch)
      : Event(*outbox->connection), outbox_(std::move(outbox)), launch_(std::move(launch)) {}

  Result<bool> ready() const override {
    if (launch_->failure) return *launch_->failure;
    if (launch_->answer) return true;
    WATTUNE_TRY(outbox_->connection->check());
    if (launch_->collector != nullptr) return false;
    const PollRequest request{launch_->stream, launch_->id};
    WATTUNE_ASSIGN(PollAnswer polled, outbox_->connection->ask<PollAnswer>(Request::poll, request, kShortRequestLimit));
    launch_->answer = std::move(polled.launch);
    launch_->conditions = polled.conditions;
    return launch_->answer.has_value();
  }
  Result<Nanoseconds> start() const override {
    WATTUNE_TRY(check_ended());
    if (launch_->answer->start) return *launch_->answer->start;
    return error(true);
  }
  Result<Nanoseconds> duration() const override {
    WATTUNE_TRY(check_ended());
    if (launch_->answer->duration) return *launch_->answer->duration;
    return error(false);
  }
  Result<Nanoseconds> end() const override {
    WATTUNE_ASSIGN(const Nanoseconds began, start());
    WATTUNE_ASSIGN(const Nanoseconds took, duration());
    return began + took;
  }
  Conditions conditions() const override { return launch_->conditions; }

  const std::shared_ptr<RemoteLaunch>& launch() const { return launch_; }

 private:
  Result<void> check_ended() const {
    WATTUNE_ASSIGN(const bool has_ended, ready());
    if (has_ended) return {};
    return Error(ErrorCode::invalid_argument, "the launch has not finished");
  }
  // Returns the error for a time that the worker could not give: that of the start or of the end.
  Error error(bool of_start) const {
    const std::vector<ErrorFields>& errors = launch_->answer->errors;
    if (errors.empty()) return Error(ErrorCode::internal, "the worker did not tell the time of a launch");
    return to_error(of_start ? errors.front() : errors.back());
  }

  std::shared_ptr<Outbox> outbox_;
  std::shared_ptr<RemoteLaunch> launch_;
};

}  // namespace

// A request that sends the commands of streams, and finishes those that it names.
class Dispatch {
 public:
  // Takes the commands of `streams`, and those commands of other streams for which they wait.
  Dispatch(Outbox& outbox, std::span<WorkerStream* const> streams, bool finish)
      : finished_(finish ? streams.size() : 0) {
    streams_.assign(streams.begin(), streams.end());
    auto entries = outbox.backlog.take(streams);
    commands_.reserve(entries.size());
    for (auto& [stream, awaited, outgoing] : entries) take(*stream, std::move(outgoing));
  }

  // Sends all collected commands with `request`, and stores in each launch its answer or its failure.
  Result<RunAnswer> ask(RunRequest request, Connection& connection) {
    Nanoseconds limit = finished_ > 0 ? request.limit : kShortRequestLimit;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const bool finish = i < finished_;
      limit += streams_[i]->compile_limit_;
      request.streams.push_back({streams_[i]->id(), finish, streams_[i]->compile_limit_});
      if (finish) streams_[i]->compile_limit_ = Nanoseconds();
    }
    request.commands = std::move(commands_);
    Result<RunAnswer> answer = connection.ask<RunAnswer>(Request::run, request, limit, sent_, received());
    const auto failure = answer ? nullptr : std::make_shared<const Error>(answer.error());
    failure ? fail(failure) : keep();
    settle(answer ? &*answer : nullptr, failure);
    return answer;
  }

 private:
  // The commands of one stream in this request.
  struct Share {
    std::vector<std::span<std::byte>> received;
    std::vector<std::shared_ptr<RemoteLaunch>> launches;
  };

  void take(WorkerStream& stream, Outgoing outgoing) {
    const auto found = std::ranges::find(streams_, &stream);
    const auto index = static_cast<std::size_t>(found - streams_.begin());
    if (found == streams_.end()) streams_.push_back(&stream);
    shares_.resize(streams_.size());
    if (std::holds_alternative<WriteCommand>(outgoing.command)) sent_.push_back(outgoing.sent);
    if (std::holds_alternative<ReadCommand>(outgoing.command)) shares_[index].received.push_back(outgoing.received);
    if (outgoing.awaited && outgoing.awaited->failure) outgoing.command = WaitCommand{};
    if (outgoing.launch) {
      outgoing.launch->collector = nullptr;
      shares_[index].launches.push_back(std::move(outgoing.launch));
    }
    commands_.push_back({static_cast<std::uint32_t>(index), std::move(outgoing.command)});
  }

  // Returns the memory into which the answer's contents are received.
  std::vector<std::span<std::byte>> received() const {
    std::vector<std::span<std::byte>> all;
    for (std::size_t i = 0; i < finished_; ++i) {
      std::ranges::copy(streams_[i]->received_, std::back_inserter(all));
      if (i < shares_.size()) std::ranges::copy(shares_[i].received, std::back_inserter(all));
    }
    return all;
  }

  // Moves the launches, and the memory for reads, to the streams.
  void keep() {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      std::ranges::copy(shares_[i].received, std::back_inserter(streams_[i]->received_));
      std::ranges::move(shares_[i].launches, std::back_inserter(streams_[i]->launches_));
      streams_[i]->under_way_ = true;
    }
  }

  void fail(const std::shared_ptr<const Error>& failure) {
    for (const Share& share : shares_)
      for (const auto& launch : share.launches) launch->failure = failure;
  }

  // Gives the launches of finished streams their answers, or gives them the failure.
  void settle(RunAnswer* answer, const std::shared_ptr<const Error>& failure) {
    std::size_t told = 0;
    for (std::size_t i = 0; i < finished_; ++i) {
      for (const auto& launch : streams_[i]->launches_)
        answer != nullptr ? settle(*launch, *answer, told++) : void(launch->failure = failure);
      streams_[i]->launches_.clear();
      streams_[i]->received_.clear();
      streams_[i]->under_way_ = false;
    }
  }

  static void settle(RemoteLaunch& launch, RunAnswer& answer, std::size_t told) {
    launch.answer = told < answer.launches.size() ? std::move(answer.launches[told]) : LaunchAnswer();
    launch.conditions = answer.conditions;
  }

  std::vector<WorkerStream*> streams_;  // the streams; those to be finished come first
  const std::size_t finished_;          // number of streams to be finished
  std::vector<Share> shares_;           // shares of the streams that have commands
  std::vector<StreamCommand> commands_;
  std::vector<std::span<const std::byte>> sent_;
};

WorkerStream::~WorkerStream() {
  const auto error = std::make_shared<const Error>(ErrorCode::invalid_argument,
                                                   "the stream of a launch was destroyed before it was finished");
  for (auto& entry : outbox_->backlog.take_only(this))
    if (entry.command.launch) entry.command.launch->failure = error;
  for (const auto& launch : launches_)
    if (!launch->answer) launch->failure = error;
}

Result<void> WorkerStream::add(Outgoing outgoing, WorkerStream* awaited) {
  WATTUNE_TRY(connection().check());
  outbox_->backlog.add({this, awaited, std::move(outgoing)});
  return {};
}

LaunchCommand::Argument WorkerStream::to_sent(const LaunchArgument& argument) {
  if (const auto* buffer = std::get_if<const Buffer*>(&argument))
    return BufferArgument{*buffer != nullptr ? id_of(**buffer) : 0};
  if (const auto* constant = std::get_if<ConstantBuffer>(&argument))
    return ConstantArgument{constant->symbol, id_of(*constant->buffer)};
  if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) return *scalar;
  if (const auto* sampling = std::get_if<Sampling>(&argument)) return *sampling;
  return std::get<LocalBytes>(argument);
}

// A prepared launch. Several sends in a row become one command.
class WorkerStream::Prepared : public PreparedLaunch {
 public:
  Prepared(WorkerStream& stream, LaunchCommand launch)
      : stream_(stream), launch_(std::move(launch)), id_(++stream.outbox_->last_launch) {}

  Result<void> send() override {
    WATTUNE_TRY(stream_.connection().check());
    auto* const last = stream_.outbox_->backlog.last();
    if (last == nullptr || last->command.prepared != id_)
      return stream_.add({.command = SendCommand{launch_}, .prepared = id_});
    ++std::get<SendCommand>(last->command.command).times;
    return {};
  }

  Result<std::unique_ptr<Event>> send_timed() override {
    WATTUNE_TRY(stream_.connection().check());
    return stream_.add_launch(launch_);
  }

 private:
  WorkerStream& stream_;
  const LaunchCommand launch_;
  const LaunchId id_;
};

// A graph in the worker.
class WorkerStream::PreparedGraph : public PreparedLaunch, public Remote {
 public:
  PreparedGraph(WorkerStream& stream, ObjectId id) : Remote(stream.shared_connection(), id), stream_(stream) {}

  Result<void> send() override { return stream_.add({.command = GraphCommand{.graph = id()}}); }

  Result<std::unique_ptr<Event>> send_timed() override {
    WATTUNE_TRY(connection().check());
    return stream_.add_launch(GraphCommand{.graph = id()});
  }

 private:
  WorkerStream& stream_;
};

Result<std::unique_ptr<PreparedLaunch>> WorkerStream::prepare_graph(std::span<const GraphNode> nodes,
                                                                    std::size_t times) {
  GraphRequest request{.stream = id(), .nodes = {}, .times = times};
  for (const GraphNode& node : nodes) {
    WATTUNE_ASSIGN(LaunchCommand command, command_of(*node.kernel, node.geometry, node.arguments));
    request.nodes.push_back({std::move(command), node.repeat});
  }
  WATTUNE_ASSIGN(const Created made, connection().ask<Created>(Request::graph, request, kShortRequestLimit));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<PreparedGraph>(*this, made.id));
}

Result<LaunchCommand> WorkerStream::command_of(Kernel& kernel, const Geometry3& geometry,
                                               std::span<const LaunchArgument> arguments) const {
  WATTUNE_TRY(connection().check());
  WATTUNE_TRY(check_launch(connection(), kernel, geometry, arguments));
  LaunchCommand command{0, static_cast<const WorkerKernel&>(kernel).id(), geometry, {}};
  for (const LaunchArgument& argument : arguments) command.arguments.push_back(to_sent(argument));
  return command;
}

Result<std::unique_ptr<PreparedLaunch>> WorkerStream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                              std::span<const LaunchArgument> arguments) {
  WATTUNE_ASSIGN(LaunchCommand command, command_of(kernel, geometry, arguments));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<Prepared>(*this, std::move(command)));
}

Result<std::unique_ptr<Event>> WorkerStream::launch(Kernel& kernel, const Geometry3& geometry,
                                                    std::span<const LaunchArgument> arguments) {
  WATTUNE_ASSIGN(LaunchCommand command, command_of(kernel, geometry, arguments));
  return add_launch(std::move(command));
}

template <typename Launch>
Result<std::unique_ptr<Event>> WorkerStream::add_launch(Launch command) {
  const auto launch = std::make_shared<RemoteLaunch>();
  launch->id = command.launch = ++outbox_->last_launch;
  launch->stream = id();
  launch->collector = this;
  WATTUNE_TRY(add({.command = std::move(command), .launch = launch}));
  return std::unique_ptr<Event>(std::make_unique<WorkerEvent>(outbox_, launch));
}

Result<void> WorkerStream::wait_for(const Event& event) {
  WATTUNE_TRY(connection().check());
  WATTUNE_TRY(check_own(connection(), event, "the event"));
  const std::shared_ptr<RemoteLaunch>& awaited = static_cast<const WorkerEvent&>(event).launch();
  const RemoteLaunch& launch = *awaited;
  if (launch.failure) return *launch.failure;
  if (launch.answer) return {};
  return add({.command = WaitCommand{launch.stream, launch.id}, .awaited = awaited}, launch.collector);
}

Result<RunAnswer> WorkerStream::run(RunRequest request) {
  WorkerStream* const own = this;
  return Dispatch(*outbox_, std::span(&own, 1), true).ask(std::move(request), connection());
}

Result<void> WorkerStream::submit() {
  WATTUNE_TRY(connection().check());
  if (!outbox_->backlog.holds(this)) return {};
  WorkerStream* const own = this;
  WATTUNE_TRY(Dispatch(*outbox_, std::span(&own, 1), false).ask({}, connection()));
  return {};
}

Result<void> WorkerStream::finish(Nanoseconds limit) {
  if (!under_way_ && !outbox_->backlog.holds(this)) return connection().check();
  WATTUNE_TRY(run({.streams = {}, .limit = limit}));
  return {};
}

Result<std::vector<Metric>> WorkerStream::count(const std::vector<std::string>& counters, Nanoseconds limit) {
  WATTUNE_ASSIGN(RunAnswer answer, run({.streams = {}, .limit = limit, .counters = counters}));
  return std::move(answer.counters);
}

Result<std::array<std::size_t, 2>> WorkerStream::check_guards(Buffer& buffer, Nanoseconds limit) {
  WATTUNE_TRY(check(buffer));
  WATTUNE_ASSIGN(const RunAnswer answer, run({.streams = {}, .limit = limit, .guarded_buffer = id_of(buffer)}));
  return std::array<std::size_t, 2>{answer.changed_guard_bytes[0], answer.changed_guard_bytes[1]};
}

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Outbox>& outbox) {
  WATTUNE_ASSIGN(const Created answer,
                 outbox->connection->ask<Created>(Request::stream, Nothing{}, kShortRequestLimit));
  return std::unique_ptr<Stream>(std::make_unique<WorkerStream>(outbox, answer.id));
}

Result<std::vector<SensorSample>> finish_streams(const std::shared_ptr<Outbox>& outbox,
                                                 std::span<Stream* const> streams, const Wait& wait) {
  std::vector<WorkerStream*> own;
  for (Stream* const stream : streams) {
    WATTUNE_TRY(check_own(*outbox->connection, *stream, "the stream"));
    own.push_back(static_cast<WorkerStream*>(stream));
  }
  if (own.empty()) return std::vector<SensorSample>();
  RunRequest request{.streams = {}, .limit = wait.limit, .sample_every = wait.sample_every};
  WATTUNE_ASSIGN(RunAnswer answer, Dispatch(*outbox, own, true).ask(std::move(request), *outbox->connection));
  return std::move(answer.samples);
}

Result<std::vector<Metric>> count(const Connection& connection, Stream& stream,
                                  const std::vector<std::string>& counters, Nanoseconds limit) {
  WATTUNE_TRY(connection.check());
  WATTUNE_TRY(check_own(connection, stream, "the stream"));
  return static_cast<WorkerStream&>(stream).count(counters, limit);
}

}  // namespace wattune::backend::worker

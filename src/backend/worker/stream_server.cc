#include "backend/worker/stream_server.h"

#include <algorithm>

namespace wattune::inline v0_1::backend::worker {

namespace {

// The state of a stream before a request. It is restored if the request fails.
struct Before {
  explicit Before(ServedStream& of) : served(of), launches(of.launches.size()), wanted(of.wanted.size()) {}
  void restore() const {
    served.launches.resize(launches);
    served.wanted.resize(wanted);
  }

  ServedStream& served;
  std::size_t launches;
  std::size_t wanted;
};

void forget(ServedStream& served) {
  served.launches.clear();
  served.written.clear();
  served.wanted.clear();
  served.reads = 0;
}

LaunchAnswer answer_of(const Event& event) {
  LaunchAnswer answer;
  const auto keep = [&](std::optional<Nanoseconds>& time, const Result<Nanoseconds>& told) {
    if (told) time = *told;
    if (!told) answer.errors.push_back(to_fields(told.error()));
  };
  keep(answer.start, event.start());
  keep(answer.duration, event.duration());
  return answer;
}

}  // namespace

ObjectId StreamServer::keep(ObjectId id, std::unique_ptr<Stream> stream) {
  streams_[id] = std::make_unique<ServedStream>();
  streams_[id]->stream = std::move(stream);
  return id;
}

ObjectId StreamServer::keep(ObjectId id, std::unique_ptr<PreparedLaunch> graph) {
  graphs_[id] = std::move(graph);
  return id;
}

Result<std::unique_ptr<PreparedLaunch>> StreamServer::make_graph(const GraphRequest& asked) const {
  const ServedStream* const served = find(streams_, asked.stream);
  if (served == nullptr) return unknown_object(asked.stream);
  std::vector<GraphNode> nodes;
  for (const SendCommand& each : asked.nodes) {
    GraphNode& node = nodes.emplace_back(GraphNode{.geometry = each.launch.geometry, .repeat = each.times});
    WATTUNE_ASSIGN(node.kernel, kernel(each.launch.kernel));
    WATTUNE_ASSIGN(node.arguments, to_arguments(each.launch));
  }
  return served->stream->prepare_graph(nodes, asked.times);
}

bool StreamServer::makes_sense(const RunRequest& asked) const {
  const auto is_known = [this](const RunStream& named) { return find(streams_, named.stream) != nullptr; };
  const auto makes_sense_here = [&](const StreamCommand& command) { return makes_sense(asked, command); };
  return !asked.streams.empty() && std::ranges::all_of(asked.streams, is_known) &&
         std::ranges::all_of(asked.commands, makes_sense_here);
}

bool StreamServer::makes_sense(const RunRequest& asked, const StreamCommand& command) const {
  const auto holds = [this](ObjectId id, std::uint64_t bytes) {
    const Buffer* const buffer = find(objects_.buffers, id);
    return buffer != nullptr && buffer->bytes() == bytes;
  };
  if (command.stream >= asked.streams.size()) return false;
  if (const auto* write = std::get_if<WriteCommand>(&command.command)) return holds(write->buffer, write->bytes);
  if (const auto* read = std::get_if<ReadCommand>(&command.command)) return holds(read->buffer, read->bytes);
  return true;
}

Result<void> StreamServer::run(Device& device, const RunRequest& asked) {
  Served served;
  std::vector<Before> before;
  for (const RunStream& named : asked.streams) before.emplace_back(*served.emplace_back(find(streams_, named.stream)));
  WATTUNE_ASSIGN(const Contents contents, receive_contents(asked, served));
  const Result<RunAnswer> answer = execute(device, asked, served, contents);
  if (!answer) std::ranges::for_each(before, &Before::restore);
  WATTUNE_TRY(send_answer(channel_, answer));
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (!asked.streams[i].finish) continue;
    for (const std::size_t block : served[i]->wanted)
      if (answer) WATTUNE_TRY(channel_.send_bytes(served[i]->read[block].bytes(), kForever));
    forget(*served[i]);
  }
  return {};
}

Result<StreamServer::Contents> StreamServer::receive_contents(const RunRequest& asked, const Served& served) {
  Contents contents;
  for (const StreamCommand& command : asked.commands) {
    ServedStream& stream = *served[command.stream];
    if (const auto* write = std::get_if<WriteCommand>(&command.command)) {
      stream.written.emplace_back().resize(write->bytes);
      contents.push_back(stream.written.back().bytes());
      WATTUNE_TRY(channel_.receive_bytes(contents.back(), kForever));
    } else if (const auto* read = std::get_if<ReadCommand>(&command.command)) {
      if (stream.reads == stream.read.size()) stream.read.emplace_back();
      stream.wanted.push_back(stream.reads);
      stream.read[stream.reads].resize(read->bytes);
      contents.push_back(stream.read[stream.reads++].bytes());
    }
  }
  return contents;
}

Result<RunAnswer> StreamServer::execute(Device& device, const RunRequest& asked, const Served& served,
                                        const Contents& contents) {
  for (std::size_t i = 0; i < served.size(); ++i)
    if (asked.streams[i].finish) served[i]->stream->allow_compiling(asked.streams[i].compile_limit);
  const Result<void> collected = collect(asked, served, contents);
  if (collected && !asked.counters.empty()) {
    RunAnswer answer;
    WATTUNE_ASSIGN(Counters* const counters, device.counters());
    WATTUNE_ASSIGN(answer.counters, counters->count(*served.front()->stream, asked.counters, asked.limit));
    return answer;
  }
  // The streams are finished even after an error, because the collected commands use the contents.
  Result<RunAnswer> answer = finish(device, asked, served);
  if (answer && !collected) return collected.error();
  return answer;
}

Result<RunAnswer> StreamServer::finish(Device& device, const RunRequest& asked, const Served& served) {
  RunAnswer answer;
  std::vector<Stream*> streams;
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (asked.streams[i].finish) streams.push_back(served[i]->stream.get());
    if (!asked.streams[i].finish) WATTUNE_TRY(served[i]->stream->submit());
  }
  if (streams.empty()) return answer;
  WATTUNE_ASSIGN(answer.samples, device.finish(streams, {asked.limit, asked.sample_every}));
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (!asked.streams[i].finish || served[i]->launches.empty()) continue;
    answer.conditions = served[i]->launches.back().event->conditions();
    for (const auto& [id, event] : served[i]->launches) answer.launches.push_back(answer_of(*event));
  }
  if (asked.guarded_buffer == 0) return answer;
  WATTUNE_ASSIGN(Buffer* const guarded, buffer(asked.guarded_buffer));
  WATTUNE_ASSIGN(const auto changed, streams.front()->check_guards(*guarded, asked.limit));
  answer.changed_guard_bytes = {changed[0], changed[1]};
  return answer;
}

Result<void> StreamServer::collect(const RunRequest& asked, const Served& served, const Contents& contents) {
  auto next = contents.begin();
  for (const StreamCommand& each : asked.commands) {
    ServedStream& target = *served[each.stream];
    Stream& stream = *target.stream;
    if (const auto* write = std::get_if<WriteCommand>(&each.command)) {
      WATTUNE_ASSIGN(Buffer* const to, buffer(write->buffer));
      WATTUNE_TRY(stream.write(*to, *next++));
    } else if (const auto* read = std::get_if<ReadCommand>(&each.command)) {
      WATTUNE_ASSIGN(const Buffer* const from, buffer(read->buffer));
      WATTUNE_TRY(stream.read(*from, *next++));
    } else if (const auto* copy = std::get_if<CopyCommand>(&each.command)) {
      WATTUNE_ASSIGN(const Buffer* const from, buffer(copy->from));
      WATTUNE_ASSIGN(Buffer* const to, buffer(copy->to));
      WATTUNE_TRY(stream.copy(*from, *to));
    } else if (const auto* fill = std::get_if<FillCommand>(&each.command)) {
      WATTUNE_ASSIGN(Buffer* const filled, buffer(fill->buffer));
      WATTUNE_TRY(stream.fill(*filled, fill->value));
    } else if (const auto* wait = std::get_if<WaitCommand>(&each.command)) {
      WATTUNE_TRY(collect_wait(target, *wait));
    } else if (const auto* sends = std::get_if<SendCommand>(&each.command)) {
      WATTUNE_TRY(collect_sends(target, *sends));
    } else if (const auto* graph = std::get_if<GraphCommand>(&each.command)) {
      WATTUNE_TRY(collect_graph(target, *graph));
    } else {
      WATTUNE_TRY(collect_launch(target, std::get<LaunchCommand>(each.command)));
    }
  }
  return {};
}

Result<void> StreamServer::collect_launch(ServedStream& served, const LaunchCommand& command) {
  WATTUNE_ASSIGN(Kernel* const launched, kernel(command.kernel));
  WATTUNE_ASSIGN(const std::vector<LaunchArgument> arguments, to_arguments(command));
  WATTUNE_ASSIGN(std::unique_ptr<Event> event, served.stream->launch(*launched, command.geometry, arguments));
  served.launches.push_back({command.launch, std::move(event)});
  return {};
}

Result<void> StreamServer::collect_sends(ServedStream& served, const SendCommand& command) {
  WATTUNE_ASSIGN(Kernel* const launched, kernel(command.launch.kernel));
  WATTUNE_ASSIGN(const std::vector<LaunchArgument> arguments, to_arguments(command.launch));
  WATTUNE_ASSIGN(const auto prepared, served.stream->prepare(*launched, command.launch.geometry, arguments));
  for (std::uint64_t i = 0; i < command.times; ++i) WATTUNE_TRY(prepared->send());
  return {};
}

Result<void> StreamServer::collect_graph(ServedStream& served, const GraphCommand& command) {
  PreparedLaunch* const graph = find(graphs_, command.graph);
  if (graph == nullptr) return unknown_object(command.graph);
  if (command.launch == 0) return graph->send();
  WATTUNE_ASSIGN(std::unique_ptr<Event> event, graph->send_timed());
  served.launches.push_back({command.launch, std::move(event)});
  return {};
}

Result<std::vector<LaunchArgument>> StreamServer::to_arguments(const LaunchCommand& command) const {
  std::vector<LaunchArgument> arguments;
  for (const LaunchCommand::Argument& sent : command.arguments) {
    WATTUNE_ASSIGN(LaunchArgument argument, to_argument(sent));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Result<void> StreamServer::collect_wait(ServedStream& served, const WaitCommand& command) const {
  const ServedStream* const other = find(streams_, command.stream);
  if (other == nullptr || command.launch == 0)
    return Error(ErrorCode::invalid_argument, "the launch that a stream waits for will never run");
  const auto found = std::ranges::find(other->launches, command.launch, &ServedStream::Launched::id);
  return found == other->launches.end() ? Result<void>() : served.stream->wait_for(*found->event);
}

Result<LaunchArgument> StreamServer::to_argument(const LaunchCommand::Argument& sent) const {
  if (const auto* named = std::get_if<BufferArgument>(&sent)) {
    if (named->buffer == 0) return LaunchArgument(static_cast<const Buffer*>(nullptr));
    WATTUNE_ASSIGN(const Buffer* const found, buffer(named->buffer));
    return LaunchArgument(found);
  }
  if (const auto* constant = std::get_if<ConstantArgument>(&sent)) {
    WATTUNE_ASSIGN(const Buffer* const found, buffer(constant->buffer));
    return LaunchArgument(ConstantBuffer{constant->symbol, found});
  }
  if (const auto* scalar = std::get_if<ScalarBytes>(&sent)) return LaunchArgument(*scalar);
  if (const auto* sampling = std::get_if<Sampling>(&sent)) return LaunchArgument(*sampling);
  return LaunchArgument(std::get<LocalBytes>(sent));
}

Result<Kernel*> StreamServer::kernel(ObjectId id) const {
  Kernel* const found = find(objects_.kernels, id);
  if (found == nullptr) return unknown_object(id);
  return found;
}

Result<Buffer*> StreamServer::buffer(ObjectId id) const {
  Buffer* const found = find(objects_.buffers, id);
  if (found == nullptr) return unknown_object(id);
  return found;
}

Result<PollAnswer> StreamServer::poll(const PollRequest& asked) {
  const ServedStream* const served = find(streams_, asked.stream);
  if (served == nullptr) return unknown_object(asked.stream);
  const auto found = std::ranges::find(served->launches, asked.launch, &ServedStream::Launched::id);
  if (found == served->launches.end()) return unknown_object(asked.launch);
  WATTUNE_ASSIGN(const bool ready, found->event->ready());
  PollAnswer answer;
  if (!ready) return answer;
  answer.launch = answer_of(*found->event);
  answer.conditions = found->event->conditions();
  return answer;
}

}  // namespace wattune::backend::worker

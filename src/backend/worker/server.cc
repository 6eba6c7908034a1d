// The worker's side: a loop that answers requests with a device of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "backend/compiler_program.h"
#include "backend/worker/channel.h"
#include "backend/worker/compile_log.h"
#include "backend/worker/error_stream.h"
#include "backend/worker/protocol.h"
#include "backend/worker/reference_call.h"
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::backend {

namespace worker {
namespace {

constexpr Deadline kForever;

// Contents on their way between the socket and the device; not cleared first, they may be gigabytes.
class Block {
 public:
  // Makes room for so many bytes; what was there is lost.
  void resize(std::size_t size) {
    if (size > room_) {
      data_.reset();
      data_ = std::make_unique_for_overwrite<std::byte[]>(size);
      room_ = size;
    }
    size_ = size;
  }
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

template <typename T>
using Objects = std::unordered_map<ObjectId, std::unique_ptr<T>>;

class Server {
 public:
  explicit Server(Channel channel) : channel_(std::move(channel)) {}

  // Serves until the connection ends: io_error when the client hung up, parse_error after a message that makes no
  // sense.
  Error serve() {
    for (;;)
      if (Result<void> served = serve_one(); !served) return std::move(served).error();
  }

 private:
  Result<void> serve_one() {
    WATTUNE_ASSIGN(const std::vector<std::byte> message, channel_.receive(kForever));
    Reader reader(message);
    Envelope envelope;
    reader.get(envelope);
    for (const ObjectId id : envelope.released) release(id);
    switch (envelope.request) {
      case Request::discover: return answer(reader, &Server::discover_devices);
      case Request::open: return answer(reader, &Server::open_device);
      case Request::build: return answer(reader, &Server::build);
      case Request::compile: return answer(reader, &Server::compile);
      case Request::target: return answer(reader, &Server::target);
      case Request::load: return answer(reader, &Server::load);
      case Request::kernel: return answer(reader, &Server::make_kernel);
      case Request::resources: return answer(reader, &Server::resources);
      case Request::buffer: return answer(reader, &Server::make_buffer);
      case Request::pixel_buffer: return answer(reader, &Server::make_pixel_buffer);
      case Request::stream: return answer(reader, &Server::make_stream);
      case Request::run: return run(reader);
      case Request::sensors: return answer(reader, &Server::read_sensors);
      case Request::board: return answer(reader, &Server::tell_board);
      case Request::counters: return answer(reader, &Server::check_counters);
      case Request::counter_list: return answer(reader, &Server::list_counters);
      case Request::reference: return run_reference(reader);
    }
    return bad_message();
  }

  static Error bad_message() { return Error(ErrorCode::parse_error, "a request makes no sense"); }

  template <typename Asked, typename Answer>
  Result<void> answer(Reader& reader, Result<Answer> (Server::*handler)(const Asked&)) {
    Asked asked;
    reader.get(asked);
    if (!reader.complete()) return bad_message();
    return send((this->*handler)(asked));
  }

  template <typename Answer>
  Result<void> send(const Result<Answer>& answer) {
    Writer writer;
    put_answer(writer, answer);
    return channel_.send(writer.bytes(), kForever);
  }

  Result<Discovery> discover_devices(const Nothing&) { return discover(); }

  Result<DeviceInfo> open_device(const OpenRequest& asked) {
    if (device_) return Error(ErrorCode::internal, "the worker has a device already");
    WATTUNE_ASSIGN(device_, backend::open_device(asked.selector));
    log_debug("opened {}", asked.selector);
    return device_->info();
  }

  Result<BuildAnswer> build(const BuildRequest& asked) {
    WATTUNE_TRY(check_device());
    const CompileLog log(asked.source);
    WATTUNE_ASSIGN(std::unique_ptr<Program> program, device_->build(asked.source, asked.macros, asked.limit));
    return keep_program(std::move(program));
  }

  // Without a device: a compile process has none.
  Result<Image> compile(const CompileRequest& asked) {
    const CompileLog log(asked.source);
    return compile_image(asked.target, asked.source, asked.macros, asked.limit);
  }

  Result<CompileTarget> target(const TargetRequest& asked) {
    WATTUNE_TRY(check_device());
    return device_->compile_target(asked.source);
  }

  Result<BuildAnswer> load(const LoadRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Program> program, device_->load(asked.image, asked.macros, asked.limit));
    return keep_program(std::move(program));
  }

  Result<KernelAnswer> make_kernel(const KernelRequest& asked) {
    Program* const program = find(programs_, asked.program);
    if (program == nullptr) return unknown(asked.program);
    WATTUNE_ASSIGN(std::unique_ptr<Kernel> kernel, program->kernel(asked.name));
    const Kernel& made = *kernel;
    const std::span<const KernelParameter> parameters = made.parameters();
    return KernelAnswer{.id = keep(kernels_, std::move(kernel)),
                        .argument_count = made.argument_count(),
                        .parameters = {parameters.begin(), parameters.end()},
                        .max_work_group_size = made.max_work_group_size()};
  }

  Result<KernelResources> resources(const ResourcesRequest& asked) {
    const Kernel* const kernel = find(kernels_, asked.kernel);
    if (kernel == nullptr) return unknown(asked.kernel);
    return kernel->resources(asked.group_size, asked.local_bytes);
  }

  Result<Created> make_buffer(const BufferRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Buffer> buffer, device_->create_buffer(asked.bytes));
    return Created{keep(buffers_, std::move(buffer))};
  }

  Result<Created> make_pixel_buffer(const PixelBufferRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Buffer> buffer, device_->create_pixel_buffer(asked.layout));
    return Created{keep(buffers_, std::move(buffer))};
  }

  Result<Created> make_stream(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Stream> stream, device_->create_stream());
    return Created{keep(streams_, std::move(stream))};
  }

  Result<SensorReadings> read_sensors(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(Sensors* const sensors, device_->sensors());
    return sensors->read();
  }

  // The control that is made for it sets nothing, and so restores nothing when this worker ends.
  Result<BoardAnswer> tell_board(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(const ClockControl* control, device_->clock_control());
    return BoardAnswer{control->board()};
  }

  Result<Nothing> check_counters(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_TRY(device_->counters());
    return Nothing{};
  }

  Result<std::vector<CounterInfo>> list_counters(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(Counters* const counters, device_->counters());
    return counters->list();
  }

  Result<void> run(Reader& reader) {
    RunRequest asked;
    reader.get(asked);
    if (!reader.complete()) return bad_message();
    WATTUNE_TRY(receive_contents(asked));
    const Result<RunAnswer> answer = execute(asked);
    WATTUNE_TRY(send(answer));
    return answer ? send_contents(asked) : Result<void>();
  }

  Result<void> run_reference(Reader& reader) {
    ReferenceRequest asked;
    reader.get(asked);
    if (!reader.complete()) return bad_message();
    const Result<GuardedArguments> arguments = GuardedArguments::map(asked.arguments);
    for (std::size_t i = 0; i < asked.arguments.size(); ++i)
      if (!asked.arguments[i].fill)
        WATTUNE_TRY(arguments ? channel_.receive_bytes(arguments->contents(i), kForever)
                              : discard(asked.arguments[i].bytes));
    if (!arguments) return send(Result<Nothing>(arguments.error()));
    const Result<Nothing> called = call_reference(asked, *arguments);
    WATTUNE_TRY(send(called));
    for (std::size_t i = 0; called && i < asked.arguments.size(); ++i)
      if (asked.arguments[i].wanted) WATTUNE_TRY(channel_.send_bytes(arguments->contents(i), kForever));
    return {};
  }

  // Takes contents for which there is no room.
  Result<void> discard(std::uint64_t bytes) {
    std::array<std::byte, 65536> piece;
    for (std::size_t taken = 0; bytes > 0; bytes -= taken) {
      taken = std::min<std::size_t>(bytes, piece.size());
      WATTUNE_TRY(channel_.receive_bytes(std::span(piece).first(taken), kForever));
    }
    return {};
  }

  // Gives every write and read a block, and fills those of the writes.
  Result<void> receive_contents(const RunRequest& asked) {
    written_.clear();
    std::size_t reads = 0;
    for (const Command& command : asked.commands) {
      if (const auto* write = std::get_if<WriteCommand>(&command)) {
        if (!holds(write->buffer, write->bytes)) return bad_message();
        written_.emplace_back().resize(write->bytes);
        WATTUNE_TRY(channel_.receive_bytes(written_.back().bytes(), kForever));
      } else if (const auto* read = std::get_if<ReadCommand>(&command)) {
        if (!holds(read->buffer, read->bytes)) return bad_message();
        if (reads == read_.size()) read_.emplace_back();
        read_[reads++].resize(read->bytes);
      }
    }
    return {};
  }

  bool holds(ObjectId id, std::uint64_t bytes) const {
    const Buffer* const buffer = find(buffers_, id);
    return buffer != nullptr && buffer->bytes() == bytes;
  }

  Result<void> send_contents(const RunRequest& asked) {
    std::size_t reads = 0;
    for (const Command& command : asked.commands)
      if (std::holds_alternative<ReadCommand>(command))
        WATTUNE_TRY(channel_.send_bytes(read_[reads++].bytes(), kForever));
    return {};
  }

  Result<RunAnswer> execute(const RunRequest& asked) {
    Stream* const stream = find(streams_, asked.stream);
    if (stream == nullptr) return unknown(asked.stream);
    std::vector<std::unique_ptr<Event>> events;
    stream->allow_compiling(asked.compile_limit);
    const Result<void> submitted = submit(*stream, asked.commands, events);
    RunAnswer answer;
    if (submitted && !asked.counters.empty()) {
      WATTUNE_ASSIGN(Counters* const counters, device_->counters());
      WATTUNE_ASSIGN(answer.counters, counters->count(*stream, asked.counters, asked.limit));
      return answer;
    }
    // Also after an error: what was submitted uses the blocks.
    WATTUNE_TRY(stream->finish(asked.limit));
    WATTUNE_TRY(submitted);
    if (!events.empty()) answer.conditions = events.back()->conditions();
    for (const std::unique_ptr<Event>& event : events) {
      const Result<Nanoseconds> duration = event->duration();
      if (duration) {
        answer.durations.emplace_back(*duration);
      } else {
        answer.durations.emplace_back(to_fields(duration.error()));
      }
    }
    if (asked.guarded_buffer == 0) return answer;
    Buffer* const guarded = find(buffers_, asked.guarded_buffer);
    if (guarded == nullptr) return unknown(asked.guarded_buffer);
    WATTUNE_ASSIGN(const auto changed, stream->check_guards(*guarded, asked.limit));
    answer.changed_guard_bytes = {changed[0], changed[1]};
    return answer;
  }

  Result<void> submit(Stream& stream, const std::vector<Command>& commands,
                      std::vector<std::unique_ptr<Event>>& events) {
    std::size_t writes = 0;
    std::size_t reads = 0;
    for (const Command& command : commands) {
      if (const auto* write = std::get_if<WriteCommand>(&command)) {
        WATTUNE_TRY(stream.write(*find(buffers_, write->buffer), written_[writes++].bytes()));
      } else if (const auto* read = std::get_if<ReadCommand>(&command)) {
        WATTUNE_TRY(stream.read(*find(buffers_, read->buffer), read_[reads++].bytes()));
      } else if (const auto* copy = std::get_if<CopyCommand>(&command)) {
        Buffer* const from = find(buffers_, copy->from);
        Buffer* const to = find(buffers_, copy->to);
        if (from == nullptr || to == nullptr) return unknown(from == nullptr ? copy->from : copy->to);
        WATTUNE_TRY(stream.copy(*from, *to));
      } else if (const auto* fill = std::get_if<FillCommand>(&command)) {
        Buffer* const buffer = find(buffers_, fill->buffer);
        if (buffer == nullptr) return unknown(fill->buffer);
        WATTUNE_TRY(stream.fill(*buffer, fill->value));
      } else {
        WATTUNE_ASSIGN(events.emplace_back(), launch(stream, std::get<LaunchCommand>(command)));
      }
    }
    return {};
  }

  Result<std::unique_ptr<Event>> launch(Stream& stream, const LaunchCommand& command) {
    Kernel* const kernel = find(kernels_, command.kernel);
    if (kernel == nullptr) return unknown(command.kernel);
    std::vector<LaunchArgument> arguments;
    for (const auto& argument : command.arguments) {
      if (const auto* named = std::get_if<BufferArgument>(&argument)) {
        const Buffer* const buffer = find(buffers_, named->buffer);
        if (buffer == nullptr && named->buffer != 0) return unknown(named->buffer);
        arguments.emplace_back(buffer);
      } else if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) {
        arguments.emplace_back(*scalar);
      } else if (const auto* constant = std::get_if<ConstantArgument>(&argument)) {
        const Buffer* const buffer = find(buffers_, constant->buffer);
        if (buffer == nullptr) return unknown(constant->buffer);
        arguments.emplace_back(ConstantBuffer{constant->symbol, buffer});
      } else if (const auto* sampling = std::get_if<Sampling>(&argument)) {
        arguments.emplace_back(*sampling);
      } else {
        arguments.emplace_back(std::get<LocalBytes>(argument));
      }
    }
    return stream.launch(*kernel, command.geometry, arguments);
  }

  Result<void> check_device() const {
    if (!device_) return Error(ErrorCode::internal, "the worker has no device yet");
    return {};
  }

  static Error unknown(ObjectId id) {
    return Error(ErrorCode::internal, fmt::format("no object {} in the worker", id));
  }

  BuildAnswer keep_program(std::unique_ptr<Program> program) {
    std::string log = program->build_log();
    return {keep(programs_, std::move(program)), std::move(log)};
  }

  template <typename T>
  ObjectId keep(Objects<T>& objects, std::unique_ptr<T> object) {
    objects.emplace(++last_id_, std::move(object));
    return last_id_;
  }

  template <typename T>
  static T* find(const Objects<T>& objects, ObjectId id) {
    const auto found = objects.find(id);
    return found == objects.end() ? nullptr : found->second.get();
  }

  void release(ObjectId id) {
    streams_.erase(id);
    kernels_.erase(id);
    programs_.erase(id);
    buffers_.erase(id);
  }

  Channel channel_;
  // The contents of the last run. Kept until the next one, because after a timeout the device may still use them; those
  // read are kept longer, because the same outputs come again and the pages of gigabytes take long to get.
  std::vector<Block> written_;
  std::vector<Block> read_;
  std::unique_ptr<Device> device_;  // before the objects made from it, so that it is destroyed after them
  Objects<Program> programs_;
  Objects<Kernel> kernels_;
  Objects<Buffer> buffers_;
  Objects<Stream> streams_;
  ObjectId last_id_ = 0;
};

}  // namespace
}  // namespace worker

int run_worker(int argc, const char* const* argv) {
  using namespace worker;
  if (fcntl(kWorkerDescriptor, F_SETFD, FD_CLOEXEC) < 0) {
    std::fprintf(stderr, "this program is started by wattune, with a socket as descriptor %d\n", kWorkerDescriptor);
    return no_supervision;
  }
  log_to_client();
  if (argc > 2) (void)!nice(std::atoi(argv[2]));
  supervise(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0);
  keep_programs_in_group();
  Server server{Channel(Descriptor(kWorkerDescriptor))};
  const Error end = server.serve();
  if (end.code() == ErrorCode::io_error) return client_hung_up;
  std::fprintf(stderr, "%s\n", end.to_string().c_str());
  return bad_message;
}

}  // namespace wattune::backend

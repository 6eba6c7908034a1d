// The worker's side of the protocol: a loop that answers the client's requests, with the worker's device.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "backend/interface/compiler_program.h"
#include "backend/worker/channel.h"
#include "backend/worker/compile_log.h"
#include "backend/worker/error_stream.h"
#include "backend/worker/protocol.h"
#include "backend/worker/reference_call.h"
#include "backend/worker/serving.h"
#include "backend/worker/stream_server.h"
#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {

namespace worker {
namespace {

class Server {
 public:
  explicit Server(Channel channel) : channel_(std::move(channel)) {}

  // Serves until the connection ends. Returns io_error if the client closed the connection, parse_error after a message
  // that makes no sense.
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
      case Request::report: return answer(reader, &Server::report);
      case Request::assemble: return answer(reader, &Server::assemble);
      case Request::target: return answer(reader, &Server::target);
      case Request::load: return answer(reader, &Server::load);
      case Request::kernel: return answer(reader, &Server::make_kernel);
      case Request::resources: return answer(reader, &Server::resources);
      case Request::buffer: return answer(reader, &Server::make_buffer);
      case Request::pixel_buffer: return answer(reader, &Server::make_pixel_buffer);
      case Request::stream: return answer(reader, &Server::make_stream);
      case Request::graph: return answer(reader, &Server::make_graph);
      case Request::run: return run(reader);
      case Request::poll: return answer(reader, &Server::poll);
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
    return send_answer(channel_, answer);
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

  // Compiles an image. It needs no device, because a compile process has none.
  Result<Image> compile(const CompileRequest& asked) {
    const CompileLog log(asked.source);
    return compile_image(asked.target, asked.source, asked.macros, asked.limit);
  }

  Result<CompileReport> report(const ReportRequest& asked) {
    const CompileLog log(asked.source);
    return compile_cuda(asked.source, asked.macros, asked.architecture, asked.limit);
  }

  Result<AssembledKernels> assemble(const AssembleRequest& asked) {
    return assemble_ptx(asked.text, asked.architecture, asked.limit);
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
    Program* const program = find(objects_.programs, asked.program);
    if (program == nullptr) return unknown_object(asked.program);
    WATTUNE_ASSIGN(std::unique_ptr<Kernel> kernel, program->kernel(asked.name));
    const Kernel& made = *kernel;
    const std::span<const KernelParameter> parameters = made.parameters();
    return KernelAnswer{.id = objects_.keep(objects_.kernels, std::move(kernel)),
                        .argument_count = made.argument_count(),
                        .parameters = {parameters.begin(), parameters.end()},
                        .max_work_group_size = made.max_work_group_size()};
  }

  Result<KernelResources> resources(const ResourcesRequest& asked) {
    const Kernel* const kernel = find(objects_.kernels, asked.kernel);
    if (kernel == nullptr) return unknown_object(asked.kernel);
    return kernel->resources(asked.group_size, asked.local_bytes);
  }

  Result<Created> make_buffer(const BufferRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Buffer> buffer, device_->create_buffer(asked.bytes));
    return Created{objects_.keep(objects_.buffers, std::move(buffer))};
  }

  Result<Created> make_pixel_buffer(const PixelBufferRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Buffer> buffer, device_->create_pixel_buffer(asked.layout));
    return Created{objects_.keep(objects_.buffers, std::move(buffer))};
  }

  Result<Created> make_stream(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<Stream> stream, device_->create_stream());
    return Created{streams_.keep(objects_.next_id(), std::move(stream))};
  }

  Result<Created> make_graph(const GraphRequest& asked) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(std::unique_ptr<PreparedLaunch> graph, streams_.make_graph(asked));
    return Created{streams_.keep(objects_.next_id(), std::move(graph))};
  }

  Result<SensorReadings> read_sensors(const Nothing&) {
    WATTUNE_TRY(check_device());
    WATTUNE_ASSIGN(Sensors* const sensors, device_->sensors());
    return sensors->read();
  }

  // Returns the board of the device. The control that is opened for this changes no setting, and so restores none when
  // this worker ends.
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
    if (!reader.complete() || !device_ || !streams_.makes_sense(asked)) return bad_message();
    return streams_.run(*device_, asked);
  }

  Result<PollAnswer> poll(const PollRequest& asked) { return streams_.poll(asked); }

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

  // Receives contents for which there is no memory, and drops them.
  Result<void> discard(std::uint64_t bytes) {
    std::array<std::byte, 65536> piece;
    for (std::size_t taken = 0; bytes > 0; bytes -= taken) {
      taken = std::min<std::size_t>(bytes, piece.size());
      WATTUNE_TRY(channel_.receive_bytes(std::span(piece).first(taken), kForever));
    }
    return {};
  }

  Result<void> check_device() const {
    if (!device_) return Error(ErrorCode::internal, "the worker has no device yet");
    return {};
  }

  BuildAnswer keep_program(std::unique_ptr<Program> program) {
    std::string log = program->build_log();
    return {objects_.keep(objects_.programs, std::move(program)), std::move(log)};
  }

  void release(ObjectId id) {
    streams_.release(id);
    objects_.release(id);
  }

  Channel channel_;
  std::unique_ptr<Device> device_;  // declared before the objects made from it, so that it is destroyed after them
  ObjectTable objects_;
  StreamServer streams_{channel_, objects_};
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

// The messages between a client and its worker.
//
// The client asks and the worker answers, one request at a time. A message is a frame (channel.h) of:
//   request   Envelope (kind of request, objects that are no longer needed), then the struct of that request
//   answer    a boolean; if true the struct of the answer, if false an ErrorFields
//
// Objects live in the worker and are named by ids, which count from 1 and are never used again. Contents of buffers
// follow their message as bytes without a header. Contents to be written follow a RunRequest, in the order of its
// commands. Contents that were read follow the good answer to the request that finishes their stream. They come stream
// by stream, for each in the order of its commands. Both ends know the lengths from the commands.
#pragma once

#include "backend/interface/compile.h"
#include "backend/worker/wire.h"
#include "wattune/backend/device.h"
#include "wattune/backend/registry.h"

namespace wattune::inline v0_1::backend::worker {

using ObjectId = std::uint64_t;  // id of an object; 0 means no object
using LaunchId = std::uint64_t;  // id of a launch; the client chooses it, ascending in each stream

enum class Request : std::uint32_t {
  discover,
  open,
  build,
  compile,
  report,
  assemble,
  target,
  load,
  kernel,
  resources,
  buffer,
  pixel_buffer,
  stream,
  graph,
  run,
  poll,
  sensors,
  board,
  counters,
  counter_list,
  reference
};

struct Envelope {
  Request request = Request::discover;
  std::vector<ObjectId> released;
};

struct Nothing {};

// The answer to a request that makes an object: its id.
struct Created {
  ObjectId id = 0;
};

struct OpenRequest {
  std::string selector;
};

// The answer that names the device's board. The client opens the board's ClockControl itself.
struct BoardAnswer {
  std::string board;
};

struct BuildRequest {
  KernelSource source;
  std::vector<Macro> macros;
  Nanoseconds limit;
};
struct BuildAnswer {
  ObjectId id = 0;
  std::string log;
};

struct CompileRequest {
  CompileTarget target;
  KernelSource source;
  std::vector<Macro> macros;
  Nanoseconds limit;
};
// A request that a CompileReport answers.
struct ReportRequest {
  KernelSource source;
  std::vector<Macro> macros;
  std::string architecture;
  Nanoseconds limit;
};
// A request whose answer lists the resources of each kernel of the PTX.
struct AssembleRequest {
  std::string text;
  std::string architecture;
  Nanoseconds limit;
};
struct TargetRequest {
  KernelSource source;
};
struct LoadRequest {
  Image image;
  std::vector<Macro> macros;
  Nanoseconds limit;
};

struct KernelRequest {
  ObjectId program = 0;
  std::string name;
};
struct KernelAnswer {
  ObjectId id = 0;
  std::uint64_t argument_count = 0;
  std::vector<KernelParameter> parameters;
  std::uint64_t max_work_group_size = 0;
};

struct ResourcesRequest {
  ObjectId kernel = 0;
  std::uint64_t group_size = 0;
  std::uint64_t local_bytes = 0;
};

struct BufferRequest {
  std::uint64_t bytes = 0;
};

struct PixelBufferRequest {
  PixelLayout layout;
};

struct WriteCommand {
  ObjectId buffer = 0;
  std::uint64_t bytes = 0;
};
struct ReadCommand {
  ObjectId buffer = 0;
  std::uint64_t bytes = 0;
};
struct CopyCommand {
  ObjectId from = 0;
  ObjectId to = 0;
};
struct FillCommand {
  ObjectId buffer = 0;
  std::byte value{};
};
struct BufferArgument {
  ObjectId buffer = 0;
};
struct ConstantArgument {
  std::string symbol;
  ObjectId buffer = 0;
};
struct LaunchCommand {
  using Argument = std::variant<BufferArgument, ScalarBytes, LocalBytes, ConstantArgument, Sampling>;

  LaunchId launch = 0;
  ObjectId kernel = 0;
  Geometry3 geometry;
  std::vector<Argument> arguments;
};
// A number of equal launches, one after another, which are not timed and have no id.
struct SendCommand {
  LaunchCommand launch;
  std::uint64_t times = 1;
};
// A wait until a launch in another stream has ended. An unknown launch counts as ended; launch 0 will never run.
struct WaitCommand {
  ObjectId stream = 0;
  LaunchId launch = 0;
};
// A graph that was made before, sent once. Launch 0 is not timed.
struct GraphCommand {
  LaunchId launch = 0;
  ObjectId graph = 0;
};
using Command = std::variant<WriteCommand, ReadCommand, CopyCommand, FillCommand, LaunchCommand, WaitCommand,
                             SendCommand, GraphCommand>;

// The request that makes a graph of launches for a stream (Stream::prepare_graph()).
struct GraphRequest {
  ObjectId stream = 0;
  std::vector<SendCommand> nodes;
  std::uint64_t times = 0;
};

struct RunStream {
  ObjectId stream = 0;
  bool finish = false;        // true to wait for the stream; false only to hand its commands to the device
  Nanoseconds compile_limit;  // the limit of Stream::allow_compiling()
};
struct StreamCommand {
  std::uint32_t stream = 0;  // index of a stream among the request's streams
  Command command;
};
// Hands the commands to the device, and waits for the streams that ask for it. Then, if a buffer is named, checks its
// guard zones by the first stream. If counters are named, runs the first stream by Counters::count() instead.
struct RunRequest {
  std::vector<RunStream> streams;
  Nanoseconds limit;
  std::vector<StreamCommand> commands;
  std::optional<Nanoseconds> sample_every;
  ObjectId guarded_buffer = 0;
  std::vector<std::string> counters;
};

// The request that asks for Event::ready().
struct PollRequest {
  ObjectId stream = 0;
  LaunchId launch = 0;
};

// One argument of a reference written in C++. Its contents follow the request unless `fill` fills them, and follow the
// answer if they are wanted.
struct ReferenceArgument {
  std::string name;
  std::uint64_t bytes = 0;   // size in bytes; 0 for local memory
  std::uint64_t length = 0;  // number of elements
  bool writable = false;
  std::optional<std::byte> fill;
  bool wanted = false;
};
// A request to compile and load a C++ file and to call one of its functions, within `limit` altogether. It needs no
// device.
struct ReferenceRequest {
  std::filesystem::path file;
  std::string function;
  std::vector<ReferenceArgument> arguments;
  Nanoseconds limit;
  std::uint64_t memory_limit_bytes = 0;  // the worker's memory limit, for messages
};

struct ErrorFields {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  SourcePosition position;
  std::string offending_text;
  std::string advice;
  std::int64_t native_code = 0;
  std::string native_name;
  std::vector<std::string> context;  // context of an Error, innermost first
};

struct LaunchAnswer {
  std::optional<Nanoseconds> start;
  std::optional<Nanoseconds> duration;
  std::vector<ErrorFields> errors;  // reasons why times are missing, that of the start first
};
struct RunAnswer {
  // One answer for each launch that a finished stream had since it was finished before, stream by stream.
  std::vector<LaunchAnswer> launches;
  std::array<std::uint64_t, 2> changed_guard_bytes{};
  Conditions conditions;  // conditions of all launches
  std::vector<Metric> counters;
  std::vector<SensorSample> samples;
};
struct PollAnswer {
  std::optional<LaunchAnswer> launch;  // answer for the launch; nullopt until it has ended
  Conditions conditions;
};

ErrorFields to_fields(const Error& error);
Error to_error(ErrorFields fields);

// clang-format off
template <> inline constexpr auto kFields<Nothing> = std::tuple<>();
template <> inline constexpr auto kFields<SourcePosition> =
    std::tuple(&SourcePosition::file, &SourcePosition::line, &SourcePosition::column);
template <> inline constexpr auto kFields<ErrorFields> =
    std::tuple(&ErrorFields::code, &ErrorFields::message, &ErrorFields::position, &ErrorFields::offending_text,
               &ErrorFields::advice, &ErrorFields::native_code, &ErrorFields::native_name, &ErrorFields::context);
template <> inline constexpr auto kFields<DeviceInfo> =
    std::apply([](const auto&... field) {
      return std::tuple(field.member..., &DeviceInfo::languages, &DeviceInfo::types); }, kDeviceFields);
template <> inline constexpr auto kFields<BackendStatus> =
    std::tuple(&BackendStatus::backend, &BackendStatus::available, &BackendStatus::reason);
template <> inline constexpr auto kFields<Discovery> = std::tuple(&Discovery::devices, &Discovery::backends);
template <> inline constexpr auto kFields<CallArgument> = std::tuple(&CallArgument::name, &CallArgument::type);
template <> inline constexpr auto kFields<FunctionCall> =
    std::tuple(&FunctionCall::function, &FunctionCall::arguments);
template <> inline constexpr auto kFields<KernelSource> =
    std::tuple(&KernelSource::language, &KernelSource::function, &KernelSource::other_functions, &KernelSource::file,
               &KernelSource::text, &KernelSource::options, &KernelSource::compiler, &KernelSource::parameter_style,
               &KernelSource::calls, &KernelSource::own_styles, &KernelSource::host_compiler,
               &KernelSource::returned_unit);
template <> inline constexpr auto kFields<Macro> = std::tuple(&Macro::name, &Macro::value);
template <> inline constexpr auto kFields<Geometry3> = 
    std::tuple(&Geometry3::groups, &Geometry3::group_size, &Geometry3::cluster, &Geometry3::cooperative,
               &Geometry3::first_group);
template <> inline constexpr auto kFields<ScalarBytes> = std::tuple(&ScalarBytes::bytes);
template <> inline constexpr auto kFields<LocalBytes> = std::tuple(&LocalBytes::bytes);

template <> inline constexpr auto kFields<Envelope> = std::tuple(&Envelope::request, &Envelope::released);
template <> inline constexpr auto kFields<Created> = std::tuple(&Created::id);
template <> inline constexpr auto kFields<OpenRequest> = std::tuple(&OpenRequest::selector);
template <> inline constexpr auto kFields<BuildRequest> =
    std::tuple(&BuildRequest::source, &BuildRequest::macros, &BuildRequest::limit);
template <> inline constexpr auto kFields<BuildAnswer> = std::tuple(&BuildAnswer::id, &BuildAnswer::log);
template <> inline constexpr auto kFields<CompileTarget> =
    std::tuple(&CompileTarget::backend, &CompileTarget::architecture, &CompileTarget::driver_version,
               &CompileTarget::compiler);
template <> inline constexpr auto kFields<KernelParameter> =
    std::tuple(&KernelParameter::name, &KernelParameter::type, &KernelParameter::space, &KernelParameter::element,
               &KernelParameter::bytes);
template <> inline constexpr auto kFields<Image> =
    std::tuple(&Image::code, &Image::log, &Image::symbols, &Image::resources, &Image::parameters,
               &Image::kind);
template <> inline constexpr auto kFields<CompileRequest> =
    std::tuple(&CompileRequest::target, &CompileRequest::source, &CompileRequest::macros, &CompileRequest::limit);
template <> inline constexpr auto kFields<ReportRequest> =
    std::tuple(&ReportRequest::source, &ReportRequest::macros, &ReportRequest::architecture, &ReportRequest::limit);
template <> inline constexpr auto kFields<CompileReport> =
    std::tuple(&CompileReport::function, &CompileReport::symbol, &CompileReport::compiler, &CompileReport::kind,
               &CompileReport::resources, &CompileReport::parameters, &CompileReport::constants, &CompileReport::log);
template <> inline constexpr auto kFields<AssembleRequest> =
    std::tuple(&AssembleRequest::text, &AssembleRequest::architecture, &AssembleRequest::limit);
template <> inline constexpr auto kFields<TargetRequest> = std::tuple(&TargetRequest::source);
template <> inline constexpr auto kFields<LoadRequest> = std::tuple(&LoadRequest::image, &LoadRequest::macros, &LoadRequest::limit);
template <> inline constexpr auto kFields<KernelRequest> = std::tuple(&KernelRequest::program, &KernelRequest::name);
template <> inline constexpr auto kFields<KernelAnswer> =
    std::tuple(&KernelAnswer::id, &KernelAnswer::argument_count, &KernelAnswer::parameters,
               &KernelAnswer::max_work_group_size);
template <> inline constexpr auto kFields<ResourcesRequest> =
    std::tuple(&ResourcesRequest::kernel, &ResourcesRequest::group_size, &ResourcesRequest::local_bytes);
template <> inline constexpr auto kFields<KernelResources> =
    std::tuple(&KernelResources::registers, &KernelResources::private_bytes, &KernelResources::spill_bytes,
               &KernelResources::static_local_bytes, &KernelResources::dynamic_local_bytes,
               &KernelResources::binary_bytes, &KernelResources::occupancy);
template <> inline constexpr auto kFields<BufferRequest> = std::tuple(&BufferRequest::bytes);
template <> inline constexpr auto kFields<Sampling> =
    std::tuple(&Sampling::address, &Sampling::filter, &Sampling::normalized_coordinates);
template <> inline constexpr auto kFields<PixelLayout> =
    std::tuple(&PixelLayout::type, &PixelLayout::sizes, &PixelLayout::channel, &PixelLayout::channels,
               &PixelLayout::order, &PixelLayout::normalized_channels, &PixelLayout::written, &PixelLayout::sampling);
template <> inline constexpr auto kFields<PixelBufferRequest> = std::tuple(&PixelBufferRequest::layout);
template <> inline constexpr auto kFields<WriteCommand> = std::tuple(&WriteCommand::buffer, &WriteCommand::bytes);
template <> inline constexpr auto kFields<ReadCommand> = std::tuple(&ReadCommand::buffer, &ReadCommand::bytes);
template <> inline constexpr auto kFields<CopyCommand> = std::tuple(&CopyCommand::from, &CopyCommand::to);
template <> inline constexpr auto kFields<FillCommand> = std::tuple(&FillCommand::buffer, &FillCommand::value);
template <> inline constexpr auto kFields<BufferArgument> = std::tuple(&BufferArgument::buffer);
template <> inline constexpr auto kFields<ConstantArgument> =
    std::tuple(&ConstantArgument::symbol, &ConstantArgument::buffer);
template <> inline constexpr auto kFields<LaunchCommand> =
    std::tuple(&LaunchCommand::launch, &LaunchCommand::kernel, &LaunchCommand::geometry, &LaunchCommand::arguments);
template <> inline constexpr auto kFields<SendCommand> = std::tuple(&SendCommand::launch, &SendCommand::times);
template <> inline constexpr auto kFields<GraphCommand> = std::tuple(&GraphCommand::launch, &GraphCommand::graph);
template <> inline constexpr auto kFields<GraphRequest> =
    std::tuple(&GraphRequest::stream, &GraphRequest::nodes, &GraphRequest::times);
template <> inline constexpr auto kFields<WaitCommand> = std::tuple(&WaitCommand::stream, &WaitCommand::launch);
template <> inline constexpr auto kFields<RunStream> =
    std::tuple(&RunStream::stream, &RunStream::finish, &RunStream::compile_limit);
template <> inline constexpr auto kFields<StreamCommand> = std::tuple(&StreamCommand::stream, &StreamCommand::command);
template <> inline constexpr auto kFields<RunRequest> =
    std::tuple(&RunRequest::streams, &RunRequest::limit, &RunRequest::commands, &RunRequest::sample_every,
               &RunRequest::guarded_buffer, &RunRequest::counters);
template <> inline constexpr auto kFields<PollRequest> = std::tuple(&PollRequest::stream, &PollRequest::launch);
template <> inline constexpr auto kFields<ReferenceArgument> =
    std::tuple(&ReferenceArgument::name, &ReferenceArgument::bytes, &ReferenceArgument::length,
               &ReferenceArgument::writable, &ReferenceArgument::fill, &ReferenceArgument::wanted);
template <> inline constexpr auto kFields<ReferenceRequest> =
    std::tuple(&ReferenceRequest::file, &ReferenceRequest::function, &ReferenceRequest::arguments,
               &ReferenceRequest::limit, &ReferenceRequest::memory_limit_bytes);
template <> inline constexpr auto kFields<Conditions> = std::tuple(&Conditions::clock, &Conditions::throttled);
template <> inline constexpr auto kFields<SensorReadings> =
    std::tuple(&SensorReadings::conditions, &SensorReadings::power, &SensorReadings::energy,
               &SensorReadings::temperature);
template <> inline constexpr auto kFields<BoardAnswer> = std::tuple(&BoardAnswer::board);
template <> inline constexpr auto kFields<SensorSample> = std::tuple(&SensorSample::at, &SensorSample::readings);
template <> inline constexpr auto kFields<LaunchAnswer> =
    std::tuple(&LaunchAnswer::start, &LaunchAnswer::duration, &LaunchAnswer::errors);
template <> inline constexpr auto kFields<RunAnswer> =
    std::tuple(&RunAnswer::launches, &RunAnswer::changed_guard_bytes, &RunAnswer::conditions, &RunAnswer::counters,
               &RunAnswer::samples);
template <> inline constexpr auto kFields<PollAnswer> = std::tuple(&PollAnswer::launch, &PollAnswer::conditions);
template <> inline constexpr auto kFields<Metric> = 
    std::tuple(&Metric::name, &Metric::value, &Metric::unit, &Metric::uncertainty);
template <> inline constexpr auto kFields<CounterInfo> =
    std::tuple(&CounterInfo::name, &CounterInfo::kind, &CounterInfo::unit, &CounterInfo::description);
// clang-format on

// Writes an answer in the form that both ends use.
template <typename T>
void put_answer(Writer& writer, const Result<T>& answer) {
  writer.put(answer.has_value());
  if (answer) {
    writer.put(*answer);
  } else {
    writer.put(to_fields(answer.error()));
  }
}

// Reads an answer. Fails with parse_error if the bytes are no answer, or with the error that the worker sent.
template <typename T>
Result<T> get_answer(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  bool good = false;
  T answer;
  ErrorFields error;
  reader.get(good);
  good ? reader.get(answer) : reader.get(error);
  if (!reader.complete()) return Error(ErrorCode::parse_error, "the worker's answer makes no sense");
  if (!good) return to_error(std::move(error));
  return answer;
}

}  // namespace wattune::backend::worker

#include "backend/opencl/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/foreign_object.h"
#include "backend/launch_check.h"
#include "backend/opencl/buffer.h"
#include "backend/opencl/cl_error.h"
#include "backend/opencl/pixel_buffer.h"
#include "backend/opencl/program.h"

namespace wattune::backend::opencl {

namespace {

// Lives as long as one of its commands is known.
using Queue = std::shared_ptr<const Handle<cl_command_queue>>;

// A command in the queue. Shared with the Event that the caller holds.
struct Command {
  Handle<cl_event> event;
  Queue queue;
  std::string doing;
  bool launch = false;
  bool profiled = true;
};
using CommandPointer = std::shared_ptr<const Command>;

// From CL_QUEUED down to CL_COMPLETE; negative: the error that ended it.
cl_int status_of(const Command& command) {
  cl_int status = CL_COMPLETE;
  command.event.session()->cl().clGetEventInfo(command.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                               &status, nullptr);
  return status;
}

class OpenClEvent : public Event {
 public:
  explicit OpenClEvent(CommandPointer command) : Event(*command->event.session()), command_(std::move(command)) {}

  Result<bool> ready() const override {
    WATTUNE_TRY(session().check());
    const cl_int status = status_of(*command_);
    if (status < 0) return session().failure(status, command_->doing);
    return status == CL_COMPLETE;
  }

  Result<Nanoseconds> start() const override { return moment(CL_PROFILING_COMMAND_START); }
  Result<Nanoseconds> end() const override { return moment(CL_PROFILING_COMMAND_END); }

  Result<Nanoseconds> duration() const override {
    WATTUNE_ASSIGN(const cl_ulong start, reported(CL_PROFILING_COMMAND_START));
    WATTUNE_ASSIGN(const cl_ulong end, reported(CL_PROFILING_COMMAND_END));
    if (end <= start) return Error(ErrorCode::unavailable, "the device reported no time for " + command_->doing);
    return Nanoseconds(static_cast<double>(end - start));
  }

  const CommandPointer& command() const { return command_; }

 private:
  Session& session() const { return *command_->event.session(); }

  Result<cl_ulong> reported(cl_profiling_info which) const {
    WATTUNE_TRY(session().check());
    if (!command_->profiled)
      return Error(ErrorCode::unavailable, "the application's command queue keeps no times")
          .hint("make it with CL_QUEUE_PROFILING_ENABLE");
    cl_ulong moment = 0;
    const cl_int code =
        session().cl().clGetEventProfilingInfo(command_->event.get(), which, sizeof moment, &moment, nullptr);
    if (code == CL_SUCCESS) return moment;
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE && status_of(*command_) > CL_COMPLETE)
      return Error(ErrorCode::invalid_argument, "the launch has not finished");
    return cl_error(code, "reading how long the device was " + command_->doing);
  }

  Result<Nanoseconds> moment(cl_profiling_info which) const {
    WATTUNE_ASSIGN(const cl_ulong found, reported(which));
    return session().moment(found);
  }

  CommandPointer command_;
};

// Of objects that were seen to be of this session.
OpenClMemory& own(Buffer& buffer) { return static_cast<OpenClMemory&>(buffer); }
const OpenClMemory& own(const Buffer& buffer) { return static_cast<const OpenClMemory&>(buffer); }

class OpenClStream : public Stream {
 public:
  OpenClStream(Queue queue, bool profiled) : Stream(*queue->session()), queue_(std::move(queue)), profiled_(profiled) {}

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    if (data.empty()) return {};
    return enqueue("writing a buffer", [&](cl_event* event) { return own(buffer).write(raw(), data.data(), event); });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    if (data.empty()) return {};
    return enqueue("reading a buffer", [&](cl_event* event) { return own(buffer).read(raw(), data.data(), event); });
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    if (from.bytes() == 0) return {};
    return enqueue("copying a buffer", [&](cl_event* event) { return own(from).copy(raw(), own(to), event); });
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    if (buffer.bytes() == 0) return {};
    return enqueue("filling a buffer", [&](cl_event* event) { return own(buffer).fill(raw(), value, event); });
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_TRY(session().check());
    WATTUNE_TRY(check_launch(session(), kernel, geometry, arguments));
    const auto& own_kernel = static_cast<const OpenClKernel&>(kernel);
    const std::lock_guard lock(own_kernel.launching());
    for (std::size_t i = 0; i < arguments.size(); ++i) WATTUNE_TRY(set_argument(own_kernel, i, arguments[i]));
    if (const std::uint64_t local = own_kernel.local_memory_bytes(); local > session().info().local_memory_bytes)
      return refused(kernel, fmt::format("{} bytes of local memory, the device has {}", local,
                                         session().info().local_memory_bytes));
    std::array<std::size_t, 3> global;
    for (std::size_t d = 0; d < 3; ++d) global[d] = geometry.groups[d] * geometry.group_size[d];
    const auto run = [&](cl_event* event) {
      return cl().clEnqueueNDRangeKernel(raw(), own_kernel.get(), 3, nullptr, global.data(), geometry.group_size.data(),
                                         0, nullptr, event);
    };
    WATTUNE_TRY(enqueue(fmt::format("running kernel `{}`", kernel.name()), run, true));
    return std::unique_ptr<Event>(std::make_unique<OpenClEvent>(commands_.back()));
  }

  // What is waited for becomes a command of this stream too, which finish() waits for and whose error it returns.
  Result<void> wait_for(const Event& event) override {
    WATTUNE_TRY(session().check());
    WATTUNE_TRY(check_own(session(), event, "the event"));
    const CommandPointer& awaited = static_cast<const OpenClEvent&>(event).command();
    WATTUNE_TRY(flush(awaited->queue->get()));
    commands_.push_back(awaited);
    const cl_event ended = awaited->event.get();
    return enqueue("waiting for another stream", [&](cl_event* event_of_wait) {
      return cl().clEnqueueBarrierWithWaitList(raw(), 1, &ended, event_of_wait);
    });
  }

  void allow_compiling(Nanoseconds limit) override { compile_limit_ = limit; }

  Result<void> submit() override {
    WATTUNE_TRY(session().check());
    return flush(raw());
  }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(session().check());
    const std::vector<CommandPointer> commands = std::exchange(commands_, {});
    const Nanoseconds compile_limit = std::exchange(compile_limit_, Nanoseconds());
    TimeLeft left{session().compiles_at_launch() ? compile_limit : Nanoseconds(), limit};
    if (commands.empty()) return {};
    WATTUNE_TRY(flush(raw()));
    WATTUNE_TRY(wait(commands, left));
    for (const CommandPointer& command : commands)
      if (const cl_int status = status_of(*command); status < 0) return session().failure(status, command->doing);
    return {};
  }

  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(check(buffer));
    WATTUNE_TRY(finish(limit));
    if (buffer.has_pixels() || !static_cast<const OpenClBuffer&>(buffer).has_guards())
      return std::array<std::size_t, 2>{};
    const auto& guarded = static_cast<const OpenClBuffer&>(buffer);
    const std::span<const std::byte> guard = session().guard();
    std::array<std::vector<std::byte>, 2> found;
    for (std::size_t side = 0; side < 2; ++side) {
      found[side].resize(guard.size());
      WATTUNE_TRY(enqueue("reading a guard zone", [&](cl_event* event) {
        return cl().clEnqueueReadBuffer(raw(), guarded.allocation(), CL_FALSE, guarded.guard_offsets()[side],
                                        guard.size(), found[side].data(), 0, nullptr, event);
      }));
    }
    WATTUNE_TRY(finish(limit));
    std::array<std::size_t, 2> changed{};
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < guard.size(); ++i) changed[side] += found[side][i] != guard[i];
      if (changed[side] > 0) WATTUNE_TRY(renew_guard(guarded, side));
    }
    WATTUNE_TRY(finish(limit));
    return changed;
  }

 private:
  Session& session() const { return *queue_->session(); }
  cl_command_queue raw() const { return queue_->get(); }
  const ClApi& cl() const { return session().cl(); }

  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(session().check());
    return check_own(session(), buffer, "the buffer");
  }

  // Hands what is enqueued to the device.
  Result<void> flush(cl_command_queue queue) {
    const cl_int code = cl().clFlush(queue);
    return code == CL_SUCCESS ? Result<void>() : session().failure(code, "sending commands");
  }

  // For the last one alone where nothing is compiled: each question to the driver costs what is measured some time.
  Result<void> wait(const std::vector<CommandPointer>& commands, TimeLeft& left) {
    if (left.compiling > Nanoseconds())
      for (const CommandPointer& command : commands)
        WATTUNE_TRY(session().wait(command->event.get(), command->launch, left));
    return session().wait(commands.back()->event.get(), commands.back()->launch, left);
  }

  // `call` enqueues one command and stores its event.
  template <typename Call>
  Result<void> enqueue(std::string doing, Call call, bool launch = false) {
    WATTUNE_TRY(session().check());
    cl_event event = nullptr;
    if (const cl_int code = call(&event); code != CL_SUCCESS) return session().failure(code, doing);
    if (commands_.size() >= most_commands_) forget_complete();
    commands_.push_back(std::make_shared<Command>(
        Command{Handle<cl_event>(queue_->session(), event), queue_, std::move(doing), launch, profiled_}));
    return {};
  }

  // An application may wait for its queue itself, and never call finish().
  void forget_complete() {
    std::erase_if(commands_, [](const CommandPointer& command) { return status_of(*command) == CL_COMPLETE; });
    most_commands_ = std::max(kFewCommands, 2 * commands_.size());
  }

  Result<void> renew_guard(const OpenClBuffer& buffer, std::size_t side) {
    const std::span<const std::byte> guard = session().guard();
    return enqueue("renewing a guard zone", [&](cl_event* event) {
      return cl().clEnqueueWriteBuffer(raw(), buffer.allocation(), CL_FALSE, buffer.guard_offsets()[side], guard.size(),
                                       guard.data(), 0, nullptr, event);
    });
  }

  // A kernel keeps no sampler alive.
  Result<cl_sampler> sampler_for(const Sampling& sampling) {
    for (const auto& [made_for, sampler] : samplers_)
      if (made_for == sampling) return sampler.get();
    cl_int code = CL_SUCCESS;
    Handle<cl_sampler> made(queue_->session(), make_sampler(session(), sampling, code));
    if (code != CL_SUCCESS) return cl_error(code, "making a sampler");
    return samplers_.emplace_back(sampling, std::move(made)).second.get();
  }

  Result<void> set_argument(const OpenClKernel& kernel, std::size_t index, const LaunchArgument& argument) {
    cl_mem memory = nullptr;
    cl_sampler sampler = nullptr;
    std::size_t size = sizeof memory;  // NOLINT(bugprone-sizeof-expression): the handle itself is the argument
    const void* value = &memory;
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
      if (*buffer != nullptr) memory = own(**buffer).contents();
    } else if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) {
      size = scalar->bytes.size();
      value = scalar->bytes.data();
    } else if (const auto* sampling = std::get_if<Sampling>(&argument)) {
      WATTUNE_ASSIGN(sampler, sampler_for(*sampling));
      value = &sampler;
    } else {
      size = std::max<std::size_t>(1, std::get<LocalBytes>(argument).bytes);
      value = nullptr;
    }
    const cl_int code = cl().clSetKernelArg(kernel.get(), static_cast<cl_uint>(index), size, value);
    if (code == CL_SUCCESS) return {};
    if (code == CL_INVALID_ARG_SIZE)
      return Error(ErrorCode::mismatch,
                   fmt::format("argument {} of kernel `{}` has not the {} bytes given", index + 1, kernel.name(), size))
          .native(code, "CL_INVALID_ARG_SIZE")
          .hint("compare its type with the kernel's");
    return cl_error(code,
                    fmt::format("setting argument {} of kernel `{}` to {} bytes", index + 1, kernel.name(), size));
  }

  static constexpr std::size_t kFewCommands = 1024;

  Queue queue_;
  const bool profiled_;
  std::vector<std::pair<Sampling, Handle<cl_sampler>>> samplers_;
  std::vector<CommandPointer> commands_;  // since the last finish, but for those known to be complete
  std::size_t most_commands_ = kFewCommands;
  Nanoseconds compile_limit_;  // of the next one
};

// Takes over a reference to the queue.
std::unique_ptr<Stream> stream_of(const std::shared_ptr<Session>& session, cl_command_queue queue, bool profiled) {
  return std::make_unique<OpenClStream>(std::make_shared<const Handle<cl_command_queue>>(session, queue), profiled);
}

}  // namespace

Result<std::unique_ptr<Stream>> make_stream(const std::shared_ptr<Session>& session) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue =
      session->cl().clCreateCommandQueue(session->context(), session->device(), CL_QUEUE_PROFILING_ENABLE, &code);
  if (code != CL_SUCCESS) return cl_error(code, "making a command queue");
  return stream_of(session, queue, true);
}

Result<std::unique_ptr<Stream>> adopt_stream(const std::shared_ptr<Session>& session, cl_command_queue queue) {
  const ClApi& cl = session->cl();
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_command_queue_properties properties = 0;
  cl_int code = cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr);
  if (code == CL_SUCCESS)
    code = cl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, nullptr);
  if (code == CL_SUCCESS)
    code = cl.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if (code != CL_SUCCESS || context != session->context() || device != session->device())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the queue is not of the context and device of {} that was attached to",
                             session->info().selector))
        .native(code, std::string(cl_name(code)));
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    return Error(ErrorCode::invalid_argument, "the queue runs its commands in any order")
        .hint("adopt one without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
  cl.clRetainCommandQueue(queue);
  return stream_of(session, queue, (properties & CL_QUEUE_PROFILING_ENABLE) != 0);
}

}  // namespace wattune::backend::opencl

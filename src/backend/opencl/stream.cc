#include "backend/opencl/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/device/foreign_object.h"
#include "backend/device/rebinding.h"
#include "backend/interface/launch_check.h"
#include "backend/opencl/buffer.h"
#include "backend/opencl/cl_error.h"
#include "backend/opencl/event.h"
#include "backend/opencl/pixel_buffer.h"
#include "backend/opencl/program.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

// Casts an object that is known to be of this session.
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
    WATTUNE_TRY(set_arguments(own_kernel, arguments));
    return launch_as_set(own_kernel, geometry);
  }

  Result<std::unique_ptr<PreparedLaunch>> prepare(Kernel& kernel, const Geometry3& geometry,
                                                  std::span<const LaunchArgument> arguments) override;

  // Adds a barrier as a command of this stream. So finish() waits for the awaited launch and returns its error.
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
    if (std::exchange(sent_unseen_, false)) WATTUNE_TRY(enqueue_marker(true));
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

  bool keeps_times() const override { return profiled_; }

  // Enqueues a marker after all commands of the queue and asks for its status. If the marker is complete, the queue is
  // idle.
  Result<StreamState> state() const override {
    WATTUNE_TRY(session().check());
    if (probe_.get() == nullptr) {
      cl_event event = nullptr;
      const cl_int code = cl().clEnqueueMarkerWithWaitList(raw(), 0, nullptr, &event);
      if (code != CL_SUCCESS) return session().failure(code, "asking a queue");
      probe_ = Handle<cl_event>(queue_->session(), event);
      WATTUNE_TRY(flush(raw()));
    }
    cl_int status = CL_QUEUED;
    cl().clGetEventInfo(probe_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) return StreamState::busy;
    probe_ = {};
    return StreamState::idle;
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
  class Prepared;

  Session& session() const { return *queue_->session(); }
  cl_command_queue raw() const { return queue_->get(); }
  const ClApi& cl() const { return session().cl(); }

  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(session().check());
    return check_own(session(), buffer, "the buffer");
  }

  // Hands the enqueued commands to the device.
  Result<void> flush(cl_command_queue queue) const {
    const cl_int code = cl().clFlush(queue);
    return code == CL_SUCCESS ? Result<void>() : session().failure(code, "sending commands");
  }

  // Waits for all commands, or only for the last one if nothing is compiled: asking the driver less often disturbs
  // measured times less.
  Result<void> wait(const std::vector<CommandPointer>& commands, TimeLeft& left) {
    if (left.compiling > Nanoseconds())
      for (const CommandPointer& command : commands)
        WATTUNE_TRY(session().wait(command->event.get(), command->launch, left));
    return session().wait(commands.back()->event.get(), commands.back()->launch, left);
  }

  // Enqueues one command through `call`, which stores its event.
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

  // Forgets commands that have ended, because an application may wait for its queue itself and never call finish().
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

  // Returns a sampler object. The stream keeps it, because a kernel does not keep its samplers alive.
  Result<cl_sampler> sampler_for(const Sampling& sampling) {
    for (const auto& [made_for, sampler] : samplers_)
      if (made_for == sampling) return sampler.get();
    cl_int code = CL_SUCCESS;
    Handle<cl_sampler> made(queue_->session(), make_sampler(session(), sampling, code));
    if (code != CL_SUCCESS) return cl_error(code, "making a sampler");
    return samplers_.emplace_back(sampling, std::move(made)).second.get();
  }

  // Sets the arguments of a kernel object that is locked or belongs to a prepared launch.
  Result<void> set_arguments(const OpenClKernel& kernel, std::span<const LaunchArgument> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) WATTUNE_TRY(set_argument(kernel, i, arguments[i]));
    const std::uint64_t local = kernel.local_memory_bytes();
    const std::uint64_t most = session().info().local_memory_bytes.value_or(0);
    if (local <= most) return {};
    return refused(kernel, fmt::format("{} bytes of local memory, the device has {}", local, most));
  }

  cl_int run(const OpenClKernel& kernel, const Geometry3& geometry, cl_event* event) const {
    std::array<std::size_t, 3> global;
    std::array<std::size_t, 3> offset;
    for (std::size_t d = 0; d < 3; ++d) {
      global[d] = geometry.groups[d] * geometry.group_size[d];
      offset[d] = geometry.first_group[d] * geometry.group_size[d];
    }
    return cl().clEnqueueNDRangeKernel(raw(), kernel.get(), 3, offset.data(), global.data(), geometry.group_size.data(),
                                       0, nullptr, event);
  }

  Result<std::unique_ptr<Event>> launch_as_set(const OpenClKernel& kernel, const Geometry3& geometry) {
    WATTUNE_TRY(enqueue(
        running(kernel), [&](cl_event* event) { return run(kernel, geometry, event); }, true));
    return std::unique_ptr<Event>(std::make_unique<OpenClEvent>(commands_.back()));
  }

  static std::string running(const Kernel& kernel) { return fmt::format("running kernel `{}`", kernel.name()); }

  // Enqueues a marker behind launches that left no event, so that they can be waited for.
  Result<void> enqueue_marker(bool launched) {
    return enqueue(
        "waiting for launches",
        [&](cl_event* event) { return cl().clEnqueueMarkerWithWaitList(raw(), 0, nullptr, event); }, launched);
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
  std::vector<CommandPointer> commands_;  // commands since the last finish, without those that are known to have ended
  std::size_t most_commands_ = kFewCommands;
  bool sent_unseen_ = false;        // true if there were launches without an event since the last finish
  Nanoseconds compile_limit_;       // the limit of compiling in the next finish
  mutable Handle<cl_event> probe_;  // the event that state() polls
};

// A prepared launch. It has a kernel object of its own, so that no other launch changes its arguments.
class OpenClStream::Prepared : public PreparedLaunch {
 public:
  Prepared(OpenClStream& stream, std::unique_ptr<OpenClKernel> kernel, const Geometry3& geometry)
      : stream_(stream), kernel_(std::move(kernel)), geometry_(geometry) {}

  Result<void> send() override {
    WATTUNE_TRY(stream_.session().check());
    if (const cl_int code = stream_.run(*kernel_, geometry_, nullptr); code != CL_SUCCESS)
      return stream_.session().failure(code, running(*kernel_));
    stream_.sent_unseen_ = true;
    return {};
  }

  Result<std::unique_ptr<Event>> send_timed() override { return stream_.launch_as_set(*kernel_, geometry_); }

  Result<void> set_memory(std::size_t argument, std::uint64_t memory) override {
    auto* const raw = reinterpret_cast<cl_mem>(memory);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a cl_mem is a handle
    if (set(argument, sizeof raw, &raw) != CL_SUCCESS) return no_such_memory(*kernel_, argument);
    return {};
  }

  Result<void> set_scalar(std::size_t argument, std::span<const std::byte> bytes) override {
    if (set(argument, bytes.size(), bytes.data()) != CL_SUCCESS) return no_such_scalar(*kernel_, argument, bytes);
    return {};
  }

 private:
  cl_int set(std::size_t argument, std::size_t size, const void* value) const {
    return stream_.cl().clSetKernelArg(kernel_->get(), static_cast<cl_uint>(argument), size, value);
  }

  OpenClStream& stream_;
  std::unique_ptr<OpenClKernel> kernel_;
  Geometry3 geometry_;
};

Result<std::unique_ptr<PreparedLaunch>> OpenClStream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                              std::span<const LaunchArgument> arguments) {
  WATTUNE_TRY(session().check());
  WATTUNE_TRY(check_launch(session(), kernel, geometry, arguments));
  WATTUNE_ASSIGN(std::unique_ptr<OpenClKernel> own_kernel, static_cast<const OpenClKernel&>(kernel).made_anew());
  WATTUNE_TRY(set_arguments(*own_kernel, arguments));
  return std::unique_ptr<PreparedLaunch>(std::make_unique<Prepared>(*this, std::move(own_kernel), geometry));
}

// Makes a stream and takes over a reference to the queue.
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

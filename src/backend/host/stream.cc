#include "backend/host/stream.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "backend/foreign_object.h"
#include "backend/host/buffer.h"
#include "backend/host/fill.h"
#include "backend/host/program.h"
#include "backend/launch_check.h"
#include "backend/polling.h"
#include "core/stopwatch.h"

namespace wattune::backend::host {

namespace {

// Shared by the command, which fills it in, and the event.
using Duration = std::shared_ptr<std::optional<Nanoseconds>>;

class HostEvent : public Event {
 public:
  explicit HostEvent(Duration duration) : duration_(std::move(duration)) {}

  Result<Nanoseconds> duration() const override {
    if (*duration_) return **duration_;
    return Error(ErrorCode::invalid_argument, "the launch has not finished");
  }

 private:
  Duration duration_;
};

// Of objects that were seen to be of this session.
const HostBuffer& own(const Buffer& buffer) { return static_cast<const HostBuffer&>(buffer); }

// The value of an argument as bytes: a buffer's is its address.
std::vector<std::byte> value_of(const LaunchArgument& argument) {
  if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) return scalar->bytes;
  const Buffer* const buffer = std::get<const Buffer*>(argument);
  const void* const address = buffer == nullptr ? nullptr : own(*buffer).contents().data();
  const auto bytes = std::as_bytes(std::span(&address, 1));
  return {bytes.begin(), bytes.end()};
}

// A launch, when its time has come.
struct Call {
  HostKernel::Caller function;
  std::shared_ptr<const SharedObject> code;    // of the function
  std::vector<std::vector<std::byte>> values;  // of the arguments
  Duration duration;

  void operator()() {
    std::vector<void*> addresses;
    for (std::vector<std::byte>& value : values) addresses.push_back(value.data());
    const Stopwatch stopwatch;
    function(addresses.data());
    *duration = stopwatch.elapsed();
  }
};

class HostStream : public Stream {
 public:
  explicit HostStream(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  Result<void> write(Buffer& buffer, std::span<const std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add([to = own(buffer).contents(), data] { std::memcpy(to.data(), data.data(), data.size()); });
  }

  Result<void> read(const Buffer& buffer, std::span<std::byte> data) override {
    WATTUNE_TRY(check(buffer));
    return add([from = own(buffer).contents(), data] { std::memcpy(data.data(), from.data(), data.size()); });
  }

  Result<void> copy(const Buffer& from, Buffer& to) override {
    WATTUNE_TRY(check(from));
    WATTUNE_TRY(check(to));
    return add([source = own(from).contents(), target = own(to).contents()] {
      std::memcpy(target.data(), source.data(), source.size());
    });
  }

  Result<void> fill(Buffer& buffer, std::byte value) override {
    WATTUNE_TRY(check(buffer));
    return add([contents = own(buffer).contents(), value] { fill_from_all_processors(contents, value); });
  }

  Result<std::unique_ptr<Event>> launch(Kernel& kernel, const Geometry3& geometry,
                                        std::span<const LaunchArgument> arguments) override {
    WATTUNE_TRY(session_->check());
    WATTUNE_TRY(check_launch(*session_, kernel, geometry, arguments));
    const auto& own_kernel = static_cast<const HostKernel&>(kernel);
    const auto duration = std::make_shared<std::optional<Nanoseconds>>();
    Call call{own_kernel.function(), own_kernel.code(), {}, duration};
    for (const LaunchArgument& argument : arguments) call.values.push_back(value_of(argument));
    WATTUNE_TRY(add(std::move(call)));
    launches_ = true;
    return std::unique_ptr<Event>(std::make_unique<HostEvent>(duration));
  }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    const bool launches = std::exchange(launches_, false);
    const auto work = [commands = std::exchange(commands_, {})] {
      for (const std::function<void()>& command : commands) command();
    };
    if (session_->run(work, limit)) return {};
    return took_too_long(launches, limit);
  }

  Result<std::array<std::size_t, 2>> check_guards(Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(check(buffer));
    WATTUNE_TRY(finish(limit));
    const std::span<const std::byte> guard = session_->guard();
    std::array<std::size_t, 2> changed{};
    for (std::size_t side = 0; side < 2; ++side) {
      const std::span<std::byte> zone = own(buffer).guards()[side];
      for (std::size_t i = 0; i < guard.size(); ++i) changed[side] += zone[i] != guard[i];
      std::ranges::copy(guard, zone.begin());
    }
    return changed;
  }

 private:
  Result<void> check(const Buffer& buffer) const {
    WATTUNE_TRY(session_->check());
    return check_own(*session_, buffer, "the buffer");
  }

  Result<void> add(std::function<void()> command) {
    WATTUNE_TRY(session_->check());
    commands_.push_back(std::move(command));
    return {};
  }

  std::shared_ptr<Session> session_;
  std::vector<std::function<void()>> commands_;  // since the last finish
  bool launches_ = false;                        // whether one of them is a launch
};

}  // namespace

std::unique_ptr<Stream> make_stream(const std::shared_ptr<Session>& session) {
  return std::make_unique<HostStream>(session);
}

}  // namespace wattune::backend::host

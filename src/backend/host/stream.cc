#include "backend/host/stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "backend/device/foreign_object.h"
#include "backend/host/buffer.h"
#include "backend/host/fill.h"
#include "backend/host/program.h"
#include "backend/interface/launch_check.h"
#include "backend/interface/polling.h"

namespace wattune::inline v0_1::backend::host {

namespace {

using LaunchPointer = std::shared_ptr<HostLaunch>;

Nanoseconds steady_now() {
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return Nanoseconds(std::chrono::duration<double, std::nano>(since_boot).count());
}

class HostEvent : public Event {
 public:
  HostEvent(std::shared_ptr<Session> session, LaunchPointer launch)
      : Event(*session), session_(std::move(session)), launch_(std::move(launch)) {}

  Result<bool> ready() const override {
    WATTUNE_TRY(session_->check());
    WATTUNE_TRY(check_kept());
    return launch_->ended.load(std::memory_order_acquire);
  }
  Result<Nanoseconds> start() const override {
    WATTUNE_TRY(check_ended());
    return launch_->start;
  }
  Result<Nanoseconds> end() const override {
    WATTUNE_TRY(check_ended());
    return launch_->end;
  }
  Result<Nanoseconds> duration() const override {
    WATTUNE_TRY(check_ended());
    return launch_->end - launch_->start;
  }

  Result<void> check_kept() const {
    if (launch_->state != HostLaunch::State::dropped) return {};
    return Error(ErrorCode::invalid_argument, "the stream of a launch was destroyed before it was handed over");
  }
  Stream* stream() const { return launch_->stream; }

 private:
  Result<void> check_ended() const {
    if (launch_->ended.load(std::memory_order_acquire)) return {};
    return Error(ErrorCode::invalid_argument, "the launch has not finished");
  }

  std::shared_ptr<Session> session_;
  LaunchPointer launch_;
};

// Casts an object that is known to be of this session.
const HostBuffer& own(const Buffer& buffer) { return static_cast<const HostBuffer&>(buffer); }

// Returns the bytes of an argument's value; the value of a buffer is its address.
std::vector<std::byte> value_of(const LaunchArgument& argument) {
  if (const auto* scalar = std::get_if<ScalarBytes>(&argument)) return scalar->bytes;
  const Buffer* const buffer = std::get<const Buffer*>(argument);
  const void* const address = buffer == nullptr ? nullptr : own(*buffer).contents().data();
  const auto bytes = std::as_bytes(std::span(&address, 1));
  return {bytes.begin(), bytes.end()};
}

// A launch, to be run when its turn comes.
struct Call {
  HostKernel::Caller caller;
  std::shared_ptr<const SharedObject> code;    // of the function
  std::vector<std::vector<std::byte>> values;  // of the arguments
  LaunchPointer launch;

  void operator()() {
    std::vector<void*> addresses;
    for (std::vector<std::byte>& value : values) addresses.push_back(value.data());
    launch->start = steady_now();
    const double returned = caller.function(addresses.data());
    launch->end = caller.returned_unit ? launch->start + returned * *caller.returned_unit : steady_now();
    launch->ended.store(true, std::memory_order_release);
  }
};

class HostStream : public Stream {
 public:
  explicit HostStream(std::shared_ptr<Session> session) : Stream(*session), session_(std::move(session)) {}
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;
  ~HostStream() override { (void)take(session_->backlog().take_only(this), HostLaunch::State::dropped); }

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
    const auto launch = std::make_shared<HostLaunch>();
    launch->stream = this;
    Call call{own_kernel.caller(), own_kernel.code(), {}, launch};
    for (const LaunchArgument& argument : arguments) call.values.push_back(value_of(argument));
    WATTUNE_TRY(add(std::move(call), launch));
    launches_ = true;
    return std::unique_ptr<Event>(std::make_unique<HostEvent>(session_, launch));
  }

  // Checks only the event. No command has to wait, because the session's thread runs all commands in the order in which
  // they were given.
  Result<void> wait_for(const Event& event) override {
    WATTUNE_TRY(session_->check());
    WATTUNE_TRY(check_own(*session_, event, "the event"));
    const auto& known = static_cast<const HostEvent&>(event);
    WATTUNE_TRY(known.check_kept());
    session_->backlog().add({.stream = this, .awaited = known.stream(), .command = {[] {}}});
    return {};
  }

  Result<void> submit() override {
    WATTUNE_TRY(session_->check());
    Stream* const own_stream = this;
    auto commands = take(session_->backlog().take(std::span(&own_stream, 1)), HostLaunch::State::handed_over);
    if (commands.empty()) return {};
    session_->post([commands = std::move(commands)] {
      for (const std::function<void()>& command : commands) command();
    });
    return {};
  }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(submit());
    const bool launches = std::exchange(launches_, false);
    if (session_->wait(limit)) return {};
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

  using Entries = Backlog<Stream, HostCommand>::Entries;

  Result<void> add(std::function<void()> command, LaunchPointer launch = {}) {
    WATTUNE_TRY(session_->check());
    session_->backlog().add({.stream = this, .command = {std::move(command), std::move(launch)}});
    return {};
  }

  // Returns the commands to run, and sets the state of their launches.
  static std::vector<std::function<void()>> take(Entries entries, HostLaunch::State state) {
    std::vector<std::function<void()>> commands;
    for (auto& entry : entries) {
      if (entry.command.launch) entry.command.launch->state = state;
      commands.push_back(std::move(entry.command.run));
    }
    return commands;
  }

  std::shared_ptr<Session> session_;
  bool launches_ = false;  // true if there was a launch since the last finish
};

}  // namespace

std::unique_ptr<Stream> make_stream(const std::shared_ptr<Session>& session) {
  return std::make_unique<HostStream>(session);
}

}  // namespace wattune::backend::host

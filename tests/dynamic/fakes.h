// Fakes of the objects that the parts of dynamic tuning use: variants, timed calls, streams.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "dynamic/calls/stream_table.h"
#include "dynamic/calls/variant.h"
#include "dynamic/loading/loader.h"

namespace wattune::inline v0_1::dynamic::fakes {

// A variant that is never sent. It counts how many of its kind are alive.
class FakeVariant : public Variant {
 public:
  explicit FakeVariant(Configuration configuration = {}, int* alive = nullptr, std::size_t private_bytes = 0)
      : configuration_(std::move(configuration)), alive_(alive), private_bytes_(private_bytes) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~FakeVariant() override {
    if (alive_ != nullptr) --*alive_;
  }

  const Configuration& configuration() const override { return configuration_; }
  std::size_t private_bytes() const override { return private_bytes_; }
  bool was_launched() const override { return launched; }
  Result<void> send(const CallStream&, std::span<const CallArgument>) override { return {}; }
  Result<TimedCall> send_timed(const CallStream&, std::span<const CallArgument>) override { return TimedCall({}); }

  std::size_t launches() const override { return its_launches; }

  bool launched = false;
  std::size_t its_launches = 1;

 private:
  const Configuration configuration_;
  int* const alive_;
  const std::size_t private_bytes_;
};

// A launch of this duration, which is ready once the test says so.
class FakeEvent : public backend::Event {
 public:
  FakeEvent(Result<Nanoseconds> duration, const bool& ready, Nanoseconds start = {})
      : duration_(std::move(duration)), ready_(ready), start_(start) {}

  Result<bool> ready() const override { return ready_; }
  Result<Nanoseconds> start() const override { return start_; }
  Result<Nanoseconds> end() const override {
    WATTUNE_ASSIGN(const Nanoseconds duration, duration_);
    return start_ + duration;
  }
  Result<Nanoseconds> duration() const override { return duration_; }

 private:
  const Result<Nanoseconds> duration_;
  const bool& ready_;
  const Nanoseconds start_;
};

// A loader that loads nothing and returns what the test sets.
class FakeLoader : public Loader {
 public:
  void request(LoadRequest) override {}
  void hurry(const void*) override {}
  void retire(std::shared_ptr<Variant>) override {}
  void drop(const void*) override {}
  Nanoseconds gap(Nanoseconds) override { return {}; }
  void note_launch(const CallStream&, Nanoseconds) override {}
  void forget(const CallStream&) override {}
  bool others_busy(const CallStream&) const override { return false; }
  void note_private_memory(std::size_t bytes) override { private_bytes = std::max(private_bytes, bytes); }
  Nanoseconds private_memory_cost(std::size_t bytes) const override {
    return bytes > private_bytes ? growing : Nanoseconds();
  }
  std::uint64_t loads() const override { return 0; }
  std::uint64_t loads_in_gaps() const override { return 0; }

  std::size_t private_bytes = 0;
  Nanoseconds growing;
};

// The application's streams by their handles, with the states that their driver would report.
class FakeStreams {
 public:
  static CallStream stream(std::uintptr_t handle) { return reinterpret_cast<CUstream_st*>(handle); }
  // States by handle. A stream without one reports an error.
  std::map<void*, backend::StreamState> states;
  bool can_be_asked = true;

  Adopt adopt() {
    return [this](const CallStream& stream) -> Result<std::unique_ptr<backend::Stream>> {
      if (!can_be_asked) return Error(ErrorCode::unavailable, "this driver does not tell");
      return std::unique_ptr<backend::Stream>(new Asked(*this, stream.handle()));
    };
  }

 private:
  class Asked : public backend::Stream {
   public:
    Asked(const FakeStreams& streams, void* handle) : streams_(streams), handle_(handle) {}
    Result<backend::StreamState> state() const override {
      const auto found = streams_.states.find(handle_);
      if (found == streams_.states.end()) return Error(ErrorCode::invalid_argument, "no such stream");
      return found->second;
    }
    Result<void> write(backend::Buffer&, std::span<const std::byte>) override { return unused(); }
    Result<void> read(const backend::Buffer&, std::span<std::byte>) override { return unused(); }
    Result<void> copy(const backend::Buffer&, backend::Buffer&) override { return unused(); }
    Result<void> fill(backend::Buffer&, std::byte) override { return unused(); }
    Result<std::unique_ptr<backend::Event>> launch(backend::Kernel&, const backend::Geometry3&,
                                                   std::span<const backend::LaunchArgument>) override {
      return unused();
    }
    Result<void> wait_for(const backend::Event&) override { return unused(); }
    Result<void> submit() override { return unused(); }
    Result<void> finish(Nanoseconds) override { return unused(); }
    Result<std::array<std::size_t, 2>> check_guards(backend::Buffer&, Nanoseconds) override { return unused(); }

   private:
    static Error unused() { return Error(ErrorCode::internal, "nobody is to use this stream"); }
    const FakeStreams& streams_;
    void* const handle_;
  };
};

}  // namespace wattune::dynamic::fakes

// Session: one life of the host as a device, from opening or reset() until it is reset, lost, or destroyed.
//
// Kernels run on a thread of the session, always the same one, because OpenMP keeps a pool of threads for each thread
// that uses it. A kernel that runs without end cannot be stopped within the process. Then the session is abandoned,
// with the thread and all memory that the kernel may touch.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "backend/device/backlog.h"
#include "backend/device/guard_zone.h"
#include "wattune/backend/launch.h"
#include "wattune/backend/stream.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend::host {

// A launch: its times and its state. The command fills it in, and shares it with the event.
struct HostLaunch {
  enum class State { collected, handed_over, dropped };

  Stream* stream = nullptr;
  State state = State::collected;
  Nanoseconds start;
  Nanoseconds end;
  std::atomic<bool> ended = false;  // once true, the members above can be read
};

struct HostCommand {
  std::function<void()> run;
  std::shared_ptr<HostLaunch> launch = {};
};

class Session : public DeviceLife {
 public:
  explicit Session(DeviceInfo info);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override;

  const DeviceInfo& info() const override { return info_; }
  std::span<const std::byte> guard() const { return guard_; }

  // Checks that the session is in use. Fails with device_lost otherwise.
  Result<void> check() const;
  void close() {
    if (state_ == State::in_use) state_ = State::closed;
  }
  bool releasable() const { return state_ != State::abandoned; }

  // Returns the commands of the streams that have not yet been handed to the session's thread.
  Backlog<Stream, HostCommand>& backlog() { return backlog_; }
  // Gives work to the session's thread, which runs it after all earlier work.
  void post(std::function<void()> work);
  // Waits until all work is done. Returns false if that takes longer than the limit. Then the session is abandoned.
  bool wait(Nanoseconds limit);

 private:
  enum class State { in_use, closed, abandoned };

  // The data that the session shares with its thread. The thread may outlive the session.
  struct Desk {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;  // work that has not begun
    bool working = false;
    bool closing = false;
  };

  static void serve(const std::shared_ptr<Desk>& desk);

  const DeviceInfo info_;
  const std::vector<std::byte> guard_;
  State state_ = State::in_use;
  Backlog<Stream, HostCommand> backlog_;
  std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
  std::thread thread_;
};

}  // namespace wattune::backend::host

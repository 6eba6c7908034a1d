// Clock: the moments of a session's launches on one time line.
//
// The driver tells only how long it was from one event to another, in milliseconds as a float, which is exact to 15 ns
// for a quarter of a second and to 0.25 ms for an hour. So moments are measured from a mark that was recorded shortly
// before, in the session's service stream, which waits for no other, and the marks from each other. What lies hours
// apart is then known less exactly; launches that were sent together are not.
//
// Used within the session's context; one thread at a time (the Dispatcher sees to it).
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "backend/cuda/session.h"

namespace wattune::backend::cuda {

// From one event to another, which may lie before it. invalid_argument: one of them has not happened.
Result<Nanoseconds> time_between(const Handle<CUevent>& from, CUevent to);

// An event whose moment is known, on the device's time line and about on the host's.
class ClockMark {
 public:
  using HostTime = std::chrono::steady_clock::time_point;

  // `previous` is none for the first one, which is the beginning of time.
  ClockMark(Handle<CUevent> event, std::shared_ptr<ClockMark> previous)
      : event_(std::move(event)), previous_(std::move(previous)) {}

  // Of an event, and of a time of the host.
  Result<Nanoseconds> moment_of(CUevent event);
  Result<Nanoseconds> moment_of(HostTime time);
  bool is_older_than(Nanoseconds age) const;
  // Looks up its own moment, after which it needs the previous mark no more.
  Result<Nanoseconds> settle();

 private:
  Handle<CUevent> event_;
  std::shared_ptr<ClockMark> previous_;
  Nanoseconds moment_;
  HostTime recorded_ = std::chrono::steady_clock::now();
};

class Clock {
 public:
  explicit Clock(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  // The latest mark, renewed when it is old. As Session::failure().
  Result<std::shared_ptr<ClockMark>> mark();

 private:
  Result<void> record();

  std::shared_ptr<Session> session_;
  std::shared_ptr<ClockMark> mark_;
};

// An event to be recorded; as Session::failure().
Result<Handle<CUevent>> make_event(const std::shared_ptr<Session>& session);

}  // namespace wattune::backend::cuda

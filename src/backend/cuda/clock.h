// Clock: measures the moments of a session's launches on one time line.
//
// The driver reports only the time between two events, in milliseconds as a float. That is exact to 15 ns for a quarter
// of a second, but only to 0.25 ms for an hour. Therefore moments are measured from a mark, an event that was recorded
// shortly before, and each mark from the previous one. Marks are recorded in the session's service stream, which never
// waits for another stream. Moments hours apart are then known less exactly; moments of launches that were sent
// together are not affected.
//
// The clock is used within the session's context, by one thread at a time (the Dispatcher ensures this).
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "backend/cuda/session.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns the time from one event to another, which may have come before. Fails with invalid_argument if one of them
// has not happened.
Result<Nanoseconds> time_between(const Handle<CUevent>& from, CUevent to);

// An event whose moment is known exactly on the device's time line and roughly on the host's.
class ClockMark {
 public:
  using HostTime = std::chrono::steady_clock::time_point;

  // Makes a mark. `previous` is nullptr for the first mark, whose moment is 0.
  ClockMark(Handle<CUevent> event, std::shared_ptr<ClockMark> previous)
      : event_(std::move(event)), previous_(std::move(previous)) {}

  // Returns the moment of an event on the device's time line, or the moment that belongs to a time of the host.
  Result<Nanoseconds> moment_of(CUevent event);
  Result<Nanoseconds> moment_of(HostTime time);
  bool is_older_than(Nanoseconds age) const;
  // Computes the mark's own moment. Afterwards the mark no longer needs the previous one.
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

  // Returns the latest mark, renewed if it is old. Errors are those of Session::failure().
  Result<std::shared_ptr<ClockMark>> mark();

 private:
  Result<void> record();

  std::shared_ptr<Session> session_;
  std::shared_ptr<ClockMark> mark_;
};

// Makes an event to record in a stream. Errors are those of Session::failure().
Result<Handle<CUevent>> make_event(const std::shared_ptr<Session>& session);

}  // namespace wattune::backend::cuda

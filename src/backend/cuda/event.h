// The record of a launch in a CUDA stream, which the stream and the launch's Event share.
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/clock.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

class Dispatcher;
struct Lane;

// The dispatcher guards all members but the two events, which exist from the beginning.
struct Timing {
  Handle<CUevent> start;
  Handle<CUevent> end;
  Lane* lane = nullptr;             // stream that will send the launch; meaningless once it was sent or dropped
  std::shared_ptr<ClockMark> mark;  // the mark from which the launch's moments are measured
  bool recorded = false;            // true if the launch was sent
  std::optional<Error> dropped;     // the reason why the launch will never be sent
  Conditions conditions;
};

class CudaEvent : public Event {
 public:
  CudaEvent(std::shared_ptr<Dispatcher> dispatcher, std::shared_ptr<const Timing> timing)
      : Event(*timing->start.session()), dispatcher_(std::move(dispatcher)), timing_(std::move(timing)) {}

  Result<bool> ready() const override;
  Result<Nanoseconds> start() const override;
  Result<Nanoseconds> end() const override;
  Result<Nanoseconds> duration() const override;
  Conditions conditions() const override;

  const std::shared_ptr<const Timing>& timing() const { return timing_; }

 private:
  Session& session() const { return *timing_->start.session(); }
  // Returns the time from the start of the launch to its end.
  Result<Nanoseconds> length() const;

  std::shared_ptr<Dispatcher> dispatcher_;
  std::shared_ptr<const Timing> timing_;
};

}  // namespace wattune::backend::cuda

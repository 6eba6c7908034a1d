// A launch in a CUDA stream, as its stream and its Event know it.
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/clock.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

class Dispatcher;
struct Lane;

// The dispatcher guards all but the two events, which are there from the beginning.
struct Timing {
  Handle<CUevent> start;
  Handle<CUevent> end;
  Lane* lane = nullptr;             // which will send it; means nothing once it was sent or dropped
  std::shared_ptr<ClockMark> mark;  // that its moments are measured from
  bool recorded = false;            // it was sent
  std::optional<Error> dropped;     // why it never will be
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
  // From its start to its end.
  Result<Nanoseconds> length() const;

  std::shared_ptr<Dispatcher> dispatcher_;
  std::shared_ptr<const Timing> timing_;
};

}  // namespace wattune::backend::cuda

// Marker: places in streams, so that the application waits for one call and not for all that its stream has.
//
// A place is a launch that does nothing. The device outlives the marker, which outlives its places; threads use a
// stream one at a time (backend/stream.h).
//
//   WATTUNE_ASSIGN(const auto marker, dynamic::Marker::make(*device));
//   WATTUNE_TRY((*scale)(*stream, x, n));                       // returns at once
//   WATTUNE_ASSIGN(const auto scaled, marker->mark(*stream));   // scaled->ready(), other->wait_for(*scaled), wait()
#pragma once

#include <memory>

#include "wattune/backend/device.h"

namespace wattune::dynamic {

class Marker {
 public:
  // Compiles a kernel of one line; `limit` is the compiler's. Errors of Device::build().
  static Result<std::unique_ptr<Marker>> make(backend::Device& device,
                                              Nanoseconds limit = nanoseconds_from_seconds(120));
  // Behind all that the stream was given.
  Result<std::unique_ptr<backend::Event>> mark(backend::Stream& stream) const;

 private:
  explicit Marker(std::unique_ptr<backend::Kernel> kernel) : kernel_(std::move(kernel)) {}

  std::unique_ptr<backend::Kernel> kernel_;
};

// Until it is ready: sleeps between questions. timeout; errors of Event::ready().
Result<void> wait(const backend::Event& place, Nanoseconds limit);

}  // namespace wattune::dynamic

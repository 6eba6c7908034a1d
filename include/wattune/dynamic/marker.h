// Marker: places in streams, with which an application waits for one call instead of for all work of its stream.
//
// A place is the launch of an empty kernel. The device outlives the marker, and the marker outlives its places. One
// thread at a time uses a stream (backend/stream.h).
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
  // Compiles a kernel of one line; `limit` bounds the compilation. Fails as Device::build() does.
  static Result<std::unique_ptr<Marker>> make(backend::Device& device,
                                              Nanoseconds limit = nanoseconds_from_seconds(120));
  // Sets a place behind all that the stream was given.
  Result<std::unique_ptr<backend::Event>> mark(backend::Stream& stream) const;

 private:
  explicit Marker(std::unique_ptr<backend::Kernel> kernel) : kernel_(std::move(kernel)) {}

  std::unique_ptr<backend::Kernel> kernel_;
};

// Waits until the place is ready; sleeps between the questions. Fails with timeout after `limit`, and as Event::ready()
// does.
Result<void> wait(const backend::Event& place, Nanoseconds limit);

}  // namespace wattune::dynamic

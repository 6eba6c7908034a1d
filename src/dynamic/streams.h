// Streams: the application's streams as ours, each adopted once, when it is first called in.
//
// What is laid out for a stream refers to its handle alone. So a CUDA stream that the application destroyed costs
// nothing, and another of its context that gets the same handle takes its place; a queue of OpenCL is retained, so that
// its handle is of no other. A stream of ours is told from others at the same address by its number. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "dynamic/lasting_table.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/call.h"

namespace wattune::dynamic {

// A stream of calls. Two threads may share one, as they do the default stream: who sends holds `sending` through the
// whole call, in which a composition's function calls others.
struct Lane {
  Lane(const CallStream& named, std::uint64_t number) : name(named), serial(number) {}

  const CallStream name;
  const std::uint64_t serial;  // of a stream of ours; 0: it is adopted
  std::unique_ptr<backend::Stream> adopted;
  backend::Stream* stream = nullptr;
  std::recursive_mutex sending;
};

class Streams {
 public:
  explicit Streams(backend::Device& device) : device_(device) {}

  // It lives as long as this. Errors of adopt_stream().
  Result<Lane*> find(const CallStream& stream);

 private:
  Result<Lane*> add(const CallStream& stream, std::uint64_t serial, std::size_t hash);

  backend::Device& device_;
  std::mutex adding_;
  LastingTable<Lane, 256> lanes_;
};

// An application's stream, adopted for whoever asks; one of ours is not. Errors of adopt_stream().
Result<std::unique_ptr<backend::Stream>> adopt(backend::Device& device, const CallStream& stream);

}  // namespace wattune::dynamic

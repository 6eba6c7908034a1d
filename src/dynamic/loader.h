// Loader: a thread that turns compiled images into loaded variants when the device has nothing to do.
//
// Loading waits for all that is queued in the context, and launches of all threads wait behind it (docs/dynamic.md), so
// it happens in gaps: when every stream that is known is idle, when the application says so (Tuner::gap), or, where
// the ledger affords what the queue will cost, in between. Requests are asked for in their order and may be dropped.
#pragma once

#include <functional>
#include <memory>

#include "dynamic/ledger.h"
#include "dynamic/variant.h"

namespace wattune::dynamic {

struct LoadRequest {
  std::function<Result<std::shared_ptr<Variant>>()> load;        // on the loader's thread
  std::function<void(Result<std::shared_ptr<Variant>>)> loaded;  // the same; not called when the request was dropped
  const void* owner = nullptr;                                   // by whom it is dropped
  bool urgent = false;                                           // a call has nothing to run until then: not postponed
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual void request(LoadRequest request) = 0;
  // Afterwards nothing of this owner runs or will run.
  virtual void drop(const void* owner) = 0;
  // As Tuner::gap(): loads in the calling thread what fits.
  virtual Nanoseconds gap(Nanoseconds expected) = 0;
  // What the application has queued since it was last seen idle, by the times of its kernels.
  virtual void note_launch(const CallStream& stream, Nanoseconds expected) = 0;
  virtual std::uint64_t loads() const = 0;
  virtual std::uint64_t loads_in_gaps() const = 0;
};

}  // namespace wattune::dynamic

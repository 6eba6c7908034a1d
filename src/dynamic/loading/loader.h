// Loader: turns compiled images into loaded variants when the device is idle, and also destroys variants then.
//
// Loading waits for all work that is queued in the context, and launches of all threads wait for the load
// (docs/dynamic.md). So it happens in gaps: when every known stream is idle, or when the application announces a gap
// (Tuner::gap()). Between gaps, it happens only if the stall budget affords the wait for queued work. Requests are
// served in their order and may be dropped. Any thread may call the functions.
//
//   const auto loader = make_loader(stall_budget, {.adopt = adopt_for_asking});
//   loader->request({.load = load, .loaded = take_over, .owner = this});
//   loader->note_launch(stream, expected);   // before each launch of the application
#pragma once

#include <functional>
#include <memory>

#include "dynamic/calls/stream_table.h"
#include "dynamic/calls/variant.h"
#include "dynamic/tuning/stall_budget.h"

namespace wattune::inline v0_1::dynamic {

struct LoadRequest {
  std::function<Result<std::shared_ptr<Variant>>()> load;        // loads; called on the loader's thread, or in gap()
  std::function<void(Result<std::shared_ptr<Variant>>)> loaded;  // takes the result there; not called if dropped
  const void* owner = nullptr;                                   // the owner of the request, for drop() and hurry()
  bool urgent = false;                                           // true if a call can run nothing until then
  // Function that returns true once `load` need not wait for a compiler. Until then, the function is called now and
  // then under the loader's lock. If empty, the request is always ready.
  std::function<bool()> ready = {};
};

struct LoaderOptions {
  Adopt adopt;
  // Assumed costs of loading and unloading on an idle device, until they are measured (docs/results/dynamic.md).
  Nanoseconds load_cost = nanoseconds_from_ms(0.1);
  Nanoseconds unload_cost = nanoseconds_from_ms(0.02);
  // Function that makes room for kernels with this much private memory, as backend::make_room_for_private_memory()
  // does. May be empty.
  std::function<Result<void>(std::size_t bytes)> make_room = {};
  // Time for which a request waits for a gap. After this time, it may be loaded beside busy streams, if that is
  // affordable.
  Nanoseconds patience = nanoseconds_from_ms(100);
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual void request(LoadRequest request) = 0;
  // Makes all waiting requests of the owner urgent.
  virtual void hurry(const void* owner) = 0;
  // Destroys a variant that calls will not run any more. It is destroyed in a gap, since destroying waits for the
  // device, as loading does. It is destroyed only when nothing else holds it.
  virtual void retire(std::shared_ptr<Variant> variant) = 0;
  // Drops the owner's requests. Waits for a request that is running, so that none of them runs afterwards. The caller
  // must not hold a lock that `loaded` takes.
  virtual void drop(const void* owner) = 0;
  // Loads as much as fits into the announced gap, in the calling thread, as Tuner::gap() does.
  virtual Nanoseconds gap(Nanoseconds expected) = 0;
  // Records that the application is about to make a launch, with the time that its kernels will take. It must be called
  // before the launch, so that a launch that waits for a load is noticed.
  virtual void note_launch(const CallStream& stream, Nanoseconds expected) = 0;
  // Forgets a stream, as Tuner::forget() does.
  virtual void forget(const CallStream& stream) = 0;
  // True if a stream other than this one probably has work.
  virtual bool others_busy(const CallStream& stream) const = 0;
  // Records that a kernel with this much private memory per thread was launched. A launch that needs more private
  // memory than all launches before makes the driver allocate it. For that, the driver waits for the device, as loading
  // does.
  virtual void note_private_memory(std::size_t bytes) = 0;
  // Returns how long a launch with this much private memory will probably wait until that memory is allocated. Returns
  // 0 if no more memory is needed.
  virtual Nanoseconds private_memory_cost(std::size_t bytes) const = 0;
  virtual std::uint64_t loads() const = 0;
  virtual std::uint64_t loads_in_gaps() const = 0;
};

// Makes a loader. The stall budget must outlive the loader. The loader's thread sleeps while there are no requests, and
// uses CUDA's relaxed capture mode. The destructor drops all requests.
std::unique_ptr<Loader> make_loader(StallBudget& stall_budget, LoaderOptions options);

}  // namespace wattune::dynamic

// Loader: turns compiled images into loaded variants when the device has nothing to do, and destroys them likewise.
//
// Loading waits for all that is queued in the context, and launches of all threads wait behind it (docs/dynamic.md), so
// it happens in gaps: when every stream that is known is idle, when the application says so (Tuner::gap), or, where
// the ledger affords what the queue will cost, in between. Requests are asked for in their order and may be dropped.
// Any thread.
//
//   const auto loader = make_loader(ledger, {.adopt = adopt_for_asking});
//   loader->request({.load = load, .loaded = take_over, .owner = this});
//   loader->note_launch(stream, expected);   // before each launch of the application
#pragma once

#include <functional>
#include <memory>

#include "dynamic/ledger.h"
#include "dynamic/stream_table.h"
#include "dynamic/variant.h"

namespace wattune::dynamic {

struct LoadRequest {
  std::function<Result<std::shared_ptr<Variant>>()> load;        // on the loader's thread, or in gap()
  std::function<void(Result<std::shared_ptr<Variant>>)> loaded;  // the same; not called when the request was dropped
  const void* owner = nullptr;                                   // by whom it is dropped
  bool urgent = false;                                           // a call has nothing to run until then: not postponed
  // Whether `load` waits for no compiler: asked now and then until it says so, with the loader's lock held. Empty: yes.
  std::function<bool()> ready = {};
};

struct LoaderOptions {
  Adopt adopt;
  // Before it was measured: what a load takes on an idle device (docs/results/dynamic.md), and unloading.
  Nanoseconds load_cost = nanoseconds_from_ms(0.1);
  Nanoseconds unload_cost = nanoseconds_from_ms(0.02);
  // Makes room for kernels with so much private memory, as backend::make_room_for_private_memory(). Empty: nobody does.
  std::function<Result<void>(std::size_t bytes)> make_room = {};
  // How long a request waits for a gap before it is loaded beside busy streams, if that is affordable.
  Nanoseconds patience = nanoseconds_from_ms(100);
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual void request(LoadRequest request) = 0;
  // What the owner has requested becomes urgent.
  virtual void hurry(const void* owner) = 0;
  // Destroys a variant that nobody will send any more, in a gap: that waits as loading does. Who still holds it
  // postpones that.
  virtual void retire(std::shared_ptr<Variant> variant) = 0;
  // Afterwards nothing of this owner runs or will run: waits for what is running. The caller holds no lock that
  // `loaded` takes.
  virtual void drop(const void* owner) = 0;
  // As Tuner::gap(): loads in the calling thread what fits.
  virtual Nanoseconds gap(Nanoseconds expected) = 0;
  // What the application is about to launch, by the time of its kernels: comes before the launch, so that a launch that
  // waits for a load is seen.
  virtual void note_launch(const CallStream& stream, Nanoseconds expected) = 0;
  // As Tuner::forget().
  virtual void forget(const CallStream& stream) = 0;
  // Whether another stream than this probably has work.
  virtual bool others_busy(const CallStream& stream) const = 0;
  // A kernel with so many bytes of private memory to a thread was launched. The first that needs more than any before
  // makes the driver wait for the device and get memory, as loading does.
  virtual void note_private_memory(std::size_t bytes) = 0;
  // What a first launch will probably wait for that: nothing where no more is needed.
  virtual Nanoseconds private_memory_cost(std::size_t bytes) const = 0;
  virtual std::uint64_t loads() const = 0;
  virtual std::uint64_t loads_in_gaps() const = 0;
};

// The ledger outlives it. It has a thread of its own, which sleeps while nothing waits; CUDA's capture mode is relaxed
// there. Destroying it drops all requests.
std::unique_ptr<Loader> make_loader(Ledger& ledger, LoaderOptions options);

}  // namespace wattune::dynamic

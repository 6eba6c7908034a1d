// Green contexts: parts of a device. Kernels in a green context's streams run only on some of the device's
// multiprocessors.
//
// Green contexts belong to the device's primary context. That context's kernels, memory and events work in their
// streams. The device is split once into the smallest groups of multiprocessors that the driver makes, and all green
// contexts consist of these groups. So equal ranges of units always mean the same multiprocessors. Any number of
// threads may call, with the session entered.
//
//   WATTUNE_ASSIGN(const GreenContext half, contexts.get({.first = 0, .count = 64}));
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cuda/session.h"
#include "wattune/backend/stream.h"

namespace wattune::inline v0_1::backend::cuda {

// A green context, which lives as long as one of its streams or the GreenContexts that made it.
using GreenContext = std::shared_ptr<const Handle<CUgreenCtx>>;

class GreenContexts {
 public:
  explicit GreenContexts(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  // Implements Device::unit_grain().
  Result<unsigned> grain();
  // Returns a green context with these units; calls with the same units return the same one. Fails with
  // invalid_argument if the units do not begin and end where groups do, or with unavailable.
  Result<GreenContext> get(const UnitRange& units);

 private:
  // The groups of multiprocessors into which the device is split, and the rest at its end.
  struct Split {
    unsigned grain = 0;
    std::vector<CUdevResource> groups;
    CUdevResource rest{};
    unsigned units = 0;  // number of multiprocessors of the device
  };

  Result<void> split();
  Result<Split> make_split() const;
  Result<void> check_driver() const;
  Result<std::vector<CUdevResource>> resources_of(const UnitRange& units) const;
  Result<GreenContext> make(const UnitRange& units) const;

  std::shared_ptr<Session> session_;
  std::mutex mutex_;  // guards the member below
  Split split_;       // the split of the device; its grain is 0 until it is made
  std::map<std::pair<unsigned, unsigned>, GreenContext> made_;
};

}  // namespace wattune::backend::cuda

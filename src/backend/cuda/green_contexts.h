// Green contexts: parts of a device, in whose streams kernels run on some of its multiprocessors alone.
//
// They belong to the device's primary context, whose kernels, memory and events work in their streams. All are made of
// one split of the device into the smallest groups of multiprocessors that the driver makes, so that equal units are
// the same multiprocessors in each. Any number of threads may call, with the session entered.
//
//   WATTUNE_ASSIGN(const GreenContext half, contexts.get({.first = 0, .count = 64}));
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cuda/session.h"
#include "wattune/backend/stream_options.h"

namespace wattune::backend::cuda {

// Lives as long as one of its streams, or the GreenContexts that made it.
using GreenContext = std::shared_ptr<const Handle<CUgreenCtx>>;

class GreenContexts {
 public:
  explicit GreenContexts(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  // As Device::unit_grain().
  Result<unsigned> grain();
  // The same one for the same units. invalid_argument: they do not begin and end where groups do; unavailable.
  Result<GreenContext> get(const UnitRange& units);

 private:
  // Of the groups in which the device is split, and what is left at its end.
  struct Split {
    unsigned grain = 0;
    std::vector<CUdevResource> groups;
    CUdevResource rest{};
    unsigned units = 0;  // of the device
  };

  Result<void> split();
  Result<Split> make_split() const;
  Result<void> check_driver() const;
  Result<std::vector<CUdevResource>> resources_of(const UnitRange& units) const;
  Result<GreenContext> make(const UnitRange& units) const;

  std::shared_ptr<Session> session_;
  std::mutex mutex_;  // guards what follows
  Split split_;       // without a grain: not made
  std::map<std::pair<unsigned, unsigned>, GreenContext> made_;
};

}  // namespace wattune::backend::cuda

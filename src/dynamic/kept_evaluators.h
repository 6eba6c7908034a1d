// KeptEvaluators: what was set up for the keys that were screened last, with their data on the device, because to set
// it up takes longer than to screen some configurations. One thread, which also destroys it, before the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "wattune/tune/evaluator.h"

namespace wattune::dynamic {

class KeptEvaluators {
 public:
  static constexpr std::size_t kMost = 2;  // beside the one that runs

  // By whom it was set up for, who lives as long as it is kept.
  using Owner = std::shared_ptr<const void>;

  bool has(const void* owner) const { return find(owner) != kept_.end(); }
  // nullptr: none is kept.
  std::unique_ptr<tune::Evaluator> take(const void* owner);
  // One whose data take so many bytes of the device. Those that were kept first are let go of first.
  void keep(Owner owner, std::unique_ptr<tune::Evaluator> evaluator, std::uint64_t bytes);
  // Of the device, all together.
  std::uint64_t bytes() const;
  // Of those that were kept first, until the others take at most so many bytes.
  void let_go_beyond(std::uint64_t bytes);
  void let_go_of_all() { kept_.clear(); }

 private:
  struct Kept {
    Owner owner;
    std::unique_ptr<tune::Evaluator> evaluator;
    std::uint64_t bytes;
  };

  std::deque<Kept>::const_iterator find(const void* owner) const;

  std::deque<Kept> kept_;
};

}  // namespace wattune::dynamic

// KeptEvaluators: the evaluators of the keys that were screened last, with their data on the device. They are kept
// because making an evaluator takes longer than screening some configurations. Only one thread may use this object.
// That thread also destroys it, before the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::dynamic {

class KeptEvaluators {
 public:
  static constexpr std::size_t kMostEvaluators = 2;  // most evaluators that are kept besides the running one

  // The owner of an evaluator, which is a KeyScreening. The owner lives at least as long as the evaluator is kept.
  using Owner = std::shared_ptr<const void>;

  bool has(const void* owner) const { return find(owner) != kept_.end(); }
  // Returns the evaluator of this owner, and does not keep it any more. Returns nullptr if this owner's evaluator is
  // not kept.
  std::unique_ptr<tune::Evaluator> take(const void* owner);
  // Keeps an evaluator whose data take `bytes` of device memory. Drops the oldest evaluator if there are too many.
  void keep(Owner owner, std::unique_ptr<tune::Evaluator> evaluator, std::uint64_t bytes);
  // Returns the bytes of device memory that the kept evaluators take.
  std::uint64_t bytes() const;
  // Drops the oldest evaluators until the remaining ones take at most this many bytes.
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

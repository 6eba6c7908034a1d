// BestKnown: the best known configuration of one key. It makes calls run it, keeps it in wisdom and watches its times.
//
// It belongs to one instance. The instance's mutex guards it. Steady calls and captured graphs may still run a
// configuration after another one replaced it. So every configuration that was ever the best stays loaded as long as
// the instance.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dynamic/calls/call_path.h"
#include "dynamic/tuning/attempts.h"
#include "dynamic/tuning/drift.h"
#include "dynamic/tuning/pairing.h"

namespace wattune::inline v0_1::dynamic {

class BestKnown {
 public:
  using Variants = std::vector<std::shared_ptr<Variant>>;

  // Takes whether wisdom has the key's best as the result of a completed search (`is_result`). All other arguments
  // outlive this object.
  BestKnown(const KeyedKernel& kernel, CallPath& path, Pairing& pairing, bool is_result);

  // Makes this the best known, which calls run from here on.
  void publish(std::shared_ptr<Variant> best);
  // Replaces the best known, which failed, by the latest earlier one that did not fail. Without such a one there is
  // none.
  void fall_back(const Attempts& attempts);
  // Stores a measurement of the best known in wisdom, if it has statistics.
  void remember(const Observation& observation, Measured measured = Measured::in_place);
  // Returns the latest measurement of the best known; nullopt if there is none.
  const std::optional<Observation>& times() const { return times_; }
  // Notes whether the best known is the result of a search, for wisdom.
  void set_result(bool is_result) { is_result_ = is_result; }
  // Returns all variants that calls may still be sending.
  const Variants& published() const { return published_; }
  bool was_published(const std::shared_ptr<Variant>& variant) const;

  // Takes a timed call of this variant, unless another variant has become the best meanwhile.
  void watch(const std::shared_ptr<Variant>& variant, TimedCall timed);
  // Reports, once, that the times of the best known have changed.
  std::optional<Moved> moved() { return drift_.collect(kernel_.around.now()); }

 private:
  const KeyedKernel& kernel_;
  CallPath& path_;
  Pairing& pairing_;
  Drift drift_;
  bool is_result_;
  std::optional<Observation> times_;
  Variants published_;
};

}  // namespace wattune::dynamic

// BestKnown: the best known configuration of one key. The class makes calls run this configuration, stores it in wisdom
// and watches its times.
//
// The object belongs to one instance, whose mutex guards it. Steady calls and captured graphs may still run a
// configuration after another one replaced it. So every configuration that was ever the best stays loaded as long as
// the instance lives.
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

  // Takes `is_result`, which is true if wisdom has the key's best configuration as the result of a completed search.
  // All other arguments must outlive this object.
  BestKnown(const KeyedKernel& kernel, CallPath& path, Pairing& pairing, bool is_result);

  // Makes this the best known configuration, which calls run from now on.
  void publish(std::shared_ptr<Variant> best);
  // Replaces the best known configuration, which failed, by the latest earlier one that did not fail. If there is none,
  // no configuration is known any more.
  void fall_back(const Attempts& attempts);
  // Stores a measurement of the best known configuration in wisdom, if the measurement has statistics.
  void remember(const Observation& observation, Measured measured = Measured::in_place);
  // Returns the latest measurement of the best known configuration. Returns nullopt if there is none.
  const std::optional<Observation>& times() const { return times_; }
  // Records whether the best known configuration is the result of a search. This is stored in wisdom.
  void set_result(bool is_result) { is_result_ = is_result; }
  // Returns all variants that calls may still send.
  const Variants& published() const { return published_; }
  bool was_published(const std::shared_ptr<Variant>& variant) const;

  // Takes a timed call of this variant, unless another variant has become the best meanwhile.
  void watch(const std::shared_ptr<Variant>& variant, TimedCall timed);
  // Reports once that the times of the best known configuration have changed.
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

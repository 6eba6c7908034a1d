// BestKnown: the best known configuration of one key. It makes calls run it, keeps it in wisdom and watches its times.
//
// It belongs to one instance. The instance's mutex guards it. Calls on the steady way and captured graphs may still run
// a configuration after another one replaced it. So each that was ever the best stays loaded as long as the instance.
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

  // Takes whether wisdom has the key's best as the result of a search. All others outlive it.
  BestKnown(const KeyedKernel& kernel, CallPath& path, Pairing& pairing, bool is_result);

  // Makes this the best known, which calls run from here on.
  void publish(std::shared_ptr<Variant> best);
  // Replaces the best known, which failed, by the latest earlier one that did not fail. Without such a one there is
  // none.
  void fall_back(const Attempts& attempts);
  // Keeps what was measured of the best known in wisdom, if there are statistics.
  void remember(const Observation& observation, Measured measured = Measured::in_place);
  // Returns what was measured of it last; nullopt if nothing was.
  const std::optional<Observation>& times() const { return times_; }
  // Notes whether the best known is the result of a search, for wisdom.
  void set_result(bool is_result) { is_result_ = is_result; }
  // Returns all that calls may still be sending.
  const Variants& published() const { return published_; }
  bool was_published(const std::shared_ptr<Variant>& variant) const;

  // Takes a time of this variant, unless another one is the best by now.
  void watch(const std::shared_ptr<Variant>& variant, TimedCall timed);
  // Tells, once, if the times moved.
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

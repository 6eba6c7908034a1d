#include "dynamic/tuning/best_known.h"

#include <algorithm>
#include <utility>

#include "dynamic/screening/measured_entry.h"

namespace wattune::inline v0_1::dynamic {

BestKnown::BestKnown(const KeyedKernel& kernel, CallPath& path, Pairing& pairing, bool is_result)
    : kernel_(kernel),
      path_(path),
      pairing_(pairing),
      drift_(kernel.policy().drift, kernel.around.device_drift),
      is_result_(is_result) {}

// Makes this the best known variant. Its code stays loaded even after the end of the instance, since a graph may have
// captured it. Steady calls do not check whether they are captured.
void BestKnown::publish(std::shared_ptr<Variant> best) {
  best->keep_loaded();
  if (pairing_.best() != best) {
    pairing_.set_best(best);
    times_.reset();
  }
  if (path_.lead(*best)) drift_.begin_anew();
  if (!was_published(best)) published_.push_back(std::move(best));
  if (const auto time = pairing_.best_time()) path_.expect(*time);
}

void BestKnown::fall_back(const Attempts& attempts) {
  const auto works = std::ranges::find_if(published_.rbegin(), published_.rend(), [&](const auto& each) {
    return !attempts.has_failed(each->configuration().id());
  });
  pairing_.set_best(nullptr);
  times_.reset();
  path_.close();
  if (works != published_.rend()) publish(*works);
}

void BestKnown::remember(const Observation& observation, Measured measured) {
  if (!observation.statistics) return;
  times_ = observation;
  path_.expect(observation.statistics->median);
  const Trial trial{.configuration = pairing_.best()->configuration(), .observation = observation};
  const Result<bool> put = kernel_.around.wisdom.put(measured_entry(kernel_.parts.version, kernel_.around.device.info(),
                                                                    kernel_.problem->key, trial, measured, is_result_));
  if (!put) kernel_.around.note(put.error().to_string());
}

bool BestKnown::was_published(const std::shared_ptr<Variant>& variant) const {
  return std::ranges::count(published_, variant) > 0;
}

void BestKnown::watch(const std::shared_ptr<Variant>& variant, TimedCall timed) {
  if (pairing_.best() == variant) drift_.watch(std::move(timed));
}

}  // namespace wattune::dynamic

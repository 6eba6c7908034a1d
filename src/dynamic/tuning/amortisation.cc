#include "dynamic/tuning/amortisation.h"

#include <cmath>
#include <utility>

namespace wattune::inline v0_1::dynamic {

double calls_to_amortise(const TuningCost& cost) {
  return (1.0 - cost.share) * cost.steps * (cost.slowness - 1.0) / cost.share;
}

double steps_to_meet(double share_of_good, double probability) {
  return std::log1p(-probability) / std::log1p(-share_of_good);
}

bool TuningOccasion::begins(std::uint64_t calls) {
  if (!asked_ && !(open_ && calls >= calls_before_)) return false;
  open_ = asked_ = false;
  return true;
}

}  // namespace wattune::dynamic

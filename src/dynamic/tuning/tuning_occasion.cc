#include "dynamic/tuning/tuning_occasion.h"

namespace wattune::inline v0_1::dynamic {

bool TuningOccasion::begins(std::uint64_t calls) {
  if (!asked_ && !(open_ && calls >= calls_before_)) return false;
  open_ = asked_ = false;
  return true;
}

}  // namespace wattune::dynamic

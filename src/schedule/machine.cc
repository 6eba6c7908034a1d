#include "wattune/schedule/machine.h"

namespace wattune::schedule {

std::string_view to_string(Form form) {
  switch (form) {
    case Form::whole: return "whole";
    case Form::slices: return "slices";
    case Form::persistent: return "persistent";
  }
  return "?";
}

std::vector<unsigned> splits_of(const MachineLimits& limits) {
  std::vector<unsigned> splits;
  for (unsigned sms = limits.split_grain; sms + limits.split_grain <= limits.sms; sms += limits.split_grain)
    splits.push_back(sms);
  return splits;
}

}  // namespace wattune::schedule

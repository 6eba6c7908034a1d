#include "wattune/schedule/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::schedule {

std::string describe(const backend::BoardSetting& clocks) {
  const std::string memory = clocks.memory ? fmt::format("/{:g}", clocks.memory->value()) : "";
  return fmt::format("{:g}{} MHz", clocks.graphics->value(), memory);
}

const AtClock* KernelTraits::at(const std::optional<backend::BoardSetting>& clocks) const {
  const auto point = clocks ? std::ranges::find(at_clocks, *clocks, &AtClock::setting) : at_clocks.end();
  return point == at_clocks.end() ? nullptr : &*point;
}

double KernelTraits::slower_alone() const {
  const AtClock* best = at(best_clocks);
  return best != nullptr && alone ? best->alone / *alone : 1.0;
}

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

std::array<SmRange, 2> split_ranges(const MachineLimits& limits, unsigned sms_of_first) {
  const unsigned of_second = limits.sms - sms_of_first;
  const bool first_leads = sms_of_first % limits.split_grain == 0;
  return {SmRange{first_leads ? 0 : of_second, sms_of_first}, SmRange{first_leads ? sms_of_first : 0, of_second}};
}

}  // namespace wattune::schedule

#include "power/end_errors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/student.h"

namespace wattune::inline v0_1::power {

namespace {

constexpr std::size_t kManyPublications = 16;  // from which on their scatter alone gives the bound

// The part of deviations that straight lines do not explain.
struct Rest {
  double squares = 0.0;
  double furthest = 0.0;
  double freedom = 0.0;   // degrees of freedom: the number of deviations less two for each line
  bool by_parts = false;  // true if each part had its line
};

// Adds the part of the deviations that a straight line of least squares does not explain.
void add_rest(std::span<const Deviation> part, Rest& rest) {
  const auto n = static_cast<double>(part.size());
  double mean_at = 0.0, mean_off = 0.0;
  for (const Deviation& each : part) {
    mean_at += to_seconds(each.at) / n;
    mean_off += each.off.value() / n;
  }
  double of_times = 0.0, of_both = 0.0;
  for (const Deviation& each : part) {
    const double at = to_seconds(each.at) - mean_at;
    of_times += at * at;
    of_both += at * (each.off.value() - mean_off);
  }
  const double slope = of_times > 0.0 ? of_both / of_times : 0.0;
  for (const Deviation& each : part) {
    const double left = each.off.value() - mean_off - slope * (to_seconds(each.at) - mean_at);
    rest.squares += left * left;
    rest.furthest = std::max(rest.furthest, std::abs(left));
  }
  rest.freedom += n - 2.0;
}

// Returns the part that straight lines do not explain, with one line for each part of the time. If the parts are short,
// takes one line for all.
Rest rest_of(std::span<const Deviation> all) {
  constexpr std::size_t kFewestInPart = 3;
  constexpr double kLeastFreedom = 14.0;
  Rest by_parts{.by_parts = true};
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].part == all[begin].part) ++end;
    if (end - begin >= kFewestInPart) add_rest(all.subspan(begin, end - begin), by_parts);
  }
  if (by_parts.freedom >= kLeastFreedom) return by_parts;
  Rest of_all;
  add_rest(all, of_all);
  return of_all;
}

// Returns the standard deviation about the lines. If a few publications deviate far more than the others, a share of
// the largest deviation counts instead.
double scatter_about_lines(std::span<const Deviation> all) {
  constexpr double kFurthestDeviations = 2.5;
  const Rest rest = rest_of(all);
  return std::max(std::sqrt(rest.squares / rest.freedom), rest.furthest / kFurthestDeviations);
}

// Returns the standard deviation of moments that fall anywhere between two readings.
Joules by_even_moments(const std::vector<Deviation>& all) {
  double squares = 0.0;
  for (const Deviation& each : all) squares += std::pow(each.by_moment.value(), 2) / 3.0;
  return Joules(std::sqrt(squares / static_cast<double>(all.size())));
}

Joules median_by_moment(const std::vector<Deviation>& all, Joules most) {
  std::vector<Joules> each_by_moment;
  for (const Deviation& each : all) each_by_moment.push_back(std::min(each.by_moment, most));
  const auto middle = each_by_moment.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(each_by_moment, middle);
  return *middle;
}

}  // namespace

std::optional<Joules> scatter_of(const std::vector<Deviation>& deviations, Joules most_by_moment) {
  constexpr double kShareOfEvenMoments = 0.7;  // of the standard deviation of moments that lie anywhere
  if (deviations.size() < kManyPublications) return std::nullopt;
  const Joules scatter(scatter_about_lines(deviations));
  const Joules even = median_by_moment(deviations, most_by_moment) / std::numbers::sqrt3;
  return scatter < kShareOfEvenMoments * even ? std::nullopt : std::optional(scatter);
}

// Takes 2.25 standard deviations of a difference, and more if the deviations come from few publications.
Joules bound_of_ends(Joules scatter, std::size_t publications) {
  constexpr double kDeviations = 2.25;
  constexpr double kFewPublications = 3.0;
  return kDeviations * (1.0 + kFewPublications / static_cast<double>(publications)) * std::numbers::sqrt2 * scatter;
}

Joules bound_of_few(const std::vector<Deviation>& deviations) {
  constexpr std::size_t kFewest = 4;
  constexpr double kConfidence = 0.95;
  constexpr double kExplained = 1.1;  // times the deviation of even moments
  if (deviations.size() < kFewest || deviations.size() >= kManyPublications) return {};
  const Rest rest = rest_of(deviations);
  const Joules scatter(std::sqrt(rest.squares / rest.freedom));
  if (scatter < kExplained * by_even_moments(deviations)) return {};
  return student_quantile(kConfidence, deviations.size() - 2) * std::numbers::sqrt2 * scatter;
}

Joules noise_of(const std::vector<Deviation>& deviations) {
  constexpr std::size_t kFewest = 4;
  if (deviations.size() < kFewest) return {};
  const Rest rest = rest_of(deviations);
  const Joules scatter(std::sqrt(rest.squares / rest.freedom));
  return rest.by_parts ? scatter : std::min(scatter, by_even_moments(deviations));
}

Joules furthest_of(const std::vector<Deviation>& deviations, Joules launch) {
  Joules furthest;
  for (std::size_t i = 1; i + 1 < deviations.size(); ++i) {
    const Deviation& before = deviations[i - 1];
    const Deviation& after = deviations[i + 1];
    const Joules off = deviations[i].off - (before.off + after.off) / 2.0;
    const Joules known = deviations[i].by_moment + (before.by_moment + after.by_moment) / 2.0;
    furthest = std::max(furthest, Joules(std::abs(off.value())) - known - launch / 2.0);
  }
  return furthest;
}

}  // namespace wattune::power

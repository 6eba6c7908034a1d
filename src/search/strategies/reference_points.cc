#include "search/strategies/reference_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace wattune::inline v0_1::search {

namespace {

constexpr double kOffAxis = 1e-6;   // weight of the other objectives in the search for extreme points
constexpr double kSingular = 1e-9;  // smaller pivots and intercepts are taken as zero

// Appends the point of each way to distribute `parts` over the objectives from `objective` on.
void distribute(std::size_t parts, std::size_t divisions, std::size_t objective, Costs& point,
                std::vector<Costs>& points) {
  const auto share = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(divisions); };
  if (objective + 1 == point.size()) {
    point[objective] = share(parts);
    points.push_back(point);
    return;
  }
  for (std::size_t n = 0; n <= parts; ++n) {
    point[objective] = share(n);
    distribute(parts - n, divisions, objective + 1, point, points);
  }
}

// Returns the number of points: the binomial coefficient of (divisions + objectives - 1) over (objectives - 1).
double count_of(std::size_t objectives, std::size_t divisions) {
  double count = 1.0;
  for (std::size_t i = 1; i < objectives; ++i) count *= static_cast<double>(divisions + i) / static_cast<double>(i);
  return count;
}

Costs difference(const Costs& a, const Costs& b) {
  Costs result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

// Returns for each axis the costs of the member that lies nearest to the axis. Costs are distances from the ideal
// point.
std::vector<Costs> extreme_points(const std::vector<Costs>& costs, const Front& members, const Costs& ideal) {
  std::vector<Costs> extremes;
  for (std::size_t axis = 0; axis < ideal.size(); ++axis) {
    const auto off_axis = [&](std::size_t member) {
      double worst = 0.0;
      for (std::size_t i = 0; i < ideal.size(); ++i)
        worst = std::max(worst, (costs[member][i] - ideal[i]) / (i == axis ? 1.0 : kOffAxis));
      return worst;
    };
    extremes.push_back(difference(costs[*std::ranges::min_element(members, {}, off_axis)], ideal));
  }
  return extremes;
}

// Returns where the plane through these points meets the axes. There are as many points as objectives. The function
// solves rows * x = 1 by Gaussian elimination with the largest pivot; the intercepts are 1 / x. Returns nullopt unless
// all intercepts are positive.
std::optional<Costs> intercepts(std::vector<Costs> rows) {
  const std::size_t n = rows.size();
  Costs right(n, 1.0);
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    if (!(std::abs(rows[pivot][column]) > kSingular * std::abs(*std::ranges::max_element(rows[pivot])))) return {};
    std::swap(rows[pivot], rows[column]);
    std::swap(right[pivot], right[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t i = column; i < n; ++i) rows[row][i] -= factor * rows[column][i];
      right[row] -= factor * right[column];
    }
  }
  Costs result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = rows[i][i] / right[i];
    if (!(result[i] > 0.0) || !std::isfinite(result[i])) return {};
  }
  return result;
}

Costs worst_of(const std::vector<Costs>& costs, const Front& front, const Costs& ideal) {
  Costs worst(ideal.size(), 0.0);
  for (const std::size_t member : front)
    for (std::size_t i = 0; i < ideal.size(); ++i) worst[i] = std::max(worst[i], costs[member][i] - ideal[i]);
  return worst;
}

}  // namespace

std::vector<Costs> reference_points(std::size_t objectives, std::size_t most) {
  std::size_t divisions = 1;
  while (objectives > 1 && count_of(objectives, divisions + 1) <= static_cast<double>(most)) ++divisions;
  std::vector<Costs> points;
  Costs point(objectives, 0.0);
  distribute(divisions, divisions, 0, point, points);
  return points;
}

std::vector<Costs> scaled_costs(const std::vector<Costs>& costs, const Front& members, const Front& first,
                                const Costs& ideal) {
  const Costs extents = intercepts(extreme_points(costs, members, ideal)).value_or(worst_of(costs, first, ideal));
  std::vector<Costs> result;
  for (const std::size_t member : members) {
    Costs& scaled = result.emplace_back(difference(costs[member], ideal));
    for (std::size_t i = 0; i < scaled.size(); ++i)
      if (extents[i] > 0.0) scaled[i] /= extents[i];
  }
  return result;
}

Association nearest_point(const std::vector<Costs>& points, const Costs& scaled) {
  Association nearest{.point = 0, .distance = std::numeric_limits<double>::infinity()};
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto dot = [](const Costs& a, const Costs& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    const double along = dot(points[p], scaled) / dot(points[p], points[p]);
    double squares = 0.0;
    for (std::size_t i = 0; i < scaled.size(); ++i) squares += std::pow(scaled[i] - along * points[p][i], 2.0);
    if (std::sqrt(squares) < nearest.distance) nearest = {p, std::sqrt(squares)};
  }
  return nearest;
}

}  // namespace wattune::search

#include "report/fitness_flow.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "report/interface/trials.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr double kDamping = 0.85;
constexpr double kFlowTolerance = 1e-10;  // the iteration ends when the sum of all changes of ranks is less
constexpr int kMaxSteps = 1000;

using Place = std::vector<std::uint16_t>;  // a configuration: the position of each value in its parameter's list

Place place_of(const Trial& trial, const std::vector<Parameter>& parameters) {
  Place place;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<Value>& values = parameters[p].values;
    const auto found = std::ranges::find(values, trial.configuration.values()[p]);
    place.push_back(static_cast<std::uint16_t>(found - values.begin()));
  }
  return place;
}

}  // namespace

FitnessFlow::FitnessFlow(const std::vector<const Trial*>& nodes, const std::vector<Parameter>& parameters)
    : edges_(nodes.size()), minimum_(nodes.size(), true) {
  std::map<Place, std::uint32_t> at;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) at.emplace(place_of(*nodes[node], parameters), node);
  for (const auto& [place, node] : at) {
    const double own = objective_of(*nodes[node]);
    Place other = place;
    for (std::size_t p = 0; p < place.size(); ++p) {
      for (const int step : {-1, 1}) {
        other[p] = static_cast<std::uint16_t>(place[p] + step);  // a position below 0 wraps round to one without a node
        const auto neighbour = at.find(other);
        if (neighbour == at.end()) continue;
        ++neighbours_;
        const double time = objective_of(*nodes[neighbour->second]);
        if (time <= own) edges_[node].push_back(neighbour->second);
        if (time < own) minimum_[node] = false;
      }
      other[p] = place[p];
    }
  }
}

std::vector<double> FitnessFlow::page_rank() const {
  const auto n = static_cast<double>(edges_.size());
  std::vector<double> rank(edges_.size(), 1.0 / n);
  for (int i = 0; i < kMaxSteps; ++i) {
    double stuck = 0.0;
    for (std::size_t node = 0; node < edges_.size(); ++node)
      if (edges_[node].empty()) stuck += rank[node];
    std::vector<double> next(edges_.size(), (1.0 - kDamping + kDamping * stuck) / n);
    for (std::size_t node = 0; node < edges_.size(); ++node)
      for (const std::uint32_t to : edges_[node])
        next[to] += kDamping * rank[node] / static_cast<double>(edges_[node].size());
    double change = 0.0;
    for (std::size_t node = 0; node < rank.size(); ++node) change += std::abs(next[node] - rank[node]);
    rank = std::move(next);
    if (change < kFlowTolerance) break;
  }
  return rank;
}

}  // namespace wattune::report

#include "search/interface/company_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "search/methods/walk_order.h"
#include "search/strategies/algorithm.h"

namespace wattune::inline v0_1::search {

namespace {

std::vector<CompanyKernel> reduced(std::vector<CompanyKernel> kernels, double least_occupancy) {
  for (CompanyKernel& kernel : kernels)
    kernel.candidates = most_promising_first(std::move(kernel.candidates), least_occupancy);
  return kernels;
}

class CompanyWalk final : public Algorithm {
 public:
  CompanyWalk(const space::SearchSpace& space, std::vector<CompanyKernel> kernels, const CompanyWalkOptions& options)
      : Algorithm(space, {.start = options.start, .objectives = options.objectives}),
        kernels_(reduced(std::move(kernels), options.least_occupancy)),
        options_(options),
        clock_parameter_(varied_clock(space.parameters())),
        clocks_(descending_clocks(space.parameters(), options.lower_clock)),
        restarts_left_(options.restarts) {
    space.unrank(space.default_configuration(), base_);
  }

  std::optional<ConfigurationId> chosen() const override { return two_way() ? least_id_ : stands_on_; }

  std::string remark() const override {
    return circled_ ? fmt::format("the walk went in circles and ended after {} changes", options_.restarts) : "";
  }

 private:
  // A point of the walk: the position of each kernel's shape among its candidates, and the position of the clock.
  struct Place {
    std::vector<std::size_t> shapes;
    std::size_t clock = 0;
  };

  bool begins_anew() const override { return false; }
  bool two_way() const { return options_.rule == CompanyRule::two_way; }

  Task<> search() override {
    if (std::ranges::any_of(kernels_, [](const CompanyKernel& kernel) { return kernel.candidates.empty(); })) co_return;
    Place place{.shapes = std::vector<std::size_t>(kernels_.size(), 0)};
    co_await cost_at(place);
    place.clock = co_await lower_clock(place);
    const std::vector<std::size_t> order = by_own_cost(place);
    for (std::size_t i = 0; i < order.size();) {
      const std::size_t kernel = order[i];
      const std::size_t shape = co_await walk_shapes(place, kernel);
      const bool changed = shape != place.shapes[kernel];
      place.shapes[kernel] = shape;
      stands_on_ = id_at(place);
      ++i;
      if (!changed || !begins_again(kernel == order.front())) continue;
      circled_ = restarts_left_-- == 0;
      if (circled_) co_return;
      place.clock = co_await lower_clock(place);
      i = 0;
    }
  }

  bool begins_again(bool first_kernel) const { return options_.rule != CompanyRule::onwards || !first_kernel; }

  // Lowers the clock while the cost does not get worse; returns the last clock before the cost gets worse.
  Task<std::size_t> lower_clock(Place place) {
    double here = co_await cost_at(place);
    while (place.clock + 1 < clocks_.size()) {
      Place next = place;
      ++next.clock;
      const double below = co_await cost_at(next);
      if (is_worse(below, here)) break;
      place = next;
      here = below;
    }
    stands_on_ = id_at(place);
    co_return place.clock;
  }

  // Returns the shape that the walk's rule chooses for a kernel, while the other kernels keep their shapes.
  Task<std::size_t> walk_shapes(Place place, std::size_t kernel) {
    const std::size_t stands = place.shapes[kernel];
    if (options_.rule == CompanyRule::from_first) place.shapes[kernel] = 0;
    const std::size_t onwards = co_await walk(place, kernel, +1);
    if (!two_way() || onwards != stands) co_return onwards;
    co_return co_await walk(place, kernel, -1);
  }

  // Walks from shape to shape until the first that is worse than the one before. Returns the last shape before that
  // one. A two-way walk returns the best of the shapes that are better than the first.
  Task<std::size_t> walk(Place place, std::size_t kernel, int step) {
    std::size_t& shape = place.shapes[kernel];
    std::size_t taken = shape;
    double here = co_await cost_at(place);
    double least = here;
    while (step > 0 ? shape + 1 < kernels_[kernel].candidates.size() : shape > 0) {
      shape = step > 0 ? shape + 1 : shape - 1;
      const double next = co_await cost_at(place);
      if (is_worse(next, here)) break;
      here = next;
      if (two_way() && !(next < least * (1.0 - options_.indifference))) continue;
      taken = shape;
      least = next;
    }
    co_return taken;
  }

  // Returns the order in which kernels are tried: first the kernel that alone has the highest cost.
  std::vector<std::size_t> by_own_cost(const Place& place) const {
    std::vector<std::size_t> order(kernels_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::optional<ConfigurationId> id = id_at(place);
    const auto known = id ? own_costs_.find(*id) : own_costs_.end();
    if (known == own_costs_.end()) return order;
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t kernel) { return known->second[kernel]; });
    return order;
  }

  void do_read(ConfigurationId id, const Observation& observation) override {
    std::vector<double>& own = own_costs_[id];
    for (const CompanyKernel& kernel : kernels_) {
      const auto metric = std::ranges::find(observation.metrics, kernel.own_cost, &Metric::name);
      own.push_back(metric == observation.metrics.end() ? 0.0 : metric->value);
    }
  }

  space::ValueIndices indices_at(const Place& place) const {
    space::ValueIndices indices = base_;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const CompanyCandidate& candidate = kernels_[k].candidates[place.shapes[k]];
      for (std::size_t p = 0; p < candidate.values.size(); ++p)
        indices[kernels_[k].parameters[p]] = candidate.values[p];
    }
    if (clock_parameter_) indices[*clock_parameter_] = clocks_[place.clock];
    return indices;
  }

  // Returns the id of the configuration with these shapes and this clock. Returns nullopt if the configuration is not
  // in the space.
  std::optional<ConfigurationId> id_at(const Place& place) const {
    const space::ValueIndices indices = indices_at(place);
    return space().contains(indices) ? std::optional(space().rank(indices)) : std::nullopt;
  }

  // Returns the cost of the configuration with these shapes and this clock. The cost is infinite if the configuration
  // failed or is not in the space.
  Task<double> cost_at(Place place) {
    const std::optional<ConfigurationId> id = id_at(place);
    if (!id) co_return std::numeric_limits<double>::infinity();
    const double its = cost_of(*id, co_await evaluate(*id));
    if (its < least_) least_id_ = id;
    least_ = std::min(least_, its);
    co_return its;
  }

  double cost_of(ConfigurationId id, const Outcome& outcome) const {
    if (!several_objectives()) return cost(outcome);
    return costs(id) != nullptr ? costs(id)->front() : std::numeric_limits<double>::infinity();
  }

  bool is_worse(double next, double here) const { return next > here * (1.0 + options_.indifference); }

  const std::vector<CompanyKernel> kernels_;  // kernels, each with its shapes in the order of the walk
  const CompanyWalkOptions options_;
  const std::optional<std::size_t> clock_parameter_;
  const std::vector<std::uint16_t> clocks_;
  std::size_t restarts_left_;
  bool circled_ = false;
  space::ValueIndices base_;  // value indices of the default configuration
  std::unordered_map<ConfigurationId, std::vector<double>, IdHash> own_costs_;
  std::optional<ConfigurationId> stands_on_;
  std::optional<ConfigurationId> least_id_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> make_company_walk(const space::SearchSpace& space, std::vector<CompanyKernel> kernels,
                                            const CompanyWalkOptions& options) {
  return std::make_unique<CompanyWalk>(space, std::move(kernels), options);
}

}  // namespace wattune::search

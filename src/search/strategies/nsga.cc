// NSGA-II and NSGA-III: genetic algorithms that look for a whole Pareto front (Deb et al. 2002; Deb, Jain 2014).
//
// Parents and children together are sorted into fronts; whole fronts live on until one does not fit. From that front,
// NSGA-II keeps the least crowded members. NSGA-III keeps the members near reference points that have few members near
// them. With one objective, each front holds the configurations of one value. A configuration that failed, or lacks one
// of the objectives, never becomes a parent.
#include <algorithm>
#include <limits>

#include "search/strategies/genetic.h"
#include "search/strategies/non_dominated.h"
#include "search/strategies/reference_points.h"
#include "search/strategies/strategies.h"

namespace wattune::inline v0_1::search {

namespace {

struct Population {
  std::vector<ConfigurationId> ids;
  std::vector<Costs> costs;  // costs of the members, in the same order

  std::size_t size() const { return ids.size(); }
};

Population select(const Population& population, const Front& chosen) {
  Population result;
  for (const std::size_t i : chosen) {
    result.ids.push_back(population.ids[i]);
    result.costs.push_back(population.costs[i]);
  }
  return result;
}

class Nsga : public Genetic {
 public:
  using Genetic::Genetic;

 private:
  Task<> search() override {
    const std::size_t size = count_option("population");
    Population population;
    co_await add(starting_points(size), population);
    while (population.size() >= 2) {
      population = select(population, survivors(population.costs, std::min(size, population.size())));
      std::vector<ConfigurationId> children;
      while (children.size() < size) {
        const ConfigurationId mother = population.ids[parent(population.size())];
        children.push_back(child(mother, population.ids[parent(population.size())]));
      }
      co_await add(std::move(children), population);
    }
  }

  Task<> add(std::vector<ConfigurationId> ids, Population& population) {
    const std::vector<Outcome> outcomes = co_await evaluate_all(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto its = costs_of_known(ids[i], outcomes[i]);
      if (!its || std::ranges::find(population.ids, ids[i]) != population.ids.end()) continue;
      population.ids.push_back(ids[i]);
      population.costs.push_back(*its);
    }
  }

  std::optional<Costs> costs_of_known(ConfigurationId id, const Outcome& outcome) const {
    if (!outcome) return std::nullopt;
    if (!several_objectives()) return Costs{*outcome};
    const Costs* all = costs(id);
    return all == nullptr ? std::nullopt : std::optional(*all);
  }

  // Returns the `size` members that live on, in the order that parent() expects.
  virtual Front survivors(const std::vector<Costs>& costs, std::size_t size) = 0;
  // Chooses the position of a parent among `size` members.
  virtual std::size_t parent(std::size_t size) = 0;
};

// The fronts that fit whole, one after the other, and the first front that does not fit.
struct Split {
  Front whole;
  Front last;
};

Split split(std::vector<Front> fronts, std::size_t size) {
  Split result;
  for (Front& front : fronts) {
    if (result.whole.size() + front.size() > size) {
      result.last = std::move(front);
      break;
    }
    result.whole.insert(result.whole.end(), front.begin(), front.end());
  }
  return result;
}

class Nsga2 final : public Nsga {
 public:
  using Nsga::Nsga;

 private:
  // Selects the survivors. They are sorted by front, and within a front the least crowded come first.
  Front survivors(const std::vector<Costs>& costs, std::size_t size) override {
    Front result;
    for (const Front& front : non_dominated_fronts(costs)) {
      const std::vector<double> distances = crowding_distances(costs, front);
      std::vector<std::size_t> order(front.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return distances[i]; });
      for (const std::size_t i : order) {
        if (result.size() < size) result.push_back(front[i]);
      }
    }
    return result;
  }

  // Chooses a parent by a tournament of two members.
  std::size_t parent(std::size_t size) override {
    const std::size_t one = random().below(size);
    return std::min<std::size_t>(one, random().below(size));
  }
};

class Nsga3 final : public Nsga {
 public:
  using Nsga::Nsga;

 private:
  Front survivors(const std::vector<Costs>& costs, std::size_t size) override {
    std::vector<Front> fronts = non_dominated_fronts(costs);
    const Front first = fronts.front();
    auto [chosen, last] = split(std::move(fronts), size);
    if (chosen.size() == size) return chosen;
    if (points_.empty()) points_ = reference_points(costs.front().size(), count_option("population"));
    lower_ideal(costs);
    Front members = chosen;
    members.insert(members.end(), last.begin(), last.end());
    const std::vector<Costs> scaled = scaled_costs(costs, members, first, ideal_);
    std::vector<std::size_t> niches(points_.size(), 0);  // number of members at each reference point
    std::vector<Association> waiting;                    // members of `last`, each with its reference point
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Association its = nearest_point(points_, scaled[i]);
      if (i < chosen.size())
        ++niches[its.point];
      else
        waiting.push_back(its);
    }
    while (chosen.size() < size) {
      const std::size_t next = emptiest_niche(niches, waiting);
      ++niches[waiting[next].point];
      chosen.push_back(last[next]);
      last.erase(last.begin() + static_cast<std::ptrdiff_t>(next));
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return chosen;
  }

  // Returns the position of the waiting member that joins next. The member belongs to the reference point that has the
  // fewest members; ties are broken at random. If that point has no member yet, the member nearest to it joins, else
  // any of its waiting members.
  std::size_t emptiest_niche(const std::vector<std::size_t>& niches, const std::vector<Association>& waiting) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const Association& each : waiting) fewest = std::min(fewest, niches[each.point]);
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (niches[waiting[i].point] == fewest) candidates.push_back(i);
    }
    const std::size_t drawn = candidates[random().below(candidates.size())];
    std::erase_if(candidates, [&](std::size_t i) { return waiting[i].point != waiting[drawn].point; });
    if (fewest > 0) return drawn;
    return *std::ranges::min_element(candidates, {}, [&](std::size_t i) { return waiting[i].distance; });
  }

  void lower_ideal(const std::vector<Costs>& costs) {
    if (ideal_.empty()) ideal_ = costs.front();
    for (const Costs& each : costs) {
      for (std::size_t i = 0; i < ideal_.size(); ++i) ideal_[i] = std::min(ideal_[i], each[i]);
    }
  }

  std::size_t parent(std::size_t size) override { return random().below(size); }

  std::vector<Costs> points_;
  Costs ideal_;  // the least value of each objective so far
};

}  // namespace

std::unique_ptr<Strategy> make_nsga2(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Nsga2>(space, options);
}

std::unique_ptr<Strategy> make_nsga3(const space::SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Nsga3>(space, options);
}

}  // namespace wattune::search

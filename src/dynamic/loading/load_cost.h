// LoadCost: the cost of loading or unloading code, learned from measurements. One thread learns, and any thread may ask
// for the cost.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>

#include <optional>

#include "dynamic/tuning/stall_budget.h"

namespace wattune::inline v0_1::dynamic {

// The largest of the last few values. It is used for promises that must hold.
class RecentLargest {
 public:
  explicit RecentLargest(Nanoseconds first) : first_(first), largest_(first.value()) {}

  void learn(Nanoseconds value) {
    values_[learned_++ % values_.size()] = value.value();
    largest_.store(*std::max_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count())));
  }
  Nanoseconds value() const { return Nanoseconds(largest_.load()); }
  // Forgets all values.
  void forget() {
    learned_ = 0;
    largest_.store(first_.value());
  }

 private:
  std::size_t count() const { return std::min(learned_, values_.size()); }

  const Nanoseconds first_;
  std::array<double, 8> values_{};
  std::size_t learned_ = 0;
  std::atomic<double> largest_;
};

// The mean of the last few values. It is used for estimates that hold on average.
class RecentMean {
 public:
  explicit RecentMean(Nanoseconds first) : mean_(first) {}

  void learn(Nanoseconds value) {
    values_[learned_++ % values_.size()] = value.value();
    const std::size_t count = std::min(learned_, values_.size());
    mean_ = Nanoseconds(std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(count));
  }
  Nanoseconds value() const { return mean_; }

 private:
  std::array<double, 8> values_{};
  std::size_t learned_ = 0;
  Nanoseconds mean_;
};

class LoadCost {
 public:
  // Takes the assumed cost on an idle device, which is used until a cost was learned.
  explicit LoadCost(Nanoseconds first) : idle_(first), excess_(Nanoseconds()) {}

  void learn_idle(Nanoseconds took) {
    idle_.learn(took);
    learn_price(took);
  }
  void learn_beside(Nanoseconds took, Nanoseconds queued) {
    excess_.learn(std::max(Nanoseconds(), took - queued - idle()));
    learn_price(took);
  }

  // Forgets, after a while, a load that took surprisingly long. If the cost of that load is more than a call may lose,
  // no code would ever be loaded again, and nothing learned. So the load counts only until the budget has gained as
  // much as its cost. That time doubles with each further load of this kind and halves with each other load.
  void forgive(const StallBudget& stall_budget, Nanoseconds now) {
    most_ = stall_budget.most({});
    if (beside({}) <= most_) return too_long_since_.reset();
    if (!too_long_since_) too_long_since_ = now;
    if (stall_budget.gained_in(now - *too_long_since_) < price_ * beside({})) return;
    (idle_.value() < excess_.value() ? excess_ : idle_).forget();
    too_long_since_.reset();
    price_ *= 2.0;
  }

  Nanoseconds idle() const { return idle_.value(); }
  // Returns the cost of a load beside streams with `queued` work. Queued work that the tuner does not know of is
  // contained in the learned excess.
  Nanoseconds beside(Nanoseconds queued) const { return queued + idle() + excess_.value(); }

 private:
  void learn_price(Nanoseconds took) {
    if (took <= most_) price_ = std::max(1.0, 0.5 * price_);
  }

  RecentLargest idle_;
  RecentLargest excess_;
  Nanoseconds most_;  // longest time that a call may lose
  std::optional<Nanoseconds> too_long_since_;
  double price_ = 1.0;
};

}  // namespace wattune::dynamic

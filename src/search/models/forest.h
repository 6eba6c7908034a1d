// Forest: a regression forest over configurations, small and fast to fit.
//
// The trees are extremely randomised (Geurts, Ernst, Wehenkel: Extremely randomized trees, Machine Learning 63, 2006).
// Every node tries one random threshold in each of at most kColumns random columns, and keeps the split that reduces
// the variance most; leaves hold kLeaf rows or fewer. Thresholds lie between whole numbers (the columns are those of
// Encoding). The forest predicts the mean of the trees' predictions, and their standard deviation as its own
// uncertainty. Fitting 30 trees to 1,000 rows of 10 columns takes some 4 ms, a prediction 1 us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::search {

struct Prediction {
  double mean = 0.0;
  double deviation = 0.0;  // standard deviation
};

class Forest {
 public:
  // Fits the trees. rows[i * width ...] are the columns for responses[i]. Precondition: responses is not empty.
  void fit(std::span<const std::uint16_t> rows, std::size_t width, std::span<const double> responses, std::size_t trees,
           Random& random);
  bool empty() const { return roots_.empty(); }
  // Predicts the response of a row. Precondition: !empty().
  Prediction predict(std::span<const std::uint16_t> row) const;

 private:
  static constexpr std::size_t kLeaf = 2;
  static constexpr std::size_t kColumns = 24;

  struct Node {
    std::uint16_t column = 0;
    std::uint16_t threshold = 0;  // rows with values up to this go to the node `below`, others to below + 1
    std::uint32_t below = 0;      // index of a child node; 0 in a leaf
    double value = 0.0;           // mean of the responses in a leaf
  };
  struct Split {
    std::uint16_t column = 0;
    std::uint16_t threshold = 0;
    double gain = 0.0;
  };
  struct Sample;

  void grow(Sample& sample, std::uint32_t node, std::size_t begin, std::size_t end, Random& random);
  static Split best_split(Sample& sample, std::span<const std::uint32_t> members, Random& random);

  std::vector<std::uint32_t> roots_;
  std::vector<Node> nodes_;
};

}  // namespace wattune::search

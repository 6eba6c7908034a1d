// FailureModel: predicts the probability that a configuration works, with a forest over the values of the
// configurations that were tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/models/encoding.h"
#include "search/models/forest.h"

namespace wattune::inline v0_1::search {

class FailureModel {
 public:
  // Makes an empty model. `encoding` must outlive the model.
  explicit FailureModel(const Encoding& encoding) : encoding_(encoding) {}

  void remember(ConfigurationId id, bool succeeded);
  // Fits the forest to the latest remembered configurations, unless none of them failed.
  void grow(std::size_t trees, Random& random);
  // Returns the probability that the configuration of this row succeeds; 1 before the first failure. The row begins
  // with the columns of the encoding.
  double success(std::span<const std::uint16_t> row) const {
    return forest_.empty() ? 1.0 : 1.0 - forest_.predict(row).mean;
  }

 private:
  static constexpr std::size_t kMostFailureRows = 1000;  // largest number of rows that the forest learns from

  const Encoding& encoding_;
  Forest forest_;
  std::vector<std::uint16_t> tried_;  // the rows of tried configurations, one after another
  std::vector<double> failed_;        // 1 for each row that failed, 0 for others
  bool any_failed_ = false;
};

}  // namespace wattune::search

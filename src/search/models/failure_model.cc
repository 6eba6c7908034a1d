#include "search/models/failure_model.h"

#include <algorithm>

namespace wattune::inline v0_1::search {

void FailureModel::remember(ConfigurationId id, bool succeeded) {
  encoding_.append_row(id, tried_);
  failed_.push_back(succeeded ? 0.0 : 1.0);
  any_failed_ |= !succeeded;
  if (failed_.size() < 2 * kMostFailureRows) return;
  const auto width = static_cast<std::ptrdiff_t>(encoding_.width());
  failed_.erase(failed_.begin(), failed_.begin() + kMostFailureRows);
  tried_.erase(tried_.begin(), tried_.begin() + kMostFailureRows * width);
}

void FailureModel::grow(std::size_t trees, Random& random) {
  if (!any_failed_) return;
  const std::size_t width = encoding_.width();
  const std::size_t latest = std::min(failed_.size(), kMostFailureRows);
  forest_.fit(std::span(tried_).last(latest * width), width, std::span(failed_).last(latest), trees, random);
}

}  // namespace wattune::search

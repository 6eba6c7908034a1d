// ObservedRow: the data of a configuration that worked, from which models learn.
#pragma once

#include <algorithm>
#include <vector>

#include "search/models/prior.h"

namespace wattune::inline v0_1::search {

struct ObservedRow {
  ConfigurationId id = 0;
  double response = 0.0;
  Prior::Opinions opinions;
  double prior = 0.0;  // mean of the prior's predictions
};

// Returns n of the rows, which are in the order of observation: the best n / 2 and the latest n / 2. Returns all rows
// if there are n or fewer.
inline std::vector<ObservedRow> best_and_latest(const std::vector<ObservedRow>& rows, std::size_t n) {
  if (rows.size() <= n) return rows;
  const auto half = static_cast<std::ptrdiff_t>(n / 2);
  std::vector<ObservedRow> chosen(rows.begin(), rows.end() - half);
  std::ranges::stable_sort(chosen, {}, &ObservedRow::response);
  chosen.resize(n / 2);
  chosen.insert(chosen.end(), rows.end() - half, rows.end());
  return chosen;
}

}  // namespace wattune::search

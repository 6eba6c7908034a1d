// BestAlone: a strategy for the end of a search of several kernels. It runs the kernels together, each in the
// configuration that is best alone, at every ratio of resident blocks. So these combinations are compared like all
// other joint configurations.
//
// Before that it times the remaining configurations of members that have few. It proposes joint configurations with one
// new configuration of each such member, which are evaluated like any others. The space and the soloists must outlive
// the strategy.
//
//   auto strategy = make_sequence(space, std::move(walk), make_best_alone(company, evaluator.soloists()));
#pragma once

#include <memory>
#include <vector>

#include "company/company_evaluator.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::company {

std::unique_ptr<search::Strategy> make_best_alone(const CompanySpace& space, const std::vector<Soloist>& soloists);

}  // namespace wattune::company

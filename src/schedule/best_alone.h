// The end of a search of several kernels: each at its best alone, run together in every ratio of resident blocks, so
// that this is compared like all else.
//
// Before that it proposes what is left to time alone of members that have few configurations: configurations of all,
// each with one of every such member, which are evaluated like any others. Space and soloists outlive it.
//
//   auto strategy = make_sequence(space, std::move(walk), make_best_alone(company, evaluator.soloists()));
#pragma once

#include <memory>
#include <vector>

#include "schedule/company_evaluator.h"
#include "wattune/search/strategy.h"

namespace wattune::schedule {

std::unique_ptr<search::Strategy> make_best_alone(const CompanySpace& space, const std::vector<Soloist>& soloists);

}  // namespace wattune::schedule

// Chooses the candidate orders of variables that race to build a component.
//
// The same constraints give diagrams of very different sizes under different orders, and no rule picks the best. A
// greedy order in which few assigned parameters still matter suits GEMM. It does not suit stencils, whose constraints
// read products of parameters. So a few orders are tried under a growing budget, and the first to finish, counted in
// steps, wins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wattune::inline v0_1::space {

// Returns distinct orders of `variables` (ascending), of which the first is the user's own. `scopes` are sets of
// variables, each tied together by a constraint; widths[v] is the number of values of variable v.
std::vector<std::vector<std::uint32_t>> candidate_orders(std::span<const std::uint32_t> variables,
                                                         std::span<const std::vector<std::uint32_t>> scopes,
                                                         std::span<const std::size_t> widths);

}  // namespace wattune::space

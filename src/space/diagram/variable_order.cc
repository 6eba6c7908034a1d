#include "space/diagram/variable_order.h"

#include <algorithm>
#include <bit>

namespace wattune::inline v0_1::space {

namespace {

using Order = std::vector<std::uint32_t>;

// Returns the binary logarithm in units of 1/1024, computed with integers. The order of the variables depends on it and
// decides the ids, which must not depend on a mathematics library.
std::uint64_t log2_fixed(std::uint64_t value) {
  const auto whole = static_cast<std::uint64_t>(std::bit_width(value) - 1);
  std::uint64_t mantissa = (value << 31) >> whole;  // mantissa in [1, 2), with 31 fractional bits
  std::uint64_t result = whole;
  for (int bit = 0; bit < 10; ++bit) {
    mantissa = (mantissa * mantissa) >> 31;
    result = 2 * result + (mantissa >> 32);
    mantissa >>= mantissa >> 32;
  }
  return result;
}

// An order of the variables made step by step. Each step appends the variable that leaves the fewest bits pending.
// Pending are the bits of all assigned variables that share a scope with an unassigned one. Ties follow the user's
// order.
class GreedyOrder {
 public:
  GreedyOrder(std::span<const std::uint32_t> variables, std::span<const std::vector<std::uint32_t>> scopes,
              std::span<const std::size_t> widths)
      : left_(variables.begin(), variables.end()), scopes_(scopes), widths_(widths), assigned_(widths.size(), false) {}

  Order build(std::uint32_t first) {
    append(first);
    while (!left_.empty()) {
      append(*std::ranges::min_element(left_, {}, [&](std::uint32_t variable) { return pending_with(variable); }));
    }
    return std::move(order_);
  }

  std::uint64_t pending_with(std::uint32_t variable) {
    assigned_[variable] = true;
    std::vector<bool> pending(widths_.size(), false);
    for (const std::vector<std::uint32_t>& scope : scopes_) {
      if (std::ranges::all_of(scope, [&](std::uint32_t v) { return assigned_[v]; })) continue;
      for (std::uint32_t v : scope) pending[v] = pending[v] || assigned_[v];
    }
    assigned_[variable] = false;
    std::uint64_t bits = 0;
    for (std::size_t v = 0; v < pending.size(); ++v) {
      if (pending[v]) bits += log2_fixed(widths_[v]);
    }
    return bits;
  }

 private:
  void append(std::uint32_t variable) {
    order_.push_back(variable);
    assigned_[variable] = true;
    std::erase(left_, variable);
  }

  Order order_;
  Order left_;
  std::span<const std::vector<std::uint32_t>> scopes_;
  std::span<const std::size_t> widths_;
  std::vector<bool> assigned_;
};

}  // namespace

std::vector<Order> candidate_orders(std::span<const std::uint32_t> variables,
                                    std::span<const std::vector<std::uint32_t>> scopes,
                                    std::span<const std::size_t> widths) {
  std::vector<Order> orders = {Order(variables.begin(), variables.end())};
  const auto add = [&](Order order) {
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(std::move(order));
  };
  GreedyOrder start(variables, scopes, widths);
  const std::uint32_t first =
      *std::ranges::min_element(variables, {}, [&](std::uint32_t variable) { return start.pending_with(variable); });
  add(GreedyOrder(variables, scopes, widths).build(first));
  add(GreedyOrder(variables, scopes, widths).build(variables.front()));
  return orders;
}

}  // namespace wattune::space

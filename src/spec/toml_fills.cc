#include "spec/toml_fills.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interface/suggest.h"
#include "spec/files.h"

namespace wattune::inline v0_1::spec {

namespace {

// --- each function reads the keys of one kind of fill ---

Result<Fill> read_constant(const Table& table, bool) {
  const Node* const node = table.find("value");
  if (node == nullptr) return Fill(FillConstant());
  Result<Value> value = table.document().any_number(*node, table.describe("value"));
  if (value) return Fill(FillConstant{*std::move(value)});
  return std::move(value).error().hint(node->is_string() ? "fill = \"expression\" takes an expression" : "");
}

// Returns the seed, or nullopt if there is none. The number 0 means that there is no seed.
Result<std::optional<std::uint64_t>> read_seed(const Table& table) {
  WATTUNE_ASSIGN(const std::optional<std::int64_t> seed, table.integer("seed"));
  if (seed && *seed < 0) return table.document().error(*table.find("seed"), table.describe("seed") + " is negative");
  return seed.value_or(0) > 0 ? std::optional(static_cast<std::uint64_t>(*seed)) : std::nullopt;
}

Result<Fill> read_uniform(const Table& table, bool) {
  FillUniform fill;
  WATTUNE_ASSIGN(const std::optional<double> low, table.number("low"));
  WATTUNE_ASSIGN(const std::optional<double> high, table.number("high"));
  WATTUNE_ASSIGN(fill.seed, read_seed(table));
  fill.low = low.value_or(fill.low);
  fill.high = high.value_or(fill.high);
  if (fill.low < fill.high) return Fill(fill);
  const Node* node = table.find("high") != nullptr ? table.find("high") : table.find("low");
  return table.document().error(*node, "`low` must be below `high` in " + table.name());
}

Result<Fill> read_normal(const Table& table, bool) {
  FillNormal fill;
  WATTUNE_ASSIGN(const std::optional<double> mean, table.number("mean"));
  WATTUNE_ASSIGN(const std::optional<double> deviation, table.number("deviation"));
  WATTUNE_ASSIGN(fill.seed, read_seed(table));
  fill.mean = mean.value_or(fill.mean);
  fill.deviation = deviation.value_or(fill.deviation);
  if (fill.deviation > 0) return Fill(fill);
  return table.document().error(*table.find("deviation"), table.describe("deviation") + " must be positive");
}

Result<Fill> read_iota(const Table& table, bool) {
  FillIota fill;
  WATTUNE_ASSIGN(const std::optional<double> start, table.number("start"));
  WATTUNE_ASSIGN(const std::optional<double> step, table.number("step"));
  fill.start = start.value_or(fill.start);
  fill.step = step.value_or(fill.step);
  return Fill(fill);
}

Result<Fill> read_expression(const Table& table, bool) {
  WATTUNE_ASSIGN(ExpressionText expression, table.required_expression("expression"));
  return Fill(FillExpression{std::move(expression)});
}

Result<Fill> read_file(const Table& table, bool files_required) {
  WATTUNE_ASSIGN(const Node* node, table.required("file"));
  WATTUNE_ASSIGN(std::filesystem::path path,
                 named_file(table.document(), *node, table.describe("file"), files_required));
  return Fill(FillFile{std::move(path)});
}

const std::vector<FillKind>& fill_kinds() {
  static const std::vector<FillKind> kinds{{"uniform", {"low", "high", "seed"}, read_uniform},
                                           {"normal", {"mean", "deviation", "seed"}, read_normal},
                                           {"constant", {"value"}, read_constant},
                                           {"iota", {"start", "step"}, read_iota},
                                           {"expression", {"expression"}, read_expression},
                                           {"file", {"file"}, read_file}};
  return kinds;
}

// Returns the fill of a table. Fails if the table has a key of another fill; the error names that fill.
Result<const FillKind*> with_own_keys(const Table& table, const FillKind& fill) {
  for (const Node::Member& member : table.node().members) {
    const auto has_it = [&](const FillKind& kind) { return std::ranges::count(kind.keys, member.key) > 0; };
    const auto other = std::ranges::find_if(fill_kinds(), has_it);
    if (other == fill_kinds().end() || has_it(fill)) continue;
    return Error(ErrorCode::invalid_argument, "unknown key in " + table.name())
        .at(table.document().position(member.place))
        .about(member.key)
        .hint(fmt::format("fill = \"{}\" has it", other->name));
  }
  return &fill;
}

}  // namespace

Result<const FillKind*> find_fill(const Table& table) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, table.string("fill"));
  if (!name) return with_own_keys(table, fill_kinds().front());
  std::vector<std::string> names;
  for (const FillKind& kind : fill_kinds()) {
    if (kind.name == *name) return with_own_keys(table, kind);
    names.push_back(kind.name);
  }
  return table.document().error(*table.find("fill"), "unknown fill of " + table.name()).hint(suggest(*name, names));
}

std::vector<std::string> keys_of(const FillKind& fill) {
  std::vector<std::string> keys{"fill"};
  keys.insert(keys.end(), fill.keys.begin(), fill.keys.end());
  return keys;
}

}  // namespace wattune::spec

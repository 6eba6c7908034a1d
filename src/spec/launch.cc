#include "spec/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::array<std::string_view, 3> kBlockNames{"block_size_x", "block_size_y", "block_size_z"};

// Returns the nodes of up to three dimensions: the elements of a list, or the node itself if it is no list.
Result<std::vector<const Node*>> dimensions_of(const Document& document, const Node& node, const std::string& what) {
  std::vector<const Node*> dimensions;
  if (node.kind != Node::Kind::list) {
    dimensions.push_back(&node);
  } else {
    for (const Node& element : node.elements) dimensions.push_back(&element);
  }
  if (dimensions.empty() || dimensions.size() > 3)
    return document.error(node, what + " must have one, two or three dimensions");
  return dimensions;
}

Result<Expressions3> read_sizes(const Table& table, std::string_view key, const Node& node) {
  const std::string what = table.describe(key);
  WATTUNE_ASSIGN(const auto dimensions, dimensions_of(table.document(), node, what));
  Expressions3 sizes;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    WATTUNE_ASSIGN(sizes[i], table.document().expression(*dimensions[i], what));
  }
  return sizes;
}

// Reads the divisors of each dimension. The divisors of one dimension are an expression or a list of expressions.
Result<void> read_divisors(const Table& table, const Node& node, const KernelSpec& spec, Geometry& geometry) {
  const std::string what = table.describe("divide");
  WATTUNE_ASSIGN(const auto dimensions, dimensions_of(table.document(), node, what));
  if (dimensions.size() > spec.problem_size.size())
    return table.document().error(node, what + " has more dimensions than [problem] has extents");
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    geometry.sizes[i] = problem_extent(spec, i);
    if (dimensions[i]->kind != Node::Kind::list) {
      WATTUNE_ASSIGN(geometry.divisors[i].emplace_back(), table.document().expression(*dimensions[i], what));
    }
    for (const Node& divisor : dimensions[i]->elements) {
      WATTUNE_ASSIGN(geometry.divisors[i].emplace_back(), table.document().expression(divisor, what));
    }
  }
  return {};
}

// Returns the one of the keys `keys` that the table has. Fails if the table has several of them. Fails as well if it
// has none of them, unless `may_be_absent` is true.
Result<std::string_view> one_of(const Table& table, const std::vector<std::string_view>& keys, bool may_be_absent) {
  std::string_view present;
  for (const std::string_view key : keys) {
    if (table.find(key) == nullptr) continue;
    if (!present.empty())
      return table.document().error(*table.find(key),
                                    fmt::format("{} has both `{}` and `{}`", table.name(), present, key));
    present = key;
  }
  if (present.empty() && !may_be_absent)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} needs one of the keys {}", table.name(), fmt::join(keys, ", ")))
        .at(table.document().position(table.node().place));
  return present;
}

// Returns the empty geometry of a function on the host. Fails if a key gives a geometry. A function on the host has a
// single work-item, and itself divides its work among threads.
Result<Geometry> no_geometry(const Table& table) {
  for (const std::string& key : geometry_keys())
    if (const Node* node = table.find(key))
      return table.document()
          .error(*node, table.describe(key) + " is for kernels of devices, not for functions in C++ or C")
          .hint("a function takes sizes as arguments, and parameters as macros");
  return Geometry{};
}

}  // namespace

const std::vector<std::string>& geometry_keys() {
  static const std::vector<std::string> keys{"global", "local", "grid", "block", "divide", "cluster", "cooperative"};
  return keys;
}

std::vector<std::string> with_geometry_keys(std::vector<std::string> keys) {
  keys.insert(keys.end(), geometry_keys().begin(), geometry_keys().end());
  return keys;
}

Expressions3 default_work_group(const std::vector<Parameter>& parameters) {
  Expressions3 group;
  for (const Parameter& parameter : parameters)
    for (std::size_t i = 0; i < kBlockNames.size(); ++i)
      if (parameter.name == kBlockNames[i]) group[i] = {parameter.name, parameter.position};
  return group;
}

bool is_empty(const Expressions3& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](const ExpressionText& size) { return size.text.empty(); });
}

ExpressionText problem_extent(const KernelSpec& spec, std::size_t dimension) {
  return {spec.problem_size[dimension].name, {}};
}

Result<Geometry> read_geometry(const Table& table, const KernelSpec& spec) {
  if (is_host_language(spec.source.language)) return no_geometry(table);
  Geometry geometry;
  WATTUNE_ASSIGN(const std::string_view sizes_key, one_of(table, {"global", "grid", "divide"}, false));
  WATTUNE_ASSIGN(const std::string_view group_key, one_of(table, {"local", "block"}, true));
  if (sizes_key == "divide") {
    geometry.convention = GeometryConvention::divided;
    WATTUNE_TRY(read_divisors(table, *table.find("divide"), spec, geometry));
  } else {
    geometry.convention = sizes_key == "grid" ? GeometryConvention::cuda : GeometryConvention::opencl;
    WATTUNE_ASSIGN(geometry.sizes, read_sizes(table, sizes_key, *table.find(sizes_key)));
  }
  if (const Node* cluster = table.find("cluster")) {
    WATTUNE_ASSIGN(geometry.cluster, read_sizes(table, "cluster", *cluster));
  }
  WATTUNE_ASSIGN(const std::optional<bool> cooperative, table.boolean("cooperative"));
  geometry.cooperative = cooperative.value_or(false);
  if (!group_key.empty()) {
    WATTUNE_ASSIGN(geometry.work_group, read_sizes(table, group_key, *table.find(group_key)));
    return geometry;
  }
  geometry.work_group = default_work_group(spec.parameters);
  if (!is_empty(geometry.work_group)) return geometry;
  return Error(ErrorCode::invalid_argument,
               table.name() + " needs the key `local` or `block`: no parameter is called block_size_x")
      .at(table.document().position(table.node().place));
}

namespace {

bool is_constant_symbol(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->place == BufferPlace::constant;
}

// Adds the constant symbols to the positions. They belong to the file and not to a function's parameters, so that a
// list of arguments need not name them.
void add_constant_symbols(const KernelSpec& spec, std::vector<std::size_t>& positions) {
  for (std::size_t i = 0; i < spec.arguments.size(); ++i)
    if (is_constant_symbol(spec.arguments[i]) && std::ranges::count(positions, i) == 0) positions.push_back(i);
}

}  // namespace

Result<std::size_t> argument_position(const KernelSpec& spec, const std::string& name, const SourcePosition& position) {
  const auto found = std::ranges::find(spec.arguments, name, &Argument::name);
  if (found != spec.arguments.end()) return static_cast<std::size_t>(found - spec.arguments.begin());
  std::vector<std::string> known;
  for (const Argument& argument : spec.arguments) known.push_back(argument.name);
  return Error(ErrorCode::not_found, "[kernel] has no argument of this name")
      .at(position)
      .about(name)
      .hint(suggest(name, known));
}

Result<std::vector<std::size_t>> read_argument_names(const Table& table, const KernelSpec& spec) {
  const Node* list = table.find("arguments");
  std::vector<std::size_t> positions(list == nullptr ? spec.arguments.size() : 0);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  WATTUNE_ASSIGN(const std::vector<std::string> names, table.strings("arguments"));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SourcePosition place = table.document().position(list->elements[i].content);
    WATTUNE_ASSIGN(positions.emplace_back(), argument_position(spec, names[i], place));
  }
  add_constant_symbols(spec, positions);
  return positions;
}

}  // namespace wattune::spec

#include "spec/launch_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/launch.h"

namespace wattune::inline v0_1::spec {

namespace {

// Keys that both launches and groups have.
const std::vector<std::string> kSeriesKeys{"when", "repeat", "index", "swap"};

Result<ExpressionText> optional_expression(const Table& table, std::string_view key) {
  const Node* node = table.find(key);
  return node == nullptr ? ExpressionText() : table.document().expression(*node, table.describe(key));
}

// Reads the values under the key `values`. A launch gives these values to its scalar arguments in place of the
// arguments' own.
Result<std::vector<LaunchValue>> read_values(const Table& table, const KernelSpec& spec,
                                             const std::vector<std::size_t>& taken) {
  std::vector<LaunchValue> values;
  WATTUNE_ASSIGN(const std::optional<Table> named, table.table("values", table.describe("values")));
  if (!named) return values;
  for (const Node::Member& member : named->node().members) {
    const SourcePosition place = table.document().position(member.place);
    const auto refuse = [&](const std::string& why) {
      return Error(ErrorCode::invalid_argument, fmt::format("{} names an argument that {}", named->name(), why))
          .at(place)
          .about(member.key);
    };
    WATTUNE_ASSIGN(const std::size_t argument, argument_position(spec, member.key, place));
    if (!std::holds_alternative<ScalarArgument>(spec.arguments[argument].kind)) return refuse("is no scalar");
    if (std::ranges::count(taken, argument) == 0) return refuse("the launch does not take");
    WATTUNE_ASSIGN(auto value, table.document().value_expression(member.value, named->describe(member.key)));
    values.push_back({argument, std::move(value)});
  }
  return values;
}

bool have_equal_elements(const VectorArgument& a, const VectorArgument& b) {
  const auto same_field = [](const BufferField& x, const BufferField& y) { return x.type == y.type; };
  return a.type == b.type && a.vector_width == b.vector_width && a.place == b.place &&
         a.image.has_value() == b.image.has_value() && std::ranges::equal(a.fields, b.fields, same_field);
}

// Returns the reason why these arguments cannot be swapped. Returns an empty text if they can.
std::string unfit_to_swap(const KernelSpec& spec, const std::vector<std::size_t>& arguments) {
  if (arguments.size() < 2) return "needs two arguments or more";
  const auto* first = std::get_if<VectorArgument>(&spec.arguments[arguments[0]].kind);
  for (const std::size_t position : arguments) {
    const Argument& argument = spec.arguments[position];
    const auto* vector = std::get_if<VectorArgument>(&argument.kind);
    if (vector == nullptr || vector->place != BufferPlace::global)
      return fmt::format("changes the places of buffers, and `{}` is none", argument.name);
    if (!have_equal_elements(*first, *vector))
      return fmt::format("needs elements of one type, and those of `{}` and `{}` differ",
                         spec.arguments[arguments[0]].name, argument.name);
    if (std::ranges::count(arguments, position) > 1) return fmt::format("has `{}` twice", argument.name);
  }
  return {};
}

// True if some of the buffers are only read, and others are written. Swapping such buffers would let kernels overwrite
// the buffers that are only read.
bool mixes_access(const KernelSpec& spec, const std::vector<std::size_t>& arguments) {
  const auto only_read = std::ranges::count_if(arguments, [&](std::size_t argument) {
    return std::get<VectorArgument>(spec.arguments[argument].kind).access == ArgumentAccess::read_only;
  });
  return only_read > 0 && static_cast<std::size_t>(only_read) < arguments.size();
}

Result<std::vector<std::size_t>> read_swap(const Table& table, const Node& node, const KernelSpec& spec) {
  const std::string what = "each list of " + table.describe("swap");
  WATTUNE_ASSIGN(const std::vector<std::string> names, table.document().strings(node, what));
  std::vector<std::size_t> arguments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SourcePosition place = table.document().position(node.elements[i].content);
    WATTUNE_ASSIGN(arguments.emplace_back(), argument_position(spec, names[i], place));
  }
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::invalid_argument, table.describe("swap") + " " + why)
        .at(table.document().position(node.place));
  };
  if (const std::string why = unfit_to_swap(spec, arguments); !why.empty()) return refuse(why);
  if (!mixes_access(spec, arguments)) return arguments;
  return refuse("has buffers that are only read, and others").hint("what changes places is written: \"readwrite\"");
}

// Reads a list of lists of argument names as the positions of the arguments.
Result<std::vector<std::vector<std::size_t>>> read_swaps(const Table& table, const KernelSpec& spec) {
  std::vector<std::vector<std::size_t>> swaps;
  const Node* lists = table.find("swap");
  if (lists == nullptr) return swaps;
  if (lists->kind != Node::Kind::list || lists->elements.empty())
    return table.document()
        .error(*lists, table.describe("swap") + " must be a list of lists of names")
        .hint("write [[\"a\", \"b\"]]");
  for (const Node& list : lists->elements) {
    WATTUNE_ASSIGN(swaps.emplace_back(), read_swap(table, list, spec));
  }
  return swaps;
}

// Reads how often a step is repeated, under which condition it runs, and which buffers are swapped between repetitions.
Result<void> read_series(const Table& table, const KernelSpec& spec, LaunchStep& step) {
  WATTUNE_ASSIGN(step.condition, optional_expression(table, "when"));
  WATTUNE_ASSIGN(step.repeat, optional_expression(table, "repeat"));
  WATTUNE_ASSIGN(const std::optional<std::string> index, table.string("index"));
  if (index && step.repeat.text.empty())
    return table.document().error(*table.find("index"),
                                  table.name() + " has an `index`, but no `repeat` that it counts");
  if (index && index->empty()) return table.document().error(*table.find("index"), "an index needs a name");
  step.index = index.value_or("");
  WATTUNE_ASSIGN(step.swaps, read_swaps(table, spec));
  return {};
}

Result<LaunchStep> read_step(const Table& table, const KernelSpec& spec);

// Reads the launches of a group from the list under its key `launch`.
Result<std::vector<LaunchStep>> read_steps(const Document& document, const Node& list, const std::string& name,
                                           const KernelSpec& spec) {
  std::vector<LaunchStep> steps;
  for (const Node& node : list.elements) {
    WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("{} number {}", name, steps.size() + 1)));
    WATTUNE_ASSIGN(LaunchStep step, read_step(table, spec));
    steps.push_back(std::move(step));
  }
  if (steps.empty()) return document.error(list, name + " has no launch");
  return steps;
}

Result<LaunchStep> read_group(const Table& table, const Node& launches, const KernelSpec& spec) {
  std::vector<std::string> keys = kSeriesKeys;
  keys.emplace_back("launch");
  WATTUNE_TRY(table.allow_only(keys));
  if (launches.kind != Node::Kind::list)
    return table.document().error(launches, table.describe("launch") + " must be a list of launches");
  LaunchStep group;
  WATTUNE_ASSIGN(group.group, read_steps(table.document(), launches, "`launch` in " + table.name(), spec));
  WATTUNE_TRY(read_series(table, spec, group));
  return group;
}

Result<LaunchStep> read_step(const Table& table, const KernelSpec& spec) {
  if (const Node* launches = table.find("launch")) return read_group(table, *launches, spec);
  std::vector<std::string> keys = with_geometry_keys(kSeriesKeys);
  keys.insert(keys.end(), {"function", "arguments", "values"});
  WATTUNE_TRY(table.allow_only(keys));
  LaunchStep step;
  WATTUNE_ASSIGN(const std::optional<std::string> function, table.string("function"));
  step.function = function.value_or("");
  WATTUNE_ASSIGN(step.arguments, read_argument_names(table, spec));
  WATTUNE_ASSIGN(step.geometry, read_geometry(table, spec));
  WATTUNE_ASSIGN(step.values, read_values(table, spec, step.arguments));
  WATTUNE_TRY(read_series(table, spec, step));
  return step;
}

// True if the launch gives a geometry and nothing else. The geometry is then the spec's own.
bool is_plain(const Table& launch) {
  return std::ranges::all_of(launch.node().members, [](const Node::Member& member) {
    return std::ranges::count(geometry_keys(), member.key) > 0;
  });
}

}  // namespace

Result<void> read_launch(const Document& document, const Node& node, KernelSpec& spec) {
  if (node.kind == Node::Kind::list) {
    WATTUNE_ASSIGN(spec.steps, read_steps(document, node, "[[launch]]", spec));
    spec.geometry = single_launches_of(spec).front().geometry;
    return {};
  }
  WATTUNE_ASSIGN(const Table launch, Table::of(document, node, "[launch]"));
  WATTUNE_ASSIGN(LaunchStep step, read_step(launch, spec));
  spec.steps.push_back(std::move(step));
  spec.geometry = single_launches_of(spec).front().geometry;
  if (is_plain(launch)) spec.steps.clear();
  return {};
}

}  // namespace wattune::spec

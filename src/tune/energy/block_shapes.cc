#include "tune/interface/block_shapes.h"

#include <algorithm>
#include <array>
#include <set>

#include "tune/evaluate/formula.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::tune {

namespace {

using WorkGroup = std::array<ExpressionText, 3>;

bool reads_parameters(const WorkGroup& group, const KernelSpec& spec) {
  return std::ranges::any_of(group, [&](const ExpressionText& text) {
    const auto parsed = space::Expression::parse(text.text);
    return parsed && std::ranges::any_of(parsed->names(), [&](const std::string& name) {
             return std::ranges::count(spec.parameters, name, &Parameter::name) > 0;
           });
  });
}

// Returns the first launch's work-group if it depends on tuning parameters. Otherwise returns the parameters named
// `block_size_x`, `_y` and `_z`, as in Kernel Tuner.
WorkGroup work_group_of(const KernelSpec& spec) {
  const std::vector<LaunchStep> launches = launches_of(spec);
  if (!launches.empty() && reads_parameters(launches.front().geometry.work_group, spec))
    return launches.front().geometry.work_group;
  WorkGroup group;
  for (std::size_t axis = 0; axis < group.size(); ++axis) {
    const std::string name = std::string("block_size_") + "xyz"[axis];
    if (std::ranges::count(spec.parameters, name, &Parameter::name) > 0) group[axis] = {name, {}};
  }
  return group;
}

// Returns the positions of the parameters on which these sizes depend.
std::vector<std::size_t> positions_in(const std::vector<Formula<std::size_t>>& sizes,
                                      const std::vector<Parameter>& parameters) {
  std::set<std::size_t> positions;
  for (const Formula<std::size_t>& size : sizes)
    for (const std::string& name : size.expression().names()) {
      const auto found = std::ranges::find(parameters, name, &Parameter::name);
      if (found != parameters.end()) positions.insert(static_cast<std::size_t>(found - parameters.begin()));
    }
  return {positions.begin(), positions.end()};
}

// Returns the number of threads of the work-group. Returns 0 if an extent has no value.
std::uint64_t threads_of(const std::vector<Formula<std::size_t>>& sizes, const Configuration& configuration) {
  std::uint64_t threads = 1;
  for (const Formula<std::size_t>& size : sizes) {
    const Result<std::size_t> extent = size.evaluate(configuration);
    threads *= extent ? *extent : 0;
  }
  return threads;
}

double occupancy_of(std::uint64_t threads, const std::string& architecture) {
  constexpr unsigned kFewRegisters = 16;  // so few registers that they do not limit occupancy
  const auto gpu = model::compute_capability(architecture);
  if (!gpu) return 1.0;
  const auto occupancy =
      model::occupancy(*gpu, {.threads = static_cast<unsigned>(threads), .registers = kFewRegisters});
  return occupancy ? occupancy->fraction : 0.0;
}

// Advances to the next combination of positions. Returns false after the last combination.
bool advance(const std::vector<Parameter>& parameters, const std::vector<std::size_t>& varied,
             space::ValueIndices& indices) {
  for (const std::size_t p : varied) {
    if (++indices[p] < parameters[p].values.size()) return true;
    indices[p] = 0;
  }
  return false;
}

}  // namespace

std::vector<search::WalkCandidate> block_shapes(const KernelSpec& spec, const space::SearchSpace& space,
                                                const std::string& architecture) {
  const auto names = std::make_shared<const Names>(spec.problem_size, space.parameters());
  std::vector<Formula<std::size_t>> sizes;
  for (const ExpressionText& text : work_group_of(spec)) {
    if (text.text.empty()) continue;
    auto size = Formula<std::size_t>::compile(text, names);
    if (!size) return {};  // it reads a computed value, which only an evaluator knows
    sizes.push_back(*std::move(size));
  }
  const std::vector<std::size_t> varied = positions_in(sizes, space.parameters());
  if (varied.empty()) return {};
  space::ValueIndices indices;
  space.unrank(space.default_configuration(), indices);
  for (const std::size_t p : varied) indices[p] = 0;
  std::vector<search::WalkCandidate> shapes;
  do {
    if (!space.contains(indices)) continue;
    const ConfigurationId id = space.rank(indices);
    const std::uint64_t threads = threads_of(sizes, space.configuration(id));
    if (threads > 0) shapes.push_back({id, occupancy_of(threads, architecture), threads});
  } while (advance(space.parameters(), varied, indices));
  return shapes;
}

search::BlockShapes shapes_to_walk(const KernelSpec& spec, const space::SearchSpace& space,
                                   const std::string& architecture) {
  if (block_shapes(spec, space, architecture).empty()) return nullptr;
  return [&] { return block_shapes(spec, space, architecture); };
}

}  // namespace wattune::tune

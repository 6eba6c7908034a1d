#include "company/interface/company_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "space/interface/expression.h"
#include "tune/interface/block_shapes.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::company {

namespace {

constexpr std::string_view kResidentBlocks = "resident_blocks";

std::string joint_name(const std::string& member, const std::string& parameter) {
  return fmt::format("{}.{}", member, parameter);
}

// Returns a constraint of a member with the names of the joint space. Compiling the member's own space has checked it
// already.
space::Predicate joint_constraint(const std::string& member, const space::Expression& expression) {
  space::Predicate predicate{.names = {}, .holds = {}, .description = fmt::format("{}: {}", member, expression.text())};
  for (const std::string& name : expression.names()) predicate.names.push_back(joint_name(member, name));
  predicate.holds = [expression](std::span<const Value> values) {
    const auto lookup = [&](std::string_view name) -> const Value* {
      const auto found = std::ranges::find(expression.names(), name);
      const auto place = static_cast<std::size_t>(found - expression.names().begin());
      return found == expression.names().end() ? nullptr : &values[place];
    };
    const Result<bool> holds = expression.evaluate_bool(lookup);
    return holds && *holds;
  };
  return predicate;
}

// The parameters and constraints of which the joint space is built.
struct JointParts {
  std::vector<Parameter> parameters;
  std::vector<space::Predicate> constraints;
};

// Adds a member's parameters with the default configuration of its own space. Returns their positions.
std::vector<std::size_t> add_parameters(JointParts& parts, const std::string& member, const space::SearchSpace& space) {
  std::vector<std::size_t> positions;
  const Configuration standard = space.configuration(space.default_configuration());
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    Parameter parameter = space.parameters()[p];
    parameter.name = joint_name(member, parameter.name);
    parameter.default_value = standard.values()[p];
    positions.push_back(parts.parameters.size());
    parts.parameters.push_back(std::move(parameter));
  }
  return positions;
}

// Adds the parameter `resident_blocks` of a member, which its own space does not have.
void add_resident_blocks(JointParts& parts, const CompanyMember& member) {
  if (member.resident_blocks.empty()) return;
  Parameter& parameter = parts.parameters.emplace_back();
  parameter.name = joint_name(member.name, std::string(kResidentBlocks));
  parameter.role = ParameterRole::launch;
  for (const unsigned blocks : member.resident_blocks) parameter.values.emplace_back(std::int64_t{blocks});
  parameter.default_value = Value(std::int64_t{0});
}

Result<void> add_constraints(JointParts& parts, const CompanyMember& member) {
  for (const Constraint& constraint : member.spec.constraints) {
    WATTUNE_ASSIGN(const auto expression, space::Expression::parse(constraint.expression, constraint.position));
    parts.constraints.push_back(joint_constraint(member.name, expression));
  }
  return {};
}

// Adds the clock and power parameters of a spec to those of all specs, since there is one board. Fails if two specs
// differ.
Result<void> add_board_parameters(std::vector<Parameter>& board, const KernelSpec& spec) {
  for (const Parameter& parameter : spec.parameters) {
    if (!is_set_on_board(parameter.role)) continue;
    const auto known = std::ranges::find(board, parameter.name, &Parameter::name);
    if (known == board.end())
      board.push_back(parameter);
    else if (!(*known == parameter))
      return Error(ErrorCode::invalid_argument,
                   "kernels that run together share the board, but their specs give it different values")
          .about(parameter.name);
  }
  return {};
}

Result<void> check_names(const std::vector<CompanyMember>& members) {
  if (members.size() < 2)
    return Error(ErrorCode::invalid_argument, "at least two kernels are needed to run together")
        .about(members.empty() ? "" : members.front().name);
  for (auto member = members.begin(); member != members.end(); ++member)
    if (std::ranges::count(members, member->name, &CompanyMember::name) > 1)
      return Error(ErrorCode::invalid_argument, "two kernels have this name").about(member->name);
  return {};
}

search::CompanyCandidate candidate_of(const space::SearchSpace& space, const search::WalkCandidate& shape) {
  search::CompanyCandidate candidate{.values = {}, .occupancy = shape.occupancy, .threads = shape.threads};
  space.unrank(shape.id, candidate.values);
  return candidate;
}

// Returns the default configuration and, if there are few, all others, for a space in which no parameter describes a
// block shape.
std::vector<search::WalkCandidate> few_configurations(const space::SearchSpace& space) {
  std::vector<search::WalkCandidate> all = {{space.default_configuration(), 1.0, 0}};
  if (space.count() > kMostVisitedConfigurations) return all;
  for (auto id = space.next(0); id; id = space.next(*id + 1))
    if (*id != all.front().id) all.push_back({*id, 1.0, 0});
  return all;
}

}  // namespace

Result<CompanySpace> CompanySpace::build(std::vector<CompanyMember> members, const space::BuildOptions& building) {
  WATTUNE_TRY(check_names(members));
  std::vector<Member> own;
  JointParts parts;
  std::vector<Parameter> board;
  for (CompanyMember& member : members) {
    WATTUNE_TRY(add_board_parameters(board, member.spec));
    WATTUNE_ASSIGN(member.spec, tune::without_clocks(std::move(member.spec)));
    auto space = space::SearchSpace::build(member.spec.parameters, member.spec.constraints, {}, building);
    if (!space) return std::move(space).error().with_context(member.name);
    std::vector<std::size_t> positions = add_parameters(parts, member.name, *space);
    const bool stays = !member.resident_blocks.empty();
    const auto resident = stays ? std::optional(parts.parameters.size()) : std::nullopt;
    add_resident_blocks(parts, member);
    WATTUNE_TRY(add_constraints(parts, member));
    own.push_back({std::move(member), *std::move(space), std::move(positions), resident});
  }
  std::ranges::move(board, std::back_inserter(parts.parameters));
  WATTUNE_ASSIGN(auto space,
                 space::SearchSpace::build(std::move(parts.parameters), {}, std::move(parts.constraints), building));
  return CompanySpace(std::move(own), std::move(space));
}

std::vector<Parameter> CompanySpace::board_parameters() const {
  std::vector<Parameter> board;
  for (const Parameter& parameter : space_.parameters())
    if (is_set_on_board(parameter.role)) board.push_back(parameter);
  return board;
}

space::ValueIndices CompanySpace::own_indices(std::size_t place, ConfigurationId all) const {
  space::ValueIndices indices;
  space_.unrank(all, indices);
  space::ValueIndices own;
  for (const std::size_t position : members_[place].parameters) own.push_back(indices[position]);
  return own;
}

Configuration CompanySpace::own(std::size_t place, const Configuration& all) const {
  const space::SearchSpace& space = members_[place].space;
  return space.configuration(space.rank(own_indices(place, all.id())));
}

unsigned CompanySpace::resident_blocks(std::size_t place, const Configuration& all) const {
  const CompanyMember& member = members_[place].member;
  if (member.resident_blocks.empty()) return 0;
  return static_cast<unsigned>(all.find(joint_name(member.name, std::string(kResidentBlocks)))->as_integer());
}

ConfigurationId CompanySpace::together(const std::vector<ConfigurationId>& own) const {
  space::ValueIndices indices;
  space_.unrank(space_.default_configuration(), indices);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    space::ValueIndices of_member;
    members_[k].space.unrank(own[k], of_member);
    for (std::size_t p = 0; p < of_member.size(); ++p) indices[members_[k].parameters[p]] = of_member[p];
  }
  return space_.rank(indices);
}

std::vector<ConfigurationId> CompanySpace::ratios(ConfigurationId all) const {
  std::uint64_t count = 1;
  for (const Member& member : members_) {
    count *= std::max<std::size_t>(1, member.member.resident_blocks.size());
    if (count > kMostTriedRatios) return {all};
  }
  space::ValueIndices indices;
  space_.unrank(all, indices);
  std::vector<ConfigurationId> ratios = {all};
  for (std::uint64_t ratio = 0; ratio < count; ++ratio) {
    std::uint64_t left = ratio;
    for (const Member& member : members_) {
      if (!member.resident) continue;
      indices[*member.resident] = static_cast<std::uint16_t>(left % member.member.resident_blocks.size());
      left /= member.member.resident_blocks.size();
    }
    if (const ConfigurationId id = space_.rank(indices); id != all) ratios.push_back(id);
  }
  return ratios;
}

std::vector<search::CompanyKernel> CompanySpace::walk_kernels(const std::string& architecture) const {
  std::vector<search::CompanyKernel> kernels;
  for (const Member& member : members_) {
    search::CompanyKernel& kernel = kernels.emplace_back();
    kernel.parameters = member.parameters;
    kernel.own_cost = time_metric(member.member.name);
    auto shapes = tune::block_shapes(member.member.spec, member.space, architecture);
    if (shapes.empty()) shapes = few_configurations(member.space);
    for (const search::WalkCandidate& shape : shapes) kernel.candidates.push_back(candidate_of(member.space, shape));
  }
  return kernels;
}

std::string time_metric(const std::string& member) { return "time." + member; }

std::string alone_metric(const std::string& member) { return "alone." + member; }

}  // namespace wattune::company

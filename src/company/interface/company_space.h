// CompanySpace: the configurations of several kernels that run together (a company) as one space, which any strategy
// can search. A CompanyMember is one of these kernels.
//
// Each parameter of a kernel is named "KERNEL.PARAMETER" in the joint space, and its constraints are kept. Clocks and
// power limits belong to the board: they keep their names, and all kernels share them. The number of resident blocks of
// a kernel may be one more of its parameters. Immutable; owns copies of the specs.
//
//   WATTUNE_ASSIGN(const auto company, company::CompanySpace::build({{"lud", lud}, {"hotspot", hotspot}}));
//   const Configuration of_hotspot = company.own(1, company.space().configuration(id));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/interface/company_walk.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::company {

// The largest number of a member's configurations with which a walk visits all of them, and all are timed alone.
inline constexpr std::uint64_t kMostVisitedConfigurations = 64;
// The largest number of ratios of resident blocks for which all ratios are tried with each kernel at its best
// configuration alone.
inline constexpr std::uint64_t kMostTriedRatios = 256;

// One of the kernels that run together.
struct CompanyMember {
  std::string name;  // a name that is unique among the members
  KernelSpec spec;
  // The values of a parameter "KERNEL.resident_blocks": how many of the kernel's blocks stay on each multiprocessor and
  // take one piece of the grid after another. With the value 0, the default, the GPU places blocks as usual. If the
  // list is empty, there is no such parameter.
  std::vector<unsigned> resident_blocks = {};
};

// The joint space of all members.
class CompanySpace {
 public:
  // Builds the joint space. Fails with invalid_argument if there are fewer than two members, if two have the same name,
  // or if board parameters have different values in two specs. Errors of SearchSpace::build() name the member.
  static Result<CompanySpace> build(std::vector<CompanyMember> members, const space::BuildOptions& building = {});

  const space::SearchSpace& space() const { return space_; }
  std::size_t size() const { return members_.size(); }
  // Returns the member without clocks and power limits. own_space(), the space of the member's own parameters, has no
  // clocks and limits either.
  const CompanyMember& member(std::size_t place) const { return members_[place].member; }
  const space::SearchSpace& own_space(std::size_t place) const { return members_[place].space; }
  // Returns the clocks and power limits of all specs.
  std::vector<Parameter> board_parameters() const;
  // Returns one member's part of a joint configuration: its kernel's own configuration, and its number of resident
  // blocks (0 if it has no such parameter).
  Configuration own(std::size_t place, const Configuration& all) const;
  unsigned resident_blocks(std::size_t place, const Configuration& all) const;
  // Returns the joint configuration in which each member has this configuration, and all other parameters have their
  // defaults.
  ConfigurationId together(const std::vector<ConfigurationId>& own) const;
  // Returns the variants of a joint configuration that differ in the ratio of resident blocks, the unchanged one first.
  // If there are more than kMostTriedRatios ratios, returns only the unchanged one.
  std::vector<ConfigurationId> ratios(ConfigurationId all) const;

  // Returns the candidates of each member for a walk: its block shapes, with their occupancy on a board of this
  // architecture. If no parameter of a member describes a block shape, the candidates are all its configurations, or
  // only the default one if there are many.
  std::vector<search::CompanyKernel> walk_kernels(const std::string& architecture) const;

 private:
  struct Member {
    CompanyMember member;
    space::SearchSpace space;
    std::vector<std::size_t> parameters;  // positions of the member's parameters in the joint space
    std::optional<std::size_t> resident;  // position of its number of resident blocks there, if it has that parameter
  };

  CompanySpace(std::vector<Member> members, space::SearchSpace space)
      : members_(std::move(members)), space_(std::move(space)) {}
  space::ValueIndices own_indices(std::size_t place, ConfigurationId all) const;

  std::vector<Member> members_;
  space::SearchSpace space_;
};

// Returns the name of a metric of a joint configuration, in seconds: the time of a launch of this member beside the
// others, or alone.
std::string time_metric(const std::string& member);
std::string alone_metric(const std::string& member);

}  // namespace wattune::company

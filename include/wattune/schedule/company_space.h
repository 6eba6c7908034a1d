// CompanySpace: the configurations of several kernels that run together as one space, which any strategy searches.
//
// A parameter of a kernel is "KERNEL.PARAMETER" there, with its constraints; clocks and power limits, which are the
// board's, keep their names, and all kernels share them. How many blocks of a kernel stay resident may be one more of
// its parameters. Immutable; owns copies of the specs.
//
//   WATTUNE_ASSIGN(const auto company, schedule::CompanySpace::build({{"lud", lud}, {"hotspot", hotspot}}));
//   const Configuration of_hotspot = company.own(1, company.space().configuration(id));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/search/company_walk.h"
#include "wattune/space/search_space.h"

namespace wattune::schedule {

// Of a member, which are all walked over and all timed alone.
inline constexpr std::uint64_t kFewConfigurations = 64;
// Of resident blocks of all members, which are all tried with each kernel at its best alone.
inline constexpr std::uint64_t kFewRatios = 256;

struct CompanyMember {
  std::string name;  // of its own
  KernelSpec spec;
  // The values of a parameter "KERNEL.resident_blocks": how many of its blocks stay on each multiprocessor and take one
  // piece of its grid after another. 0, the default: blocks come and go as the GPU places them. Empty: there is none.
  std::vector<unsigned> resident_blocks = {};
};

class CompanySpace {
 public:
  // invalid_argument: fewer than two members, a name twice, or board parameters that have other values in another spec;
  // errors of SearchSpace::build(), with the member's name.
  static Result<CompanySpace> build(std::vector<CompanyMember> members, const space::BuildOptions& building = {});

  const space::SearchSpace& space() const { return space_; }
  std::size_t size() const { return members_.size(); }
  // Without clocks and power limits, as is own_space().
  const CompanyMember& member(std::size_t place) const { return members_[place].member; }
  const space::SearchSpace& own_space(std::size_t place) const { return members_[place].space; }
  // Clocks and power limits of all.
  std::vector<Parameter> board_parameters() const;
  // What the configuration of all says of one: of its kernel, and of how that runs beside the others.
  Configuration own(std::size_t place, const Configuration& all) const;
  unsigned resident_blocks(std::size_t place, const Configuration& all) const;
  // The configuration of all in which each member has this one of its own, all else as in the default one.
  ConfigurationId together(const std::vector<ConfigurationId>& own) const;
  // This one with every ratio of resident blocks, as it is first; where there are more than kFewRatios, as it is alone.
  std::vector<ConfigurationId> ratios(ConfigurationId all) const;

  // What a walk goes over: each member's block shapes, by its occupancy on a board of this architecture; where no
  // parameter is of a block shape, all its configurations if they are few, else the default one.
  std::vector<search::CompanyKernel> walk_kernels(const std::string& architecture) const;

 private:
  struct Member {
    CompanyMember member;
    space::SearchSpace space;
    std::vector<std::size_t> parameters;  // positions in the space of all
    std::optional<std::size_t> resident;  // position of its resident blocks there; none: it has no such parameter
  };

  CompanySpace(std::vector<Member> members, space::SearchSpace space)
      : members_(std::move(members)), space_(std::move(space)) {}
  space::ValueIndices own_indices(std::size_t place, ConfigurationId all) const;

  std::vector<Member> members_;
  space::SearchSpace space_;
};

// The metrics of a configuration of all that are a member's own, in seconds: what a launch of it took beside the
// others, and what it takes alone.
std::string time_metric(const std::string& member);
std::string alone_metric(const std::string& member);

}  // namespace wattune::schedule

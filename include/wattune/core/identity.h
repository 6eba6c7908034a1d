// Identity: what two measurements must have in common to be compared, part by part.
//
// A part has the name that messages show ("cache mode") and a value: a short text as people write it, or the content
// hash of a long one. A part that a measurement lacks counts as empty, so a new kind of part (clocks that are held, a
// power limit) leaves those alike that do not use it. Who adds which part: identity_of() (trial.h) and
// tune/describe_run.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace wattune {

using Identity = std::map<std::string, std::string>;

struct IdentityDifference {
  std::string part;
  std::string found;
  std::string wanted;
};

// By the names of the parts.
std::vector<IdentityDifference> differences(const Identity& found, const Identity& wanted);

// "cache mode (before: warm, now: cold)": hashes by their first digits, long texts not at all.
std::string to_string(const IdentityDifference& difference);

}  // namespace wattune

// Identity: the properties that two measurements must share to be comparable, part by part. content_hash() gives texts
// and spaces short names that are the same on every machine.
//
// A part has the name that messages show ("cache mode") and a value. The value is a short text as people write it, or
// the content hash of a long one. A missing part counts as empty. So a new kind of part (locked clocks, a power limit)
// does not separate measurements that do not use it. identity_of() (trial.h) and tune/describe_run.cc add the parts.
// The types are values and the functions are pure, so any thread may use them.
//
//   for (const IdentityDifference& difference : differences(found, wanted)) print(to_string(difference));
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

using Identity = std::map<std::string, std::string>;

// A part that two identities do not share.
struct WATTUNE_EXPORT IdentityDifference {
  std::string part;
  std::string found;
  std::string wanted;
};

// Returns the parts that differ, in the order of their names.
WATTUNE_EXPORT std::vector<IdentityDifference> differences(const Identity& found, const Identity& wanted);

// Returns a text such as "cache mode (before: warm, now: cold)". Hashes are cut to their first digits. Only the part's
// name is returned if a value is long.
WATTUNE_EXPORT std::string to_string(const IdentityDifference& difference);

// Returns the XXH3 hash of 128 bits as 32 lower-case hexadecimal digits.
WATTUNE_EXPORT std::string content_hash(std::string_view bytes);

}  // namespace wattune

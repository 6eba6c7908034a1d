// Reads fills in TOML: the initial contents of a buffer or a field.
#pragma once

#include <string>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// A fill with its name and the keys that it reads.
struct FillKind {
  std::string name;
  std::vector<std::string> keys;
  Result<Fill> (*read)(const Table& table, bool files_required);
};

// Returns the fill that the key `fill` of the table names, or the default one. Fails with invalid_argument.
Result<const FillKind*> find_fill(const Table& table);

// Returns the key `fill` itself and the keys of this fill.
std::vector<std::string> keys_of(const FillKind& fill);

}  // namespace wattune::spec

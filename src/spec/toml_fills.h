// Fills in TOML: what a buffer or a field holds at first.
#pragma once

#include <string>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// A fill by its name, with the keys that it reads.
struct FillKind {
  std::string name;
  std::vector<std::string> keys;
  Result<Fill> (*read)(const Table& table, bool files_required);
};

// What `fill` of the table says, or the standard one. invalid_argument.
Result<const FillKind*> find_fill(const Table& table);

// `fill` and the keys that go with it.
std::vector<std::string> keys_of(const FillKind& fill);

}  // namespace wattune::spec

// Configuration: one point of a search space, by its dense id, with the values of the parameters by name.
//
// Ids count from 0 to count-1 of the space that made them and mean nothing in another space. The names are shared by
// all configurations of a space, so that copying one is cheap. Immutable; may be shared between threads.
//
//   const Configuration configuration = space.configuration(id);
//   if (const Value* const block = configuration.find("block")) use(block->as_integer());
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/uint128.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1 {

using ConfigurationId = Uint128;

// A configuration with its values.
class WATTUNE_EXPORT Configuration {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;

  Configuration() = default;
  // Takes the values of the parameters: values[i] belongs to (*names)[i]. Both have the same length.
  Configuration(ConfigurationId id, Names names, std::vector<Value> values);

  ConfigurationId id() const { return id_; }
  const std::vector<std::string>& names() const { return *names_; }
  const std::vector<Value>& values() const { return values_; }
  // Returns the value of a parameter, which lives as long as this object, or nullptr if no parameter has that name.
  const Value* find(std::string_view name) const;

  // Returns a text such as "block_size_x=32, tile=2", in the order of the spec.
  std::string to_string() const;

  bool operator==(const Configuration& other) const;

 private:
  ConfigurationId id_ = 0;
  Names names_ = std::make_shared<const std::vector<std::string>>();
  std::vector<Value> values_;
};

}  // namespace wattune

#include "wattune/core/configuration.h"

#include <cassert>

#include "core/interface/printable.h"

namespace wattune::inline v0_1 {

Configuration::Configuration(ConfigurationId id, Names names, std::vector<Value> values)
    : id_(id), names_(std::move(names)), values_(std::move(values)) {
  assert(names_ != nullptr && names_->size() == values_.size());
}

const Value* Configuration::find(std::string_view name) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if ((*names_)[i] == name) return &values_[i];
  return nullptr;
}

std::string Configuration::to_string() const {
  if (values_.empty()) return "no parameters";
  std::string text;
  for (std::size_t i = 0; i < values_.size(); ++i)
    text += (i == 0 ? "" : ", ") + (*names_)[i] + "=" + values_[i].to_string();
  return printable(text);
}

bool Configuration::operator==(const Configuration& other) const {
  return id_ == other.id_ && *names_ == *other.names_ && values_ == other.values_;
}

}  // namespace wattune

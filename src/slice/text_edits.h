// Makes a copy of a part of a text in which some places are changed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::slice {

// A list of edits of a part of a text. The text must outlive the list. Insertions at one place keep their order. An
// edit inside a replaced range is dropped, for example an edit of the operand of a malformed `ret`.
class TextEdits {
 public:
  explicit TextEdits(std::string_view part) : part_(part) {}

  void replace(std::string_view old, std::string with) { edits_.push_back({old, std::move(with)}); }
  void insert_before(std::string_view place, std::string text) { replace(place.substr(0, 0), std::move(text)); }
  void insert_behind(std::string_view place, std::string text) { replace(place.substr(place.size()), std::move(text)); }
  std::string apply() const;

 private:
  struct Edit {
    std::string_view old;
    std::string with;
  };

  std::string_view part_;
  std::vector<Edit> edits_;
};

}  // namespace wattune::slice

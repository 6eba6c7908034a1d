// Reads a key whose value must be one of several words.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interface/suggest.h"
#include "spec/document.h"

namespace wattune::inline v0_1::spec {

// Returns the choice that the word of `key` names, or the first choice if the key is absent. Error messages call the
// choice `noun`.
template <typename T>
Result<T> read_choice(const Table& table, std::string_view key, std::string_view noun,
                      const std::vector<std::pair<std::string, T>>& choices) {
  WATTUNE_ASSIGN(const std::optional<std::string> text, table.string(key));
  if (!text) return choices.front().second;
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) {
    if (*text == word) return choice;
    words.push_back(word);
  }
  return table.document()
      .error(*table.find(key), fmt::format("unknown {} of {}", noun, table.name()))
      .hint(suggest(*text, words));
}

}  // namespace wattune::spec

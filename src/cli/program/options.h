// Adds options whose text a function parses into a Result, and options that take one of a few words. Mistakes in their
// values are reported like all other errors.
#pragma once

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interface/suggest.h"
#include "wattune/core/result.h"

namespace wattune::cli {

template <typename Target, typename T>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, Target& target, Result<T> (*parse)(std::string_view),
                        const std::string& type_name, const std::string& description) {
  const std::string first_name = name.substr(0, name.find(','));
  const auto assign = [&target, parse, first_name](const std::string& text) {
    Result<T> parsed = parse(text);
    if (!parsed) throw CLI::ValidationError(first_name, parsed.error().to_string());
    target = *std::move(parsed);
  };
  return app.add_option_function<std::string>(name, assign, description)->type_name(type_name);
}

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

// Adds an option that takes one of a few words, with the value of `target` as default.
template <typename T>
void add_choice(CLI::App& app, const std::string& name, T& target, const Choices<T>& choices,
                const std::string& description) {
  std::vector<std::string> words;
  std::string standard;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    if (value == target) standard = word;
  }
  const auto assign = [&target, choices, words, name](const std::string& text) {
    for (const auto& [word, value] : choices) {
      if (word != text) continue;
      target = value;
      return;
    }
    const Error error = Error(ErrorCode::invalid_argument, "unknown choice").about(text).hint(suggest(text, words));
    throw CLI::ValidationError(name, error.to_string());
  };
  app.add_option_function<std::string>(name, assign, description)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(standard);
}

}  // namespace wattune::cli

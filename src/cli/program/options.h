// Options whose text a function parses and returns as a Result, so that mistakes read as all others do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

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

}  // namespace wattune::cli

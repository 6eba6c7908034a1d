// Parts of a page that its tests look for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::report {

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// Returns the texts between each `begin` and the `end` behind it.
inline std::vector<std::string> between(std::string_view text, std::string_view begin, std::string_view end) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at)) {
    at += begin.size();
    parts.emplace_back(text.substr(at, text.find(end, at) - at));
  }
  return parts;
}

// Returns the data of each run on the page.
inline std::vector<nlohmann::json> data_in(std::string_view page) {
  std::vector<nlohmann::json> all;
  for (const std::string& text : between(page, "<script type=\"application/json\">", "</script>"))
    all.push_back(nlohmann::json::parse(text));
  return all;
}

// Returns the commands in a part of a page, a line each, as a reader copies them.
inline std::string commands_in(std::string_view html) {
  std::string commands;
  for (std::string command : between(html, "<code>", "</code>")) {
    for (const std::string_view tag : {"<span>", "</span>"})
      for (std::size_t at = command.find(tag); at != std::string::npos; at = command.find(tag))
        command.erase(at, tag.size());
    commands += command + "\n";
  }
  return commands;
}

// Returns the section with this id, from its tag to its end.
inline std::string section_in(std::string_view page, const std::string& id) {
  const std::vector<std::string> found = between(page, "<section id=\"" + id + "\">", "</section>");
  return found.empty() ? std::string() : found.front();
}

}  // namespace wattune::report

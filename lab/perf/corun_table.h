// Tables of a benchmark, as Markdown or as one array of JSON, printed row by row.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace wattune::perf {

using Fields = std::vector<std::pair<std::string, double>>;  // NaN if there is no such value

// A table of which all rows have the same columns.
class Table {
 public:
  Table(std::string part, bool json) : part_(std::move(part)), json_(json) {}

  void add(const std::string& what, const Fields& fields) {
    if (json_) return add_json(what, fields);
    if (rows_++ == 0) add_head(fields);
    fmt::print("| {} |", what);
    for (const auto& [name, value] : fields)
      fmt::print(" {} |", text_of(std::round(1e5 * value) / 1e5 + 0.0, "", "{:.4g}"));
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  static std::string text_of(double value, const char* none, const char* format) {
    return std::isnan(value) ? none : fmt::format(fmt::runtime(format), value);
  }
  void add_head(const Fields& fields) const {
    fmt::print("\n| {} |", part_);
    for (const auto& [name, value] : fields) fmt::print(" {} |", name);
    fmt::print("\n| --- |");
    for (std::size_t i = 0; i < fields.size(); ++i) fmt::print(" --- |");
    fmt::print("\n");
  }
  void add_json(const std::string& what, const Fields& fields) {
    static bool first = true;
    fmt::print("{}{{\"part\": \"{}\", \"what\": \"{}\"", first ? "" : ",\n", part_, what);
    for (const auto& [name, value] : fields) fmt::print(", \"{}\": {}", name, text_of(value, "null", "{:.6g}"));
    fmt::print("}}");
    first = false;
  }

  const std::string part_;
  const bool json_;
  int rows_ = 0;
};

struct Mean {
  double sum = 0.0;
  int count = 0;

  void add(double value) { sum += value, ++count; }
  double value() const { return sum / std::max(1, count); }
};

}  // namespace wattune::perf

// The results of a benchmark, printed row by row: as text for people, or as one array of JSON.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace wattune::perf {

// One line of the result.
struct Row {
  std::string part;
  std::string what;
  double kernel_ms = 0.0;
  std::vector<std::pair<std::string, double>> fields = {};

  void add(std::string name, double value) { fields.emplace_back(std::move(name), value); }
  // Adds three fields for a list of times in ms: the median, the 99th percentile and the greatest time.
  void add_times(const std::string& name, std::vector<double> ms) {
    std::ranges::sort(ms);
    const auto at = [&](double share) {
      return ms.empty() ? 0.0 : ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
    };
    add(name, at(0.5));
    add(name + "_p99", at(0.99));
    add(name + "_worst", at(1.0));
  }
};

class Report {
 public:
  explicit Report(bool json) : json_(json) {}
  void add(const Row& row) {
    std::string text;
    for (const auto& [name, value] : row.fields)
      text += json_ ? fmt::format(", \"{}\": {:.6g}", name, value) : fmt::format("  {} {:.4g}", name, value);
    const char* const format =
        json_ ? "{}{{\"part\": \"{}\", \"what\": \"{}\", \"kernel_ms\": {}{}}}" : "{}{}  {:<46} {:>3} ms {}";
    const char* const before = json_ ? rows_ == 0 ? "[\n" : ",\n" : rows_ == 0 ? "" : "\n";
    fmt::print(fmt::runtime(format), before, row.part, row.what, row.kernel_ms, text);
    std::fflush(stdout);
    ++rows_;
  }
  void end() const { fmt::print("{}{}\n", json_ && rows_ == 0 ? "[" : "", json_ ? "\n]" : ""); }

 private:
  const bool json_;
  int rows_ = 0;
};

}  // namespace wattune::perf

#include "report/interface/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/interface/printable.h"

namespace wattune::inline v0_1::report {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Returns the number of bytes that the first `width` characters take.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t characters = 0; bytes < text.size(); ++bytes)
    if (starts_character(text[bytes]) && ++characters > width) break;
  return bytes;
}

// Returns the position of the last space or bar within the first `width` characters. If there is none, returns the
// first one after these characters, or npos.
std::size_t end_of_line(std::string_view text, std::size_t width) {
  const std::size_t fitting = bytes_of(text, width);
  if (text[fitting] == ' ') return fitting;
  const std::size_t last = text.substr(0, fitting).find_last_of(" |");
  return last == std::string_view::npos || last == 0 ? text.find_first_of(" |", fitting) : last;
}

std::string padded(const std::string& cell, std::size_t width, TextTable::Align align) {
  const std::string padding(width - std::min(width, width_of(cell)), ' ');
  return align == TextTable::Align::left ? cell + padding : padding + cell;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// Leaves out digits that are far below the uncertainty.
std::string figure_text(const Metric& metric) {
  constexpr double kFewestDigits = 2.0;
  constexpr double kMostDigits = 6.0;
  const double uncertainty = metric.uncertainty.value_or(0.0);
  if (!(uncertainty > 0.0) || !std::isfinite(uncertainty)) return fmt::format("{:.6g}", metric.value);
  const double known = std::log10(std::max(std::abs(metric.value) / uncertainty, 1.0));
  const int digits = static_cast<int>(std::clamp(std::ceil(known) + 2.0, kFewestDigits, kMostDigits));
  return fmt::format("{:.{}g} ± {:.2g}", metric.value, digits, uncertainty);
}

std::string warning_of(const std::vector<Metric>& metrics) {
  constexpr double kNotableDrift = 0.01;
  const auto value_of = [&](const char* name) -> std::optional<double> {
    const auto found = std::ranges::find(metrics, name, &Metric::name);
    return found == metrics.end() ? std::nullopt : std::optional(found->value);
  };
  if (const auto disagreement = value_of("energy_disagreement"))
    return fmt::format(
        "the board's counter and its power sensor differ by {:.1f} %, more than the 3 % that are trusted: joules and "
        "watts may be off as far, which no uncertainty says; `wattune power --characterise` may mend it",
        100.0 * std::abs(*disagreement));
  const auto drift = value_of("energy_drift");
  if (!drift || std::abs(*drift) < kNotableDrift) return {};
  return fmt::format(
      "the board's temperature changed by {:.0f} °C while its energy was measured: at the end a run took {:.1f} % {} "
      "than the mean that is shown",
      value_of("energy_warming").value_or(0.0), 100.0 * std::abs(*drift), *drift > 0.0 ? "more" : "less");
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, bytes_of(text, width - 1))) + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  for (std::size_t room = width; width_of(text) > room; room = width - std::min(width, indent)) {
    const std::size_t end = end_of_line(text, room);
    if (end == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, text[end] == '|' ? end + 1 : end), "", indent);
    text.remove_prefix(end + 1);
  }
  return lines.append(text);
}

std::string paragraph(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string lines = wrapped(text, width, indent);
  std::string fitting;
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    fitting += cut(std::string_view(lines).substr(begin, end - begin), width) + "\n";
    begin = end + 1;
  }
  return fitting;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

TextTable TextTable::of_text(const std::vector<std::string>& titles) {
  std::vector<Column> columns;
  for (const std::string& title : titles) columns.push_back({title, Align::left});
  return TextTable(std::move(columns));
}

std::string TextTable::to_string(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(width_of(column.title));
  }
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));

  std::string text;
  const auto append_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += (i == 0 ? "" : "  ") + padded(cells[i], widths[i], columns_[i].align);
    line.erase(line.find_last_not_of(' ') + 1);
    text += cut(line, width) + "\n";
  };
  append_line(titles);
  for (const auto& row : rows_) append_line(row);
  return text;
}

}  // namespace wattune::report

// Reads recordings in CSV, as other tools write them.
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/interface/system_error.h"
#include "lab/emulation/replay.h"

namespace wattune::emulation {

namespace {

using power::Change;
using power::Recording;
using power::Response;
using power::SensorInfo;
using power::Trace;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    while (!cell.empty() && cell.back() == ' ') cell.pop_back();
    cells.push_back(cell.substr(std::min(cell.find_first_not_of(' '), cell.size())));
  }
  return cells;
}

// Parses a cell of the table that is not empty.
Result<double> cell_number(const std::string& cell) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (code == std::errc() && end == cell.data() + cell.size()) return number;
  return Error(ErrorCode::parse_error, "this is no number").about(cell);
}

// A function that stores the number of one cell of a column, and the time of its line.
using Column = std::function<void(Nanoseconds at, double number)>;

template <typename T>
Column column_of(std::vector<Trace<T>>& traces, const SensorInfo& info) {
  traces.push_back({info, {}});
  const auto add = [&traces, index = traces.size() - 1, last = Nanoseconds()](Nanoseconds at, double number) mutable {
    std::vector<Change<T>>& changes = traces[index].changes;
    if (changes.empty())
      changes.push_back({at, at, T(number)});
    else if (changes.back().value != T(number))
      changes.push_back({last, at, T(number)});
    last = at;
  };
  return add;
}

class RecordingReader {
 public:
  // Reads the names of the columns in the first line.
  Result<void> read_header(const std::vector<std::string>& names) {
    if (names.front() != "time_ms") return Error(ErrorCode::parse_error, "the first column must be `time_ms`");
    for (std::size_t i = 1; i < names.size(); ++i) {
      WATTUNE_ASSIGN(Column column, add_column(names[i]));
      columns_.push_back(std::move(column));
    }
    return {};
  }

  Result<void> read_line(const std::vector<std::string>& cells) {
    if (cells.size() > columns_.size() + 1)
      return Error(ErrorCode::parse_error, fmt::format("{} cells for {} columns", cells.size(), columns_.size() + 1));
    WATTUNE_TRY(read_time(cells.front()));
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      WATTUNE_ASSIGN(const double number, cell_number(cells[i]));
      columns_[i - 1](recording_.end, number);
    }
    return {};
  }

  Recording take() { return std::move(recording_); }

 private:
  Result<Column> add_column(const std::string& name) {
    const std::size_t bracket = name.rfind(" [");
    if (bracket == std::string::npos || name.size() != bracket + 4 || name.back() != ']')
      return Error(ErrorCode::parse_error, "a column is named `SENSOR [UNIT]`").about(name);
    const auto info = [&](Response response) {
      return SensorInfo{.name = name.substr(0, bracket), .traits = {.response = response}};
    };
    switch (name[bracket + 2]) {
      case 'W': return column_of(recording_.power, info(Response::direct));
      case 'J': return column_of(recording_.energy, info(Response::counter));
      case 'C': return column_of(recording_.temperature, info(Response::direct));
      case 'V': return column_of(recording_.voltage, info(Response::direct));
      default: return Error(ErrorCode::parse_error, "the unit is W, J, C or V").about(name);
    }
  }

  Result<void> read_time(const std::string& cell) {
    WATTUNE_ASSIGN(const double ms, cell_number(cell));
    const Nanoseconds at = nanoseconds_from_ms(ms);
    if (std::exchange(begun_, true)) {
      if (at < recording_.end) return Error(ErrorCode::parse_error, "time goes back").about(cell);
    } else {
      recording_.begin = at;
    }
    recording_.end = at;
    return {};
  }

  Recording recording_;
  std::vector<Column> columns_;
  bool begun_ = false;
};

}  // namespace

Result<Recording> load_recording(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return system_error("cannot open", file, errno);
  RecordingReader reader;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const std::vector<std::string> cells = cells_of(line);
    Result<void> read = cells.empty() ? Result<void>()
                        : number == 1 ? reader.read_header(cells)
                                      : reader.read_line(cells);
    if (!read) return std::move(read).error().at({file.string(), number});
  }
  return reader.take();
}

}  // namespace wattune::emulation

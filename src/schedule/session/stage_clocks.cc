#include "schedule/session/stage_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

// The largest number of clocks that are chosen if the user names none.
constexpr std::size_t kMostDefaultClocks = 6;
// The lowest clock that is tried, as a share of the highest clock. Below it, boards hardly lower their voltage further,
// and most kernels take more joules again.
constexpr double kLowestClockShare = 0.45;

Error no_clocks(std::string what, std::string about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

using Table = std::vector<backend::MemoryClock>;

// Returns the clocks that the board offers. The table has a row for each memory clock, ascending, and each row has the
// clocks of the cores, ascending.
Result<Table> table_of(backend::ClockControl& control) {
  WATTUNE_ASSIGN(backend::BoardChoices choices, control.choices());
  Table table = std::move(choices.clocks);
  std::erase_if(table, [](const backend::MemoryClock& row) { return row.graphics.empty(); });
  if (table.empty()) return Error(ErrorCode::unavailable, "the board does not report which clocks it has");
  std::ranges::sort(table, {}, &backend::MemoryClock::memory);
  for (backend::MemoryClock& row : table) std::ranges::sort(row.graphics);
  return table;
}

// Orders settings by the memory's clock and then by that of the cores. The board's own memory clock comes last.
bool is_before(const backend::BoardSetting& one, const backend::BoardSetting& other) {
  const auto rank = [](const backend::BoardSetting& each) {
    return std::tuple(!each.memory, each.memory.value_or(Megahertz()), *each.graphics);
  };
  return rank(one) < rank(other);
}

Megahertz nearest(const std::vector<Megahertz>& offered, Megahertz wanted) {
  return *std::ranges::min_element(offered, {}, [&](Megahertz each) { return std::abs((each - wanted).value()); });
}

// Returns kMostDefaultClocks clocks, evenly spaced from kLowestClockShare of the highest clock up to that clock,
// without repetitions.
std::vector<Megahertz> spread(const std::vector<Megahertz>& offered) {
  const Megahertz highest = offered.back();
  std::vector<Megahertz> clocks;
  for (std::size_t i = 0; i < kMostDefaultClocks; ++i) {
    const double share =
        kLowestClockShare + (1.0 - kLowestClockShare) * static_cast<double>(i) / (kMostDefaultClocks - 1.0);
    const Megahertz clock = nearest(offered, share * highest);
    if (clocks.empty() || clocks.back() < clock) clocks.push_back(clock);
  }
  return clocks;
}

Result<void> check_clock(Megahertz wanted, const std::vector<Megahertz>& offered, std::string_view part) {
  if (std::ranges::find(offered, wanted) != offered.end()) return {};
  return no_clocks(fmt::format("the board has no such clock of its {}", part), fmt::format("{:g} MHz", wanted.value()),
                   fmt::format("nearest: {:g}", nearest(offered, wanted).value()));
}

// Checks that the board has these clocks. Without a memory clock, the board's own memory clock is meant, which is its
// highest one.
Result<void> check_offered(const backend::BoardSetting& wanted, const Table& table) {
  if (!wanted.memory) return check_clock(*wanted.graphics, table.back().graphics, "cores");
  std::vector<Megahertz> memory;
  for (const backend::MemoryClock& row : table) memory.push_back(row.memory);
  WATTUNE_TRY(check_clock(*wanted.memory, memory, "memory"));
  const auto row = std::ranges::find(table, *wanted.memory, &backend::MemoryClock::memory);
  return check_clock(*wanted.graphics, row->graphics, "cores");
}

Result<void> try_each(const std::vector<backend::BoardSetting>& clocks, backend::ClockControl& control) {
  for (const backend::BoardSetting& each : clocks) WATTUNE_TRY(control.set(each));
  return {};
}

Result<SettableClocks> choose(const ClockChoice& choice, backend::ClockControl& control) {
  WATTUNE_ASSIGN(const Table table, table_of(control));
  std::vector<backend::BoardSetting> clocks = choice.clocks;
  if (clocks.empty())
    for (const Megahertz clock : spread(table.back().graphics)) clocks.push_back({.graphics = clock});
  for (const backend::BoardSetting& each : clocks) WATTUNE_TRY(check_offered(each, table));
  if (clocks.size() < 2) return no_clocks("the board has no second clock to choose from", describe(clocks.front()), "");
  std::ranges::sort(clocks, is_before);
  auto tried = try_each(clocks, control);
  auto restored = control.restore();
  if (!tried) return std::move(tried).error();
  if (!restored) return std::move(restored).error();
  return SettableClocks{.all = std::move(clocks), .own_memory = table.back().memory};
}

}  // namespace

Result<SettableClocks> choose_clocks(const ClockChoice& choice, backend::ClockControl& control) {
  auto chosen = choose(choice, control);
  if (!chosen) return clocks_refused(chosen.error());
  return chosen;
}

Error clocks_refused(const Error& why) { return Error(ErrorCode::invalid_argument, "clocks: " + why.to_string()); }

}  // namespace wattune::schedule

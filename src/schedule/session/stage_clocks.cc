#include "schedule/session/stage_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

// The largest number of clocks that are chosen if the user names none.
constexpr std::size_t kMostDefaultClocks = 6;
// The lowest clock tried, as a share of the highest. Below it boards save hardly any voltage, and most kernels take
// more joules again.
constexpr double kLowestClockShare = 0.45;

Error no_clocks(std::string what, std::string about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

// Returns the clocks that the board offers with the highest memory clock, ascending.
Result<std::vector<Megahertz>> clocks_of(backend::ClockControl& control) {
  WATTUNE_ASSIGN(const backend::BoardChoices choices, control.choices());
  const auto row = std::ranges::max_element(choices.clocks, {}, &backend::MemoryClock::memory);
  if (row == choices.clocks.end() || row->graphics.empty())
    return Error(ErrorCode::unavailable, "the board does not tell which clocks it has");
  std::vector<Megahertz> clocks = row->graphics;
  std::ranges::sort(clocks);
  return clocks;
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

Result<void> check_offered(const std::vector<Megahertz>& wanted, const std::vector<Megahertz>& offered) {
  for (const Megahertz clock : wanted)
    if (std::ranges::find(offered, clock) == offered.end())
      return no_clocks("the board has no such clock of its cores", fmt::format("{:g} MHz", clock.value()),
                       fmt::format("nearest: {:g}", nearest(offered, clock).value()));
  return {};
}

Result<void> try_each(const std::vector<Megahertz>& clocks, backend::ClockControl& control) {
  for (const Megahertz clock : clocks) WATTUNE_TRY(control.set({.graphics = clock}));
  return {};
}

Result<std::vector<Megahertz>> choose(const ClockChoice& choice, backend::ClockControl& control) {
  WATTUNE_ASSIGN(const std::vector<Megahertz> offered, clocks_of(control));
  WATTUNE_TRY(check_offered(choice.clocks, offered));
  std::vector<Megahertz> clocks = choice.clocks.empty() ? spread(offered) : choice.clocks;
  if (clocks.size() < 2)
    return no_clocks("the board has no other clock to choose", fmt::format("{:g} MHz", offered.back().value()), "");
  auto tried = try_each(clocks, control);
  auto restored = control.restore();
  if (!tried) return std::move(tried).error();
  if (!restored) return std::move(restored).error();
  return clocks;
}

}  // namespace

Result<std::vector<Megahertz>> choose_clocks(const ClockChoice& choice, backend::ClockControl& control) {
  auto chosen = choose(choice, control);
  if (!chosen) return clocks_refused(chosen.error());
  return chosen;
}

Error clocks_refused(const Error& why) { return Error(ErrorCode::invalid_argument, "clocks: " + why.to_string()); }

}  // namespace wattune::schedule

#include "simulate/interface/board_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace wattune::inline v0_1::simulate {

namespace {

Result<void> check_clock(const std::vector<Megahertz>& clocks, const std::optional<Megahertz>& clock,
                         const char* what) {
  if (!clock || std::ranges::find(clocks, *clock) != clocks.end()) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("the board has no such clock of its {}", what))
      .about(fmt::format("{:g} MHz", clock->value()));
}

Result<void> check_memory(const BoardModel& board, const std::optional<Megahertz>& clock) {
  if (!clock || board.locks_memory) return check_clock(board.memory_clocks, clock, "memory");
  return Error(ErrorCode::unavailable, "the memory clock of this board cannot be set").about(board.name);
}

Result<void> check_limit(const PowerLimits& limits, const std::optional<Watts>& limit) {
  if (!limit || (*limit >= limits.least && *limit <= limits.most)) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("the board takes power limits from {:g} to {:g} W",
                                                        limits.least.value(), limits.most.value()))
      .about(fmt::format("{:g} W", limit->value()));
}

}  // namespace

Result<backend::BoardChoices> BoardClocks::choices() {
  backend::BoardChoices choices;
  for (const Megahertz memory : board_.model().memory_clocks) choices.clocks.push_back({memory, board_.model().clocks});
  choices.power_limit = backend::PowerRange{board_.model().limits.least, board_.model().limits.most};
  return choices;
}

// Sets clocks and limit. Checks the whole setting first, so that a refused setting leaves the board unchanged.
Result<void> BoardClocks::set(const backend::BoardSetting& setting) {
  const BoardModel& model = board_.model();
  WATTUNE_TRY(check_clock(model.clocks, setting.graphics, "cores"));
  WATTUNE_TRY(check_memory(model, setting.memory));
  WATTUNE_TRY(check_limit(model.limits, setting.power_limit));
  set_graphics(setting.graphics);
  set_memory(setting.memory);
  set_limit(setting.power_limit);
  return {};
}

Result<backend::BoardSetting> BoardClocks::current() {
  return backend::BoardSetting{board_.clock(), board_.memory_clock(), board_.limit()};
}

Result<void> BoardClocks::restore() { return set({}); }

void BoardClocks::set_graphics(std::optional<Megahertz> clock) {
  if (clock) board_.lock_clock(*clock);
  if (!clock && locks_graphics_) board_.unlock_clock();
  locks_graphics_ = clock.has_value();
}

void BoardClocks::set_memory(std::optional<Megahertz> clock) {
  if (clock) board_.lock_memory(*clock);
  if (!clock && locks_memory_) board_.unlock_memory();
  locks_memory_ = clock.has_value();
}

void BoardClocks::set_limit(std::optional<Watts> limit) {
  if (limit && !limit_before_) limit_before_ = board_.limit();
  if (limit) board_.set_limit(*limit);
  if (limit || !limit_before_) return;
  board_.set_limit(*limit_before_);
  limit_before_.reset();
}

}  // namespace wattune::simulate

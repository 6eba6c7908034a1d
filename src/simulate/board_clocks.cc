#include "wattune/simulate/board_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace wattune::simulate {

namespace {

Result<void> check_clock(const std::vector<Megahertz>& clocks, const std::optional<Megahertz>& clock,
                         const char* what) {
  if (!clock || std::ranges::find(clocks, *clock) != clocks.end()) return {};
  return Error(ErrorCode::invalid_argument, fmt::format("the board has no such clock of its {}", what))
      .about(fmt::format("{:g} MHz", clock->value()));
}

}  // namespace

Result<backend::BoardChoices> BoardClocks::choices() {
  backend::BoardChoices choices;
  for (const Megahertz memory : board_.model().memory_clocks) choices.clocks.push_back({memory, board_.model().clocks});
  choices.power_limit = backend::PowerRange{board_.model().limits.least, board_.model().limits.most};
  return choices;
}

Result<void> BoardClocks::set(const backend::BoardSetting& setting) {
  const BoardModel& model = board_.model();
  WATTUNE_TRY(check_clock(model.clocks, setting.graphics, "cores"));
  WATTUNE_TRY(check_clock(model.memory_clocks, setting.memory, "memory"));
  WATTUNE_TRY(restore());
  if (setting.graphics) board_.lock_clock(*setting.graphics);
  if (setting.memory) board_.lock_memory(*setting.memory);
  if (setting.power_limit) board_.set_limit(*setting.power_limit);
  return {};
}

Result<backend::BoardSetting> BoardClocks::current() {
  return backend::BoardSetting{board_.clock(), board_.memory_clock(), board_.limit()};
}

Result<void> BoardClocks::restore() {
  board_.unlock_clock();
  board_.unlock_memory();
  board_.set_limit(board_.model().limits.usual);
  return {};
}

}  // namespace wattune::simulate

// Shows a wisdom file, for `wattune show`.
#pragma once

#include <filesystem>

#include "cli/program/command.h"

namespace wattune::cli {

Result<ExitStatus> show_wisdom(const std::filesystem::path& file, bool json);

}  // namespace wattune::cli

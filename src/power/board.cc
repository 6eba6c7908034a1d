#include "wattune/power/board.h"

#include <iterator>

#include "power/hwmon.h"
#include "power/nvml_board.h"

namespace wattune::power {

namespace {

using backend::nvml::NvmlApi;

Result<Board> open_through_nvml(const std::string& name) {
  WATTUNE_ASSIGN(const NvmlApi* nvml, backend::nvml::nvml_api());
  WATTUNE_ASSIGN(const backend::nvml::nvmlDevice_t device, find_nvml_board(*nvml, name));
  return open_nvml_board(*nvml, device, name);
}

}  // namespace

Result<Board> open_board(const std::string& name) {
  if (name.empty())
    return Error(ErrorCode::unavailable, "a device that does not say where it is on the PCI bus has no sensors");
  if (Result<Board> amd = Hwmon().open(name)) return amd;
  return open_through_nvml(name);
}

BoardsFound find_boards() {
  BoardsFound found = Hwmon().find();
  const Result<const NvmlApi*> nvml = backend::nvml::nvml_api();
  BoardsFound more = nvml ? find_nvml_boards(**nvml) : BoardsFound{{}, {nvml.error().to_string()}};
  std::ranges::move(more.boards, std::back_inserter(found.boards));
  std::ranges::move(more.problems, std::back_inserter(found.problems));
  return found;
}

}  // namespace wattune::power

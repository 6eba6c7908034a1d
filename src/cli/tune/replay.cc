#include "cli/tune/replay.h"

#include <fstream>
#include <iterator>

#include "core/interface/energy.h"
#include "wattune/core/identity.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

std::optional<std::string> replayed_file(const std::string& device) {
  constexpr std::string_view kPrefix = "replay:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  return device.substr(kPrefix.size());
}

Result<tune::Replay> load_replay(const std::string& file) {
  if (file.empty())
    return Error(ErrorCode::invalid_argument, "--device replay: names no file").hint("--device replay:FILE");
  WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
  name_energy(results);
  std::ifstream stream(file, std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(stream), {});
  return tune::Replay{std::move(results), {{"recording", content_hash(contents)}}};
}

KernelSpec recorded_spec(const RunInfo& info) {
  KernelSpec spec;
  spec.name = info.kernel_name.empty() ? "recorded" : info.kernel_name;
  spec.objectives = info.objectives;
  return spec;
}

Result<std::vector<tune::EarlierResults>> load_earlier(const std::vector<std::string>& files) {
  std::vector<tune::EarlierResults> all;
  for (const std::string& file : files) {
    WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
    all.push_back({file, std::move(results)});
  }
  return all;
}

}  // namespace wattune::cli

#include "cli/tune/models.h"

#include <algorithm>
#include <cctype>

namespace wattune::cli {

namespace {

// Replaces all characters except letters and digits, so that "NVIDIA H200" can be part of a file's name.
std::string in_file_name(const std::string& name) {
  std::string text;
  for (const unsigned char c : name) text += std::isalnum(c) != 0 ? static_cast<char>(c) : '-';
  return text;
}

// Inserts the label before the first dot of the file's name.
std::filesystem::path with_label(const std::filesystem::path& file, const std::string& label) {
  std::string name = file.filename();
  name.insert(std::min(name.find('.', 1), name.size()), "." + label);
  return file.parent_path() / name;
}

}  // namespace

Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal) {
  WATTUNE_ASSIGN(const auto devices,
                 tune::find_devices_for(spec, options.session.device, options.session.evaluation.where));
  const auto groups = tune::by_model(devices);
  std::vector<TuneOptions> all;
  for (const auto& group : groups) {
    const auto same_name = [&](const auto& other) {
      return in_file_name(other.front().name) == in_file_name(group.front().name);
    };
    std::string label = group.front().name;
    if (std::ranges::count_if(groups, same_name) > 1) label += " " + group.front().selector;
    TuneOptions& each = all.emplace_back(options);
    std::string& named = each.session.device;
    named.clear();
    for (const DeviceInfo& device : group) named += (named.empty() ? "" : ",") + device.selector;
    each.output = groups.size() == 1 ? journal : with_label(journal, in_file_name(label));
  }
  return all;
}

}  // namespace wattune::cli

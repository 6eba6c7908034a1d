#include "cli/profile_file.h"

#include <fmt/format.h>

#include <fstream>

namespace wattune::cli {

Result<std::vector<schedule::ProfileRecord>> read_profiles(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return Error(ErrorCode::not_found, "no such file of profiles").about(file.string());
  std::vector<schedule::ProfileRecord> records;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty()) continue;
    auto record = schedule::read_profile(line);
    if (!record) return std::move(record).error().with_context(fmt::format("{}:{}", file.string(), number));
    records.push_back(*std::move(record));
  }
  return records;
}

std::string profiles_text(const std::vector<schedule::ProfileRecord>& records) {
  std::string text;
  for (const schedule::ProfileRecord& record : records) text += schedule::write_profile(record) + "\n";
  return text;
}

}  // namespace wattune::cli

#include "cli/profile_file.h"

#include <sstream>

#include "store/files.h"

namespace wattune::cli {

Result<const schedule::ProfileRecord*> ProfileFile::find(const std::string& name, const Identity& identity) const {
  for (const schedule::ProfileRecord& record : records)
    if (record.identity == identity) return &record;
  for (const schedule::ProfileRecord& record : records)
    if (record.traits.name == name)
      if (auto fits = schedule::check_profile(record, identity); !fits)
        return std::move(fits).error().with_context(file.string());
  return nullptr;
}

Result<ProfileFile> read_profiles(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, store::read_file(file));
  ProfileFile profiles{.file = file};
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    auto record = schedule::read_profile(line);
    if (!record) return std::move(record).error().at({file.string(), number, 0});
    profiles.records.push_back(*std::move(record));
  }
  return profiles;
}

std::string profiles_text(const std::vector<schedule::ProfileRecord>& records) {
  std::string text;
  for (const schedule::ProfileRecord& record : records) text += schedule::write_profile(record) + "\n";
  return text;
}

}  // namespace wattune::cli

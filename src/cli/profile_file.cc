#include "cli/profile_file.h"

#include "store/sealed_file.h"

namespace wattune::cli {

Result<const schedule::ProfileRecord*> ProfileFile::find(const std::string& name, const Identity& identity) const {
  for (const schedule::ProfileRecord& record : stored.records)
    if (record.identity == identity) return &record;
  for (const schedule::ProfileRecord& record : stored.records)
    if (record.traits.name == name)
      if (auto fits = schedule::check_profile(record, identity); !fits)
        return std::move(fits).error().with_context(file.string());
  if (stored.left_out.empty()) return nullptr;
  return Error(stored.left_out.front()).hint("take the line out to go on without it; wattune profile measures anew");
}

std::vector<std::string> ProfileFile::notes() const {
  std::vector<std::string> notes;
  if (stored.unsealed) notes.push_back(store::unsealed_note(file, "wattune profile --overwrite writes a sealed one"));
  for (const Error& each : stored.left_out) notes.push_back(each.to_string());
  return notes;
}

Result<ProfileFile> read_profiles(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(schedule::StoredProfiles stored, schedule::load_profiles(file));
  return ProfileFile{.file = file, .stored = std::move(stored)};
}

}  // namespace wattune::cli

#include "wattune/dynamic/wisdom.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "dynamic/wisdom/wisdom_table.h"
#include "store/interface/files.h"
#include "store/interface/locked_file.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr std::chrono::seconds kLockWait{10};

bool has_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  return file.parent_path().empty() || std::filesystem::is_directory(file.parent_path(), ignored);
}

Error no_folder(const std::filesystem::path& file) {
  return Error(ErrorCode::not_found, fmt::format("wisdom cannot be kept in {}: there is no folder {}", file.string(),
                                                 file.parent_path().string()))
      .hint("make the folder");
}

}  // namespace

// The contents of a Wisdom. While files are read and written, saving holds `saving`. It holds `mutex` only to access
// the tables, so that a look-up never waits for a disk.
struct Wisdom::Parts {
  std::filesystem::path file;
  std::mutex saving;
  mutable std::mutex mutex;
  WisdomTable shipped;
  WisdomTable written;  // entries of the file when last read or written, and all entries put since
  WisdomTable unsaved;  // entries put since the file was last written
  std::vector<Error> problems;

  Result<void> read(const std::filesystem::path& from, WisdomTable& table);
  Result<void> merge_into_file(const WisdomTable& put, WisdomTable& merged) const;
};

Result<void> Wisdom::Parts::read(const std::filesystem::path& from, WisdomTable& table) {
  WATTUNE_ASSIGN(const WisdomText parsed, load_wisdom(from));
  table.put_all(parsed.entries);
  problems.insert(problems.end(), parsed.problems.begin(), parsed.problems.end());
  return {};
}

// Merges entries into the file. The lock belongs to the old file, which the new file replaces. A process that waited
// for the lock notices the replacement and opens the new file.
Result<void> Wisdom::Parts::merge_into_file(const WisdomTable& put, WisdomTable& merged) const {
  WATTUNE_ASSIGN(const store::LockedFile locked, store::LockedFile::open(file, kLockWait));
  WATTUNE_ASSIGN(const std::string text, locked.read());
  WATTUNE_ASSIGN(const WisdomText found, parse_wisdom(text, file));
  if (!found.problems.empty()) WATTUNE_TRY(store::keep_beside(file, ".damaged"));
  merged.put_all(found.entries);
  merged.put_all(put.entries());
  return store::write_file(file, write_wisdom(merged.entries()), true);
}

Wisdom::Wisdom(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Wisdom::~Wisdom() = default;

Result<std::unique_ptr<Wisdom>> Wisdom::open(const std::filesystem::path& file,
                                             const std::vector<std::filesystem::path>& shipped) {
  auto parts = std::make_unique<Parts>();
  parts->file = file;
  for (const std::filesystem::path& each : shipped) WATTUNE_TRY(parts->read(each, parts->shipped));
  if (!file.empty()) {
    Result<void> read = parts->read(file, parts->written);
    if (!read && read.error().code() != ErrorCode::not_found) return std::move(read).error();
    if (!read && !has_folder(file)) parts->problems.push_back(no_folder(file));
  }
  return std::unique_ptr<Wisdom>(new Wisdom(std::move(parts)));
}

std::optional<WisdomEntry> Wisdom::find(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const {
  const std::lock_guard lock(parts_->mutex);
  const WisdomEntry* shipped = parts_->shipped.find(kernel, device.name, key);
  const WisdomEntry* written = parts_->written.find(kernel, device.name, key);
  if (shipped != nullptr && written != nullptr) return better(*shipped, *written);
  const WisdomEntry* only = shipped != nullptr ? shipped : written;
  return only != nullptr ? std::optional(*only) : std::nullopt;
}

std::optional<NearestEntry> Wisdom::nearest(const KernelVersion& kernel, const DeviceInfo& device,
                                            const Key& key) const {
  const std::lock_guard lock(parts_->mutex);
  return nearer(parts_->shipped.nearest(kernel, device, key), parts_->written.nearest(kernel, device, key));
}

std::vector<NearestEntry> Wisdom::near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                                       std::size_t most) const {
  std::vector<NearestEntry> all;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->shipped.add_near(kernel, device, key, all);
    parts_->written.add_near(kernel, device, key, all);
  }
  std::ranges::stable_sort(all, {},
                           [](const NearestEntry& one) { return std::pair(one.same_device ? 0 : 1, one.distance); });
  if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
  return all;
}

std::size_t Wisdom::count_of_other_versions(const KernelVersion& kernel) const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->shipped.count_of_other_versions(kernel) + parts_->written.count_of_other_versions(kernel);
}

Result<bool> Wisdom::put(WisdomEntry entry) {
  WATTUNE_TRY(check(entry));
  const std::lock_guard lock(parts_->mutex);
  if (!parts_->written.put(entry)) return false;
  parts_->unsaved.put(std::move(entry));
  return true;
}

Result<void> Wisdom::save() {
  if (parts_->file.empty()) return {};
  const std::lock_guard saving(parts_->saving);
  WisdomTable put;
  {
    const std::lock_guard lock(parts_->mutex);
    put = std::exchange(parts_->unsaved, {});
  }
  if (put.entries().empty()) return {};
  WisdomTable merged;
  const Result<void> saved = parts_->merge_into_file(put, merged);
  const std::lock_guard lock(parts_->mutex);
  WisdomTable& kept = saved ? parts_->written : parts_->unsaved;
  kept.put_all(saved ? merged.entries() : put.entries());
  return saved;
}

std::vector<Error> Wisdom::problems() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->problems;
}

}  // namespace wattune::dynamic

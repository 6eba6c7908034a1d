#include "wattune/backend/image.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "backend/worker/protocol.h"
#include "core/interface/system_error.h"
#include "core/logging.h"
#include "core/new_file.h"
#include "core/own_rights.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;

// The suffixes of the cache's files, which are named by a key (a hash) and one of these. The cache ignores other files.
constexpr std::string_view kSuffix = ".wattune-image";
constexpr std::string_view kUnfinishedSuffix = ".wattune-image-new";

// The age from which an unfinished file counts as abandoned by a killed process.
constexpr auto kAbandonedFileAge = std::chrono::hours(1);

// Returns the bytes of an image, preceded by their hash. Damage is noticed by the hash.
std::string as_bytes(const Image& image) {
  worker::Writer body;
  body.put(image);
  const auto bytes = body.bytes();
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return content_hash(text) + text;
}

std::optional<Image> from_bytes(const std::string& bytes) {
  const std::size_t hash_size = content_hash("").size();
  if (bytes.size() < hash_size || content_hash(std::string_view(bytes).substr(hash_size)) != bytes.substr(0, hash_size))
    return std::nullopt;
  worker::Reader reader(std::as_bytes(std::span(bytes).subspan(hash_size)));
  Image image;
  reader.get(image);
  return reader.complete() ? std::optional(std::move(image)) : std::nullopt;
}

// True if the file's name is one that the cache gives: a key, followed by two numbers while the file is unfinished.
bool is_of_cache(const fs::path& file) {
  const std::string name = file.filename();
  const std::size_t key = std::min(name.find_first_not_of("0123456789abcdef"), name.size());
  const std::string_view rest = std::string_view(name).substr(key);
  const std::size_t letters = std::min(rest.find_first_not_of(".0123456789"), rest.size());
  if (key != content_hash("").size()) return false;
  return rest == kSuffix || (letters > 1 && rest.substr(letters - 1) == kUnfinishedSuffix);
}

struct CacheFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// Lists the cache's files. Files that another process removes meanwhile are skipped.
std::vector<CacheFile> list(const fs::path& folder) {
  std::vector<CacheFile> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (!is_of_cache(entry->path())) continue;
    std::error_code gone;
    CacheFile file{entry->path(), entry->file_size(gone), {}};
    if (!gone) file.used = entry->last_write_time(gone);
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

class FolderOfImages : public ImageCache {
 public:
  FolderOfImages(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) { trim(); }

  std::optional<Image> find(const std::string& key) const override;
  void store(const std::string& key, const Image& image) override;

 private:
  fs::path file_of(const std::string& key) const { return folder_ / (key + std::string(kSuffix)); }
  void trim();

  const fs::path folder_;
  const std::uint64_t limit_;
  std::mutex mutex_;                   // guards the two members below
  std::uint64_t written_ = 0;          // number of bytes written since the last trim()
  std::uint64_t temporary_files_ = 0;  // number of temporary files so far; their names contain it
};

class ImagesInMemory : public ImageCache {
 public:
  explicit ImagesInMemory(std::size_t most) : most_(most) {}

  std::optional<Image> find(const std::string& key) const override {
    const std::lock_guard lock(mutex_);
    const auto found = images_.find(key);
    return found == images_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(const std::string& key, const Image& image) override {
    const std::lock_guard lock(mutex_);
    if (images_.insert_or_assign(key, image).second) order_.push_back(key);
    if (order_.size() <= most_) return;
    images_.erase(order_.front());
    order_.pop_front();
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Image> images_;
  std::deque<std::string> order_;  // keys of the images, the oldest at the front
};

}  // namespace

std::shared_ptr<ImageCache> ImageCache::in_memory(std::size_t images) {
  return std::make_shared<ImagesInMemory>(images);
}

Result<std::shared_ptr<ImageCache>> ImageCache::open(const fs::path& folder, std::uint64_t limit) {
  constexpr mode_t kOwnerOnlyMode = 0700;
  Result<void> usable = make_folders(folder, kOwnerOnlyMode);
  if (usable) usable = check_trusted(folder);
  if (!usable && usable.error().code() == ErrorCode::invalid_argument && fs::is_directory(folder))
    return usable.error();
  if (usable && access(folder.c_str(), W_OK | X_OK) != 0) usable = system_error("cannot write to", folder, errno);
  if (!usable) return Error(ErrorCode::io_error, "cannot keep compiled code: " + usable.error().message());
  return std::shared_ptr<ImageCache>(std::make_shared<FolderOfImages>(folder, limit));
}

namespace {

// Finds an image. Sets its file's modification time to the present. The least recently used image is found by these
// times.
std::optional<Image> FolderOfImages::find(const std::string& key) const {
  const fs::path file = file_of(key);
  std::ifstream stream(file, std::ios::binary);
  log_debug("image {} is {}in the cache", key, stream ? "" : "not ");
  if (!stream) return std::nullopt;
  std::optional<Image> image = from_bytes({std::istreambuf_iterator<char>(stream), {}});
  std::error_code ignored;
  if (image) fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return image;
}

void FolderOfImages::store(const std::string& key, const Image& image) {
  const std::string bytes = as_bytes(image);
  if (bytes.size() > limit_) return;
  const std::lock_guard lock(mutex_);
  const fs::path temporary = folder_ / fmt::format("{}.{}.{}{}", key, getpid(), temporary_files_++, kUnfinishedSuffix);
  if (!write_new_file(temporary, bytes)) return;
  std::error_code failed;
  fs::rename(temporary, file_of(key), failed);
  if (failed) {
    fs::remove(temporary, failed);
    return;
  }
  written_ += bytes.size();
  if (written_ > limit_ / 16) trim();
}

void FolderOfImages::trim() {
  written_ = 0;
  std::vector<CacheFile> files = list(folder_);
  std::uint64_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code ignored;
  std::erase_if(files, [&](const CacheFile& file) {
    if (file.path.extension() == kUnfinishedSuffix && now - file.used > kAbandonedFileAge)
      fs::remove(file.path, ignored);
    return file.path.extension() != kSuffix;
  });
  for (const CacheFile& file : files) total += file.bytes;
  std::ranges::sort(files, {}, &CacheFile::used);
  for (const CacheFile& file : files) {
    if (total <= limit_) return;
    if (fs::remove(file.path, ignored)) total -= file.bytes;
  }
}

}  // namespace

}  // namespace wattune::backend

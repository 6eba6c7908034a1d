// ImageCache: compiled images in a folder, by what they were made of, so that nothing is compiled twice.
//
// Any number of threads and processes may use a folder at once: images appear whole or not at all. What cannot be read,
// or is not what was written, counts as missing and is replaced. When the folder has grown beyond its limit, what was
// not used for longest goes.
//
//   WATTUNE_ASSIGN(const auto cache, ImageCache::open(folder));
//   if (auto image = cache->find(key)) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "wattune/backend/image.h"
#include "wattune/core/result.h"

namespace wattune::backend {

class ImageCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;

  // Makes the folder where there is none; files of other names in it stay as they are. `limit` in bytes. Processes that
  // write at the same time may each exceed it by a sixteenth for a while. io_error.
  static Result<std::shared_ptr<ImageCache>> open(const std::filesystem::path& folder,
                                                  std::uint64_t limit = kDefaultLimit);

  // `key`: characters that may stand in a file's name.
  std::optional<Image> find(const std::string& key) const;
  // An image that cannot be written is not kept, which is no error.
  void store(const std::string& key, const Image& image);

 private:
  ImageCache(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  std::filesystem::path file_of(const std::string& key) const;
  void trim();

  const std::filesystem::path folder_;
  const std::uint64_t limit_;
  std::mutex mutex_;                   // of the two below
  std::uint64_t written_ = 0;          // bytes since the last trim()
  std::uint64_t temporary_files_ = 0;  // so far, for their names
};

}  // namespace wattune::backend

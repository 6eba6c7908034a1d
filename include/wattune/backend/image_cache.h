// ImageCache: compiled images by the hash of their inputs, so that nothing is compiled twice. It lies in a folder or in
// memory. Any thread may use it.
//
// Any number of processes may use a folder at once: images appear whole or not at all. Files that are unreadable or
// damaged count as missing and are replaced. A folder that exceeds its limit loses its least recently used images.
//
//   WATTUNE_ASSIGN(const auto cache, ImageCache::open(folder));
//   if (auto image = cache->find(key)) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "wattune/backend/image.h"
#include "wattune/core/result.h"

namespace wattune::backend {

class ImageCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;

  // Opens a cache in a folder, and makes the folder if there is none. Files of other names in it stay as they are.
  // `limit` is in bytes; processes that write at the same time may each exceed it by a sixteenth for a while. Fails
  // with io_error. Fails with invalid_argument if the folder exists but its images are not trusted, because it belongs
  // to another user or others may write there.
  static Result<std::shared_ptr<ImageCache>> open(const std::filesystem::path& folder,
                                                  std::uint64_t limit = kDefaultLimit);
  // Makes a cache in the memory of this process, which lives as long as the object. It holds at most `images` entries
  // and evicts the oldest (FIFO).
  static std::shared_ptr<ImageCache> in_memory(std::size_t images);
  virtual ~ImageCache() = default;

  // Finds an image by `key`, the content_hash() of its inputs.
  virtual std::optional<Image> find(const std::string& key) const = 0;
  // Stores an image. An image that cannot be written is not kept, which is no error.
  virtual void store(const std::string& key, const Image& image) = 0;
};

}  // namespace wattune::backend

// ImageCache: compiled images by what they were made of, so that nothing is compiled twice: in a folder, or in memory.
// Any thread.
//
// Any number of processes may use a folder at once: images appear whole or not at all. What cannot be read, or is not
// what was written, counts as missing and is replaced. When the folder has grown beyond its limit, what was not used
// for longest goes.
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

  // Makes the folder where there is none; files of other names in it stay as they are. `limit` in bytes. Processes that
  // write at the same time may each exceed it by a sixteenth for a while. invalid_argument: there is a folder, whose
  // images are not trusted, because it belongs to another user or others may write there; io_error.
  static Result<std::shared_ptr<ImageCache>> open(const std::filesystem::path& folder,
                                                  std::uint64_t limit = kDefaultLimit);
  // As long as this exists, of this process alone: so many images at most, of which what was stored first goes first.
  static std::shared_ptr<ImageCache> in_memory(std::size_t images);
  virtual ~ImageCache() = default;

  // `key`: the content_hash() of what an image is made of.
  virtual std::optional<Image> find(const std::string& key) const = 0;
  // An image that cannot be written is not kept, which is no error.
  virtual void store(const std::string& key, const Image& image) = 0;
};

}  // namespace wattune::backend

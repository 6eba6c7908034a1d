// PixelLayout: how pixels lie in device memory that kernels see as an image or a texture, all sizes known.
#pragma once

#include <array>
#include <cstddef>

#include "wattune/core/kernel_spec.h"

namespace wattune::backend {

struct PixelLayout {
  ImageType type = ImageType::image2d;
  std::array<std::size_t, 3> sizes{1, 1, 1};  // in pixels: width, height, depth
  ElementType channel = ElementType::float32;
  unsigned channels = 4;
  ChannelOrder order = ChannelOrder::rgba;
  bool normalized_channels = false;
  bool written = false;  // by kernels
  Sampling sampling;

  bool operator==(const PixelLayout&) const = default;
};

// Returns the bytes of one pixel. Pixels lie one after another in rows, as on the host.
inline std::size_t pixel_bytes(const PixelLayout& layout) { return size_in_bytes(layout.channel) * layout.channels; }
inline std::size_t bytes_of(const PixelLayout& layout) {
  return layout.sizes[0] * layout.sizes[1] * layout.sizes[2] * pixel_bytes(layout);
}

}  // namespace wattune::backend

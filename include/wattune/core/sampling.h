// The properties of pixels and of their sampling: OpenCL's image objects and samplers, CUDA's texture and surface
// objects.
#pragma once

namespace wattune {

// The kinds of images, by OpenCL's names. CUDA's are arrays, and linear memory for image1d_buffer.
enum class ImageType { image1d, image2d, image3d, image1d_buffer };

// The channels of a pixel in memory. CUDA has r, rg and rgba.
enum class ChannelOrder { r, a, intensity, luminance, rg, ra, rgba, bgra, argb };

// The meaning of coordinates beyond an image.
enum class AddressMode {
  edge,    // the nearest pixel
  border,  // zeros
  repeat,  // the image again; normalised coordinates only, as for mirror
  mirror
};

enum class FilterMode { nearest, linear };

struct Sampling {
  AddressMode address = AddressMode::edge;
  FilterMode filter = FilterMode::nearest;
  bool normalized_coordinates = false;  // from 0 to 1 across the image if true, in pixels if false

  bool operator==(const Sampling&) const = default;
};

}  // namespace wattune

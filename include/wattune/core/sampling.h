// How kernels see pixels: the words for OpenCL's image objects and samplers and for CUDA's texture and surface objects.
#pragma once

namespace wattune {

// As OpenCL names them; CUDA's are arrays, and linear memory for image1d_buffer.
enum class ImageType { image1d, image2d, image3d, image1d_buffer };

// Which channels a pixel has, in memory; CUDA has r, rg and rgba.
enum class ChannelOrder { r, a, intensity, luminance, rg, ra, rgba, bgra, argb };

// What coordinates beyond an image mean.
enum class AddressMode {
  edge,    // the nearest pixel
  border,  // zeros
  repeat,  // the image again; normalised coordinates only, as the next
  mirror
};

enum class FilterMode { nearest, linear };

struct Sampling {
  AddressMode address = AddressMode::edge;
  FilterMode filter = FilterMode::nearest;
  bool normalized_coordinates = false;  // from 0 to 1 across the image; false: in pixels

  bool operator==(const Sampling&) const = default;
};

}  // namespace wattune

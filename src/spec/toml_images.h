// Reads images and samplers from TOML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// Returns the type of an image, which is the first word of `type`, before that of a pixel, as in "image2d float4".
std::optional<ImageType> parse_image_type(std::string_view type);

// Lists the keys that an image may have in addition to `size` and the keys of every buffer.
std::vector<std::string> image_keys();
// Reads the image of `vector`, whose type and access are known. Fails with invalid_argument.
Result<PixelImage> read_pixel_image(const Table& table, ImageType type, const VectorArgument& vector);

const std::vector<std::string>& sampling_keys();
// Reads how a kernel samples an image. Fails with invalid_argument.
Result<Sampling> read_sampling(const Table& table);

}  // namespace wattune::spec

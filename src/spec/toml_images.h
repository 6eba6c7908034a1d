// Images and samplers in TOML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// "image2d float4": the word before the type of a pixel.
std::optional<ImageType> parse_image_type(std::string_view type);

// What an image has beside `size` and what every buffer has.
std::vector<std::string> image_keys();
// Of `vector`, whose type and access are known. invalid_argument.
Result<PixelImage> read_pixel_image(const Table& table, ImageType type, const VectorArgument& vector);

const std::vector<std::string>& sampling_keys();
// invalid_argument.
Result<Sampling> read_sampling(const Table& table);

}  // namespace wattune::spec

#include "spec/toml_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/choice.h"

namespace wattune::inline v0_1::spec {

namespace {

struct NamedType {
  std::string_view name;
  ImageType type;
  std::size_t dimensions;
};
constexpr std::array<NamedType, 4> kTypes{{{"image1d", ImageType::image1d, 1},
                                           {"image2d", ImageType::image2d, 2},
                                           {"image3d", ImageType::image3d, 3},
                                           {"image1d_buffer", ImageType::image1d_buffer, 1}}};

// A channel order with its name and number of channels. The first entry with a given number of channels is the default
// for this number.
struct NamedOrder {
  std::string name;
  ChannelOrder order;
  unsigned channels;
};
const std::vector<NamedOrder>& orders() {
  static const std::vector<NamedOrder> orders{{"R", ChannelOrder::r, 1},
                                              {"A", ChannelOrder::a, 1},
                                              {"INTENSITY", ChannelOrder::intensity, 1},
                                              {"LUMINANCE", ChannelOrder::luminance, 1},
                                              {"RG", ChannelOrder::rg, 2},
                                              {"RA", ChannelOrder::ra, 2},
                                              {"RGBA", ChannelOrder::rgba, 4},
                                              {"BGRA", ChannelOrder::bgra, 4},
                                              {"ARGB", ChannelOrder::argb, 4}};
  return orders;
}

Result<ChannelOrder> read_order(const Table& table, unsigned channels) {
  std::vector<std::pair<std::string, ChannelOrder>> choices;
  for (const NamedOrder& each : orders())
    if (each.channels == channels) choices.emplace_back(each.name, each.order);
  if (!choices.empty()) return read_choice<ChannelOrder>(table, "order", "channel order", choices);
  return table.document()
      .error(*table.find("type"), table.name() + " has pixels of a number of channels that no image has")
      .hint("1, 2 or 4, such as float, float2, float4");
}

Result<std::array<ExpressionText, 3>> read_size(const Table& table, std::size_t dimensions) {
  WATTUNE_ASSIGN(const Node* node, table.required("size"));
  const bool is_list = node->kind == Node::Kind::list;
  if ((is_list ? node->elements.size() : 1) != dimensions)
    return table.document().error(*node, fmt::format("{} must have {} dimension{}", table.describe("size"), dimensions,
                                                     dimensions == 1 ? "" : "s"));
  std::array<ExpressionText, 3> sizes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const Node& size = is_list ? node->elements[i] : *node;
    WATTUNE_ASSIGN(sizes[i], table.document().expression(size, table.describe("size")));
  }
  return sizes;
}

// Reads the key `normalized`. If its value is true, kernels read integers of 8 and 16 bits as real numbers.
Result<bool> read_normalized(const Table& table, ElementType channel) {
  WATTUNE_ASSIGN(const std::optional<bool> normalized, table.boolean("normalized"));
  const bool is_real = channel == ElementType::float16 || channel == ElementType::float32;
  if (normalized.value_or(false) && (is_real || size_in_bytes(channel) > 2))
    return table.document().error(*table.find("normalized"),
                                  table.describe("normalized") + " is for integers of 8 or 16 bits");
  return normalized.value_or(false);
}

Result<void> check_channel(const Table& table, ElementType channel) {
  if (size_in_bytes(channel) <= 4 && channel != ElementType::bfloat16) return {};
  return table.document().error(*table.find("type"), table.name() + " has channels that no image has");
}

}  // namespace

std::optional<ImageType> parse_image_type(std::string_view type) {
  const auto found = std::ranges::find(kTypes, type.substr(0, type.find(' ')), &NamedType::name);
  if (found == kTypes.end() || type.find(' ') == std::string_view::npos) return std::nullopt;
  return found->type;
}

std::vector<std::string> image_keys() {
  std::vector<std::string> keys = sampling_keys();
  keys.insert(keys.end(), {"order", "normalized"});
  return keys;
}

Result<PixelImage> read_pixel_image(const Table& table, ImageType type, const VectorArgument& vector) {
  PixelImage image;
  image.type = type;
  WATTUNE_TRY(check_channel(table, vector.type));
  WATTUNE_ASSIGN(image.sizes, read_size(table, std::ranges::find(kTypes, type, &NamedType::type)->dimensions));
  WATTUNE_ASSIGN(image.order, read_order(table, vector.vector_width));
  WATTUNE_ASSIGN(image.normalized_channels, read_normalized(table, vector.type));
  WATTUNE_ASSIGN(image.sampling, read_sampling(table));
  return image;
}

const std::vector<std::string>& sampling_keys() {
  static const std::vector<std::string> keys{"address", "filter", "coordinates"};
  return keys;
}

Result<Sampling> read_sampling(const Table& table) {
  Sampling sampling;
  WATTUNE_ASSIGN(sampling.address, read_choice<AddressMode>(table, "address", "address mode",
                                                            {{"edge", AddressMode::edge},
                                                             {"border", AddressMode::border},
                                                             {"repeat", AddressMode::repeat},
                                                             {"mirror", AddressMode::mirror}}));
  WATTUNE_ASSIGN(sampling.filter,
                 read_choice<FilterMode>(table, "filter", "filter",
                                         {{"nearest", FilterMode::nearest}, {"linear", FilterMode::linear}}));
  WATTUNE_ASSIGN(sampling.normalized_coordinates,
                 read_choice<bool>(table, "coordinates", "coordinates", {{"pixels", false}, {"normalized", true}}));
  const bool wraps = sampling.address == AddressMode::repeat || sampling.address == AddressMode::mirror;
  if (!wraps || sampling.normalized_coordinates) return sampling;
  return table.document()
      .error(*table.find("address"), table.describe("address") + " needs normalised coordinates")
      .hint("coordinates = \"normalized\"");
}

}  // namespace wattune::spec

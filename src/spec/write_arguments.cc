#include "spec/write_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/toml_text.h"

namespace wattune::inline v0_1::spec {

namespace {

std::string component_name(const VectorArgument& vector) {
  return fmt::format("{}{}", c_name(vector.type), vector.vector_width == 1 ? "" : std::to_string(vector.vector_width));
}

std::string_view name_of(ImageType type) {
  switch (type) {
    case ImageType::image1d: return "image1d";
    case ImageType::image2d: return "image2d";
    case ImageType::image3d: return "image3d";
    case ImageType::image1d_buffer: return "image1d_buffer";
  }
  return "unknown";
}

std::string_view name_of(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::r: return "R";
    case ChannelOrder::a: return "A";
    case ChannelOrder::intensity: return "INTENSITY";
    case ChannelOrder::luminance: return "LUMINANCE";
    case ChannelOrder::rg: return "RG";
    case ChannelOrder::ra: return "RA";
    case ChannelOrder::rgba: return "RGBA";
    case ChannelOrder::bgra: return "BGRA";
    case ChannelOrder::argb: return "ARGB";
  }
  return "unknown";
}

std::string_view name_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::edge: return "edge";
    case AddressMode::border: return "border";
    case AddressMode::repeat: return "repeat";
    case AddressMode::mirror: return "mirror";
  }
  return "unknown";
}

std::string_view name_of(ArgumentAccess access) {
  switch (access) {
    case ArgumentAccess::read_only: return "read";
    case ArgumentAccess::write_only: return "write";
    case ArgumentAccess::read_write: return "readwrite";
  }
  return "unknown";
}

// Returns the sizes as a list, without empty sizes at its end. An empty size before others is written as 1.
std::string list_of(const std::array<ExpressionText, 3>& sizes) {
  std::size_t count = sizes.size();
  while (count > 1 && sizes[count - 1].text.empty()) --count;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(toml_string(sizes[i].text.empty() ? "1" : sizes[i].text));
  return toml_list(texts);
}

struct FillWriter {
  TomlTable& out;

  void number(std::string_view key, double value) const { out.add(key, format_real(value)); }
  void operator()(const FillConstant& fill) const {
    out.add_text("fill", "constant");
    out.add("value", fill.value.to_string());
  }
  void operator()(const FillUniform& fill) const {
    out.add_text("fill", "uniform");
    number("low", fill.low);
    number("high", fill.high);
    if (fill.seed) out.add("seed", std::to_string(*fill.seed));
  }
  void operator()(const FillNormal& fill) const {
    out.add_text("fill", "normal");
    number("mean", fill.mean);
    number("deviation", fill.deviation);
    if (fill.seed) out.add("seed", std::to_string(*fill.seed));
  }
  void operator()(const FillIota& fill) const {
    out.add_text("fill", "iota");
    number("start", fill.start);
    number("step", fill.step);
  }
  void operator()(const FillExpression& fill) const {
    out.add_text("fill", "expression");
    out.add("expression", toml_string(fill.expression));
  }
  void operator()(const FillFile& fill) const {
    out.add_text("fill", "file");
    out.add("file", toml_string(fill.path.string()));
  }
};

void write_sampling(const Sampling& sampling, TomlTable& out) {
  out.add_text("address", name_of(sampling.address));
  out.add_text("filter", sampling.filter == FilterMode::linear ? "linear" : "nearest");
  out.add_text("coordinates", sampling.normalized_coordinates ? "normalized" : "pixels");
}

void write_image(const PixelImage& image, TomlTable& out) {
  out.add("size", list_of(image.sizes));
  out.add_text("order", name_of(image.order));
  if (image.normalized_channels) out.add("normalized", "true");
  write_sampling(image.sampling, out);
}

std::string type_of(const VectorArgument& vector) {
  if (vector.image) return fmt::format("{} {}", name_of(vector.image->type), component_name(vector));
  const char* place = vector.place == BufferPlace::constant ? "constant " : "";
  return fmt::format("{}{}*", place, vector.fields.empty() ? component_name(vector) : "struct");
}

std::string field_toml(const BufferField& field, bool filled) {
  TomlTable out;
  out.add_text("name", field.name);
  out.add_text("type", c_name(field.type));
  if (filled) std::visit(FillWriter{out}, field.fill);
  return out.in_line();
}

// Writes the initial contents of a buffer. Structs are filled as a whole from a file, or field by field.
void write_contents(const VectorArgument& vector, TomlTable& out) {
  const bool filled = vector.access != ArgumentAccess::write_only;
  const bool whole = vector.fields.empty() || std::holds_alternative<FillFile>(vector.fill);
  if (filled && whole) std::visit(FillWriter{out}, vector.fill);
  std::vector<std::string> fields;
  for (const BufferField& field : vector.fields) fields.push_back(field_toml(field, filled && !whole));
  if (!fields.empty()) out.add("fields", toml_list(fields));
}

struct ArgumentWriter {
  TomlTable& out;

  void operator()(const VectorArgument& vector) const {
    out.add_text("type", type_of(vector));
    if (vector.image)
      write_image(*vector.image, out);
    else
      out.add("length", toml_string(vector.length));
    out.add_text("access", name_of(vector.access));
    write_contents(vector, out);
    if (vector.comparison == OutputComparison::sum) out.add_text("compare", "sum");
    if (vector.comparison == OutputComparison::none) out.add_text("compare", "none");
    out.add_text("compare_length", vector.compared_length.text);
  }
  void operator()(const ScalarArgument& scalar) const {
    out.add_text("type", c_name(scalar.type));
    out.add("value", toml_string(scalar.value));
  }
  void operator()(const StructArgument& structure) const {
    if (structure.is_vector) {
      out.add_text("type", fmt::format("{}{}", c_name(structure.fields[0].scalar.type), structure.fields.size()));
      std::vector<std::string> values;
      for (const StructField& field : structure.fields) values.push_back(toml_string(field.scalar.value));
      out.add("value", toml_list(values));
      return;
    }
    out.add_text("type", "struct");
    std::vector<std::string> fields;
    for (const StructField& field : structure.fields) {
      TomlTable table;
      table.add_text("name", field.name);
      ArgumentWriter{table}(field.scalar);
      fields.push_back(table.in_line());
    }
    out.add("fields", toml_list(fields));
  }
  void operator()(const LocalArgument& local) const {
    out.add_text("type", fmt::format("local {}", c_name(local.type)));
    out.add("length", toml_string(local.length));
  }
  void operator()(const NullArgument&) const {
    out.add_text("type", "float*");
    out.add("null", "true");
  }
  void operator()(const SamplerArgument& sampler) const {
    out.add_text("type", "sampler");
    write_sampling(sampler.sampling, out);
  }
};

std::string names_of(const KernelSpec& spec, const std::vector<std::size_t>& arguments) {
  std::vector<std::string> names;
  for (const std::size_t argument : arguments) names.push_back(toml_string(spec.arguments[argument].name));
  return toml_list(names);
}

// Returns the grid, that is, each size divided by its divisors and rounded up. It is computed as the key `divide`
// computes it. The spec is written with this grid, because the sizes need not be the problem's extents.
std::array<ExpressionText, 3> grid_of(const Geometry& geometry) {
  std::array<ExpressionText, 3> grid = geometry.sizes;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::string divisor;
    for (const ExpressionText& each : geometry.divisors[i])
      divisor += fmt::format("{}({})", divisor.empty() ? "" : " * ", each.text);
    if (divisor.empty() || grid[i].text.empty()) continue;
    grid[i].text = fmt::format("(({}) + {} - 1) // ({})", grid[i].text, divisor, divisor);
  }
  return grid;
}

void write_geometry(const Geometry& geometry, TomlTable& out) {
  const bool is_divided = geometry.convention == GeometryConvention::divided;
  out.add(geometry.convention == GeometryConvention::opencl ? "global" : "grid",
          list_of(is_divided ? grid_of(geometry) : geometry.sizes));
  out.add("block", list_of(geometry.work_group));
  if (!geometry.cluster[0].text.empty()) out.add("cluster", list_of(geometry.cluster));
  if (geometry.cooperative) out.add("cooperative", "true");
}

std::string launches_toml(const KernelSpec& spec, const std::vector<LaunchStep>& steps);

// Writes the keys that launches and groups have in common.
void write_repetition(const KernelSpec& spec, const LaunchStep& step, TomlTable& out) {
  out.add_text("when", step.condition.text);
  out.add_text("repeat", step.repeat.text);
  out.add_text("index", step.index);
  std::vector<std::string> swaps;
  for (const std::vector<std::size_t>& swap : step.swaps) swaps.push_back(names_of(spec, swap));
  if (!swaps.empty()) out.add("swap", toml_list(swaps));
}

std::string step_toml(const KernelSpec& spec, const LaunchStep& step) {
  TomlTable out;
  write_repetition(spec, step, out);
  if (!step.group.empty()) {
    out.add("launch", launches_toml(spec, step.group));
    return out.in_line();
  }
  out.add_text("function", step.function);
  out.add("arguments", names_of(spec, step.arguments));
  if (!is_host_language(spec.source.language)) write_geometry(step.geometry, out);
  TomlTable values;
  for (const LaunchValue& each : step.values) values.add(spec.arguments[each.argument].name, toml_string(each.value));
  if (!values.empty()) out.add("values", values.in_line());
  return out.in_line();
}

std::string launches_toml(const KernelSpec& spec, const std::vector<LaunchStep>& steps) {
  std::vector<std::string> launches;
  for (const LaunchStep& step : steps) launches.push_back(step_toml(spec, step));
  return toml_list(launches);
}

}  // namespace

std::string argument_toml(const Argument& argument) {
  TomlTable out;
  out.add_text("name", argument.name);
  std::visit(ArgumentWriter{out}, argument.kind);
  return out.in_line();
}

std::string launch_toml(const KernelSpec& spec) {
  if (!spec.steps.empty()) return launches_toml(spec, spec.steps);
  TomlTable out;
  write_geometry(spec.geometry, out);
  return out.in_line();
}

}  // namespace wattune::spec

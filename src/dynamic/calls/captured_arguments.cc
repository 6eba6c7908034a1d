#include "dynamic/calls/captured_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "core/interface/printable.h"
#include "measure/interface/half.h"
#include "space/interface/expression.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Error misfit(const std::string& argument, const std::string& why) {
  return Error(ErrorCode::invalid_argument, fmt::format("argument {} {}", in_quotes(argument), why));
}

template <typename T>
T read(Bytes bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Converts an unsigned number to a constant. Numbers beyond 2^63 - 1 are too large for integers of expressions, and are
// written as texts of digits.
std::string unsigned_text(std::uint64_t value) {
  return value <= std::uint64_t{INT64_MAX} ? std::to_string(value) : fmt::format("'{}'", value);
}

// Converts a scalar to an expression. Precondition: the number of bytes is the size of the type.
Result<std::string> scalar_text(ElementType type, Bytes bytes, const std::string& name) {
  switch (type) {
    case ElementType::int8: return std::to_string(read<std::int8_t>(bytes));
    case ElementType::uint8: return std::to_string(read<std::uint8_t>(bytes));
    case ElementType::int16: return std::to_string(read<std::int16_t>(bytes));
    case ElementType::uint16: return std::to_string(read<std::uint16_t>(bytes));
    case ElementType::int32: return std::to_string(read<std::int32_t>(bytes));
    case ElementType::uint32: return std::to_string(read<std::uint32_t>(bytes));
    case ElementType::int64: return std::to_string(read<std::int64_t>(bytes));
    case ElementType::uint64: return unsigned_text(read<std::uint64_t>(bytes));
    case ElementType::float16: return format_real(measure::half_to_float(read<std::uint16_t>(bytes)));
    case ElementType::bfloat16: return format_real(measure::bfloat_to_float(read<std::uint16_t>(bytes)));
    case ElementType::float32: return format_real(double{read<float>(bytes)});
    case ElementType::float64: return format_real(read<double>(bytes));
  }
  return misfit(name, "is of an unknown type");
}

Result<void> check_size(const std::string& name, Bytes bytes, std::size_t wanted) {
  if (bytes.size() == wanted) return {};
  return misfit(name, fmt::format("has {} bytes where the spec has {}", bytes.size(), wanted));
}

Result<void> capture_scalar(ScalarArgument& scalar, Bytes bytes, const std::string& name) {
  WATTUNE_TRY(check_size(name, bytes, size_in_bytes(scalar.type)));
  WATTUNE_ASSIGN(scalar.value.text, scalar_text(scalar.type, bytes, name));
  return {};
}

Result<void> capture_struct(StructArgument& structure, Bytes bytes, const std::string& name) {
  const StructLayout layout = layout_of(structure);
  WATTUNE_TRY(check_size(name, bytes, layout.bytes));
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    ScalarArgument& field = structure.fields[i].scalar;
    WATTUNE_TRY(capture_scalar(field, bytes.subspan(layout.offsets[i], size_in_bytes(field.type)), name));
  }
  return {};
}

// Copies the bytes of a call into the arguments of a spec, one argument after another.
class ArgumentCapture {
 public:
  ArgumentCapture(KernelSpec& spec, const CapturedCall& call, const std::string& name, std::uint64_t most_bytes)
      : spec_(spec), call_(call), name_(name), most_bytes_(most_bytes) {}

  Result<std::vector<CapturedFile>> run() {
    for (position_ = 0; position_ < spec_.arguments.size(); ++position_) {
      argument_ = &spec_.arguments[position_];
      WATTUNE_TRY(std::visit([this](auto& kind) { return take(kind); }, argument_->kind));
    }
    spec_.reference = std::monostate();
    if (!expected_.outputs.empty()) spec_.reference = std::move(expected_);
    return std::move(files_);
  }

 private:
  Bytes given() const { return call_.arguments[position_]; }
  Bytes left() const { return position_ < call_.outputs.size() ? call_.outputs[position_] : Bytes(); }
  const std::string& name() const { return argument_->name; }

  Result<void> take(ScalarArgument& scalar) { return capture_scalar(scalar, given(), name()); }
  Result<void> take(StructArgument& structure) { return capture_struct(structure, given(), name()); }
  Result<void> take(VectorArgument& vector) {
    if (vector.access != ArgumentAccess::write_only) WATTUNE_TRY(take_contents(vector));
    if (left().empty()) return check_expected(vector);
    if (vector.access == ArgumentAccess::read_only) return misfit(name(), "is only read, but has an expected output");
    WATTUNE_ASSIGN(const std::string file, add_file(vector, left(), ".expected"));
    expected_.outputs.emplace_back(name(), file);
    return {};
  }
  Result<void> take(LocalArgument&) { return check_size(name(), given(), 0); }
  Result<void> take(NullArgument&) { return check_size(name(), given(), 0); }
  Result<void> take(SamplerArgument&) { return check_size(name(), given(), 0); }

  Result<void> take_contents(VectorArgument& vector) {
    WATTUNE_ASSIGN(const std::string file, add_file(vector, given(), ""));
    vector.fill = FillFile{file};
    return {};
  }

  // Checks that the call gives expected contents for all compared outputs, or for none of them.
  Result<void> check_expected(const VectorArgument& vector) const {
    const bool is_compared = vector.access != ArgumentAccess::read_only && vector.comparison != OutputComparison::none;
    const bool others_are = std::ranges::any_of(call_.outputs, [](Bytes bytes) { return !bytes.empty(); });
    if (is_compared && others_are) return misfit(name(), "is written, but has no expected output, as others have");
    return {};
  }

  // Adds a file for a buffer and sets the buffer's length to that of the bytes. So a buffer that is longer than its
  // declaration is captured whole.
  Result<std::string> add_file(VectorArgument& vector, Bytes bytes, std::string_view kind) {
    const std::size_t element = element_bytes(vector);
    if (bytes.empty() || bytes.size() % element != 0)
      return misfit(name(), fmt::format("has {} bytes, which are not elements of {}", bytes.size(), element));
    if (bytes.size() > most_bytes_)
      return misfit(name(), fmt::format("has {} bytes, more than the {} that are allowed", bytes.size(), most_bytes_))
          .hint("allow more, or capture a smaller call");
    if (!vector.image) WATTUNE_TRY(set_length(vector, bytes.size() / element));
    files_.push_back({fmt::format("{}.{}{}.bin", name_, plain_name(name()), kind), bytes});
    return files_.back().name;
  }

  Result<void> set_length(VectorArgument& vector, std::size_t elements) const {
    WATTUNE_ASSIGN(const space::Expression length, space::Expression::parse(vector.length.text));
    for (const std::string& each : length.names())
      if (std::ranges::count(spec_.parameters, each, &Parameter::name) > 0)
        return misfit(name(), "has a length that depends on parameters, so that other configurations need other data")
            .about(vector.length.text);
    vector.length.text = std::to_string(elements);
    return {};
  }

  KernelSpec& spec_;
  const CapturedCall& call_;
  const std::string& name_;
  std::uint64_t most_bytes_;
  std::size_t position_ = 0;
  Argument* argument_ = nullptr;
  std::vector<CapturedFile> files_;
  ReferenceData expected_;
};

}  // namespace

std::string plain_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }, '_');
  return name.empty() ? "kernel" : name;
}

Result<void> capture_value(Argument& argument, Bytes value) {
  if (auto* const scalar = std::get_if<ScalarArgument>(&argument.kind))
    return capture_scalar(*scalar, value, argument.name);
  auto* const structure = std::get_if<StructArgument>(&argument.kind);
  if (structure != nullptr) return capture_struct(*structure, value, argument.name);
  return misfit(argument.name, "is neither a scalar nor a struct");
}

Result<std::vector<CapturedFile>> capture_arguments(KernelSpec& spec, const CapturedCall& call, const std::string& name,
                                                    std::uint64_t most_bytes) {
  if (call.arguments.size() == spec.arguments.size()) return ArgumentCapture(spec, call, name, most_bytes).run();
  return Error(ErrorCode::invalid_argument,
               fmt::format("the call has {} arguments, the kernel {}", call.arguments.size(), spec.arguments.size()));
}

}  // namespace wattune::dynamic

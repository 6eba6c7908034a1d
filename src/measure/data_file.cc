// Data files: raw little-endian elements, or NumPy's .npy (versions 1 to 3), whose format is described in NumPy's
// documentation, "NEP 1 - A simple file format for NumPy arrays". Files are recognised by their first bytes.
#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/interface/system_error.h"
#include "measure/interface/arguments.h"

namespace wattune::inline v0_1::measure {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// The contents of an .npy header, which is a Python dictionary of these three keys.
struct Header {
  std::string descr;  // "<f4": byte order, kind, bytes
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
};

Result<std::vector<char>> read_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory)
    return Error(ErrorCode::not_found, "no such file").about(path.string());
  std::ifstream file(path, std::ios::binary);
  if (error) return system_error("cannot read", path, error.value());
  if (!file) return system_error("cannot read", path, errno);
  std::vector<char> bytes(size);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) return Error(ErrorCode::io_error, "cannot read the file to its end").about(path.string());
  return bytes;
}

// Returns the text that follows `'key':`, without leading blanks.
std::optional<std::string_view> value_of(std::string_view dictionary, std::string_view key) {
  for (char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}:", quote, key, quote);
    const std::size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    dictionary.remove_prefix(at + quoted.size());
    dictionary.remove_prefix(std::min(dictionary.find_first_not_of(' '), dictionary.size()));
    return dictionary;
  }
  return std::nullopt;
}

// Parses a shape such as "(10, 20)", "(10,)" or "()".
std::optional<std::vector<std::size_t>> parse_shape(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  std::vector<std::size_t> shape;
  for (text.remove_prefix(1); !text.empty();) {
    if (text.front() == ')') return shape;
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{}) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return std::nullopt;
}

std::optional<Header> parse_dictionary(std::string_view dictionary) {
  const auto descr = value_of(dictionary, "descr");
  const auto order = value_of(dictionary, "fortran_order");
  const auto shape_text = value_of(dictionary, "shape");
  if (!descr || descr->size() < 2 || !order || !shape_text) return std::nullopt;
  const auto shape = parse_shape(*shape_text);
  const std::size_t end_of_descr = descr->find(descr->front(), 1);
  if (!shape || end_of_descr == std::string_view::npos) return std::nullopt;
  return Header{std::string(descr->substr(1, end_of_descr - 1)), order->starts_with("True"), *shape, 0};
}

// Parses a header. The file consists of magic, version, little-endian length of the dictionary (two bytes in version 1,
// four in later ones), dictionary and data.
std::optional<Header> parse_header(std::string_view file) {
  constexpr std::size_t kLengthAt = 8;
  if (file.size() < kLengthAt) return std::nullopt;
  const std::size_t length_bytes = file[6] == 1 ? 2 : 4;
  const std::size_t dictionary_at = kLengthAt + length_bytes;
  if (file.size() < dictionary_at) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::size_t{static_cast<unsigned char>(file[kLengthAt + i])} << (8 * i);
  if (length > file.size() - dictionary_at) return std::nullopt;
  std::optional<Header> header = parse_dictionary(file.substr(dictionary_at, length));
  if (header) header->data_offset = dictionary_at + length;
  return header;
}

// Returns NumPy's name of the type: byte order, kind and bytes. One-byte types have no byte order. NumPy has no
// bfloat16 of its own, and writes elements of ml_dtypes' bfloat16 as two bytes of any kind.
std::string descr_of(ElementType type) {
  if (type == ElementType::bfloat16) return "<V2";
  const char kind = to_string(type).front();  // "i", "u" or "f"
  const std::size_t bytes = size_in_bytes(type);
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

Result<void> check_layout(const Header& header, ElementType type) {
  const std::string wanted = descr_of(type);
  const bool bool_as_uint8 = header.descr == "|b1" && type == ElementType::uint8;
  const bool void_as_bfloat16 = header.descr == "|V2" && type == ElementType::bfloat16;
  if (header.descr != wanted && !bool_as_uint8 && !void_as_bfloat16)
    return Error(ErrorCode::mismatch, fmt::format("the file's type is not {} (NumPy's {}{})", to_string(type), wanted,
                                                  type == ElementType::bfloat16 ? ", of ml_dtypes" : ""))
        .about(header.descr);
  if (header.fortran_order && header.shape.size() > 1)
    return Error(ErrorCode::mismatch, "the array is in Fortran order").hint("save numpy.ascontiguousarray(a)");
  return {};
}

Result<std::size_t> element_count(const Header& header) {
  std::size_t count = 1;
  for (std::size_t extent : header.shape)
    if (__builtin_mul_overflow(count, extent, &count)) return Error(ErrorCode::parse_error, "the shape is too large");
  return count;
}

Error size_mismatch(std::size_t wanted, const std::filesystem::path& path, const std::string& held) {
  return Error(ErrorCode::mismatch, fmt::format("size mismatch: {} elements are needed, {} holds {}", wanted,
                                                path.filename().string(), held));
}

std::vector<std::byte> to_byte_vector(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Result<std::vector<std::byte>> npy_data(std::string_view file, const std::filesystem::path& path, ElementType type,
                                        std::size_t elements) {
  const std::optional<Header> header = parse_header(file);
  if (!header) return Error(ErrorCode::parse_error, "not a readable .npy header").about(path.string());
  if (Result<void> layout = check_layout(*header, type); !layout)
    return std::move(layout).error().with_context(path.filename().string());
  WATTUNE_ASSIGN(const std::size_t count, element_count(*header));
  if (count != elements) return size_mismatch(elements, path, fmt::format("{}", count));
  const std::string_view data = file.substr(header->data_offset);
  if (data.size() / size_in_bytes(type) < elements)
    return Error(ErrorCode::mismatch, "the file ends before its last element").about(path.string());
  return to_byte_vector(data.substr(0, elements * size_in_bytes(type)));
}

}  // namespace

Result<std::vector<std::byte>> read_data_file(const std::filesystem::path& path, ElementType type,
                                              std::size_t elements) {
  WATTUNE_ASSIGN(const std::vector<char> contents, read_file(path));
  const std::string_view file(contents.data(), contents.size());
  if (file.starts_with(kMagic)) return npy_data(file, path, type, elements);
  const std::size_t size = size_in_bytes(type);
  if (file.size() % size != 0)
    return size_mismatch(elements, path, fmt::format("{} bytes, no whole number of {}", file.size(), to_string(type)));
  if (file.size() / size != elements) return size_mismatch(elements, path, fmt::format("{}", file.size() / size));
  return to_byte_vector(file);
}

}  // namespace wattune::measure

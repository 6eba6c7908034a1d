#include "backend/cuda/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns the value at this offset of the code; nullopt if the code ends before the value does.
template <typename T>
std::optional<T> value_at(std::string_view code, std::uint64_t at) {
  if (at > code.size() || code.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

std::string_view part_of(std::string_view code, std::uint64_t at, std::uint64_t size) {
  if (at > code.size() || code.size() - at < size) return {};
  return code.substr(at, size);
}

std::string text_at(std::string_view strings, std::uint64_t at) {
  if (at >= strings.size()) return {};
  strings.remove_prefix(at);
  return std::string(strings.substr(0, strings.find('\0')));
}

// Returns the bytes of each parameter of a kernel, read from the kernel's attributes.
//
// An attribute begins with a byte for its format and one for its kind. Two bytes follow, which are its value or the
// size of the data that follows. Each parameter has an attribute, and one more attribute has the size of all
// parameters. At byte 4 of a parameter's data is the parameter's number, and at byte 8 a word with its size. The size
// is in the upper 14 bits of the word, or in its lower 16 bits in the second version of the attribute, which allows
// larger sizes.
//
// Returns nullopt if a parameter is missing. Returns nullopt, too, if there are parameters without the size of all, or
// this size without parameters.
std::optional<std::vector<std::size_t>> parameters_in(std::string_view attributes) {
  constexpr std::uint8_t kSized = 4;
  constexpr std::uint8_t kAllParameters = 0x19;
  constexpr std::uint8_t kParameter = 0x17;
  constexpr std::uint8_t kParameter2 = 0x45;
  constexpr std::size_t kAttributeHeadBytes = 4;
  std::vector<std::size_t> bytes;
  std::size_t all = 0;
  for (std::size_t at = 0; at + kAttributeHeadBytes <= attributes.size();) {
    const auto format = value_at<std::uint8_t>(attributes, at);
    const auto attribute = value_at<std::uint8_t>(attributes, at + 1);
    const auto size = value_at<std::uint16_t>(attributes, at + 2);
    const auto number = value_at<std::uint16_t>(attributes, at + kAttributeHeadBytes + 4);
    const auto word = value_at<std::uint32_t>(attributes, at + kAttributeHeadBytes + 8);
    if (format != kSized && attribute == kAllParameters) all = *size;
    if (format == kSized && (attribute == kParameter || attribute == kParameter2) && number && word) {
      if (bytes.size() <= *number) bytes.resize(*number + std::size_t{1});
      bytes[*number] = attribute == kParameter ? *word >> 18 : *word & 0xffff;
    }
    at += kAttributeHeadBytes + (format == kSized ? *size : 0);
  }
  const bool is_whole = std::ranges::count(bytes, std::size_t{0}) == 0 && bytes.empty() == (all == 0);
  return is_whole ? std::optional(std::move(bytes)) : std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code) {
    const auto header = value_at<Elf64_Ehdr>(code, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    for (std::uint64_t i = 0; i < header->e_shnum; ++i)
      if (const auto section = value_at<Elf64_Shdr>(code, header->e_shoff + i * header->e_shentsize))
        sections_.push_back(*section);
    if (header->e_shstrndx < sections_.size()) names_ = contents(sections_[header->e_shstrndx]);
  }

  CubinFacts read() const {
    constexpr std::string_view kInfo = ".nv.info.";
    CubinFacts facts;
    for (const Elf64_Shdr& section : sections_) {
      const std::string name = text_at(names_, section.sh_name);
      if (name.starts_with(kInfo))
        if (auto parameters = parameters_in(contents(section)))
          facts.parameters[name.substr(kInfo.size())] = *std::move(parameters);
      if (section.sh_type == SHT_SYMTAB) read_symbols(section, facts);
    }
    return facts;
  }

 private:
  std::string_view contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : part_of(code_, section.sh_offset, section.sh_size);
  }

  void read_symbols(const Elf64_Shdr& table, CubinFacts& facts) const {
    if (table.sh_link >= sections_.size()) return;
    const std::string_view strings = contents(sections_[table.sh_link]);
    const std::string_view symbols = contents(table);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const Elf64_Sym symbol = *value_at<Elf64_Sym>(symbols, at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= sections_.size()) continue;
      const std::string section = text_at(names_, sections_[symbol.st_shndx].sh_name);
      if (section.starts_with(".nv.constant3")) facts.constants[text_at(strings, symbol.st_name)] = symbol.st_size;
    }
  }

  std::string_view code_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

}  // namespace

CubinFacts facts_of_cubin(std::string_view code) { return Reader(code).read(); }

}  // namespace wattune::backend::cuda

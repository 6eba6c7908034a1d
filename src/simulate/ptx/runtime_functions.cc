#include "simulate/ptx/runtime_functions.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "simulate/ptx/warp.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Bounds the length of a text that is read, so that reading a text without an end stops.
constexpr std::size_t kLongestText = 64 * 1024;
constexpr std::size_t kLongestDirective = 10;
// Default size of CUDA's heap, in bytes.
constexpr std::uint64_t kHeapBytes = 8 << 20;

std::optional<std::string> text_at(Warp& warp, unsigned lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestText) {
    const std::byte* character = warp.memory(Space::generic, lane, address + text.size(), 1, 1);
    if (character == nullptr) return std::nullopt;
    if (*character == std::byte{0}) break;
    text.push_back(static_cast<char>(*character));
  }
  return text;
}

// Returns argument i of the call.
std::uint64_t argument(Warp& warp, const Operation& operation, unsigned lane, std::size_t i) {
  const std::vector<Formal>& arguments = warp.function().calls[operation.target].arguments;
  if (i >= arguments.size()) return 0;
  const Formal& formal = arguments[i];
  if (formal.in_register) return warp.word(formal.column, lane);
  std::uint64_t value = 0;
  const std::byte* from = warp.memory(Space::local, lane, warp.local_base() + formal.offset, formal.bytes, 1);
  if (from != nullptr) std::memcpy(&value, from, std::min<std::size_t>(formal.bytes, sizeof(value)));
  return value;
}

void set_result(Warp& warp, const Operation& operation, unsigned lane, std::uint64_t value) {
  const std::vector<Formal>& results = warp.function().calls[operation.target].results;
  if (results.empty()) return;
  const Formal& formal = results.front();
  if (formal.in_register) return warp.set_word(formal.column, lane, value);
  std::byte* to = warp.memory(Space::local, lane, warp.local_base() + formal.offset, formal.bytes, 1);
  if (to != nullptr) std::memcpy(to, &value, std::min<std::size_t>(formal.bytes, sizeof(value)));
}

// A reader of printf's arguments. Each argument is aligned to its size.
class PrintedValues {
 public:
  PrintedValues(Warp& warp, unsigned lane, std::uint64_t address) : warp_(warp), lane_(lane), address_(address) {}

  std::uint64_t next(std::size_t bytes) {
    address_ = (address_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    const std::byte* from = warp_.memory(Space::generic, lane_, address_, bytes, bytes);
    if (from != nullptr) std::memcpy(&value, from, bytes);
    address_ += bytes;
    return value;
  }

 private:
  Warp& warp_;
  unsigned lane_;
  std::uint64_t address_;
};

// A directive such as "%-8.3lld". It consists of flags, width and precision as written, then lengths, then the letter.
struct Directive {
  std::string start;  // all before the lengths, with each `*` replaced
  bool is_long = false;
  char letter = 0;
};

Directive read_directive(std::string_view format, std::size_t& at, PrintedValues& values) {
  Directive directive{.start = "%"};
  for (++at; at < format.size(); ++at) {
    const char c = format[at];
    if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos)
      directive.start.push_back(c);
    else if (c == '*')
      directive.start += std::to_string(static_cast<std::int32_t>(values.next(4)));
    else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
      directive.is_long = true;
    else if (c != 'h' && c != 'L')
      break;
  }
  if (at < format.size()) directive.letter = format[at++];
  return directive;
}

// Prints a value as C does. If printf does not accept the directive, or if the result would fill memory, prints the
// directive itself.
template <class T>
std::string printed_as(const std::string& form, const T& value) {
  if (form.size() > kLongestDirective) return form;
  try {
    return fmt::sprintf(form, value);
  } catch (const fmt::format_error&) {
    return form;
  }
}

std::string number_text(const Directive& directive, std::uint64_t bits) {
  const std::string form = directive.start + directive.letter;
  const bool has_sign = directive.letter == 'd' || directive.letter == 'i';
  if (directive.is_long) {
    if (has_sign) return printed_as(form, static_cast<std::int64_t>(bits));
    return printed_as(form, bits);
  }
  if (has_sign) return printed_as(form, static_cast<std::int32_t>(bits));
  return printed_as(form, static_cast<std::uint32_t>(bits));
}

std::string value_text(Warp& warp, unsigned lane, const Directive& directive, PrintedValues& values) {
  constexpr std::string_view kFloats = "aAeEfFgG";
  if (directive.letter == '%') return "%";
  if (directive.letter == 's') {
    const std::optional<std::string> text = text_at(warp, lane, values.next(8));
    return text ? printed_as(directive.start + "s", *text) : "";
  }
  if (directive.letter == 'c') return std::string(1, static_cast<char>(values.next(4)));
  if (directive.letter == 'p') return fmt::format("{:#x}", values.next(8));
  if (kFloats.find(directive.letter) != std::string_view::npos)
    return printed_as(directive.start + directive.letter, std::bit_cast<double>(values.next(8)));
  if (std::string_view("diuoxX").find(directive.letter) == std::string_view::npos) return "";
  return number_text(directive, values.next(directive.is_long ? 8 : 4));
}

std::string formatted(Warp& warp, unsigned lane, std::string_view format, PrintedValues& values) {
  std::string text;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] == '%')
      text += value_text(warp, lane, read_directive(format, at, values), values);
    else
      text.push_back(format[at++]);
  }
  return text;
}

// Runs vprintf(format, values).
void print(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::optional<std::string> format = text_at(warp, lane, argument(warp, operation, lane, 0));
    if (!format) return;
    PrintedValues values(warp, lane, argument(warp, operation, lane, 1));
    warp.launch().printed += formatted(warp, lane, *format, values);
    set_result(warp, operation, lane, 1);
  });
}

// Runs __assertfail(message, file, line, function, size of a character). It ends the run with an error.
void fail_assertion(Warp& warp, const Operation& operation, LaneMask lanes) {
  const auto lane = first_lane(lanes);
  const auto text = [&](std::size_t i) {
    return text_at(warp, lane, argument(warp, operation, lane, i)).value_or("?");
  };
  const std::string message =
      fmt::format("{}:{}: assertion failed in {}: {}", text(1), argument(warp, operation, lane, 2), text(3), text(0));
  warp.fault(lane, ErrorCode::launch_failed, message);
}

void allocate_memory(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t bytes = argument(warp, operation, lane, 0);
    const bool fits = bytes <= kHeapBytes - warp.launch().heap_bytes;
    if (fits) warp.launch().heap_bytes += bytes;
    set_result(warp, operation, lane, fits ? warp.launch().memory.allocate(bytes, "a kernel's malloc") : 0);
  });
}

void release_memory(Warp& warp, const Operation& operation, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = argument(warp, operation, lane, 0);
    warp.launch().last_used = {};
    if (address != 0 && !warp.launch().memory.release(address))
      warp.fault(lane, ErrorCode::launch_failed, fmt::format("free of {:#x}, where no buffer begins", address));
  });
}

}  // namespace

Handler runtime_function(std::string_view name) {
  if (name == "vprintf") return &print;
  if (name == "__assertfail") return &fail_assertion;
  if (name == "malloc") return &allocate_memory;
  return name == "free" ? &release_memory : nullptr;
}

}  // namespace wattune::simulate::ptx

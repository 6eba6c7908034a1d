#include "backend/worker/guarded_arguments.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wattune::inline v0_1::backend::worker {

namespace {

constexpr std::size_t kGuard = std::size_t{1} << 20;  // inaccessible bytes on each side of a piece
constexpr std::size_t kAlignment = 64;                // alignment of contents, for vectorised references
constexpr std::byte kPattern{0xA5};

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::size_t pages_of(std::size_t bytes) { return round_up(bytes, static_cast<std::size_t>(sysconf(_SC_PAGESIZE))); }

Error no_memory(std::size_t bytes) {
  return Error(ErrorCode::unavailable, fmt::format("no memory for the reference's {} bytes of arguments", bytes));
}

std::size_t changed_bytes(const std::byte* begin, const std::byte* end) {
  return static_cast<std::size_t>(std::count_if(begin, end, [](std::byte each) { return each != kPattern; }));
}

template <typename T>
void store(std::span<std::byte> bytes, const std::vector<T>& values) {
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
}

}  // namespace

std::vector<GuardedArguments::Piece> GuardedArguments::pieces_of(const std::vector<ReferenceArgument>& arguments) {
  std::vector<Piece> pieces;
  for (const ReferenceArgument& argument : arguments) {
    const Kind kind = argument.bytes == 0 ? Kind::no_data : Kind::contents;
    pieces.push_back({argument.name, kind, argument.bytes, argument.writable, {}, {}});
  }
  for (const Kind kind : {Kind::pointers, Kind::lengths})
    pieces.push_back({{}, kind, arguments.size() * sizeof(void*), false, {}, {}});
  return pieces;
}

Result<GuardedArguments> GuardedArguments::map(const std::vector<ReferenceArgument>& arguments) {
  std::vector<Piece> pieces = pieces_of(arguments);
  std::size_t total = kGuard;
  for (const Piece& piece : pieces) total += pages_of(piece.size) + kGuard;
  void* const area = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return no_memory(total);
  GuardedArguments mapped(std::span(static_cast<std::byte*>(area), total), std::move(pieces));
  std::byte* next = mapped.area_.data() + kGuard;
  for (Piece& piece : mapped.pieces_) {
    WATTUNE_TRY(place(piece, next));
    next += piece.pages.size() + kGuard;
  }
  mapped.fill(arguments);
  return mapped;
}

void GuardedArguments::fill(const std::vector<ReferenceArgument>& arguments) const {
  std::vector<void*> pointers;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].fill) std::ranges::fill(contents(i), *arguments[i].fill);
    pointers.push_back(contents(i).data());
    lengths.push_back(arguments[i].length);
  }
  store(pieces_[argument_count()].bytes, pointers);
  store(pieces_[argument_count() + 1].bytes, lengths);
}

// Maps a piece as shared memory. The worker then sees what the reference writes, and the piece does not count as
// private memory, which is limited.
Result<void> GuardedArguments::place(Piece& piece, std::byte* begin) {
  const std::size_t size = piece.size;
  piece.pages = {begin, pages_of(size)};
  const std::size_t room = piece.kind == Kind::contents ? round_up(size, kAlignment) : size;
  piece.bytes = {begin + piece.pages.size() - room, size};
  if (size == 0) return {};
  if (mmap(begin, piece.pages.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    return no_memory(size);
  std::fill(begin, piece.bytes.data(), kPattern);
  std::fill(piece.bytes.data() + size, begin + piece.pages.size(), kPattern);
  return {};
}

GuardedArguments::~GuardedArguments() {
  if (!area_.empty()) munmap(area_.data(), area_.size());
}

void* const* GuardedArguments::pointers() const {
  return reinterpret_cast<void* const*>(pieces_[argument_count()].bytes.data());
}

const std::size_t* GuardedArguments::lengths() const {
  return reinterpret_cast<const std::size_t*>(pieces_[argument_count() + 1].bytes.data());
}

void GuardedArguments::make_inputs_read_only() const {
  for (const Piece& piece : pieces_)
    if (!piece.writable && !piece.pages.empty()) mprotect(piece.pages.data(), piece.pages.size(), PROT_READ);
}

void GuardedArguments::explain(const void* address, std::span<char> words) const {
  words[0] = '\0';
  const auto* at = static_cast<const std::byte*>(address);
  if (at < area_.data() || at >= area_.data() + area_.size()) return;
  // An address between two pieces belongs to the nearer one.
  const Piece* nearest = &pieces_.front();
  for (const Piece& piece : pieces_)
    if (piece.pages.data() - static_cast<std::ptrdiff_t>(kGuard / 2) <= at) nearest = &piece;
  explain(*nearest, at - nearest->bytes.data(), words);
}

void GuardedArguments::explain(const Piece& piece, std::ptrdiff_t offset, std::span<char> words) const {
  const bool inside = offset >= 0 && offset < static_cast<std::ptrdiff_t>(piece.bytes.size());
  const char* const name = piece.name.c_str();
  const std::ptrdiff_t element = offset / static_cast<std::ptrdiff_t>(sizeof(void*)) - (offset < 0 ? 1 : 0);
  switch (piece.kind) {
    case Kind::no_data:
      std::snprintf(words.data(), words.size(),
                    "it uses argument `%s`, which has no data here, being local memory, a sampler or a null pointer",
                    name);
      return;
    case Kind::contents:
      if (inside)
        std::snprintf(words.data(), words.size(), "it writes to argument `%s`, which the spec says is only read", name);
      else
        std::snprintf(words.data(), words.size(), "it reads or writes at byte %td of argument `%s`, which has %zu",
                      offset, name, piece.bytes.size());
      return;
    default: break;
  }
  const char* const array = piece.kind == Kind::pointers ? "arguments" : "lengths";
  if (inside)
    std::snprintf(words.data(), words.size(), "it writes to `%s`, which is only to be read", array);
  else
    std::snprintf(words.data(), words.size(), "it uses %s[%td], but the spec lists %zu arguments, counted from 0",
                  array, element, argument_count());
}

std::string GuardedArguments::out_of_bounds_writes() const {
  for (const Piece& piece : pieces_) {
    const std::byte* const end = piece.pages.data() + piece.pages.size();
    const std::size_t before = changed_bytes(piece.pages.data(), piece.bytes.data());
    const std::size_t behind = changed_bytes(piece.bytes.data() + piece.bytes.size(), end);
    if (behind > 0) return fmt::format("wrote {} bytes past the end of argument `{}`", behind, piece.name);
    if (before > 0) return fmt::format("wrote {} bytes before the beginning of argument `{}`", before, piece.name);
  }
  return {};
}

}  // namespace wattune::backend::worker

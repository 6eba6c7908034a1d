// GuardedArguments: the arguments of a reference written in C++, in memory that its process shares with the worker.
//
// Each piece (the contents of an argument, the array of pointers to them, the array of their lengths) ends at the end
// of a page. The memory on both sides is inaccessible, so that an access there ends the reference at once, and
// explain() says which piece is nearest. The rest of a piece's pages holds a pattern, so that writes there are noticed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/worker/protocol.h"

namespace wattune::inline v0_1::backend::worker {

class GuardedArguments {
 public:
  // Maps the arguments. Contents that the request describes by a fill byte are filled; contents that will be received
  // are zero. Fails with unavailable if there is no memory.
  static Result<GuardedArguments> map(const std::vector<ReferenceArgument>& arguments);
  GuardedArguments(GuardedArguments&& other) noexcept
      : area_(std::exchange(other.area_, {})), pieces_(std::move(other.pieces_)) {}
  GuardedArguments& operator=(GuardedArguments&&) = delete;
  ~GuardedArguments();

  std::span<std::byte> contents(std::size_t argument) const { return pieces_[argument].bytes; }
  void* const* pointers() const;
  const std::size_t* lengths() const;

  // Makes inputs read-only from now on; the reference's process calls this.
  void make_inputs_read_only() const;
  // Writes a line about a bad access to this address, which begins with "it " and names the nearest argument. The line
  // is empty if no piece is near. No memory is allocated, because a signal handler calls this.
  void explain(const void* address, std::span<char> words) const;
  // Describes writes before or after the pieces; empty if there were none.
  std::string out_of_bounds_writes() const;

 private:
  enum class Kind { contents, no_data, pointers, lengths };
  struct Piece {
    std::string name;
    Kind kind = Kind::contents;
    std::size_t size = 0;
    bool writable = false;
    std::span<std::byte> pages;  // accessible memory
    std::span<std::byte> bytes;  // the piece itself, within these pages
  };

  GuardedArguments(std::span<std::byte> area, std::vector<Piece> pieces) : area_(area), pieces_(std::move(pieces)) {}
  static std::vector<Piece> pieces_of(const std::vector<ReferenceArgument>& arguments);
  // Makes the pages of the piece accessible, from `begin` on.
  static Result<void> place(Piece& piece, std::byte* begin);
  void fill(const std::vector<ReferenceArgument>& arguments) const;
  void explain(const Piece& piece, std::ptrdiff_t offset, std::span<char> words) const;
  std::size_t argument_count() const { return pieces_.size() - 2; }

  std::span<std::byte> area_;
  std::vector<Piece> pieces_;  // a piece for each argument, then the pointers and the lengths
};

}  // namespace wattune::backend::worker

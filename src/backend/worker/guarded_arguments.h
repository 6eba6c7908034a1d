// GuardedArguments: what a C++ reference is called with, in memory that its process shares with the worker.
//
// Every piece (the contents of an argument, the array of the pointers to them, the array of their lengths) ends at the
// end of a page and has inaccessible memory on both sides, so that an access that misses it ends the reference at once,
// and explain() says which piece it missed. What lies between a piece and the ends of its pages holds a pattern, in
// which writes show.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/worker/protocol.h"

namespace wattune::backend::worker {

class GuardedArguments {
 public:
  // Contents that the request fills are there; those that it sends are zero. unavailable: no memory.
  static Result<GuardedArguments> map(const std::vector<ReferenceArgument>& arguments);
  GuardedArguments(GuardedArguments&& other) noexcept
      : area_(std::exchange(other.area_, {})), pieces_(std::move(other.pieces_)) {}
  GuardedArguments& operator=(GuardedArguments&&) = delete;
  ~GuardedArguments();

  std::span<std::byte> contents(std::size_t argument) const { return pieces_[argument].bytes; }
  void* const* pointers() const;
  const std::size_t* lengths() const;

  // In the reference's process: from now on what is an input can only be read.
  void make_inputs_read_only() const;
  // What an access to this address missed, as one line that begins with "it "; empty when no piece is near. Allocates
  // nothing, for a signal's handler.
  void explain(const void* address, std::span<char> words) const;
  // What was written beside the pieces, in words; empty: nothing.
  std::string out_of_bounds_writes() const;

 private:
  enum class Kind { contents, no_data, pointers, lengths };
  struct Piece {
    std::string name;
    Kind kind = Kind::contents;
    std::size_t size = 0;
    bool writable = false;
    std::span<std::byte> pages;  // that can be accessed
    std::span<std::byte> bytes;  // of these the piece itself
  };

  GuardedArguments(std::span<std::byte> area, std::vector<Piece> pieces) : area_(area), pieces_(std::move(pieces)) {}
  static std::vector<Piece> pieces_of(const std::vector<ReferenceArgument>& arguments);
  // Makes its pages accessible, from `begin` on.
  static Result<void> place(Piece& piece, std::byte* begin);
  void fill(const std::vector<ReferenceArgument>& arguments) const;
  void explain(const Piece& piece, std::ptrdiff_t offset, std::span<char> words) const;
  std::size_t argument_count() const { return pieces_.size() - 2; }

  std::span<std::byte> area_;
  std::vector<Piece> pieces_;  // of each argument, then the pointers and the lengths
};

}  // namespace wattune::backend::worker

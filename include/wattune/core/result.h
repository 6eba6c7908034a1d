// A value, or the Error that an operation ended with.
//
// A function that can fail for a reason the caller must handle returns Result<T>; nothing in the library prints or
// exits. It owns the value. A Result is safe to move between threads.
//
//   Result<int> r = parse(text);
//   if (!r) return std::move(r).error().with_context("while reading the spec");
//   use(*r);
//
// The names follow std::expected (C++23), so that it can replace this class one day.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "wattune/core/error.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1 {

// A value or an error. It is a union of its own, because a std::variant for each T takes compilers longer
// (docs/testing.md).
template <typename T>
class [[nodiscard]] WATTUNE_EXPORT Result {
 public:
  using value_type = T;

  Result(T value) : has_value_(true), value_(std::move(value)) {}
  Result(Error error) : has_value_(false), error_(std::move(error)) {}
  Result(const Result& other)
    requires std::is_copy_constructible_v<T>
      : has_value_(other.has_value_) {
    construct(other);
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(other.has_value_) {
    construct(std::move(other));
  }
  Result& operator=(Result other) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~Result() {
    if (has_value_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value(); }

  // Returns the value; throws Exception if there is none. The value of a temporary Result is returned by value, so that
  // `for (auto& each : read(file).value().trials)` reads no destroyed object.
  T& value() & { return checked(), value_; }
  const T& value() const& { return checked(), value_; }
  T value() && { return checked(), std::move(value_); }

  // Returns the value or the error. Precondition: the caller has checked which of the two there is; the behaviour is
  // undefined otherwise, as in std::expected.
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  template <typename Other>
  void construct(Other&& other) {
    if (has_value_) {
      std::construct_at(&value_, *std::forward<Other>(other));
    } else {
      std::construct_at(&error_, std::forward<Other>(other).error());
    }
  }
  void checked() const {
    if (!has_value()) throw Exception(error_);
  }

  bool has_value_;
  union {
    T value_;
    Error error_;
  };
};

template <>
class [[nodiscard]] WATTUNE_EXPORT Result<void> {
 public:
  using value_type = void;

  // Initialises no bytes of an Error. A defaulted constructor would let `return {};` fill them all with zeros at each
  // success.
  Result() {}
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) throw Exception(*error_);
  }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace wattune

// Leaves the calling function with the error of `expression`, or continues.
#define WATTUNE_TRY(expression)                                                                        \
  do {                                                                                                 \
    if (auto wattune_result = (expression); !wattune_result) return std::move(wattune_result).error(); \
  } while (false)

#define WATTUNE_CONCAT_INNER(a, b) a##b
#define WATTUNE_CONCAT(a, b) WATTUNE_CONCAT_INNER(a, b)
#define WATTUNE_ASSIGN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                 \
  if (!temporary) return std::move(temporary).error();           \
  declaration = *std::move(temporary)

// Declares or assigns the value of `expression`, or leaves the calling function with its error:
//   WATTUNE_ASSIGN(auto space, SearchSpace::build(parameters, constraints));
#define WATTUNE_ASSIGN(declaration, expression) \
  WATTUNE_ASSIGN_INNER(WATTUNE_CONCAT(wattune_result_, __LINE__), declaration, expression)

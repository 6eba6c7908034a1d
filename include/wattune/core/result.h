// Result<T>: a value, or the Error that an operation ended with.
//
// A function that can fail for a reason the caller must handle returns Result<T>; nothing in the library
// prints or exits. The value is owned; a Result is safe to move between threads.
//
//   Result<int> r = parse(text);
//   if (!r) return std::move(r).error().with_context("while reading the spec");
//   use(*r);
//
// The names follow std::expected (C++23), so that it can take over.
#pragma once

#include <utility>
#include <variant>

#include "wattune/core/error.h"

namespace wattune {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // The value; throws Exception when there is none.
  T& value() & { return checked(), *std::get_if<0>(&state_); }
  const T& value() const& { return checked(), *std::get_if<0>(&state_); }
  T&& value() && { return checked(), std::move(*std::get_if<0>(&state_)); }

  // The value or the error, when the caller has looked; undefined otherwise, as in std::expected.
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  void checked() const {
    if (!has_value()) throw Exception(*std::get_if<1>(&state_));
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return error_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (!has_value()) throw Exception(*std::get_if<1>(&error_));
  }
  const Error& error() const& { return *std::get_if<1>(&error_); }
  Error&& error() && { return std::move(*std::get_if<1>(&error_)); }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace wattune

// Leaves the calling function with the error of `expression`, or goes on.
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

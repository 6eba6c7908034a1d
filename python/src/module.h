// The binding of Wattune to Python: conversions and helpers that its files share. Each file binds one module of C++.
//
// Python's interpreter lock is held wherever a Python object is touched. Calls that take long release it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/error.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::python {

namespace nb = nanobind;

// Raises the error as the Python exception of its code.
[[noreturn]] void raise(const Error& error);
// Returns the value of a result, or raises its error.
template <typename T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}
inline void value_or_raise(const Result<void>& result) {
  if (!result) raise(result.error());
}

// Returns an error of the caller's: `about` is the text that is wrong.
inline Error wrong(std::string message, std::string about = {}) {
  Error error(ErrorCode::invalid_argument, std::move(message));
  return about.empty() ? error : std::move(error).about(std::move(about));
}

// Returns the parameter value that a Python or NumPy number, boolean or text stands for. Raises an error that names
// `what`.
Value value_from(nb::handle object, std::string_view what);
// Returns the Python number, boolean or text of a value.
nb::object to_python(const Value& value);
// Returns the parameters of a configuration as a dict.
nb::dict to_python(const Configuration& configuration);
// Returns a short text for messages about any object.
std::string shown(nb::handle object);

// Keeps the first exception that a Python function raised, until the caller of the library raises it again.
class Raised {
 public:
  // Takes the exception that is being handled and returns the Error that ends what the library does.
  Error take(nb::python_error& error) {
    if (!first_) first_.emplace(std::move(error));
    return Error(ErrorCode::cancelled, "a Python function raised an exception");
  }
  bool any() const { return first_.has_value(); }
  // Raises the exception, with its traceback, if there is one.
  void raise_again() {
    if (!first_) return;
    nb::python_error error = std::move(*first_);
    first_.reset();
    throw error;
  }

 private:
  std::optional<nb::python_error> first_;
};

// Calls a function that touches Python objects, from any thread. If it raises, keeps the exception and returns an
// Error.
template <typename Function>
auto guarded(Raised& raised, Function&& function) -> Result<decltype(function())> {
  const nb::gil_scoped_acquire acquired;
  try {
    return function();
  } catch (nb::python_error& error) {
    return raised.take(error);
  } catch (const std::exception& exception) {
    PyErr_SetString(PyExc_TypeError, exception.what());
    nb::python_error error;
    return raised.take(error);
  }
}

void bind_core(nb::module_& module);
void bind_space(nb::module_& module);
void bind_store(nb::module_& module);
void bind_search(nb::module_& module);
void bind_wisdom(nb::module_& module);
void bind_spec(nb::module_& module);
void bind_tune(nb::module_& module);
void bind_evaluator(nb::module_& module);
void bind_fleet_search(nb::module_& module);
void bind_advise(nb::module_& module);
void bind_call(nb::module_& module);
void bind_dynamic(nb::module_& module);
void bind_command(nb::module_& module);

}  // namespace wattune::python

// Spec: a tuning problem that Python describes, with the contents of its arguments.
#pragma once

#include "module.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::python {

// Reads the members of a dict that the package made.
class Options {
 public:
  explicit Options(nb::dict dict) : dict_(std::move(dict)) {}

  // Returns the member as T; `otherwise` if it is missing or None.
  template <typename T>
  T get(const char* name, T otherwise = {}) const {
    const nb::object value = object(name);
    return value.is_none() ? otherwise : nb::cast<T>(value);
  }
  template <typename T>
  std::optional<T> find(const char* name) const {
    const nb::object value = object(name);
    return value.is_none() ? std::nullopt : std::optional<T>(nb::cast<T>(value));
  }
  // Returns the member; None if it is missing.
  nb::object object(const char* name) const {
    const nb::str key(name);
    return dict_.contains(key) ? nb::object(dict_[key]) : nb::object(nb::none());
  }
  nb::dict dict(const char* name) const { return get<nb::dict>(name); }
  nb::list list(const char* name) const { return get<nb::list>(name); }
  const nb::dict& all() const { return dict_; }

 private:
  nb::dict dict_;
};

// Bytes that evaluators read: a copy of an array.
struct Contents {
  SharedBytes bytes;
};

// A spec with the contents of arguments by position.
struct Spec {
  KernelSpec spec;
  std::vector<SharedBytes> contents;
};

// Returns the spec with the single configuration that a dict gives. Raises not_found for an unknown name.
Spec fixed(const Spec& spec, const nb::dict& configuration);

}  // namespace wattune::python

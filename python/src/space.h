// Space: a search space with the Python objects of its names and values, so that configurations become dicts quickly.
#pragma once

#include <memory>

#include "module.h"
#include "wattune/space/search_space.h"

namespace wattune::python {

// Returns the Python number of an id, and the id of a Python number. The latter raises an error for any other object.
nb::object to_python(Uint128 number);
Uint128 id_from(nb::handle object);

// Returns the parameters that a dict of names and lists of values declares. `defaults` has values by name.
std::vector<Parameter> parameters_from(const nb::dict& values, const nb::dict& defaults);
// Returns the constraints that texts state.
std::vector<Constraint> constraints_from(const std::vector<std::string>& texts);
// Returns the constraints that Python functions state, each given as (names, function, description). Whatever they
// raise is kept in `raised`, which outlives them.
std::vector<space::Predicate> predicates_from(const nb::list& functions, const std::shared_ptr<Raised>& raised);
// Returns a function for BuildOptions::cancelled. It is true once `raised` holds an exception, or a signal's handler
// raised one, which `raised` then gets.
std::function<bool()> until_raised(std::shared_ptr<Raised> raised);

// A search space.
class Space {
 public:
  Space(const nb::dict& parameters, const std::vector<std::string>& constraints, const nb::list& functions,
        const nb::dict& defaults);

  const space::SearchSpace& space() const { return space_; }
  // Returns the configuration of an id as a dict.
  nb::dict configuration(ConfigurationId id) const;
  // Returns the id of a configuration. Raises an error if it is not in the space.
  ConfigurationId find(const nb::dict& configuration) const;
  // Raises what a Python function of a constraint raised meanwhile.
  void check_functions() const { raised_->raise_again(); }

  static int traverse(PyObject* self, visitproc visit, void* arg);

 private:
  std::shared_ptr<Raised> raised_ = std::make_shared<Raised>();
  nb::list functions_;  // those of the constraints
  space::SearchSpace space_;
  std::vector<nb::object> names_;
  std::vector<std::vector<nb::object>> values_;
};

}  // namespace wattune::python

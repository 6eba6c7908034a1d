// Search spaces.
#include "space.h"

#include <algorithm>

#include "wattune/core/random.h"

namespace wattune::python {

namespace {

using space::Neighbourhood;
using space::SearchSpace;

SearchSpace build(const nb::dict& parameters, const std::vector<std::string>& constraints, const nb::list& functions,
                  const nb::dict& defaults, const std::shared_ptr<Raised>& raised) {
  auto declared = parameters_from(parameters, defaults);
  auto predicates = predicates_from(functions, raised);
  Result<SearchSpace> built = Error(ErrorCode::internal, "not built");
  {
    const nb::gil_scoped_release released;
    built = SearchSpace::build(std::move(declared), constraints_from(constraints), std::move(predicates),
                               {.cancelled = until_raised(raised)});
  }
  raised->raise_again();
  return value_or_raise(std::move(built));
}

Neighbourhood neighbourhood_from(const std::string& kind) {
  if (kind == "hamming") return Neighbourhood::hamming;
  if (kind == "adjacent") return Neighbourhood::adjacent;
  if (kind == "strictly_adjacent") return Neighbourhood::strictly_adjacent;
  raise(wrong("unknown kind of neighbours", kind).hint("hamming, adjacent or strictly_adjacent"));
}

ConfigurationId checked_id(const Space& space, nb::handle object) {
  const Uint128 id = id_from(object);
  if (id >= space.space().count() || !space.space().valid(id))
    raise(Error(ErrorCode::out_of_range, "the space has no configuration of this id").about(shown(object)));
  return id;
}

nb::list configurations(const Space& space, const std::vector<ConfigurationId>& ids) {
  nb::list all;
  for (const ConfigurationId id : ids) all.append(space.configuration(id));
  return all;
}

nb::list sample(const Space& space, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<ConfigurationId> ids;
  for (std::size_t i = 0; i < n; ++i) ids.push_back(space.space().sample(random));
  return configurations(space, ids);
}

nb::list sample_stratified(const Space& space, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  return configurations(space, space.space().sample_stratified(n, random));
}

nb::list neighbours(const Space& space, const nb::dict& configuration, const std::string& kind, std::size_t limit) {
  return configurations(space, space.space().neighbours(space.find(configuration), neighbourhood_from(kind), limit));
}

// Returns the position of each parameter's value. Raises not_found for a name or value that the space lacks.
space::ValueIndices indices_of(const Space& space, const nb::dict& configuration) {
  space::ValueIndices indices;
  for (const Parameter& parameter : space.space().parameters()) {
    const nb::str name(parameter.name.c_str());
    if (!configuration.contains(name))
      raise(Error(ErrorCode::not_found, "the configuration lacks a parameter").about(parameter.name));
    const Value value = value_from(configuration[name], parameter.name);
    const auto found = std::ranges::find(parameter.values, value);
    if (found == parameter.values.end())
      raise(Error(ErrorCode::not_found, "the parameter `" + parameter.name + "` has no such value")
                .about(value.to_string()));
    indices.push_back(static_cast<std::uint16_t>(found - parameter.values.begin()));
  }
  return indices;
}

nb::list violations(const Space& space, const nb::dict& configuration) {
  nb::list broken;
  for (const space::Violation& each : space.space().violations(indices_of(space, configuration)))
    broken.append(nb::str(each.constraint.c_str()));
  space.check_functions();
  return broken;
}

nb::dict parameters(const Space& space) {
  nb::dict all;
  for (const Parameter& parameter : space.space().parameters()) {
    nb::list values;
    for (const Value& value : parameter.values) values.append(to_python(value));
    all[parameter.name.c_str()] = values;
  }
  return all;
}

nb::dict count_per_value(const Space& space, const std::string& name) {
  const std::vector<Parameter>& parameters = space.space().parameters();
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  if (found == parameters.end()) raise(Error(ErrorCode::not_found, "no such parameter").about(name));
  const auto counts = space.space().count_per_value(static_cast<std::size_t>(found - parameters.begin()));
  nb::dict by_value;
  for (std::size_t i = 0; i < counts.size(); ++i) by_value[to_python(found->values[i])] = to_python(counts[i]);
  return by_value;
}

nb::object next(const Space& space, nb::handle id) {
  const Uint128 from = id_from(id);
  const auto found = from < space.space().count() ? space.space().next(from) : std::nullopt;
  space.check_functions();
  return found ? to_python(*found) : nb::object(nb::none());
}

std::size_t length(const Space& space) {
  if (space.space().count() > PY_SSIZE_T_MAX)
    raise(Error(ErrorCode::out_of_range, "the space is larger than what len() can tell").hint("call count()"));
  return static_cast<std::size_t>(space.space().count());
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(Space::traverse)}, {0, nullptr}};

}  // namespace

nb::object to_python(Uint128 number) {
  if (number >> 64 == 0) return nb::steal(PyLong_FromUnsignedLongLong(static_cast<std::uint64_t>(number)));
  return nb::steal(PyLong_FromString(wattune::to_string(number).c_str(), nullptr, 10));
}

Uint128 id_from(nb::handle object) {
  const nb::object high = nb::steal(PyNumber_Rshift(object.ptr(), nb::int_(64).ptr()));
  if (!high.is_valid()) nb::raise_python_error();
  const unsigned long long upper = PyLong_AsUnsignedLongLong(high.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise(Error(ErrorCode::out_of_range, "an id is a number from 0 to 2^128 - 1").about(shown(object)));
  }
  return Uint128{upper} << 64 | PyLong_AsUnsignedLongLongMask(object.ptr());
}

std::vector<Parameter> parameters_from(const nb::dict& values, const nb::dict& defaults) {
  std::vector<Parameter> parameters;
  for (const auto& [name, list] : values) {
    Parameter& parameter = parameters.emplace_back();
    if (!nb::isinstance<nb::str>(name)) raise(wrong("the name of a parameter must be a text", shown(name)));
    parameter.name = nb::cast<std::string>(name);
    parameter.role = usual_role(parameter.name);
    if (nb::isinstance<nb::str>(list) || !nb::hasattr(list, "__iter__"))
      raise(wrong("the parameter `" + parameter.name + "` needs a list of values", shown(list)));
    for (const nb::handle value : list)
      parameter.values.push_back(value_from(value, "a value of `" + parameter.name + "`"));
    if (defaults.contains(name)) parameter.default_value = value_from(defaults[name], "the default of a parameter");
  }
  for (const auto& [name, value] : defaults)
    if (!values.contains(name))
      raise(Error(ErrorCode::not_found, "the default names a parameter that there is not").about(shown(name)));
  return parameters;
}

std::vector<Constraint> constraints_from(const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts) constraints.push_back({.expression = text, .position = {}});
  return constraints;
}

std::vector<space::Predicate> predicates_from(const nb::list& functions, const std::shared_ptr<Raised>& raised) {
  std::vector<space::Predicate> predicates;
  for (const nb::handle each : functions) {
    auto [names, function, description] = nb::cast<std::tuple<std::vector<std::string>, nb::object, std::string>>(each);
    // The caller keeps the function as long as the space: a reference from here could not be seen by Python's collector
    // of cycles.
    const auto holds = [called = nb::handle(function), description, raised](std::span<const Value> values) {
      const nb::gil_scoped_acquire acquired;
      if (raised->any()) return false;
      try {
        nb::list arguments;
        for (const Value& value : values) arguments.append(to_python(value));
        const nb::object answer = called(*nb::tuple(arguments));
        if (answer.is_none()) raise(wrong("a constraint returned None", description).hint("it returns True or False"));
        const int truth = PyObject_IsTrue(answer.ptr());
        if (truth < 0) nb::raise_python_error();
        return truth == 1;
      } catch (nb::python_error& error) {
        [[maybe_unused]] const Error ends = raised->take(error);
        return false;
      }
    };
    predicates.push_back({.names = std::move(names), .holds = holds, .description = description});
  }
  return predicates;
}

std::function<bool()> until_raised(std::shared_ptr<Raised> raised) {
  return [raised = std::move(raised)] {
    const nb::gil_scoped_acquire acquired;
    if (!raised->any() && PyErr_CheckSignals() != 0) {
      nb::python_error error;
      [[maybe_unused]] const Error ends = raised->take(error);
    }
    return raised->any();
  };
}

Space::Space(const nb::dict& parameters, const std::vector<std::string>& constraints, const nb::list& functions,
             const nb::dict& defaults)
    : functions_(functions), space_(build(parameters, constraints, functions, defaults, raised_)) {
  for (const Parameter& parameter : space_.parameters()) {
    names_.push_back(nb::steal(PyUnicode_InternFromString(parameter.name.c_str())));
    std::vector<nb::object>& values = values_.emplace_back();
    for (const Value& value : parameter.values) values.push_back(to_python(value));
  }
}

nb::dict Space::configuration(ConfigurationId id) const {
  static thread_local space::ValueIndices indices;
  space_.unrank(id, indices);
  nb::dict configuration;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (PyDict_SetItem(configuration.ptr(), names_[i].ptr(), values_[i][indices[i]].ptr()) != 0)
      nb::raise_python_error();
  return configuration;
}

ConfigurationId Space::find(const nb::dict& configuration) const {
  std::vector<std::pair<std::string, Value>> values;
  for (const auto& [name, value] : configuration)
    values.emplace_back(nb::cast<std::string>(name), value_from(value, shown(name)));
  const Result<ConfigurationId> found = space_.find(values);
  check_functions();
  return value_or_raise(found);
}

int Space::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Space>(self)->functions_.ptr());
  return 0;
}

void bind_space(nb::module_& module) {
  nb::class_<Space>(module, "Space", nb::type_slots(slots), nb::is_weak_referenceable())
      .def(nb::init<const nb::dict&, const std::vector<std::string>&, const nb::list&, const nb::dict&>(),
           nb::arg("parameters"), nb::arg("constraints"), nb::arg("functions"), nb::arg("defaults"))
      .def(
          "count", [](const Space& space) { return to_python(space.space().count()); },
          "Returns the number of valid configurations; an upper bound unless exact().")
      .def(
          "cartesian_count", [](const Space& space) { return space.space().cartesian_count(); },
          "Returns the product of the numbers of values.")
      .def(
          "exact", [](const Space& space) { return space.space().exact(); },
          "Tells whether each id below count() is a valid configuration.")
      .def(
          "content_hash", [](const Space& space) { return space.space().content_hash(); },
          "Returns a hash of parameters and constraints. Equal hashes mean equal ids.")
      .def("parameters", &parameters, "Returns the values of each parameter.")
      .def(
          "configuration", [](const Space& space, nb::handle id) { return space.configuration(checked_id(space, id)); },
          nb::arg("id"), "Returns the configuration of an id. Raises OutOfRangeError.")
      .def(
          "find", [](const Space& space, const nb::dict& given) { return to_python(space.find(given)); },
          nb::arg("configuration"), "Returns the id of a configuration. Raises NotFoundError or InvalidArgumentError.")
      .def("violations", &violations, nb::arg("configuration"),
           "Returns the constraints that the configuration breaks.")
      .def(
          "default_configuration",
          [](const Space& space) { return space.configuration(space.space().default_configuration()); },
          "Returns the configuration from which a search begins.")
      .def("sample", &sample, nb::arg("n"), nb::kw_only(), nb::arg("seed") = 1,
           "Returns n valid configurations, each drawn with equal probability.")
      .def("sample_stratified", &sample_stratified, nb::arg("n"), nb::kw_only(), nb::arg("seed") = 1,
           "Returns n different configurations, one drawn from each of n equal parts of the space.")
      .def("neighbours", &neighbours, nb::arg("configuration"), nb::arg("kind") = "hamming", nb::arg("limit") = 100'000,
           "Returns the neighbours of a configuration: `hamming`, `adjacent` or `strictly_adjacent`.")
      .def("count_per_value", &count_per_value, nb::arg("parameter"),
           "Returns the number of valid configurations for each value of a parameter.")
      .def("next", &next, nb::arg("id"), "Returns the next valid id at or after `id`; None at the end.")
      .def("__len__", &length);
}

}  // namespace wattune::python

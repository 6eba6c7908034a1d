// The module wattune._core. The package wattune is what users import.
#include "module.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.doc() = "The C++ library of Wattune. Import `wattune` instead.";
  wattune::python::bind_core(module);
  wattune::python::bind_space(module);
  wattune::python::bind_store(module);
  wattune::python::bind_search(module);
  wattune::python::bind_wisdom(module);
  wattune::python::bind_spec(module);
  wattune::python::bind_tune(module);
  wattune::python::bind_evaluator(module);
  wattune::python::bind_fleet_search(module);
  wattune::python::bind_advise(module);
  wattune::python::bind_call(module);
  wattune::python::bind_dynamic(module);
  wattune::python::bind_command(module);
}

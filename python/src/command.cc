// The command `wattune`, which the package runs inside the interpreter: so the wheel holds the library once.
#include "cli/program/main.h"
#include "module.h"

namespace wattune::python {

namespace {

int run_command(const std::vector<std::string>& arguments) {
  std::vector<const char*> words;
  for (const std::string& each : arguments) words.push_back(each.c_str());
  words.push_back(nullptr);
  const nb::gil_scoped_release released;
  return cli::run_wattune(static_cast<int>(arguments.size()), words.data());
}

}  // namespace

void bind_command(nb::module_& module) {
  module.def("run_command", &run_command, nb::arg("arguments"),
             "Runs the command line; the first argument is the program's name. Returns the exit status.");
}

}  // namespace wattune::python

// Functions: what a run calls in Python while it tunes, as the library takes it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "module.h"
#include "wattune/tune/evaluator.h"

namespace wattune::python {

// A figure that a Python function computes from the record of a correct Trial.
struct ComputedFigure {
  std::string name;
  nb::handle function;
};

// The end of a run because of what Python did: an exception, which is kept, or a wish.
struct Ending {
  std::shared_ptr<Raised> raised = std::make_shared<Raised>();
  std::atomic<bool> cancel = false;  // ends the run after the evaluations in flight
};

// Returns what a Python function returned as T. Raises an error if it is nothing of this kind: `function` says which
// function it was, and `wanted` what it returns.
template <typename T>
T returned(const nb::object& value, const std::string& function, const char* wanted) {
  T converted{};
  if (nb::try_cast(value, converted)) return converted;
  raise(wrong(function + " returned something else", shown(value)).hint(std::string("it returns ") + wanted));
}
// Returns whether what a function returned is true, as Python tells it. Raises an error if that is None.
bool returned_truth(const nb::object& value, const std::string& function);

// Returns the values that functions of the configuration compute, each given as (name, function, description,
// is_macro).
std::vector<tune::ComputedValue> computed_from(const nb::list& functions, Ending& ending);
// Returns the writer of the source, given as (function, description); None stands for none.
tune::SourceWriter writer_from(const nb::object& given, Ending& ending);
// Returns the judge of outputs, given as (function, description); None stands for none.
tune::OutputJudge judge_from(const nb::object& given, Ending& ending);
// Returns observers that call the methods metrics, begin and end of Python objects.
std::vector<std::shared_ptr<tune::Observer>> meters_from(const nb::list& objects, Ending& ending);
std::vector<ComputedFigure> figures_from(const nb::list& functions);

// Wraps an evaluator, which outlives it, so that functions add figures to its observations. The figure `objective`, if
// not empty, is what the search minimises, or maximises.
std::unique_ptr<tune::Evaluator> with_figures(tune::Evaluator& evaluator, std::vector<ComputedFigure> figures,
                                              std::string objective, bool maximize, Ending& ending);

}  // namespace wattune::python

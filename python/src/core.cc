// Values, errors and the log.
#include <deque>
#include <mutex>

#include "module.h"
#include "wattune/core/log.h"
#include "wattune/core/version.h"

namespace wattune::python {

namespace {

// The lines of the log that no Python logger has got yet. The sink never takes the interpreter lock: whoever holds that
// lock may be waiting for the log.
class WaitingLines {
 public:
  void add(LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMost) lines_.pop_front();
    lines_.emplace_back(level, text);
  }
  std::deque<std::pair<LogLevel, std::string>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  static constexpr std::size_t kMost = 100'000;  // lines that wait; the oldest are dropped beyond that

  std::mutex mutex_;
  std::deque<std::pair<LogLevel, std::string>> lines_;
};

WaitingLines& waiting_lines() {
  static WaitingLines lines;
  return lines;
}

constexpr int kLevels[] = {5, 10, 20, 30, 40};  // of Python's logging, for trace to error

void listen(int level) {
  LogLevel chosen = LogLevel::off;
  for (int i = std::size(kLevels) - 1; i >= 0 && level <= kLevels[i]; --i) chosen = static_cast<LogLevel>(i);
  static std::once_flag once;
  std::call_once(once, [] { set_log_sink([](LogLevel at, std::string_view text) { waiting_lines().add(at, text); }); });
  set_log_level(chosen);
}

nb::list take_log() {
  nb::list lines;
  for (const auto& [level, text] : waiting_lines().take())
    lines.append(nb::make_tuple(kLevels[static_cast<std::size_t>(level)], text));
  return lines;
}

template <typename T>
nb::object or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::object(nb::none());
}

nb::object exception_of(const Error& error) {
  const nb::object make = nb::module_::import_("wattune._errors").attr("exception");
  nb::dict facts;
  facts["message"] = error.message();
  facts["file"] = error.position().file;
  facts["line"] = or_none(error.position().line);
  facts["column"] = or_none(error.position().column);
  facts["offending_text"] = error.offending_text();
  facts["hint"] = error.advice();
  facts["native_code"] = error.native_code();
  facts["native_name"] = error.native_name();
  return make(nb::str(std::string(to_string(error.code())).c_str()), error.to_string(), facts);
}

// Returns the number of a NumPy scalar as a Python one; an empty object if it is no such scalar.
nb::object item_of(nb::handle object) {
  if (!nb::hasattr(object, "item") || !nb::hasattr(object, "dtype")) return {};
  nb::object item = object.attr("item")();
  return nb::hasattr(item, "dtype") ? nb::object() : item;
}

}  // namespace

void raise(const Error& error) {
  const nb::object exception = exception_of(error);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

std::string shown(nb::handle object) {
  constexpr std::size_t kMostCharacters = 80;
  std::string text = nb::cast<std::string>(nb::repr(object));
  if (text.size() > kMostCharacters) text = text.substr(0, kMostCharacters - 3) + "...";
  return text;
}

Value value_from(nb::handle object, std::string_view what) {
  PyObject* const pointer = object.ptr();
  if (PyBool_Check(pointer)) return pointer == Py_True;
  if (PyLong_Check(pointer)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(pointer, &overflow);
    if (overflow != 0) raise(wrong(std::string(what) + " does not fit into 64 bits", shown(object)));
    return static_cast<std::int64_t>(number);
  }
  if (PyFloat_Check(pointer)) return PyFloat_AsDouble(pointer);
  if (PyUnicode_Check(pointer)) return nb::cast<std::string>(object);
  if (const nb::object item = item_of(object); item.is_valid()) return value_from(item, what);
  raise(wrong(std::string(what) + " must be a number, a boolean or a text", shown(object)));
}

nb::object to_python(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer: return nb::int_(value.as_integer());
    case Value::Kind::real: return nb::float_(value.as_real());
    case Value::Kind::boolean: return nb::bool_(value.as_integer() != 0);
    case Value::Kind::string: return nb::str(value.as_string().data(), value.as_string().size());
  }
  return nb::none();
}

nb::dict to_python(const Configuration& configuration) {
  nb::dict parameters;
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    parameters[configuration.names()[i].c_str()] = to_python(configuration.values()[i]);
  return parameters;
}

void bind_core(nb::module_& module) {
  module.attr("__version__") = kVersion;
  module.def("listen", &listen, nb::arg("level"), "Keeps lines of the log from this level of `logging` on.");
  module.def("take_log", &take_log, "Returns the lines since the last call, each as (level, text).");
  module.def(
      "expect_leaks", [] { nb::set_leak_warnings(false); },
      "Silences the list of objects that are alive when the interpreter ends.");
  module.def(
      "interrupt_thread",
      [](unsigned long thread) { return PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt) == 1; },
      nb::arg("thread"), "Raises KeyboardInterrupt in the Python function that a thread runs.");
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Exception& exception) {
      const nb::object raised = exception_of(exception.error());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    }
  });
}

}  // namespace wattune::python

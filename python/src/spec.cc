// Specs from files, and from what the package knows of a caller's kernel and arrays.
#include "spec.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "backend/interface/included_files.h"
#include "space.h"
#include "wattune/backend/attach.h"
#include "wattune/spec/spec.h"

namespace wattune::python {

namespace {

// Returns the name of an element type of DLPack; empty for a type that kernels do not have.
std::string type_name(nb::dlpack::dtype type) {
  using nb::dlpack::dtype_code;
  if (type.lanes != 1) return {};
  const std::string bits = std::to_string(type.bits);
  switch (static_cast<dtype_code>(type.code)) {
    case dtype_code::Int: return "int" + bits;
    case dtype_code::UInt: return "uint" + bits;
    case dtype_code::Float: return "float" + bits;
    case dtype_code::Bfloat: return "bfloat16";
    case dtype_code::Bool: return "uint8";
    default: return {};
  }
}

bool is_contiguous(const nb::ndarray<nb::ro>& array) {
  std::int64_t expected = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != expected) return false;
    expected *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

// An array of the caller's, which `owner` keeps alive.
struct Array {
  std::string type;
  std::size_t bytes = 0;
  std::vector<std::size_t> shape;
  bool contiguous = false;
  bool on_cuda = false;
  int device = 0;
  std::uint64_t address = 0;
  nb::ndarray<nb::ro> owner;
};

// Returns the facts of an object that speaks DLPack or the buffer protocol; None for any other object.
nb::object array_of(nb::handle object) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(object, array, false)) return nb::none();
  Array facts{.type = type_name(array.dtype()),
              .bytes = array.nbytes(),
              .shape = {},
              .contiguous = is_contiguous(array),
              .on_cuda = array.device_type() == nb::device::cuda::value,
              .device = array.device_id(),
              .address = reinterpret_cast<std::uint64_t>(array.data()),
              .owner = array};
  for (std::size_t i = 0; i < array.ndim(); ++i) facts.shape.push_back(array.shape(i));
  return nb::cast(std::move(facts));
}

Result<void> read_cuda(std::uint64_t address, std::span<std::byte> bytes, int device) {
  constexpr Nanoseconds kLimit = nanoseconds_from_seconds(600);  // of a copy that waits for the caller's stream
  auto attached = backend::open_cuda_in_primary_context("cuda:" + std::to_string(device));
  if (!attached) return std::move(attached).error();
  WATTUNE_ASSIGN(const auto stream, backend::adopt_stream(**attached, static_cast<CUstream_st*>(nullptr)));
  WATTUNE_ASSIGN(const auto buffer, backend::adopt_buffer(**attached, address, bytes.size()));
  WATTUNE_TRY(stream->read(*buffer, bytes));
  return stream->finish(kLimit);
}

// Copies memory of the host or, if `device` is not negative, of a CUDA device.
Contents copy_of(std::uint64_t address, std::size_t size, int device) {
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  const nb::gil_scoped_release released;
  if (device < 0)
    std::memcpy(bytes->data(), reinterpret_cast<const void*>(address), size);
  else if (const Result<void> read = read_cuda(address, *bytes, device); !read)
    throw Exception(read.error());
  return {std::move(bytes)};
}

ElementType type_from(const std::string& name) {
  if (const auto type = parse_element_type(name)) return *type;
  raise(wrong("kernels have no elements of this type", name));
}

ArgumentAccess access_from(const std::string& name) {
  if (name == "read") return ArgumentAccess::read_only;
  if (name == "write") return ArgumentAccess::write_only;
  return ArgumentAccess::read_write;
}

Argument argument_from(const Options& given) {
  Argument argument{.name = given.get<std::string>("name"), .kind = NullArgument{}, .position = {}};
  const auto kind = given.get<std::string>("kind");
  if (kind == "null") return argument;
  const ElementType type = type_from(given.get<std::string>("type"));
  const ExpressionText text{.text = given.get<std::string>("value"), .position = {}};
  if (kind == "scalar") {
    argument.kind = ScalarArgument{.type = type, .value = text};
  } else if (kind == "local") {
    argument.kind = LocalArgument{.type = type, .length = text};
  } else {
    VectorArgument vector{.type = type, .length = text, .access = access_from(given.get<std::string>("access"))};
    if (!given.get<bool>("compared", true)) vector.comparison = OutputComparison::none;
    if (given.get<bool>("constant")) vector.place = BufferPlace::constant;
    argument.kind = std::move(vector);
  }
  return argument;
}

std::array<ExpressionText, 3> dimensions_from(const std::vector<std::string>& texts) {
  std::array<ExpressionText, 3> dimensions;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, texts.size()); ++i) dimensions[i].text = texts[i];
  return dimensions;
}

Language language_from(const std::string& name) {
  for (const Language language : {Language::opencl, Language::cuda, Language::cpp, Language::c})
    if (name == to_string(language)) return language;
  raise(wrong("unknown language", name).hint("CUDA, OpenCL, C++ or C"));
}

Nanoseconds unit_from(const std::string& name) {
  if (name == "s") return nanoseconds_from_seconds(1.0);
  if (name == "ms") return nanoseconds_from_ms(1.0);
  if (name == "us") return Nanoseconds(1e3);
  if (name == "ns") return Nanoseconds(1.0);
  raise(wrong("unknown unit of time", name).hint("s, ms, us or ns"));
}

KernelSource source_from(const Options& given) {
  KernelSource source;
  source.language = language_from(given.get<std::string>("language"));
  source.function = given.get<std::string>("function");
  source.file = given.get<std::filesystem::path>("file");
  source.text = given.get<std::string>("text");
  source.options = given.get<std::vector<std::string>>("options");
  const auto compiler = given.get<std::string>("compiler");
  if (is_host_language(source.language))
    source.host_compiler = compiler;
  else if (compiler == "nvcc")
    source.compiler = Compiler::nvcc;
  else if (!compiler.empty())
    raise(wrong("unknown compiler", compiler).hint("nvcc, or for C and C++ the name of a program"));
  if (const auto unit = given.get<std::string>("returned_time"); !unit.empty()) source.returned_unit = unit_from(unit);
  return source;
}

std::vector<NamedSize> sizes_from(const nb::dict& given) {
  std::vector<NamedSize> sizes;
  for (const auto& [name, value] : given) sizes.push_back({nb::cast<std::string>(name), nb::cast<std::int64_t>(value)});
  return sizes;
}

// Adds what the caller says about goal and checks, in the place of what a file says.
void add_goals(KernelSpec& spec, const Options& given) {
  for (const auto& [name, text] : given.dict("metrics"))
    spec.metrics.push_back({nb::cast<std::string>(name), {.text = nb::cast<std::string>(text), .position = {}}});
  if (const auto objectives = given.find<std::vector<std::pair<std::string, bool>>>("objectives")) {
    spec.objectives.clear();
    for (const auto& [metric, maximize] : *objectives)
      spec.objectives.push_back({.metric = metric, .maximize = maximize});
  }
  if (const auto slowdown = given.find<double>("slowdown")) {
    if (spec.objectives.empty()) spec.objectives.push_back({.metric = "time"});
    spec.objectives.front().slowdown = slowdown;
  }
  if (const auto answers = given.dict("answers"); nb::len(answers) > 0) {
    ReferenceData data;
    for (const auto& [name, bytes] : answers)
      data.arrays.emplace_back(nb::cast<std::string>(name), nb::cast<Contents&>(bytes).bytes);
    spec.reference = std::move(data);
  }
  if (const auto absolute = given.find<double>("absolute")) spec.tolerance.absolute = absolute;
  if (const auto relative = given.find<double>("relative")) spec.tolerance.relative = relative;
}

Spec describe(const nb::dict& dict) {
  const Options given(dict);
  Spec made;
  KernelSpec& spec = made.spec;
  spec.source = source_from(given);
  spec.name = given.get<std::string>("name");
  spec.problem_size = sizes_from(given.dict("sizes"));
  spec.geometry.convention = GeometryConvention::cuda;
  spec.geometry.sizes = dimensions_from(given.get<std::vector<std::string>>("grid"));
  spec.geometry.work_group = dimensions_from(given.get<std::vector<std::string>>("block"));
  for (const nb::handle each : given.list("arguments")) {
    const Options argument(nb::cast<nb::dict>(each));
    spec.arguments.push_back(argument_from(argument));
    const nb::object contents = argument.object("contents");
    made.contents.push_back(contents.is_none() ? nullptr : nb::cast<Contents&>(contents).bytes);
  }
  spec.parameters = parameters_from(given.dict("parameters"), given.dict("defaults"));
  if (!given.get<bool>("macros", true))  // the text of a writer has the values
    for (Parameter& parameter : spec.parameters)
      if (parameter.role == ParameterRole::code) parameter.role = ParameterRole::launch;
  spec.constraints = constraints_from(given.get<std::vector<std::string>>("constraints"));
  pad_vectors(spec);
  add_goals(spec, given);
  return made;
}

Spec load(const std::filesystem::path& file, const nb::dict& sizes, const nb::dict& goals, bool needs_source) {
  using spec::SourcePolicy;
  Spec made;
  made.spec = value_or_raise(
      spec::load(file, needs_source ? SourcePolicy::required : SourcePolicy::optional, sizes_from(sizes)));
  for (const Constraint& each : constraints_from(Options(goals).get<std::vector<std::string>>("constraints")))
    made.spec.constraints.push_back(each);
  add_goals(made.spec, Options(goals));
  return made;
}

// Lists the arguments as (name, kind, type), for whoever reads outputs or calls the kernel.
nb::list arguments(const Spec& spec) {
  nb::list all;
  for (const Argument& argument : spec.spec.arguments) {
    const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
    const auto* const scalar = std::get_if<ScalarArgument>(&argument.kind);
    const char* const kind = vector != nullptr ? "vector" : scalar != nullptr ? "scalar" : "other";
    const std::string type(vector != nullptr   ? to_string(vector->type)
                           : scalar != nullptr ? to_string(scalar->type)
                                               : std::string_view());
    const bool written = vector != nullptr && vector->access != ArgumentAccess::read_only;
    all.append(nb::make_tuple(argument.name, kind, type, written));
  }
  return all;
}

nb::dict parameters(const Spec& spec) {
  nb::dict all;
  for (const Parameter& parameter : spec.spec.parameters) {
    nb::list values;
    for (const Value& value : parameter.values) values.append(to_python(value));
    all[parameter.name.c_str()] = values;
  }
  return all;
}

using Files = std::vector<std::filesystem::path>;

void add_files(Files& files, const std::filesystem::path& file, const backend::IncludedFiles& included) {
  files.push_back(file);
  files.insert(files.end(), included.files.begin(), included.files.end());
}

void add_files(Files& files, const Reference& reference) {
  if (const auto* const kernel = std::get_if<ReferenceKernel>(&reference))
    add_files(files, kernel->source.file, backend::included_files(kernel->source));
  if (const auto* const function = std::get_if<ReferenceFunction>(&reference)) {
    std::ifstream stream(function->file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    add_files(files, function->file, backend::included_files(text, function->file.parent_path(), {}));
  }
  if (const auto* const data = std::get_if<ReferenceData>(&reference))
    for (const auto& [name, path] : data->outputs) files.push_back(path);
}

void add_files(Files& files, const Argument& argument) {
  const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
  if (vector == nullptr) return;
  const auto add = [&](const Fill& fill) {
    if (const auto* const file = std::get_if<FillFile>(&fill)) files.push_back(file->path);
  };
  add(vector->fill);
  for (const BufferField& field : vector->fields) add(field.fill);
}

// Lists the files that a spec from a file reads: itself, its sources, what they include, and its data. Headers of the
// compiler and of the system are not among them.
Files files_of(const Spec& made) {
  const KernelSpec& spec = made.spec;
  Files files{spec.file};
  add_files(files, spec.source.file, backend::included_files(spec.source));
  for (const KernelSource& alternative : spec.alternatives)
    add_files(files, alternative.file, backend::included_files(alternative));
  add_files(files, spec.reference);
  for (const Argument& argument : spec.arguments) add_files(files, argument);
  return files;
}

}  // namespace

Spec fixed(const Spec& spec, const nb::dict& configuration) {
  Spec made{.spec = spec.spec, .contents = {}};
  for (Parameter& parameter : made.spec.parameters) {
    const nb::str name(parameter.name.c_str());
    if (!configuration.contains(name))
      raise(Error(ErrorCode::not_found, "the configuration lacks a parameter").about(parameter.name));
    parameter.values = {value_from(configuration[name], parameter.name)};
    parameter.default_value.reset();
  }
  made.spec.constraints.clear();
  // An array of another length serves as well, unless the length is an expression in the sizes of the call.
  for (Argument& argument : made.spec.arguments)
    if (auto* const vector = std::get_if<VectorArgument>(&argument.kind))
      if (std::ranges::all_of(vector->length.text, [](unsigned char c) { return std::isdigit(c) != 0; }))
        vector->length.text = "1";
  return made;
}

void bind_spec(nb::module_& module) {
  nb::class_<Array>(module, "Array")
      .def_ro("type", &Array::type)
      .def_ro("bytes", &Array::bytes)
      .def_ro("shape", &Array::shape)
      .def_ro("contiguous", &Array::contiguous)
      .def_ro("on_cuda", &Array::on_cuda)
      .def_ro("device", &Array::device)
      .def_ro("address", &Array::address);
  nb::class_<Contents>(module, "Contents").def("__len__", [](const Contents& contents) {
    return contents.bytes->size();
  });
  nb::class_<Spec>(module, "Spec")
      .def("name", [](const Spec& spec) { return spec.spec.name; })
      .def("arguments", &arguments)
      .def("parameters", &parameters)
      .def("files", &files_of)
      .def("language", [](const Spec& spec) { return std::string(to_string(spec.spec.source.language)); });
  module.def("array_of", &array_of, nb::arg("object"));
  module.def("copy_of", &copy_of, nb::arg("address"), nb::arg("bytes"), nb::arg("device"));
  module.def("describe", &describe, nb::arg("description"));
  module.def("load", &load, nb::arg("file"), nb::arg("sizes"), nb::arg("goals"), nb::arg("needs_source"));
  module.def("fixed", &fixed, nb::arg("spec"), nb::arg("configuration"));
}

}  // namespace wattune::python

#include "spec/read_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "spec/names.h"
#include "spec/text.h"

namespace wattune::inline v0_1::spec {

namespace {

namespace fs = std::filesystem;

bool is_part_of_name(char c) { return is_identifier(std::string("_") + c); }

std::string without_remarks(std::string_view text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (!rest.starts_with("//") && !rest.starts_with("/*")) {
      code += text[at++];
      continue;
    }
    const std::size_t end = rest.starts_with("//") ? rest.find('\n') : rest.find("*/", 2);
    at = end == std::string_view::npos ? text.size() : at + end + (rest[1] == '*' ? 2 : 0);
    code += ' ';
  }
  return code;
}

// True if the header belongs to the language or to CUDA. Such headers do not read parameters.
bool is_standard(const std::string& name) {
  constexpr std::array<std::string_view, 16> kHeaders{"assert.h",
                                                      "float.h",
                                                      "inttypes.h",
                                                      "limits.h",
                                                      "math.h",
                                                      "omp.h",
                                                      "stdbool.h",
                                                      "stddef.h",
                                                      "stdint.h",
                                                      "stdio.h",
                                                      "stdlib.h",
                                                      "string.h",
                                                      "mma.h",
                                                      "cooperative_groups.h",
                                                      "device_launch_parameters.h",
                                                      "immintrin.h"};
  return name.find('.') == std::string::npos || name.starts_with("cuda") || name.starts_with("cub/") ||
         name.starts_with("curand") || std::ranges::count(kHeaders, name) > 0;
}

// Collects the texts of a source and of the files that it includes.
class Code {
 public:
  void add(const KernelSource& source) {
    if (source.text.empty()) complete_ = false;
    std::vector<std::string> words;
    for (const std::string& option : source.options) {
      std::istringstream stream(option);
      for (std::string word; stream >> word;) words.push_back(word);
      text_ += option + "\n";
    }
    folders_ = {source.file.parent_path()};
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].starts_with("-I"))
        add_folder(words[i] == "-I" && i + 1 < words.size() ? words[i + 1] : words[i].substr(2));
      for (const std::string_view reads :
           {"-include", "-imacros", "--pre-include", "-isystem", "-optf", "--options-file"})
        if (words[i].starts_with(reads)) complete_ = false;
    }
    text_ += source.function + "\n";
    add(source.text, source.file.parent_path());
  }

  std::optional<std::string> take() { return complete_ ? std::optional(std::move(text_)) : std::nullopt; }

 private:
  // Adds a folder for included files. OpenCL drivers resolve a relative folder from the current folder, and other
  // compilers from the folder of the file.
  void add_folder(const std::string& folder) {
    folders_.emplace_back(folder);
    folders_.push_back(folders_.front() / folder);
  }

  void add(std::string_view source, const fs::path& folder) {
    const std::string code = without_remarks(source);
    text_ += code + "\n";
    std::istringstream lines(code);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t sign = line.find_first_not_of(" \t");
      if (sign == std::string::npos || line[sign] != '#') continue;
      const std::size_t word = std::min(line.find_first_not_of(" \t", sign + 1), line.size());
      if (line.compare(word, 7, "include") == 0) include(std::string_view(line).substr(word + 7), folder);
    }
  }

  void include(std::string_view what, const fs::path& folder) {
    const std::size_t begin = what.find_first_of("\"<");
    const std::size_t end = begin == std::string_view::npos ? begin : what.find_first_of("\">", begin + 1);
    if (end == std::string_view::npos) {
      complete_ = false;  // a macro holds the file's name, so that the file is unknown
      return;
    }
    const std::string name(what.substr(begin + 1, end - begin - 1));
    std::vector<fs::path> places = folders_;
    places.insert(places.begin(), folder);
    for (const fs::path& place : places)
      if (include_file(place / name)) return;
    complete_ = complete_ && what[begin] == '<' && is_standard(name);
  }

  bool include_file(const fs::path& file) {
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed || !fs::is_regular_file(real, failed)) return false;
    std::ifstream stream(real, std::ios::binary);
    if (!stream) return false;
    if (!seen_.insert(real).second) return true;
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    add(without_byte_order_mark(text), real.parent_path());
    return true;
  }

  std::string text_;
  bool complete_ = true;
  std::vector<fs::path> folders_;
  std::set<fs::path> seen_;
};

// Collects the expressions of a spec, one per line.
struct Expressions {
  std::string text;

  void add(const std::string& expression) { text += expression + "\n"; }
  void add(const ExpressionText& expression) { add(expression.text); }
  void add(const std::array<ExpressionText, 3>& expressions) {
    for (const ExpressionText& each : expressions) add(each);
  }
  void add(const Geometry& geometry) {
    add(geometry.sizes);
    add(geometry.work_group);
    add(geometry.cluster);
    for (const auto& divisors : geometry.divisors)
      for (const ExpressionText& each : divisors) add(each);
  }
  void add(const std::vector<LaunchStep>& steps) {
    for (const LaunchStep& step : steps) {
      add(step.function);
      add(step.geometry);
      add(step.condition);
      add(step.repeat);
      for (const LaunchValue& each : step.values) add(each.value);
      add(step.group);
    }
  }
  void add(const Fill& fill) {
    if (const auto* expression = std::get_if<FillExpression>(&fill)) add(expression->expression);
  }

  void operator()(const VectorArgument& vector) {
    add(vector.length);
    add(vector.compared_length);
    if (vector.image) add(vector.image->sizes);
    add(vector.fill);
    for (const BufferField& field : vector.fields) add(field.fill);
  }
  void operator()(const ScalarArgument& scalar) { add(scalar.value); }
  void operator()(const StructArgument& structure) {
    for (const StructField& field : structure.fields) add(field.scalar.value);
  }
  void operator()(const LocalArgument& local) { add(local.length); }
  void operator()(const NullArgument&) {}
  void operator()(const SamplerArgument&) {}
};

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return true;
  }
  return false;
}

std::optional<std::string> code_of(const KernelSpec& spec) {
  Code code;
  code.add(spec.source);
  for (const KernelSource& each : spec.alternatives) code.add(each);
  if (const auto* kernel = std::get_if<ReferenceKernel>(&spec.reference)) code.add(kernel->source);
  return code.take();
}

std::string expressions_of(const KernelSpec& spec) {
  Expressions expressions;
  expressions.add(spec.source.function);
  expressions.add(spec.geometry);
  expressions.add(spec.steps);
  for (const Argument& argument : spec.arguments)
    std::visit([&](const auto& kind) { expressions(kind); }, argument.kind);
  for (const Constraint& each : spec.constraints) expressions.add(each.expression);
  for (const ExpressionText& each : spec.resource_constraints) expressions.add(each);
  for (const MetricDefinition& each : spec.metrics) expressions.add(each.expression);
  for (const Objective& each : spec.objectives) expressions.add(each.metric);
  if (const auto* kernel = std::get_if<ReferenceKernel>(&spec.reference)) expressions.add(kernel->geometry);
  return std::move(expressions.text);
}

}  // namespace wattune::inline v0_1::spec

#include "cli/program/spec_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "cli/program/text.h"
#include "core/interface/suggest.h"

namespace wattune::cli {

namespace {

std::vector<std::string> size_names(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const NamedSize& size : spec.problem_size) names.push_back(size.name);
  return names;
}

std::string sizes_hint(const KernelSpec& spec) {
  return spec.problem_size.empty() ? "the spec has no sizes"
                                   : fmt::format("sizes: {}", fmt::join(size_names(spec), ", "));
}

Result<void> replace_size(KernelSpec& spec, const std::string& text) {
  const auto assignment = parse_assignment(text);
  if (!assignment) return Error(assignment.error()).with_context("--problem-size").hint(sizes_hint(spec));
  const auto& [name, value] = *assignment;
  const auto size = std::ranges::find(spec.problem_size, name, &NamedSize::name);
  if (size == spec.problem_size.end()) {
    return Error(ErrorCode::not_found, "--problem-size: the spec has no such size")
        .about(name)
        .hint(suggest(name, size_names(spec)));
  }
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), size->value);
  if (failure != std::errc() || end != value.data() + value.size()) {
    const bool is_list = value.find(',') != std::string::npos;
    return Error(ErrorCode::invalid_argument, "--problem-size: expected an integer")
        .about(text)
        .hint(is_list ? "each size has a --problem-size of its own" : meant_whole_number(value));
  }
  return {};
}

}  // namespace

void declare_spec_options(CLI::App& app, SpecOptions& options, const std::string& description) {
  app.add_option("SPEC", options.file, description)->type_name("FILE")->required();
  app.add_option("--problem-size,-p", options.problem_size, "Replace a size of the problem; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

Result<KernelSpec> load_spec(const SpecOptions& options, spec::SourcePolicy policy) {
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(options.file, policy));
  if (options.problem_size.empty()) return spec;
  for (const std::string& text : options.problem_size) WATTUNE_TRY(replace_size(spec, text));
  return spec::load(options.file, policy, spec.problem_size);
}

std::vector<std::string> sizes_of_kernel(const std::vector<std::string>& sizes, const std::string& kernel) {
  std::vector<std::string> own;
  for (const std::string& size : sizes)
    if (size.starts_with(kernel + ".")) own.push_back(size.substr(kernel.size() + 1));
  return own;
}

Result<void> check_sizes_of_kernels(const std::vector<std::string>& sizes, const std::vector<std::string>& kernels) {
  const auto is_of_one = [&](const std::string& size) {
    return std::ranges::any_of(kernels, [&](const std::string& kernel) { return size.starts_with(kernel + "."); });
  };
  const auto other = std::ranges::find_if_not(sizes, is_of_one);
  if (other == sizes.end()) return {};
  return Error(ErrorCode::invalid_argument, "--problem-size: each is KERNEL.SIZE=VALUE, of a kernel that runs here")
      .about(*other)
      .hint(fmt::format("kernels: {}", fmt::join(kernels, ", ")));
}

}  // namespace wattune::cli

// Names in expressions: which ones exist, where they stand, and what replaces them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/space/expression.h"

namespace wattune::spec {

// What a parameter may be called: it becomes a macro of the kernel.
bool is_identifier(std::string_view name);

// What a spec may be called: files with its results are named after it.
bool fits_file_names(const std::string& name);
inline constexpr const char* kUnfitName = "the name is part of file names and cannot be this";

// The extents of the problem by all of their names: their own, ProblemSize[0], problem_size_x.
space::Expression::Constants extents_by_name(const KernelSpec& spec);

// A name as it stands in the text of an expression. Subscripts belong to it: "ProblemSize[0]".
struct NameInText {
  std::string name;
  std::size_t offset = 0;
  std::size_t length = 0;
};

// Every name outside quotes, in order; keywords and functions of the expression syntax are among them.
std::vector<NameInText> names_in(std::string_view expression);

// The expression with other text in place of some names.
std::string replace_names(std::string_view expression,
                          const std::function<std::optional<std::string>(std::string_view name)>& replacement);

// The names that expressions of one kind may use.
class NameScope {
 public:
  explicit NameScope(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(std::string name) { names_.push_back(std::move(name)); }
  bool contains(std::string_view name) const;
  // Parses the expression and looks up its names; `what` names it in the message. parse_error, not_found (unknown
  // name, with the nearest one), at the place of the mistake.
  Result<void> check(const ExpressionText& expression, const std::string& what) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace wattune::spec

// Finds and replaces names in expressions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/interface/expression.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::spec {

// True if a parameter may have this name. The name becomes a macro of the kernel.
bool is_identifier(std::string_view name);

// True if a spec may have this name. Files with the spec's results are named after it.
bool fits_file_names(const std::string& name);
inline constexpr const char* kUnfitName = "the name is part of file names and cannot be this";

// Returns the values of the problem's extents under each name that expressions may use: their own name, ProblemSize[0],
// problem_size_x.
space::Expression::Constants extents_by_name(const KernelSpec& spec);

// A name in the text of an expression, with its subscript: "ProblemSize[0]".
struct NameInText {
  std::string name;
  std::size_t offset = 0;
  std::size_t length = 0;
};

// Lists every name outside quotes, in order, including keywords and functions of the expression syntax.
std::vector<NameInText> names_in(std::string_view expression);

// Replaces some names of the expression by other text.
std::string replace_names(std::string_view expression,
                          const std::function<std::optional<std::string>(std::string_view name)>& replacement);

// The names that expressions of one kind may use.
class NameScope {
 public:
  explicit NameScope(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(std::string name) { names_.push_back(std::move(name)); }
  bool contains(std::string_view name) const;
  // Parses the expression and looks up its names; `what` names the expression in messages. Fails with parse_error at
  // the place of the mistake. For an unknown name, fails with not_found, and suggests the nearest name.
  Result<void> check(const ExpressionText& expression, const std::string& what) const;
  // Checks the value of an argument or element, which may also read `inf` and `nan`. Fails as check() does.
  Result<void> check_value(const ExpressionText& expression, const std::string& what) const;

 private:
  Result<void> check(const ExpressionText& expression, const std::string& what, bool numbers) const;

  std::vector<std::string> names_;
};

}  // namespace wattune::spec

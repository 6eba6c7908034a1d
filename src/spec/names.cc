#include "spec/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/interface/printable.h"
#include "core/interface/suggest.h"
#include "spec/text.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::array<std::string_view, 3> kExtentNames{"problem_size_x", "problem_size_y", "problem_size_z"};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::size_t skip(std::string_view text, std::size_t offset, bool (*accepts)(char)) {
  while (offset < text.size() && accepts(text[offset])) ++offset;
  return offset;
}

// Returns the offset behind the string that begins at `offset`.
std::size_t end_of_string(std::string_view text, std::size_t offset) {
  const char quote = text[offset++];
  while (offset < text.size() && text[offset] != quote) offset += text[offset] == '\\' ? 2 : 1;
  return std::min(offset + 1, text.size());
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the name that begins at `offset`, with its subscript.
NameInText name_at(std::string_view text, std::size_t offset) {
  std::size_t end = skip(text, offset, continues_name);
  NameInText found{std::string(text.substr(offset, end - offset)), offset, end - offset};
  const std::size_t bracket = skip(text, end, is_blank);
  if (bracket == text.size() || text[bracket] != '[') return found;
  const std::size_t first = skip(text, bracket + 1, is_blank);
  const std::size_t last = skip(text, first, is_digit);
  const std::size_t closing = skip(text, last, is_blank);
  if (first == last || closing == text.size() || text[closing] != ']') return found;
  found.name += "[" + std::string(text.substr(first, last - first)) + "]";
  found.length = closing + 1 - offset;
  return found;
}

// Returns the position of `offset` in the text of an expression, which may have several lines.
SourcePosition advance(SourcePosition position, std::string_view text, std::size_t offset) {
  if (!position.line || !position.column) return position;
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_break = before.rfind('\n');
  if (line_break == std::string_view::npos) {
    *position.column += characters_in(before);
  } else {
    *position.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    position.column = characters_in(before.substr(line_break + 1)) + 1;
  }
  return position;
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && begins_name(name[0]) && skip(name, 0, continues_name) == name.size();
}

bool fits_file_names(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && printable(name) == name;
}

space::Expression::Constants extents_by_name(const KernelSpec& spec) {
  space::Expression::Constants extents;
  for (std::size_t i = 0; i < spec.problem_size.size(); ++i) {
    const NamedSize& extent = spec.problem_size[i];
    extents.emplace(extent.name, extent.value);
    extents.emplace(fmt::format("ProblemSize[{}]", i), extent.value);
    if (i < kExtentNames.size()) extents.emplace(kExtentNames[i], extent.value);
  }
  return extents;
}

std::vector<NameInText> names_in(std::string_view expression) {
  std::vector<NameInText> names;
  for (std::size_t at = 0; at < expression.size();) {
    const char c = expression[at];
    if (c == '\'' || c == '"') {
      at = end_of_string(expression, at);
    } else if (begins_name(c)) {
      names.push_back(name_at(expression, at));
      at += names.back().length;
    } else {
      at = is_digit(c) ? skip(expression, at, continues_name) : at + 1;  // skips the e of 1e5, which is not a name
    }
  }
  return names;
}

std::string replace_names(std::string_view expression,
                          const std::function<std::optional<std::string>(std::string_view name)>& replacement) {
  std::string result;
  std::size_t copied = 0;
  for (const NameInText& found : names_in(expression)) {
    const std::optional<std::string> text = replacement(found.name);
    if (!text) continue;
    result.append(expression.substr(copied, found.offset - copied)).append(*text);
    copied = found.offset + found.length;
  }
  return result.append(expression.substr(copied));
}

bool NameScope::contains(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Result<void> NameScope::check(const ExpressionText& expression, const std::string& what) const {
  return check(expression, what, false);
}

Result<void> NameScope::check_value(const ExpressionText& expression, const std::string& what) const {
  return check(expression, what, true);
}

Result<void> NameScope::check(const ExpressionText& expression, const std::string& what, bool numbers) const {
  Result<space::Expression> parsed = space::Expression::parse(expression.text, expression.position);
  if (!parsed) return std::move(parsed).error().with_context(what);
  for (const std::string& name : parsed->names()) {
    if (contains(name) || (numbers && (name == "inf" || name == "nan"))) continue;
    const std::vector<NameInText> written = names_in(expression.text);
    const auto found = std::find_if(written.begin(), written.end(),
                                    [&](const NameInText& candidate) { return candidate.name == name; });
    const std::size_t offset = found == written.end() ? 0 : found->offset;
    return Error(ErrorCode::not_found, "unknown name in " + what)
        .at(advance(expression.position, expression.text, offset))
        .about(name)
        .hint(suggest(name, names_));
  }
  return {};
}

}  // namespace wattune::spec

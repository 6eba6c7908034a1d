#include "backend/compile/condition.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "backend/compile/code_text.h"

namespace wattune::inline v0_1::backend {

namespace {

constexpr int kDeepestCondition = 16;

using Number = std::optional<std::int64_t>;

// Splits the text into words and signs of one or two characters.
std::vector<std::string> tokens_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> kPairs{"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    if (is_word(text[at]))
      while (at + length < text.size() && is_word(text[at + length])) ++length;
    else
      for (const std::string_view pair : kPairs)
        if (text.substr(at).starts_with(pair)) length = 2;
    if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r') tokens.emplace_back(text.substr(at, length));
    at += length;
  }
  return tokens;
}

// Returns the value of a literal such as 12, 0x1F, 1u or 200000L.
Number number_of(std::string_view word) {
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  const bool binary = word.starts_with("0b") || word.starts_with("0B");
  if (hexadecimal || binary) word.remove_prefix(2);
  const bool octal = !hexadecimal && !binary && word.size() > 1 && word.front() == '0';
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value,
                                             hexadecimal ? 16
                                             : binary    ? 2
                                             : octal     ? 8
                                                         : 10);
  const std::string_view suffix(end, static_cast<std::size_t>(word.data() + word.size() - end));
  if (failed != std::errc() || suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
  return value;
}

int precedence_of(std::string_view sign) {
  constexpr std::array<std::array<std::string_view, 4>, 10> kLevels{{{"||"},
                                                                     {"&&"},
                                                                     {"|"},
                                                                     {"^"},
                                                                     {"&"},
                                                                     {"==", "!="},
                                                                     {"<", ">", "<=", ">="},
                                                                     {"<<", ">>"},
                                                                     {"+", "-"},
                                                                     {"*", "/", "%"}}};
  for (std::size_t level = 0; level < kLevels.size(); ++level)
    for (const std::string_view each : kLevels[level])
      if (!sign.empty() && each == sign) return static_cast<int>(level) + 1;
  return 0;
}

// Applies a binary operator to two known numbers.
Number apply(std::string_view sign, std::int64_t a, std::int64_t b) {
  const auto wide = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "&") return a & b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "+") return static_cast<std::int64_t>(wide(a) + wide(b));
  if (sign == "-") return static_cast<std::int64_t>(wide(a) - wide(b));
  if (sign == "*") return static_cast<std::int64_t>(wide(a) * wide(b));
  if (sign == "<<" || sign == ">>") {
    if (b < 0 || b > 62) return std::nullopt;
    return sign == "<<" ? static_cast<std::int64_t>(wide(a) << b) : a >> b;
  }
  if (b == 0 || b == -1) return std::nullopt;
  return sign == "/" ? a / b : a % b;
}

// Returns the result of && or ||. A false operand decides &&, and a true operand decides ||, even if the other operand
// is unknown.
Number apply_logical(bool is_and, Number a, Number b) {
  for (const Number& each : {a, b})
    if (each && (*each != 0) != is_and) return is_and ? 0 : 1;
  if (!a || !b) return std::nullopt;
  return is_and ? 1 : 0;
}

class Parser {
 public:
  Parser(std::string_view text, const Definitions& definitions, bool complete, int depth)
      : tokens_(tokens_of(text)), definitions_(definitions), complete_(complete), depth_(depth) {}

  Number value() {
    const Number result = ternary();
    return at_ == tokens_.size() ? result : std::nullopt;
  }

 private:
  std::string next() { return at_ < tokens_.size() ? tokens_[at_] : std::string(); }
  bool take(std::string_view token) {
    const bool found = next() == token;
    if (found) ++at_;
    return found;
  }

  Number ternary() {
    const Number condition = binary(1);
    if (!take("?")) return condition;
    const Number yes = ternary();
    if (!take(":")) return std::nullopt;
    const Number no = ternary();
    if (!condition) return std::nullopt;
    return *condition != 0 ? yes : no;
  }

  Number binary(int lowest) {
    Number left = unary();
    for (int level = precedence_of(next()); level >= lowest && level > 0; level = precedence_of(next())) {
      const std::string sign = tokens_[at_++];
      const Number right = binary(level + 1);
      if (sign == "&&" || sign == "||")
        left = apply_logical(sign == "&&", left, right);
      else
        left = left && right ? apply(sign, *left, *right) : std::nullopt;
    }
    return left;
  }

  Number unary() {
    const std::string sign = next();
    if (sign == "!" || sign == "-" || sign == "+" || sign == "~") {
      ++at_;
      const Number operand = unary();
      if (!operand) return std::nullopt;
      return sign == "!" ? *operand == 0 : sign == "-" ? -*operand : sign == "~" ? ~*operand : *operand;
    }
    if (take("(")) {
      const Number inner = ternary();
      return take(")") ? inner : std::nullopt;
    }
    return word();
  }

  Number word() {
    if (next().empty()) return std::nullopt;
    const std::string name = tokens_[at_++];
    if (name == "defined") return defined();
    if (next() == "(") return skip_call();
    if (name[0] >= '0' && name[0] <= '9') return number_of(name);
    if (const auto found = definitions_.find(name); found != definitions_.end()) {
      if (!found->second || depth_ == kDeepestCondition) return std::nullopt;
      return Parser(*found->second, definitions_, complete_, depth_ + 1).value();
    }
    if (name == "true") return 1;
    if (!is_word(name[0]) || !complete_ || may_be_predefined(name)) return std::nullopt;
    return 0;
  }

  Number defined() {
    const bool in_brackets = take("(");
    if (next().empty()) return std::nullopt;
    const std::optional<bool> result = is_defined(tokens_[at_++], definitions_, complete_);
    if (in_brackets && !take(")")) return std::nullopt;
    return result ? Number(*result ? 1 : 0) : std::nullopt;
  }

  // Skips the call of a function-like macro, whose value is unknown.
  Number skip_call() {
    int depth = 0;
    do {
      if (next() == "(") ++depth;
      if (next() == ")") --depth;
      ++at_;
    } while (depth > 0 && at_ < tokens_.size());
    return std::nullopt;
  }

  std::vector<std::string> tokens_;
  std::size_t at_ = 0;
  const Definitions& definitions_;
  bool complete_;
  int depth_;
};

std::optional<std::string> expand(std::string_view text, const Definitions& definitions, int depth) {
  if (depth == kDeepestCondition) return std::nullopt;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    at = end;
    const auto found = definitions.find(word);
    if (found == definitions.end() || found->second == word) {
      result += word;
      continue;
    }
    if (!found->second) return std::nullopt;
    const std::optional<std::string> meant = expand(*found->second, definitions, depth + 1);
    if (!meant) return std::nullopt;
    result += *meant;
  }
  return result;
}

}  // namespace

bool may_be_predefined(std::string_view name) {
  for (const std::string_view prefix : {"_", "cl_", "CL_", "CUDA", "NVRTC", "NVCC", "FP_", "M_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

std::optional<bool> is_defined(const std::string& name, const Definitions& definitions, bool complete) {
  if (const auto found = definitions.find(name); found != definitions.end())
    return found->second ? std::optional(true) : std::nullopt;
  if (!complete || may_be_predefined(name)) return std::nullopt;
  return false;
}

std::optional<bool> decide(std::string_view condition, const Definitions& definitions, bool complete) {
  const Number value = Parser(condition, definitions, complete, 0).value();
  return value ? std::optional(*value != 0) : std::nullopt;
}

std::optional<std::int64_t> value_of(std::string_view expression, const Definitions& definitions) {
  return Parser(expression, definitions, false, 0).value();
}

std::optional<std::string> expanded(std::string_view text, const Definitions& definitions) {
  return expand(text, definitions, 0);
}

}  // namespace wattune::backend

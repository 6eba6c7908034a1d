#include "backend/cuda/template_name.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "backend/compile/code_text.h"
#include "backend/compile/condition.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns the types that shorter names stand for, on x86-64 and in CUDA.
const std::map<std::string, std::string, std::less<>>& type_names() {
  static const std::map<std::string, std::string, std::less<>> names{{"size_t", "unsigned long"},
                                                                     {"uintptr_t", "unsigned long"},
                                                                     {"uint64_t", "unsigned long"},
                                                                     {"uint32_t", "unsigned int"},
                                                                     {"uint16_t", "unsigned short"},
                                                                     {"uint8_t", "unsigned char"},
                                                                     {"ptrdiff_t", "long"},
                                                                     {"intptr_t", "long"},
                                                                     {"int64_t", "long"},
                                                                     {"int32_t", "int"},
                                                                     {"int16_t", "short"},
                                                                     {"int8_t", "signed char"},
                                                                     {"uint", "unsigned int"},
                                                                     {"ulong", "unsigned long"},
                                                                     {"ushort", "unsigned short"},
                                                                     {"uchar", "unsigned char"},
                                                                     {"half", "__half"},
                                                                     {"half2", "__half2"},
                                                                     {"nv_bfloat16", "__nv_bfloat16"},
                                                                     {"nv_bfloat162", "__nv_bfloat162"}};
  return names;
}

constexpr std::string_view kWordsOfNumbers[] = {"unsigned", "signed", "int", "long", "short", "char"};

std::string_view without_outer_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

// Returns the arguments between the outermost pair of < and >, split at the commas outside of all brackets.
std::vector<std::string_view> split_arguments(std::string_view list) {
  std::vector<std::string_view> parts;
  int angles = 0;
  int others = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    const bool shifts = c == '<' && ((at > 0 && list[at - 1] == c) || (at + 1 < list.size() && list[at + 1] == c));
    if (c == '(' || c == '[' || c == '{') ++others;
    if (c == ')' || c == ']' || c == '}') --others;
    if (c == '<' && others == 0 && !shifts) ++angles;
    if (c == '>' && others == 0 && angles > 0) --angles;
    if (c != ',' || (at < list.size() && (angles > 0 || others > 0))) continue;
    parts.push_back(without_outer_blanks(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

// Tells whether the text is the name of a type of the language, such as `unsigned int` or `std::uint32_t`.
bool is_type_name(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  return !words.empty() && std::ranges::all_of(text, [](char c) { return is_word(c) || c == ' ' || c == ':'; }) &&
         std::ranges::all_of(words, [](const std::string& word) {
           return word == "std" || word == "cuda" || word == "bool" || type_names().contains(word) ||
                  std::ranges::count(kWordsOfNumbers, word) > 0;
         });
}

// Returns the number that follows an enumeration's name in parentheses: demanglers spell a value of an enumeration as
// `(Mode)1`.
std::string_view without_enumeration(std::string_view text) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return text;
  const bool is_name = std::ranges::all_of(text.substr(1, end - 1), [](char c) { return is_word(c) || c == ':'; });
  const std::string_view number = text.substr(end + 1);
  const bool is_number = !number.empty() && std::isdigit(static_cast<unsigned char>(number.front())) != 0 &&
                         std::ranges::all_of(number, is_word);
  return is_name && is_number ? number : text;
}

// Returns the expression without its casts: `(int)4`, `static_cast<int>(4)` and `int(4)` are 4.
std::string without_casts(std::string_view expression) {
  std::string text(without_enumeration(expression));
  constexpr std::string_view kCast = "static_cast<";
  for (std::size_t at = 0; (at = text.find(kCast, at)) != std::string::npos;) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) break;
    text.erase(at, end + 1 - at);
  }
  for (std::size_t at = 0; (at = text.find('(', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(')', at), text.size());
    std::size_t begin = at;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == ':')) --begin;
    if (begin == at && is_type_name(std::string_view(text).substr(at + 1, end - at - 1))) {
      text.erase(at, end + 1 - at);
    } else {
      if (is_type_name(std::string_view(text).substr(begin, at - begin))) text.erase(begin, at - begin), at = begin;
      ++at;
    }
  }
  return text;
}

// Returns the character code of a letter in quotes: 97 for 'a'.
std::optional<std::int64_t> letter_in(std::string_view text) {
  if (text.size() == 3 && text.front() == '\'' && text.back() == '\'') return static_cast<signed char>(text[1]);
  return std::nullopt;
}

// Returns the number that the text stands for; nullopt if it is no constant expression of numbers.
std::optional<std::int64_t> number_in(std::string_view text) {
  if (const auto letter = letter_in(text)) return letter;
  std::string plain = without_casts(text);
  std::erase(plain, '\'');  // removes digit separators
  return value_of(plain, {{"true", "1"}, {"false", "0"}});
}

std::string normal_argument(std::string_view text);

// Returns a number type as demanglers spell it, given its words, such as {"long", "unsigned"}.
std::string normal_number_type(const std::vector<std::string>& words) {
  const auto count = [&](std::string_view word) { return std::ranges::count(words, word); };
  const std::string sign = count("unsigned") > 0 ? "unsigned " : "";
  if (count("char") > 0) return count("signed") > 0 ? "signed char" : sign + "char";
  if (count("short") > 0) return sign + "short";
  if (count("long") > 1) return sign + "long long";
  return sign + (count("long") == 1 ? "long" : "int");
}

// Returns the base of a type in the normal form: the words before its stars.
std::string normal_base(std::string_view text) {
  std::vector<std::string> words;
  std::string qualifiers;
  std::string name;
  for (std::string& word : words_of(text)) {
    if (word == "const" || word == "volatile") {
      qualifiers += word + " ";
    } else if (std::ranges::count(kWordsOfNumbers, word) > 0) {
      words.push_back(std::move(word));
    } else if (word != "struct" && word != "class" && word != "enum" && word != "typename" && word != "std") {
      name += (name.empty() ? "" : "::") + word;
    }
  }
  if (!words.empty() && name.empty()) return qualifiers + normal_number_type(words);
  const std::string_view last = std::string_view(name).substr(name.starts_with("cuda::") ? 6 : 0);
  const auto known = type_names().find(last);
  return qualifiers + (known == type_names().end() ? name : known->second);
}

// Returns a type in its normal form.
std::string normal_type(std::string_view text) {
  const std::size_t open = text.find('<');
  if (open != std::string_view::npos && text.ends_with('>')) {
    std::string normal = normal_base(text.substr(0, open)) + "<";
    for (const std::string_view argument : split_arguments(text.substr(open + 1, text.size() - open - 2)))
      normal += (normal.ends_with('<') ? "" : ",") + normal_argument(argument);
    return normal + ">";
  }
  const std::size_t stars = std::min(text.find_first_of("*&[("), text.size());
  std::string rest(text.substr(stars));
  std::erase(rest, ' ');
  return normal_base(text.substr(0, stars)) + rest;
}

std::string normal_argument(std::string_view text) {
  text = without_outer_blanks(text);
  if (const auto number = number_in(text)) return std::to_string(*number);
  if (text.find_first_of("+-/%!?=\"'.") != std::string_view::npos) {
    std::string as_it_is(text);
    std::erase(as_it_is, ' ');
    return as_it_is;
  }
  return normal_type(text);
}

// Tells whether only a compiler knows the argument's value or type, since the argument contains a name that the
// language itself does not define.
bool is_unclear(const std::string& argument) {
  static constexpr std::string_view kNames[] = {"unsigned", "signed", "int",    "long", "short", "char",
                                                "bool",     "float",  "double", "void", "const", "volatile"};
  return std::ranges::any_of(words_of(argument), [](const std::string& word) {
    return std::isdigit(static_cast<unsigned char>(word.front())) == 0 && std::ranges::count(kNames, word) == 0;
  });
}

// Returns the position of the `<` that opens the list of template arguments at the end of a name; npos if the name has
// no such list.
std::size_t opening_of_list(std::string_view name) {
  if (!name.ends_with('>')) return std::string_view::npos;
  int depth = 0;
  int round = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++round;
    if (name[at] == '(') --round;
    if (round > 0) continue;
    if (name[at] == '>') ++depth;
    if (name[at] != '<') continue;
    if (at > 0 && name[at - 1] == '<')
      --at;  // skips the other < of a shift
    else if (--depth == 0)
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

TemplateName template_name(std::string_view name) {
  name = without_outer_blanks(name);
  if (name.starts_with("::")) name.remove_prefix(2);
  const std::size_t open = opening_of_list(name);
  TemplateName result{std::string(without_outer_blanks(name.substr(0, open))), {}};
  if (open == std::string_view::npos) return result;
  for (const std::string_view argument : split_arguments(name.substr(open + 1, name.size() - open - 2)))
    result.arguments.push_back(normal_argument(argument));
  return result;
}

bool fits(const TemplateName& wanted, const TemplateName& instance, bool exact) {
  if (wanted.function != instance.function) return false;
  if (exact) return wanted.arguments == instance.arguments;
  if (wanted.arguments.size() > instance.arguments.size()) return false;
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i)
    if (wanted.arguments[i] != instance.arguments[i] && !is_unclear(wanted.arguments[i])) return false;
  return true;
}

}  // namespace wattune::backend::cuda

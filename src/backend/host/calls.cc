#include "backend/host/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backend/compile/preprocessor.h"
#include "backend/interface/build_log.h"

namespace wattune::inline v0_1::backend::host {

namespace {

// Code that makes calls strict: C would convert arguments to the types of the parameters, but here a conversion that
// may change the value is an error. The wrappers convert to any pointer type, or to any struct of the same size.
constexpr std::string_view kStrict = R"(
#line 1 "wattune-calls"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
)";
constexpr std::string_view kStrictC = R"(
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wint-conversion"
)";
// The wrappers around arguments. Each name contains "wattune", because tuning parameters are macros here, too, and may
// have any name without it.
constexpr std::string_view kWrappersCpp = R"(
struct wattune_pointer {
  void* wattune_value;
  template <typename wattune_type> operator wattune_type*() const { return static_cast<wattune_type*>(wattune_value); }
};
template <unsigned long wattune_bytes> struct wattune_struct {
  const void* wattune_address;
  template <typename wattune_type> operator wattune_type() const {
    static_assert(sizeof(wattune_type) == wattune_bytes, "the struct of the spec has another size");
    return *static_cast<const wattune_type*>(wattune_address);
  }
};
)";

bool is_struct(const CallArgument& argument) { return argument.type.starts_with("struct"); }

std::string exported(Language language) {
  return fmt::format("extern {}__attribute__((visibility(\"default\"))) ", language == Language::cpp ? "\"C\" " : "");
}

std::string file_of_call(std::size_t number) { return fmt::format("wattune-call-{}", number); }

// Returns the name of a type in the calls' code, where structs have names of their own.
std::string type_name(const FunctionCall& call, std::size_t number, std::size_t position) {
  const CallArgument& argument = call.arguments[position];
  return is_struct(argument) ? fmt::format("wattune_struct_{}_{}", number, position) : argument.type;
}

// Returns the argument at this position as an expression.
std::string expression(Language language, const FunctionCall& call, std::size_t number, std::size_t position) {
  const std::string type = type_name(call, number, position);
  const std::string address = fmt::format("wattune_arguments[{}]", position);
  if (language == Language::c) return fmt::format("*({}*){}", type, address);
  if (is_struct(call.arguments[position])) return fmt::format("wattune_struct<sizeof({})>{{{}}}", type, address);
  const std::string value = fmt::format("*static_cast<{}*>({})", type, address);
  return type == "void*" ? fmt::format("wattune_pointer{{{}}}", value) : value;
}

// Returns the declarations that precede a call: structs, and the sizes of all arguments.
std::string declarations_for(Language language, const FunctionCall& call, std::size_t number) {
  std::string structs;
  std::string sizes;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string type = type_name(call, number, i);
    if (is_struct(call.arguments[i])) structs += fmt::format("typedef {} {};\n", call.arguments[i].type, type);
    sizes += fmt::format("sizeof({}), ", type);
  }
  return fmt::format("{0}{1}const unsigned long {2}[];\nconst unsigned long {2}[] = {{{3}0}};\n", structs,
                     exported(language), symbol_of_sizes(number), sizes);
}

// The expression for the function in a call. In C, structs of different names are different types, and the spec does
// not know the user's names. So a function that takes a struct is cast to one that takes the spec's struct, through a
// pointer whose value the compiler cannot know.
struct Callee {
  std::string definition;
  std::string expression;
};

Callee callee_of(Language language, const FunctionCall& call, std::size_t number) {
  if (!hides_result(language, call)) return {"", call.function};
  std::string types;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    types += fmt::format("{}{}", i == 0 ? "" : ", ", type_name(call, number, i));
  const std::string pointer = fmt::format("wattune_function_{}", number);
  return {fmt::format("static void (*volatile {})(void) = (void (*)(void)){}; ", pointer, call.function),
          fmt::format("((void (*)({})){})", types, pointer)};
}

// Returns the text of a call, with the arguments on lines of their own, the first on line 2.
std::string text_of_call(Language language, const FunctionCall& call, std::size_t number, bool returns) {
  std::string arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    arguments += fmt::format("{}{}\n", expression(language, call, number, i), i + 1 < call.arguments.size() ? "," : "");
  const std::string head =
      fmt::format("{}double {}(void** wattune_arguments)", exported(language), symbol_of_call(number));
  const Callee callee = callee_of(language, call, number);
  return fmt::format("{0}{1};\n{2}{3}{1} {{ (void)wattune_arguments; {6}{4}(\n{5}); {7}}}\n",
                     declarations_for(language, call, number), head, line_directive(file_of_call(number)),
                     callee.definition, callee.expression, arguments, returns ? "return " : "(void)",
                     returns ? "" : "return 0; ");
}

// Returns a compiler's message without its place and option: "cannot convert ..." of "wattune-call-0:3:1: error: cannot
// convert ... [-Wname]".
std::string without_place(std::string_view line) {
  constexpr std::string_view kError = "error: ";
  const std::size_t begin = line.find(kError);
  if (begin != std::string_view::npos) line.remove_prefix(begin + kError.size());
  return std::string(line.substr(0, line.find(" [-W")));
}

// Returns the note that a compiler adds about the types of an argument; empty if there is none.
std::string explanation(std::string_view log) {
  for (const std::string_view beginning : {"note: expected ", "note: candidate function not viable: "}) {
    const std::size_t at = log.find(beginning);
    if (at == std::string_view::npos) continue;
    const std::string_view line = log.substr(at, log.find('\n', at) - at);
    return fmt::format(" ({})", line.substr(line.find(' ') + 1));
  }
  return {};
}

struct Complaint {
  std::size_t line = 0;
  std::string words;
};

// Returns the first complaint that names a line of the file, such as "wattune-call-0:". Clang names the file only after
// its error, in a note.
std::optional<Complaint> first_complaint(std::string_view log, std::string_view file) {
  for (std::size_t at = log.find(file); at != std::string_view::npos; at = log.find(file, at + 1)) {
    Complaint complaint;
    const char* const number = log.data() + at + file.size();
    if (std::from_chars(number, log.data() + log.size(), complaint.line).ec != std::errc()) continue;
    const std::string_view from_here = log.substr(at);
    const bool note = from_here.substr(0, from_here.find('\n')).find("note: ") != std::string_view::npos;
    complaint.words = without_place(telling_line(note ? log : from_here)) + explanation(from_here);
    return complaint;
  }
  return std::nullopt;
}

}  // namespace

bool hides_result(Language language, const FunctionCall& call) {
  return language == Language::c && std::ranges::any_of(call.arguments, is_struct);
}

std::string symbol_of_call(std::size_t number) { return fmt::format("wattune_call_{}", number); }

std::string symbol_of_sizes(std::size_t number) { return fmt::format("wattune_sizes_{}", number); }

std::string with_calls(const KernelSource& source, const std::vector<bool>& wanted) {
  const bool cpp = source.language == Language::cpp;
  std::string text = line_directive(source.file.empty() ? "<kernel>" : source.file.string()) + source.text;
  text += kStrict;
  text += cpp ? kWrappersCpp : kStrictC;
  for (std::size_t i = 0; i < source.calls.size(); ++i)
    if (wanted[i]) text += text_of_call(source.language, source.calls[i], i, source.returned_unit.has_value());
  return text;
}

std::optional<std::string> objection_to(const FunctionCall& call, std::size_t number, std::string_view log) {
  const std::optional<Complaint> complaint = first_complaint(log, file_of_call(number) + ":");
  if (!complaint) return std::nullopt;
  if (complaint->line < 2 || complaint->line - 2 >= call.arguments.size()) return complaint->words;
  return fmt::format("argument `{}`: {}", call.arguments[complaint->line - 2].name, complaint->words);
}

}  // namespace wattune::backend::host

// Makes a Document of a TOML text, through toml++. The library sorts the keys of a table, so their order in the file is
// restored from the places that it records.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "spec/document.h"
#include "spec/text.h"
#include "spec/toml_plus_plus.h"

namespace wattune::inline v0_1::spec {

namespace {

Place to_place(const toml::source_position& position) {
  return {static_cast<int>(position.line), static_cast<int>(position.column)};
}

class Converter {
 public:
  Converter(std::string_view text, const std::filesystem::path& file) : lines_(split_lines(text)), file_(file) {}

  Result<Node> convert(const toml::node& source) const {
    Node node;
    node.place = node.content = to_place(source.source().begin);
    if (const toml::table* table = source.as_table()) return convert_table(*table, std::move(node));
    if (const toml::array* array = source.as_array()) return convert_array(*array, std::move(node));
    node.kind = Node::Kind::scalar;
    if (const auto* value = source.as_integer()) {
      node.scalar = value->get();
    } else if (const auto* real = source.as_floating_point()) {
      node.scalar = real->get();
    } else if (const auto* flag = source.as_boolean()) {
      node.scalar = flag->get();
    } else if (const auto* string = source.as_string()) {
      node.scalar = string->get();
      node.content = inside_quotes(node.place);
    } else {
      return Error(ErrorCode::parse_error, "dates and times have no meaning here").at(position_at(file_, node.place));
    }
    return node;
  }

 private:
  Result<Node> convert_table(const toml::table& table, Node node) const {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : table) {
      WATTUNE_ASSIGN(Node child, convert(value));
      node.members.push_back({std::string(key.str()), to_place(key.source().begin), std::move(child)});
    }
    std::sort(node.members.begin(), node.members.end(), [](const Node::Member& a, const Node::Member& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return node;
  }

  Result<Node> convert_array(const toml::array& array, Node node) const {
    node.kind = Node::Kind::list;
    for (const toml::node& element : array) {
      WATTUNE_ASSIGN(Node child, convert(element));
      node.elements.push_back(std::move(child));
    }
    return node;
  }

  // Returns the place at which the contents of a string begin. That is after one quote, or after three quotes and the
  // line break that may follow them.
  Place inside_quotes(Place quote) const {
    if (quote.line < 1 || static_cast<std::size_t>(quote.line) > lines_.size()) return quote;
    const std::string_view rest = from_column(lines_[quote.line - 1], quote.column);
    if (!rest.starts_with("\"\"\"") && !rest.starts_with("'''")) return {quote.line, quote.column + 1};
    if (rest.size() == 3) return {quote.line + 1, 1};
    return {quote.line, quote.column + 3};
  }

  std::vector<std::string_view> lines_;
  const std::filesystem::path& file_;
};

// Returns the place of the first line that begins like a table header but contains no key.
Place malformed_header(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t bracket = lines[i].find_first_not_of(" \t");
    if (bracket == std::string_view::npos || lines[i][bracket] != '[') continue;
    const std::size_t key = lines[i].find_first_not_of("[ \t", bracket);
    if (key == std::string_view::npos) continue;
    const char c = lines[i][key];
    const bool begins_key = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_-\"'", c) != nullptr;
    if (!begins_key) return {static_cast<int>(i) + 1, characters_in(lines[i].substr(0, key)) + 1};
  }
  return {};
}

// Returns advice if the parser stopped in a value that lacks its quotes, or that is a word of Python or JSON. Returns
// an empty text for other mistakes.
std::string advice_on_value(std::string_view text, Place place) {
  const std::vector<std::string_view> lines = split_lines(text);
  if (place.line < 1 || static_cast<std::size_t>(place.line) > lines.size()) return {};
  const std::string_view line = lines[static_cast<std::size_t>(place.line) - 1];
  std::size_t begin = line.size() - from_column(line, place.column).size();
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  while (begin > 0 && belongs(line[begin - 1])) --begin;
  const std::string_view word = line.substr(begin);
  if (word.starts_with("True") || word.starts_with("False")) return "TOML writes true and false";
  if (word.starts_with("None") || word.starts_with("null")) return "TOML has no null: leave the key out";
  if (word.starts_with("\u201c") || word.starts_with("\u2018")) return "quotes are \" or '";
  const bool is_bare = !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '(');
  return is_bare ? "texts and expressions stand in quotes, and lists in []" : "";
}

// Returns advice on a mistake for which the parser gives this description. Returns an empty text if there is no advice
// for that mistake.
std::string advice_on_mistake(std::string_view description, std::string_view text, Place place) {
  const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  if (says("unknown escape sequence")) return "write a backslash twice, or the text in single quotes";
  if (says("parsing inline table") && says("saw '\\n'")) return "a table in { } stands on one line";
  const bool is_about_value = says("parsing value") || says("parsing floating-point") || says("parsing boolean");
  return is_about_value ? advice_on_value(text, place) : std::string();
}

Error syntax_error(std::string_view text, const std::filesystem::path& file, Place place, std::string message) {
  return Error(ErrorCode::parse_error, std::move(message))
      .at(position_at(file, place))
      .about(line_of(text, place.line));
}

// Puts quotes around the integer that ends before the place. Returns false if no integer ends there.
bool quote_integer_before(std::string& text, Place place) {
  const std::vector<std::string_view> lines = split_lines(text);
  if (place.line < 1 || static_cast<std::size_t>(place.line) > lines.size()) return false;
  const std::string_view line = lines[static_cast<std::size_t>(place.line) - 1];
  const auto begin = static_cast<std::size_t>(line.data() - text.data());
  const std::size_t end = begin + line.size() - from_column(line, place.column).size();
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::size_t first = end;
  while (first > begin && belongs(text[first - 1])) --first;
  if (first > begin && (text[first - 1] == '-' || text[first - 1] == '+')) --first;
  const bool goes_on = first > begin && (belongs(text[first - 1]) || text[first - 1] == '.');
  if (first == end || goes_on) return false;
  text.insert(end, 1, '"').insert(first, 1, '"');
  return true;
}

// Parses the text. Integers that do not fit into 64 bits with a sign are put in quotes, because the parser would refuse
// them.
Result<toml::table> parse(std::string& text, const std::filesystem::path& file) {
  constexpr int kMostLargeIntegers = 100;
  for (int large = 0;; ++large) {
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      const Place place = to_place(error.source().begin);
      const bool is_large = error.description().find("not representable in 64 bits") != std::string_view::npos;
      if (is_large && large < kMostLargeIntegers && quote_integer_before(text, place)) continue;
      return syntax_error(text, file, place, std::string(error.description()))
          .hint(advice_on_mistake(error.description(), text, place));
    } catch (const BrokenAssertion&) {
      return syntax_error(text, file, malformed_header(text), "malformed table header");
    }
  }
}

}  // namespace

Result<Document> Document::from_toml(std::string_view text, const std::filesystem::path& file) {
  std::string read(without_byte_order_mark(text));
  WATTUNE_ASSIGN(const toml::table table, parse(read, file));
  WATTUNE_ASSIGN(Node root, Converter(read, file).convert(table));
  root.place = root.content = Place{};
  return Document(file, std::move(root));
}

}  // namespace wattune::spec

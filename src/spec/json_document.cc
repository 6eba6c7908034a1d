// Makes a Document of a JSON text, through nlohmann's event parser. The parser does not give the place of a value, so a
// cursor follows the parser through the text. The text behind the cursor is valid, which makes the next token easy to
// find.
#include <nlohmann/json.hpp>

#include "spec/document.h"
#include "spec/text.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::size_t kMaxDepth = 64;

// A cursor that walks over the tokens of valid JSON and counts lines and columns.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Moves past the next token and returns the place where the token begins.
  Place next() {
    while (offset_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[offset_]) != std::string_view::npos)
      advance(1);
    const Place begin = place_;
    advance(token_length());
    return begin;
  }

 private:
  std::size_t token_length() const {
    const std::string_view rest = text_.substr(offset_);
    if (rest.empty()) return 0;
    if (std::string_view("{}[]").find(rest[0]) != std::string_view::npos) return 1;
    if (rest[0] != '"') return std::min(rest.find_first_of(" \t\r\n,:{}[]"), rest.size());
    std::size_t end = 1;
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    return std::min(end + 1, rest.size());
  }

  void advance(std::size_t bytes) {
    const std::string_view passed = text_.substr(offset_, bytes);
    offset_ += passed.size();
    if (passed == "\n")
      place_ = {place_.line + 1, 1};
    else
      place_.column += characters_in(passed);
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  Place place_;
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::filesystem::path& file) : text_(text), cursor_(text), file_(file) {}

  Node take_root() { return std::move(root_); }
  const std::optional<Error>& failure() const { return failure_; }

  bool null() override { return add(Node()); }
  bool boolean(bool value) override { return add_scalar(value); }
  bool number_integer(number_integer_t value) override { return add_scalar(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return add_scalar(std::to_string(value), false);
    return add_scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add_scalar(value); }
  bool string(string_t& value) override { return add_scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Node::Kind::table); }
  bool start_array(std::size_t) override { return open(Node::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    open_.back()->members.push_back({value, cursor_.next(), Node()});
    return true;
  }

  bool parse_error(std::size_t offset, const std::string&, const nlohmann::json::exception& error) override {
    const std::string_view read = text_.substr(0, offset == 0 ? 0 : offset - 1);
    const std::size_t line_begin = read.rfind('\n') + 1;
    const auto line = static_cast<int>(std::count(read.begin(), read.end(), '\n')) + 1;
    // Only the part of the message behind the last colon is kept. A message is, for example:
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...".
    std::string message = error.what();
    if (const std::size_t bracket = message.find("] "); bracket != std::string::npos) message.erase(0, bracket + 2);
    if (const std::size_t colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
    message.erase(std::min({message.find("; last read: "), message.find(" parsing '"), message.size()}));
    failure_ = Error(ErrorCode::parse_error, std::move(message))
                   .at({file_.string(), line, characters_in(read.substr(line_begin)) + 1})
                   .about(line_of(text_, line));
    if (const std::string_view rest = text_.substr(read.size());
        rest.starts_with("NaN") || rest.starts_with("Infinity"))
      failure_ =
          std::move(*failure_).hint("JSON has no such number: the value may be a text, \"nan\", \"inf\" or \"-inf\"");
    return false;
  }

 private:
  template <typename T>
  bool add_scalar(T value, bool in_quotes = true) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.scalar = Value(std::move(value));
    return add(std::move(node), in_quotes);
  }

  bool add(Node node, bool in_quotes = true) {
    place(node);
    if (!in_quotes) node.content = node.place;
    attach(std::move(node));
    return true;
  }

  bool open(Node::Kind kind) {
    Node node;
    node.kind = kind;
    place(node);
    const Place begin = node.place;
    open_.push_back(attach(std::move(node)));
    if (open_.size() <= kMaxDepth) return true;
    failure_ = Error(ErrorCode::parse_error, "nested too deeply").at(position_at(file_, begin));
    return false;
  }

  bool close() {
    cursor_.next();
    open_.pop_back();
    return true;
  }

  void place(Node& node) {
    node.place = node.content = cursor_.next();
    if (node.is_string()) ++node.content.column;
  }

  // Attaches a node to its parent and returns its address. The address is valid until the parent is closed, since until
  // then the parent gets no further child.
  Node* attach(Node node) {
    if (open_.empty()) return &(root_ = std::move(node));
    Node& parent = *open_.back();
    if (parent.kind == Node::Kind::list) return &parent.elements.emplace_back(std::move(node));
    return &(parent.members.back().value = std::move(node));
  }

  std::string_view text_;
  Cursor cursor_;
  const std::filesystem::path& file_;
  Node root_;
  std::vector<Node*> open_;
  std::optional<Error> failure_;
};

}  // namespace

Result<Document> Document::from_json(std::string_view text, const std::filesystem::path& file) {
  text = without_byte_order_mark(text);
  Builder builder(text, file);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return builder.failure().value_or(Error(ErrorCode::parse_error, "not JSON").at({file.string(), 1, 1}));
  return Document(file, builder.take_root());
}

}  // namespace wattune::spec

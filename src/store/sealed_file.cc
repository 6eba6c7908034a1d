#include "store/interface/sealed_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interface/printable.h"
#include "store/interface/files.h"
#include "store/interface/sealed_line.h"
#include "store/limits.h"

namespace wattune::inline v0_1::store {

namespace {

namespace fs = std::filesystem;

Error cannot_read(std::string why, const fs::path& file, int line) {
  return Error(ErrorCode::parse_error, std::move(why)).at(position_in(file, line));
}

// A reader that takes the lines of a file one by one. A line that cannot be read is left out; the other lines count.
class SealedReader {
 public:
  SealedReader(const fs::path& file, const FileKind& kind, const std::function<void(const Json&)>& take)
      : file_(file), kind_(kind), take_(take), start_(fmt::format("{{\"{}\":", kind.member)) {}

  // Reads a line. Fails if the whole file must not be read.
  Result<void> add(std::string_view line, bool is_terminated) {
    ++number_;
    if (line.empty()) return {};
    if (first_ == 0) {
      first_ = number_;
      first_line_ = line;
    }
    const bool begins = line.starts_with(start_);
    const Result<Json> json = guard(position_in(file_, number_), [&] { return parse_line(line, limits_); });
    if (!json) return leave_out(json.error().message()), Result<void>();
    const bool is_old = kind_.is_unsealed != nullptr && json->is_object() && kind_.is_unsealed(*json);
    const bool begins_as_old = kind_.is_unsealed != nullptr && line.starts_with(kind_.unsealed_start);
    is_known_ = is_known_ || begins || is_old || begins_as_old;
    if (begins && is_sealed(line)) return add_sealed(*json);
    contents_.unsealed = contents_.unsealed || is_old || begins_as_old;
    if (is_old) return hand_out(*json), Result<void>();
    is_torn_ = !is_terminated;
    leave_out(is_torn_        ? "it was cut off"
              : begins        ? "its checksum is wrong"
              : begins_as_old ? "it is no JSON"
                              : fmt::format("it is no line of a {}", kind_.what));
    return {};
  }

  Result<SealedContents> take() {
    if (first_ > 0 && !is_known_)
      return cannot_read(
          fmt::format("this is no {} of Wattune: its first line is {}", kind_.what, in_quotes(first_line_)), file_,
          first_);
    return std::move(contents_);
  }

  bool is_torn() const { return is_torn_; }
  SealedContents& contents() { return contents_; }

 private:
  Result<void> add_sealed(const Json& json) {
    const Json* const version = find_member(json, std::string(kind_.member).c_str());
    const std::uint64_t found = version != nullptr && version->is_number_unsigned() ? version->get<std::uint64_t>() : 0;
    if (found > kind_.version)
      return cannot_read(
                 fmt::format("the {} has format {}, this Wattune reads up to {}", kind_.what, found, kind_.version),
                 file_, number_)
          .hint("use the Wattune that wrote it, or a newer one");
    if (found != kind_.version) return leave_out("no Wattune wrote a line of its version"), Result<void>();
    hand_out(json);
    return {};
  }

  void hand_out(const Json& json) {
    try {
      take_(json);
    } catch (const Malformed& malformed) {
      leave_out(malformed.what());
    }
  }

  void leave_out(const std::string& why) {
    contents_.left_out.push_back(
        cannot_read(fmt::format("this line of the {} is left out: {}", kind_.what, why), file_, number_));
  }

  const fs::path& file_;
  const FileKind& kind_;
  const std::function<void(const Json&)>& take_;
  const std::string start_;
  JsonLimits limits_;
  SealedContents contents_;
  int number_ = 0;
  int first_ = 0;  // number of the first line that is not empty
  std::string_view first_line_;
  bool is_known_ = false;
  bool is_torn_ = false;
};

// Removes line breaks from an object that an older Wattune wrote over several lines.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::erase_if(line, [](char letter) { return letter == '\n' || letter == '\r'; });
  return line + '\n';
}

bool is_spread(std::string_view text) { return text.starts_with("{\n") || text.starts_with("{\r\n"); }

}  // namespace

std::string sealed_record(const FileKind& kind, const Json& members) {
  Json record = Json::object();
  record[std::string(kind.member)] = kind.version;
  for (const auto& [name, value] : members.items()) record[name] = value;
  return sealed(record);
}

Result<SealedContents> read_sealed(std::string_view text, const fs::path& file, const FileKind& kind,
                                   const std::function<void(const Json&)>& take) {
  const bool marked = text.starts_with(LineReader::kByteOrderMark);
  const std::string joined =
      is_spread(text.substr(marked ? LineReader::kByteOrderMark.size() : 0)) ? on_one_line(text) : std::string();
  LineReader lines(joined.empty() ? text : joined);
  SealedReader reader(file, kind, take);
  std::size_t intact = 0;
  while (!lines.done()) {
    const LineReader::Line line = lines.next_line();
    WATTUNE_TRY(reader.add(line.text, line.is_terminated));
    if (!reader.is_torn()) intact = lines.consumed();
  }
  SealedContents& contents = reader.contents();
  contents.intact_bytes = joined.empty() ? intact : text.size();
  contents.ends_with_newline = contents.intact_bytes == 0 || text[contents.intact_bytes - 1] == '\n';
  return reader.take();
}

std::string unsealed_note(const fs::path& file, std::string_view outcome) {
  return fmt::format("{} is unsealed: an older Wattune wrote it without checksums, so that damage may not show; {}",
                     file.string(), outcome);
}

Result<void> keep_unsealed(const fs::path& file, const FileKind& kind) {
  const Result<std::string> text = read_regular_file(file);
  if (!text) return text.error().code() == ErrorCode::not_found ? Result<void>() : text.error();
  WATTUNE_ASSIGN(const SealedContents found, read_sealed(*text, file, kind, [](const Json&) {}));
  return found.unsealed ? keep_beside(file, kUnsealedSuffix) : Result<void>();
}

}  // namespace wattune::store

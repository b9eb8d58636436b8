#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "points/byte_source.hpp"
#include "points/csv_layout.hpp"
#include "points/csv_rows.hpp"
#include "points/text_points.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {

namespace {
class CsvPoints final : public TextPoints {
 public:
  CsvPoints(const std::string& path, const CsvOptions& options)
      : TextPoints({.paths = {path},
                    .too_long = "check that the file is delimited text and that every quote is closed",
                    .on_bad_row = options.on_bad_row,
                    .on_bad_line = options.on_bad_line,
                    .block_bytes = options.block_bytes}) {
    const std::string& name = cutter().source().name();
    try {
      const std::string_view head = cutter().head([&](std::string_view text) { return holds_record(text, options); });
      layout_ = find_layout(head, cutter().at_end(), options, name);
    } catch (const TextFault& fault) {
      throw InputError(fmt::format("{}, line 1{}", name, fault.what));
    }
  }

  [[nodiscard]] std::size_t dimensions() const override { return layout_.columns; }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names(layout_.columns);
    if (!layout_.known_header) return names;
    for (std::size_t field = 0; field < layout_.field_names.size(); ++field) {
      const int column = layout_.roles[field].column;
      if (column >= 0) names[static_cast<std::size_t>(column)] = layout_.field_names[field];
    }
    return names;
  }

 private:
  TextStart start(BlockCutter& cutter) override {
    (void)cutter.head([&](std::string_view head) { return head.size() >= layout_.first_byte; });
    return {layout_.first_byte, layout_.first_line, layout_.multiline};
  }

  [[nodiscard]] std::unique_ptr<TextRows> parser(OnBadRow on_bad_row, unsigned worker,
                                                 const Visit& visit) const override {
    return std::make_unique<RowParser>(layout_, on_bad_row, worker, visit);
  }

  CsvLayout layout_;
};
}  // namespace

CsvHead csv_head(const std::string& path, const CsvOptions& options, std::size_t rows) {
  CsvOptions all = options;
  all.columns = {"1"};  // any column: the layout names them all
  ByteProgress progress;
  ByteSource source(path, progress, [] {});
  std::string head;
  constexpr std::size_t piece = std::size_t{1} << 16;
  bool complete = false;
  while (!complete && !holds_record(head, all)) {
    if (head.size() > csv_longest_record) throw InputError("the first line is too long for a file of records");
    std::string more(piece, '\0');
    more.resize(source.read(more.data(), more.size()));
    complete = more.size() < piece;
    head += more;
  }
  const CsvLayout layout = find_layout(head, complete, all, source.name());
  CsvHead result{std::vector<std::string>(layout.roles.size()), layout.delimiter,
                 first_records(head, complete, layout, rows)};
  for (std::size_t i = 0; i < layout.field_names.size(); ++i) {
    if (!is_utf8(layout.field_names[i])) {
      throw InputError(
          fmt::format("{}: the name of column {} is not UTF-8, so the file has another encoding; convert it first: "
                      "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW",
                      path, i + 1));
    }
    result.names[i] = layout.field_names[i];
  }
  for (std::vector<std::string>& row : result.rows) {
    for (std::string& field : row) {
      if (is_utf8(field)) continue;
      std::replace_if(
          field.begin(), field.end(), [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
    }
  }
  return result;
}

std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options) {
  return std::make_unique<CsvPoints>(path, options);
}

}  // namespace shoal

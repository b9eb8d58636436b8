// Any bytes as a file of delimited text, gzip too: read or refused, alike in blocks of any size and by several threads.
#include <cstdlib>

#include "reading_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  shoal::ReadingCase made;
  made.max_contributions = 2;
  shoal::CsvOptions& options = made.options;
  options.columns = (data[0] & 1) != 0 ? std::vector<std::string>{"1", "2"} : std::vector<std::string>{};
  options.dimensions = 1 + (data[0] >> 1 & 1);
  options.header = static_cast<shoal::CsvHeader>((data[0] >> 2) % 3);
  options.multiline = (data[0] & 32) != 0;
  options.on_bad_row = (data[0] & 64) != 0 ? shoal::OnBadRow::skip : shoal::OnBadRow::fail;
  if ((data[0] & 128) != 0) options.unit_column = "1";
  options.block_bytes = 4096 + size;
  const shoal::Reading whole = shoal::read_all(text, made, options, 1, shoal::open_csv);
  options.block_bytes = 1 + data[1];
  const unsigned threads = data[1] % 8 < 7 ? 1 : 2;  // to start a thread takes longer than to read a file
  if (shoal::read_all(text, made, options, threads, shoal::open_csv) == whole) return 0;
  fmt::print(stderr, "other blocks or threads give another result\n");
  std::abort();
}

// Columns of Arrow's C data interface made of any bytes: units are read as they were put in, from every format, offset
// and dictionary, nulls as nobody's. Damaged views and places in a dictionary are refused or read within their buffers.
// The same columns are read as coordinates, of names and of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "points/arrow_coordinates.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace {

using Bytes = std::vector<char>;  // of its exact size: a sanitizer sees a read past it

template <class T>
void append(Bytes& bytes, T value) {
  const auto at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// An array and what holds its memory.
struct Column {
  std::string format;
  std::vector<Bytes> buffers;
  std::vector<const void*> pointers;
  shoal::ArrowSchema schema{};
  shoal::ArrowArray array{};

  void finish(std::int64_t length, std::int64_t offset) {
    for (const Bytes& buffer : buffers) pointers.push_back(buffer.empty() ? nullptr : buffer.data());
    schema.format = format.c_str();
    schema.name = "who";
    array.length = length;
    array.null_count = -1;
    array.offset = offset;
    array.n_buffers = static_cast<std::int64_t>(pointers.size());
    array.buffers = pointers.data();
  }
};

struct Input {
  const std::uint8_t* data;
  std::size_t size;
  std::uint8_t byte() {
    if (size == 0) return 0;
    --size;
    return *data++;
  }
  std::string text() {
    const std::size_t length = std::min<std::size_t>(byte() % 32, size);
    std::string result(reinterpret_cast<const char*>(data), length);
    data += length;
    size -= length;
    return result;
  }
  std::uint64_t number() {
    std::uint64_t result = 0;
    for (int i = byte() % 9; i > 0; --i) result = result << 8U | byte();
    return result;
  }
};

Bytes validity(const std::vector<bool>& nulls) {
  Bytes bits((nulls.size() + 7) / 8);
  for (std::size_t i = 0; i < nulls.size(); ++i) {
    if (!nulls[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
  }
  return bits;
}

template <class Offset>
void put_texts(Column& column, const std::vector<std::string>& texts) {
  Bytes ends, all;
  append<Offset>(ends, 0);
  for (const std::string& text : texts) {
    all.insert(all.end(), text.begin(), text.end());
    append(ends, static_cast<Offset>(all.size()));
  }
  column.buffers.push_back(std::move(ends));
  column.buffers.push_back(std::move(all));
}

void put_views(Column& column, const std::vector<std::string>& texts, std::uint64_t damage) {
  Bytes views, all, sizes;
  for (const std::string& text : texts) {
    append(views, static_cast<std::int32_t>(text.size()));
    Bytes rest(12);
    if (text.size() <= rest.size()) {
      std::copy(text.begin(), text.end(), rest.begin());
    } else {
      const auto start = static_cast<std::int32_t>(all.size());
      std::memcpy(rest.data() + 8, &start, sizeof start);
      all.insert(all.end(), text.begin(), text.end());
    }
    views.insert(views.end(), rest.begin(), rest.end());
  }
  if (damage != 0 && !views.empty()) {
    char& damaged = views[damage / 256 % views.size()];
    damaged = static_cast<char>(damaged ^ static_cast<int>(damage % 256));
  }
  append(sizes, static_cast<std::int64_t>(all.size()));
  for (Bytes* buffer : {&views, &all, &sizes}) column.buffers.push_back(std::move(*buffer));
}

void put_whole(Bytes& bytes, char format, std::uint64_t number) {
  const std::size_t width = std::string_view("cC").find(format) != std::string_view::npos   ? 1
                            : std::string_view("sS").find(format) != std::string_view::npos ? 2
                            : std::string_view("iI").find(format) != std::string_view::npos ? 4
                                                                                            : 8;
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(number >> 8 * i));
}

// The number that is left of one in that width, as decimal text.
std::string whole_text(char format, std::uint64_t number) {
  switch (format) {
    case 'c':
      return std::to_string(static_cast<std::int8_t>(number));
    case 'C':
      return std::to_string(static_cast<std::uint8_t>(number));
    case 's':
      return std::to_string(static_cast<std::int16_t>(number));
    case 'S':
      return std::to_string(static_cast<std::uint16_t>(number));
    case 'i':
      return std::to_string(static_cast<std::int32_t>(number));
    case 'I':
      return std::to_string(static_cast<std::uint32_t>(number));
    case 'l':
      return std::to_string(static_cast<std::int64_t>(number));
    default:
      return std::to_string(number);
  }
}

// Texts that a column of one of the six formats holds.
Column text_column(std::uint8_t format, const std::vector<std::string>& texts, Bytes nulls, std::uint64_t damage) {
  const char* const formats[] = {"u", "z", "U", "Z", "vu", "vz"};
  Column column;
  column.format = formats[format % 6];
  column.buffers.push_back(std::move(nulls));
  if (format % 6 < 2) put_texts<std::int32_t>(column, texts);
  if (format % 6 == 2 || format % 6 == 3) put_texts<std::int64_t>(column, texts);
  if (format % 6 > 3) put_views(column, texts, damage);
  return column;
}

// On an axis of one name: where it stands, 0, and elsewhere nothing.
bool names_are_found(const shoal::ArrowColumn& column, const std::vector<bool>& nulls,
                     const std::vector<std::string>& expected) {
  const auto key = [](const std::string& text) { return std::string(shoal::unit_key(text)); };
  const shoal::AxisKind kind{.scale = shoal::Names{{key(expected.back())}}, .border = shoal::Border::apart};
  std::vector<double> copy;
  const auto values = shoal::arrow_coordinates(column, kind, copy);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::size_t at = row + static_cast<std::size_t>(column.offset);
    const bool is_it = !nulls[at] && key(expected[at]) == key(expected.back());
    if (is_it != (values[row] == 0)) return false;
  }
  return true;
}

// Whole numbers are the double nearest to their digits.
bool numbers_are_read(const shoal::ArrowColumn& column, const std::vector<bool>& nulls,
                      const std::vector<std::string>& expected) {
  std::vector<double> copy;
  const auto values = shoal::arrow_coordinates(column, {}, copy);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::size_t at = row + static_cast<std::size_t>(column.offset);
    if (nulls[at] ? !std::isnan(values[row]) : values[row] != std::strtod(expected[at].c_str(), nullptr)) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  const std::uint8_t kind = input.byte() % 3;  // texts, whole numbers, a dictionary of texts
  const std::uint8_t format = input.byte();
  const char whole = "cCsSiIlL"[format / 6 % 8];
  const std::int64_t offset = input.byte() % 11;
  const std::uint64_t damage = input.byte() % 4 == 0 ? input.number() : 0;
  const bool damaged = damage != 0;

  std::vector<std::string> words, expected;
  if (kind == 2) {
    for (int i = 1 + input.byte() % 5; i > 0; --i) words.push_back(input.text());
  }
  std::vector<bool> nulls;
  Bytes numbers;
  while (input.size > 0) {
    nulls.push_back(input.byte() % 8 == 0);
    const std::uint64_t number = kind == 0 ? 0 : input.number();
    const std::uint64_t place = kind == 2 && !damaged ? number % words.size() : number;
    if (kind != 0) put_whole(numbers, whole, place);
    if (kind == 0) expected.push_back(input.text());
    if (kind == 1) expected.push_back(whole_text(whole, number));
    if (kind == 2) expected.push_back(words[place % words.size()]);
  }
  const auto rows = static_cast<std::int64_t>(nulls.size()) - offset;
  if (rows <= 0) return 0;

  Column dictionary = text_column(format, words, {}, damage);
  dictionary.finish(static_cast<std::int64_t>(words.size()), 0);
  Column column = text_column(format, expected, validity(nulls), damage);
  if (kind != 0) {
    column.format = std::string(1, whole);
    column.buffers = {validity(nulls), numbers};
  }
  column.finish(rows, offset);
  if (kind == 2) {
    column.schema.dictionary = &dictionary.schema;
    column.array.dictionary = &dictionary.array;
  }

  const shoal::ArrowColumn read{column.schema, column.array, offset, rows};
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row + offset);
    std::array<char, 24> digits{};
    try {
      const std::string unit(shoal::arrow_unit(read, row, digits));
      if (damaged || unit == (nulls[at] ? "" : expected[at])) continue;
      fmt::print(stderr, "row {} of a column '{}' reads as '{}'\n", row, column.format, unit);
    } catch (const shoal::InputError& error) {
      if (damaged) continue;
      fmt::print(stderr, "row {} of a column '{}' is refused: {}\n", row, column.format, error.what());
    }
    std::abort();
  }
  try {
    const bool right = names_are_found(read, nulls, expected) && (kind != 1 || numbers_are_read(read, nulls, expected));
    if (!right && !damaged) std::abort();
  } catch (const shoal::InputError&) {
    if (!damaged) std::abort();
  }
  return 0;
}

// Delimited text: where delimiter, header, columns and quotes come from, and that no record decides about another.
#include <gtest/gtest.h>

#include "csv_files.hpp"

namespace shoal {
namespace {

using Names = std::vector<std::string>;
constexpr auto skip = OnBadRow::skip;

// ---- columns

TEST_F(Csv, AllColumnsAreReadWhereNothingHasToBeChosen) {
  EXPECT_EQ(read_text("x,y\n1,2.5\n-3,4e2\n").rows, (Rows{{1, 2.5}, {-3, 400}}));
  EXPECT_EQ(read_text("1;2;3\n", {.dimensions = 3}).rows, (Rows{{1, 2, 3}}));
  const Table beside_unit = read_text("a,1,2\nb,3,4\n", {.unit_column = "1"});
  EXPECT_EQ(beside_unit.rows, (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(beside_unit.units, (Names{"a", "b"}));
}

TEST_F(Csv, ColumnsAreAskedForWhereThereAreMoreOrFewer) {
  EXPECT_EQ(error_of("user_id,lat,lon\n7,1,2\n"),
            "'data.csv' has 3 columns, but 2 are needed; choose with --columns from 'user_id', 'lat', 'lon'");
  EXPECT_HAS(error_of("7,1,2\n"), "has 3 columns, but 2 are needed; choose with --columns from 1 to 3");
  EXPECT_HAS(error_of("1,2\n", {.dimensions = 1}), "has 2 columns, but 1 is needed");
  EXPECT_HAS(error_of("who,x,y,z\na,1,2,3\n", {.unit_column = "who"}), "has 3 columns besides the unit, but 2 are");
  EXPECT_HAS(error_of("1\n2\n"), "has 1 column, but 2 are needed; give --columns, or --delimiter");
}

TEST_F(Csv, ColumnsGoByNameOrPositionInTheOrderAsked) {
  const std::string text = "id,lat,lon\n7,1,2\n8,3,4\n";
  EXPECT_EQ(read_text(text, {.columns = {"lon", "lat"}}).rows, (Rows{{2, 1}, {4, 3}}));
  EXPECT_EQ(read_text(text, {.columns = {"3", "id"}}).rows, (Rows{{2, 7}, {4, 8}}));
  EXPECT_EQ(read_text(text, {.columns = {"lat"}}).names, Names{"lat"});
  EXPECT_EQ(read_text("a,b,1\n5,6,7\n", {.columns = {"1", "2"}, .header = CsvHeader::yes}).rows, (Rows{{5, 6}}))
      << "a whole number is a position, whatever the names";
}

TEST_F(Csv, MissingColumnsAreRefusedWithThoseThatExist) {
  EXPECT_EQ(error_of("a,b c,\"d,e\"\n1,2,3\n", {.columns = {"x"}}),
            "'data.csv' has no column 'x'; its columns are 'a', 'b c', 'd,e'");
  EXPECT_HAS(error_of("a,b\n1,2\n", {.columns = {"3"}}), "has no column 3; it has 2");
  EXPECT_HAS(error_of("a,b\n1,2\n", {.columns = {"0"}}), "has no column 0");
  EXPECT_HAS(error_of("1,2\n", {.columns = {"x"}}), "first line holds numbers");
  EXPECT_HAS(error_of("a,b\n", {.columns = {"a"}, .header = CsvHeader::no}), "without a header");
  EXPECT_HAS(error_of("a,a\n1,2\n", {.columns = {"a"}}), "more than one column named 'a'");
  EXPECT_HAS(error_of("a,b\n1,2\n", {.columns = {"a", "1"}}), "is given twice");
  EXPECT_HAS(error_of("a,b\n1,2\n", {.unit_column = "who"}), "no column 'who'");
  EXPECT_HAS(error_of("a,\n1,2\n", {.columns = {"a", ""}}),
             "empty column name was given for 'data.csv'; its columns are 'a', ''");
  EXPECT_HAS(error_of("a,\n1,2\n", {.columns = {"a"}, .unit_column = ""}), "empty column name");
}

TEST_F(Csv, AWordThatIsNoColumnIsRefusedWhereItIsOne) {
  EXPECT_EQ(
      error_of("x,y,record\n1,2,3\n", {.columns = {"x", "y"}, .no_column = "record"}),
      "'data.csv' has a column named 'record', but --unit record means single records; remove --unit to protect single "
      "records, or give the column by position: --unit 3");
  EXPECT_HAS(error_of("x,record\n1,2\n", {.no_column = "record"}), "--unit 2");
  EXPECT_EQ(read_text("x,records\n1,2\n", {.no_column = "record"}).rows.size(), 1U);
}

// ---- names

TEST_F(Csv, NamesAreThoseOfAHeaderThatIsKnown) {
  EXPECT_EQ(read_text("x,y\n1,2\n", {.header = CsvHeader::yes}).names, (Names{"x", "y"}));
  EXPECT_EQ(read_text("x,y\n1,2\n", {.columns = {"y", "1"}}).names, (Names{"y", "x"}));
  EXPECT_EQ(read_text("x,y,u\n1,2,3\n", {.columns = {"1", "2"}, .unit_column = "u"}).names, (Names{"x", "y"}));
  EXPECT_EQ(read_text("alice@x.org,bob\n1,2\n").names, (Names{"", ""})) << "the first line may be a record";
  EXPECT_EQ(read_text("0.5,7\n1,2\n").names, (Names{"", ""}));
}

TEST_F(Csv, ANameThatIsANumberIsRefused) {
  EXPECT_EQ(error_of("0.512345,y\n1,2\n", {.header = CsvHeader::yes}),
            "'data.csv' has a number as the name of column '0.512345' (field 1); if its first line is a record, give "
            "--header no and columns by position");
  EXPECT_HAS(error_of("id,2019\n3,4\n", {.columns = {"id", "2"}}), "column '2019' (field 2)");
  EXPECT_HAS(error_of("id,1.5\n3,4\n", {.columns = {"id", "1.5"}}), "column '1.5' (field 2)");
  EXPECT_HAS(error_of("x,y,7\n1,2,3\n", {.columns = {"x", "y"}, .unit_column = "3"}), "column '7' (field 3)");
  EXPECT_EQ(read_text("x,y,7\n1,2,3\n", {.columns = {"x", "y"}}).rows.size(), 1U) << "columns that are not read may";
}

// ---- header

TEST_F(Csv, AFirstLineWithoutNumbersIsPassedOver) {
  EXPECT_EQ(read_text("1,2\n3,4\n").rows.size(), 2U);
  EXPECT_EQ(read_text("lon,lat\n3,4\n").rows.size(), 1U);
  EXPECT_EQ(read_text(",a,b\n0,1,2\n", {.columns = {"2", "3"}}).rows, (Rows{{1, 2}}));
  EXPECT_EQ(read_text("city,1,2\n", {.columns = {"2", "3"}}).rows, (Rows{{1, 2}})) << "a number makes it a record";
  EXPECT_EQ(read_text("nan,inf\n").rows.size(), 1U) << "nan and inf are numbers";
  EXPECT_HAS(error_of("a,b\n", {.header = CsvHeader::no}), "line 1, field 1: 'a' is not a number");
}

TEST_F(Csv, AColumnByNameMakesTheFirstLineAHeader) {
  EXPECT_EQ(read_text("who,7,8\nann,3,4\n", {.columns = {"who"}, .header = CsvHeader::yes, .on_bad_row = skip}).skipped,
            1U);
  EXPECT_EQ(read_text("id,2019,x\n3,4,5\n", {.columns = {"id", "x"}}).rows, (Rows{{3, 5}}));
}

// ---- delimiter

TEST_F(Csv, DelimiterIsFoundOutFromTheFirstLine) {
  for (const char d : {',', '\t', ';', ' '}) {
    EXPECT_EQ(read_text(fmt::format("1{0}2\n3{0}4\n", d)).rows, (Rows{{1, 2}, {3, 4}})) << d;
    EXPECT_EQ(read_text(fmt::format("x{0}y\n3{0}4\n", d)).rows, (Rows{{3, 4}})) << d;
    EXPECT_EQ(read_text(fmt::format("x{0}y\n3{0}4\n", d), {.columns = {"x", "y"}}).rows, (Rows{{3, 4}})) << d;
  }
  EXPECT_EQ(read_text("x\n1\n2\n", {.columns = {"x"}}).rows, (Rows{{1}, {2}}));
  EXPECT_EQ(read_text("1\n2\n", {.columns = {"1"}}).rows, (Rows{{1}, {2}}));
  EXPECT_EQ(read_text("1|2\n", {.delimiter = '|'}).rows, (Rows{{1, 2}}));
}

TEST_F(Csv, AKnownHeaderAloneTellsTheDelimiter) {
  EXPECT_EQ(read_text("when,x y,z\n10:00 am; or so,1,2\n", {.columns = {"x y", "z"}}).rows, (Rows{{1, 2}}));
  EXPECT_EQ(read_text("a;b\n\"1,5\";2\n", {.columns = {"b"}}).rows, (Rows{{2}}));
  EXPECT_EQ(read_text("a;b,c\n1,2\n", {.columns = {"a;b", "c"}}).rows, (Rows{{1, 2}})) << "the names tell";
  EXPECT_EQ(read_text("\"x, the first\";y\n1;2\n", {.columns = {"x, the first", "y"}}).rows, (Rows{{1, 2}}));
  EXPECT_HAS(error_of("a;b,c\n1,2\n", {.header = CsvHeader::yes}), "line 1 has ';' and ','; say which one separates");
  EXPECT_EQ(read_text("x,y\n1,2\n3 4\n5;6\n7,8\n", {.columns = {"x", "y"}, .on_bad_row = skip}).skipped, 2U);
}

TEST_F(Csv, WithoutAHeaderALineWithAnotherDelimiterEndsTheScan) {
  // Both readings of these lines hold numbers where they are asked for: by ';' 1, by ',' 2.
  const std::string line = "a;1;b,2\n";
  EXPECT_HAS(error_of(line + line, {.columns = {"2"}}), "line 1 has ';' and ','");
  EXPECT_HAS(error_of("q,7\n" + line, {.columns = {"2"}}), "line 2 has ';' besides ','");
  EXPECT_HAS(error_of("q;7;z\n" + line, {.columns = {"2"}}), "line 2 has ',' besides ';'");
  EXPECT_HAS(error_of("1 2\n3,4 5\n", {.columns = {"2"}}), "line 2 has ',' besides ' '");
  EXPECT_HAS(error_of("1,2,a\n3,4,\"b;c\"\n", {.columns = {"1", "2"}}),
             "say which one separates fields with --delimiter");
  EXPECT_EQ(read_text("1,2,a\n3,4,\"b;c\"\n", {.columns = {"1", "2"}, .delimiter = ','}).rows.size(), 2U);
  EXPECT_EQ(read_text("1, 2\n3,\"4\"\n").rows.size(), 2U) << "spaces are no other delimiter";
}

TEST_F(Csv, DelimitersThatNumbersAreMadeOfAreRefused) {
  for (const char delimiter : {'"', '\n', '\r', '5', '.', '-', '+'}) {
    EXPECT_HAS(error_of("1,2\n", {.delimiter = delimiter}), "cannot be a delimiter");
  }
}

// ---- bad rows

TEST_F(Csv, RowsAreSkippedOnlyWhereAHeaderSaysWhatARowIs) {
  const std::string rows = "0.1,0.2\n0.3,0.4\n";
  EXPECT_HAS(error_of("0.5,0.5,oops\n" + rows, {.columns = {"1", "2"}, .on_bad_row = skip}),
             "--on-bad-row skip needs a header in 'data.csv'");
  EXPECT_HAS(error_of(rows, {.header = CsvHeader::no, .on_bad_row = skip}), "--header yes");
  EXPECT_HAS(error_of("x,y\n" + rows, {.on_bad_row = skip}), "give the columns by name");
  for (const CsvOptions& options : {CsvOptions{.columns = {"x", "y"}, .on_bad_row = skip},
                                    CsvOptions{.header = CsvHeader::yes, .on_bad_row = skip}}) {
    const Table table = read_text("x,y\n0.5,0.5,oops\n" + rows, options);
    EXPECT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.skipped, 1U);
  }
}

// ---- quotes

TEST_F(Csv, QuotesFollowRfc4180OnALine) {
  const std::string text =
      "\"x\",note,\"y\"\n"
      "1,\"a, \"\"b\"\"c\",2\n"
      "\"3\",,\" 4 \"\n"
      "5,5\" pipe,6\n"
      "7,\"\",8\n"
      "9,\"a\"\"\",10\n"
      "11,\"a\"b,12\n";
  const Table table = read_text(text, {.columns = {"x", "y"}});
  EXPECT_EQ(table.rows, (Rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}));
  const Table units = read_text(text, {.columns = {"x", "y"}, .unit_column = "note", .on_bad_row = skip});
  EXPECT_EQ(units.units, (Names{"a, \"b\"c", "", "5\" pipe", "", "a\"", "ab"}));
  EXPECT_EQ(units.skipped, 2U) << "empty units are bad rows";
}

TEST_F(Csv, AQuoteLeftOpenIsABadRowOfItsOwnLine) {
  const std::string text = "x,y,note\n1,2,a\n3,4,\"oops\n5,6,b\n7,8,\"c\"\n9,\"10,d\n11,12,\"e\"\"\r\n13,14,f";
  for (const std::size_t bytes : {1U, 16U, 1U << 18}) {
    EXPECT_EQ(
        error_of(text, {.columns = {"x", "y"}, .block_bytes = bytes}),
        "data.csv, line 3 opens a quote that does not close on the line; close it, double it if it belongs to the "
        "text, or read fields that span lines with --multiline, or skip such rows with --on-bad-row skip");
    Table table = read_text(text, {.columns = {"x", "y"}, .on_bad_row = skip, .block_bytes = bytes});
    EXPECT_EQ(table.skipped, 3U);
    std::erase_if(table.rows, [](const auto& row) { return std::isnan(row[0]); });
    EXPECT_EQ(table.rows, (Rows{{1, 2}, {5, 6}, {7, 8}, {13, 14}}));
  }
  EXPECT_HAS(error_of("x,\"y\n1,2\n", {.columns = {"x"}}), "line 1 opens a quote that does not close");
  EXPECT_HAS(error_of("1,\"2\n", {}), "line 1 opens a quote that does not close");
}

TEST_F(Csv, MultilineFieldsSpanLines) {
  const std::string text = "x,note,y\n1,\"a\n\"\"b\"\",\n\nc\",2\r\n\"3\",\"\n\",4\n";
  for (const std::size_t bytes : {1U, 3U, 16U, 1U << 18}) {
    const Table table = read_text(
        text,
        {.columns = {"x", "y"}, .unit_column = "note", .multiline = true, .on_bad_row = skip, .block_bytes = bytes});
    EXPECT_EQ(table.rows, (Rows{{1, 2}, {3, 4}}));
    EXPECT_EQ(table.units, (Names{"a\n\"b\",\n\nc", "\n"}));
    EXPECT_HAS(error_of(text, {.columns = {"x", "y"}, .block_bytes = bytes}), "line 2 opens a quote");
  }
  EXPECT_EQ(read_text("\"x\ny\",z\n1,2\n", {.columns = {"x\ny", "z"}, .multiline = true}).rows, (Rows{{1, 2}}));
}

TEST_F(Csv, MultilineQuotesThatAreNotRightEndTheScanEvenWhereRowsAreSkipped) {
  for (const std::size_t bytes : {1U, 16U, 1U << 18}) {
    const CsvOptions options{.columns = {"x", "y"}, .multiline = true, .on_bad_row = skip, .block_bytes = bytes};
    const std::string head = "x,t,y\n1,a,2\n";
    EXPECT_HAS(error_of(head + "3,\"b,4\n5,c,6\n", options), "line 3 starts a record with a quote that never closes");
    EXPECT_HAS(error_of(head + "3,\"b,4\n5,\"c\",6\n", options),
               "line 3 starts a record with a quote that never closes");
    EXPECT_HAS(error_of(head + "3,\"b,4\n5,\"c,6\n", options), "line 3 has a quote inside a field");
    EXPECT_HAS(error_of(head + "3,b\",4\n5,c,6\n7,d\",8\n", options), "line 3 has a quote inside a field");
    EXPECT_HAS(error_of(head + "3,b\"\",4\n5,c,6\n", options), "line 3 has a quote inside a field");
    EXPECT_HAS(error_of(head + "3,b\"b,\"c\n", options), "line 3 has a quote inside a field");
    EXPECT_HAS(error_of(head + "3,\"b\" ,4\n", options), "line 3 has a quote inside a field, text after");
    EXPECT_HAS(error_of(head + "3,\"b\" c\",4\n5,c,\"6\"\"\n", options), "line 3 has a quote inside a field");
    EXPECT_HAS(error_of(head + "3, \"b\",4\n", options), "line 3 has a quote inside a field");
  }
  EXPECT_HAS(error_of("x\",t\n1,2\n3,\"4\"\n", {.columns = {"t"}, .multiline = true}), "line 1 has a quote inside");
}

TEST_F(Csv, AnEarlierErrorWinsOverAnOpenQuote) {
  for (const std::size_t bytes : {1U, 16U, 1U << 18}) {
    const CsvOptions options{.columns = {"1", "2"}, .multiline = true, .block_bytes = bytes};
    EXPECT_HAS(error_of("x,y\n1,bad\n3,4\n\"5,6\n", options), "line 2, column 'y'");
    EXPECT_HAS(error_of("x,y,z\n3,4,5\n\"1\",2,\"1\n2\"\n5,6,\"\n", options), "line 5 starts a record with a quote");
  }
}

// ---- lines

TEST_F(Csv, LinesOfNothingButSpacesAndTabsArePassedOver) {
  for (const char d : {',', '\t', ' '}) {
    const std::string rows = fmt::format("1{0}2\n\t\n \t \r\n3{0}4\n", d);
    EXPECT_EQ(read_text("\t\n \r\n" + rows).rows, (Rows{{1, 2}, {3, 4}})) << d;
    EXPECT_EQ(read_text(fmt::format("\t\n \r\nx{}y\n{}", d, rows), {.columns = {"x", "y"}}).rows,
              (Rows{{1, 2}, {3, 4}}))
        << d;
  }
}

}  // namespace
}  // namespace shoal

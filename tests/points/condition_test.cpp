// The language of --where: what it accepts, where it points to a fault, and what it means for one record.
#include "points/condition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "csv_files.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {
namespace {

using enum Truth;

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string fault_of(const std::string& text) {
  return fault_of([&] { Condition{text}; });
}

// A record with one column, v.
Truth text_case(const std::string& text, std::string_view value) {
  const Condition condition(text);
  return BoundCondition(condition, {ConditionKind::text}).evaluate(std::vector<ConditionValue>{{.text = value}});
}
Truth number_case(const std::string& text, double value, ConditionKind kind = ConditionKind::number) {
  return BoundCondition(Condition(text), {kind}).evaluate(std::vector<ConditionValue>{{.number = value}});
}

TEST(Condition, FaultsHaveAPosition) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"", "character 1: expected a column, found its end"},
      {"v", "character 2: expected a comparison, in, between, like or is, found its end"},
      {"v = ", "character 5: expected a value, found its end"},
      {"v = w", "character 5: expected a value, found 'w'; write texts in single quotes"},
      {"v = null", "found 'null'; write: is null"},
      {"v == 1", "character 4: expected a value, found '='"},
      {"v = 1 x", "character 7: expected and, or, or the end, found 'x'"},
      {"v = 1)", "character 6: expected and, or, or the end, found ')'"},
      {"(v = 1", "character 7: expected ')', found its end"},
      {"1 < v", "character 1: expected a column, found '1'"},
      {"'a' = v", "character 1: expected a column, found 'a'; write columns plainly"},
      {"v = 'a", "character 5: a quote is not closed"},
      {"\"v = 1", "character 1: a quote is not closed"},
      {"\"\" = 1", "character 1: expected a column"},
      {"äö = 1 ; v = 2", "character 8: ';' is not part of a condition"},
      {"v = 1 -- x", "character 7: '-' is not part of a condition"},
      {"v = 1 /* x", "character 7: '/' is not part of a condition"},
      {"v = 1e", "character 5: '1e' is not a number"},
      {"v = 1e999", "character 5: '1e999' is not a number"},
      {"v = 0x10", "character 5: '0x10' is not a number"},
      {"v = 1.2.3", "character 5: '1.2.3' is not a number"},
      {"v = date '2026-02-30'", "character 5: '2026-02-30' is not a date"},
      {"v = date 5", "character 10: expected a date in single quotes"},
      {"v in 1", "character 6: expected '('"},
      {"v in ()", "character 7: expected a value"},
      {"v in (1, 'a')", "values of a test are of different types"},
      {"v between 1, 2", "character 12: expected and"},
      {"v not = 1", "character 7: expected in, between or like"},
      {"v is 1", "character 6: expected null"},
      {"v like 1", "character 8: expected a pattern"},
      {"v like 'a\\b'", "a backslash in a pattern"},
      {"v like 'a\\'", "a backslash in a pattern"},
      {"and = 1", "character 1: expected a column, found 'and'"},
      {std::string("v = '\xff'"), "not UTF-8"},
      {std::string("v \x01 1"), "character 3: a control character"},
      {std::string(1 << 17, ' '), "longer than 64 KiB"},
      {std::string(200, '('), "character 101: more than 100 levels"},
      {[] {
         std::string text;
         for (int i = 0; i < 200; ++i) text += "not ";
         return text + "v = 1";
       }(),
       "more than 100 levels"},
  };
  for (const auto& [condition, expected] : faults) {
    const std::string text = condition;  // clang 14 captures no structured binding
    const std::string fault = fault_of([&] { BoundCondition(Condition(text), {ConditionKind::text}); });
    EXPECT_NE(fault.find(expected), std::string::npos) << text << "\n" << fault;
  }
}

// Each of these saw other rows, or the place of a row, when a condition was a piece of the engine's SQL.
TEST(Condition, NothingThatSeesOtherRecordsIsInTheLanguage) {
  for (const char* text : {"stats(id) is not null",
                           "vector_type(x) = 'FLAT_VECTOR'",
                           "ts_rewrite('a', 'select') = 'b'",
                           "U&\"\\0063tid\" < '(1,1)'",
                           "x > (select avg(x) from t)",
                           "x in (select 1)",
                           "x in (from t)",
                           "x = any (1)",
                           "exists (table t)",
                           "row_number() over () < 5",
                           "x > 0; drop table t",
                           "x = x",
                           "x + 1 > 2",
                           "x::text = 'a'",
                           "cast(x as text) = 'a'",
                           "x = $1",
                           "x ~ 'a'",
                           "case when x = 1 then 1 end = 1",
                           "t.x = 1",
                           "x = -y",
                           "random() < 0.5",
                           "x > 1 limit 5",
                           "query_to_xml('select 1', true, true, '') is null",
                           "count(*) > 5",
                           "x is distinct from 1"}) {
    EXPECT_NE(fault_of(text), "") << text;
  }
  // They can only be names of columns, which the record has or not.
  EXPECT_EQ(Condition("ctid = '(0,1)' or \"rowid\" < 5 or file_row_number = 1").columns(),
            (std::vector<std::string>{"ctid", "rowid", "file_row_number"}));
}

TEST(Condition, NamesAreTakenAsTheyAreWritten) {
  EXPECT_EQ(Condition("A = 1 and a = 2 and \"a\" = 3 and \"say \"\"hi\"\"\" = 4 and größe > 5").columns(),
            (std::vector<std::string>{"A", "a", "say \"hi\"", "größe"}));
  EXPECT_EQ(Condition("date = date '2026-01-01' AND \"and\" IS NOT NULL And x Not In (1)").columns(),
            (std::vector<std::string>{"date", "and", "x"}));
}

struct Case {
  const char* condition;
  const char* value;
  Truth expected;
};

// A column of texts, as every field of a CSV file is.
TEST(Condition, ATextIsComparedAsTheValueIsWritten) {
  for (const Case& one : std::vector<Case>{
           {"v = 'a'", "a", yes},
           {"v = 'a'", " a\t", yes},
           {"v = ' a '", "a", yes},
           {"v = 'a'", "A", no},
           {"v <> 'a'", "b", yes},
           {"v < 'b'", "a", yes},
           {"v < 'a'", "Z", yes},
           {"v > 'z'", "ä", yes},
           {"v = '7'", "7.0", no},
           {"v = 'it''s'", "it's", yes},
           {"v = ''", "", unknown},
           {"v <> 'a'", "", unknown},
           {"v is null", "", yes},
           {"v is null", "  ", yes},
           {"v is null", "null", no},
           {"v is not null", "", no},
           {"v = 7", "7", yes},
           {"v = 7", " 7.0 ", yes},
           {"v = 7", "7e0", yes},
           {"v = 7", "seven", unknown},
           {"v <> 7", "seven", unknown},
           {"not (v = 7)", "seven", unknown},
           {"v = 7 or v is not null", "seven", yes},
           {"v < 10", "9", yes},
           {"v < '10'", "9", no},
           {"v > -.5", "-0.25", yes},
           {"v = 0", "-0", yes},
           {"v = 1", "nan", unknown},
           {"v > 1", "inf", yes},
           {"v = 1", "1,0", unknown},
           {"v in (1, 2.5)", "2.50", yes},
           {"v not in (1, 2.5)", "3", yes},
           {"v not in (1, 2.5)", "x", unknown},
           {"v in ('a', 'b')", "b", yes},
           {"v between 1 and 3", "3", yes},
           {"v between 3 and 1", "2", no},
           {"v not between 1 and 3", "4", yes},
           {"v between 'a' and 'c'", "b", yes},
           {"v = date '2026-01-01'", "2026-01-01", yes},
           {"v = date '2026-01-01'", "2026-01-01T00:00", yes},
           {"v = date '2026-01-01T02:00+02:00'", "2026-01-01T00:00Z", yes},
           {"v < date '2026-01-01'", "2025-12-31 23:59:59.9", yes},
           {"v < date '2026-01-01'", "31.12.2025", unknown},
           {"v < date '2026-01-01'", "", unknown},
           {"v like 'a%'", "abc", yes},
           {"v like 'a%'", "Abc", no},
           {"v like '_'", "ä", yes},
           {"v like '_'", "ab", no},
           {"v like '%b%d'", "abcd", yes},
           {"v like '%b%d'", "abcde", no},
           {"v like 'a\\%b'", "a%b", yes},
           {"v like 'a\\%b'", "axb", no},
           {"v like '%'", "", unknown},
           {"v not like '%x%'", "abc", yes},
           {"v like '%%%'", "a", yes},
       }) {
    EXPECT_EQ(text_case(one.condition, one.value), one.expected) << one.condition << " of '" << one.value << "'";
  }
}

TEST(Condition, NumbersAreComparedAsDoubles) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(number_case("v < 10", 9), yes);
  EXPECT_EQ(number_case("v = 0.1", 0.1), yes);
  EXPECT_EQ(number_case("v = 0.1", static_cast<double>(0.1F)), no);
  EXPECT_EQ(number_case("v > 0", nan), unknown);
  EXPECT_EQ(number_case("v <> 0", nan), unknown);
  EXPECT_EQ(number_case("v is null", nan), yes);
  EXPECT_EQ(number_case("v > 1", std::numeric_limits<double>::infinity()), yes);
  EXPECT_NE(fault_of([] { number_case("v = '5'", 5); }).find("character 5: column 'v' holds numbers"),
            std::string::npos);
  EXPECT_NE(fault_of([] { number_case("v like '5'", 5); }).find("like compares text"), std::string::npos);
  EXPECT_NE(fault_of([] { number_case("v = date '2026-01-01'", 5); }), "");
}

TEST(Condition, ATextIsADateWhereTheColumnHoldsDates) {
  const auto date_case = [](const std::string& text, double seconds) {
    return number_case(text, seconds, ConditionKind::date);
  };
  EXPECT_EQ(date_case("v >= '1970-01-02'", 86400), yes);
  EXPECT_EQ(date_case("v < ' 1970-01-02 '", 86399), yes);
  EXPECT_EQ(date_case("v between '1970-01-01' and date '1970-01-02'", 5), yes);
  EXPECT_EQ(date_case("v >= '1970-01-02'", std::numeric_limits<double>::quiet_NaN()), unknown);
  EXPECT_NE(fault_of([&] { date_case("v >= 'yesterday'", 0); }).find("character 6: column 'v' holds dates"),
            std::string::npos);
  EXPECT_NE(fault_of([&] { date_case("v >= 5", 0); }), "");
  EXPECT_NE(fault_of([&] { date_case("v like '19%'", 0); }), "");
}

TEST(Condition, ADeclaredLayoutHoldsForTextsThatAreComparedWithDates) {
  const auto of = [](const std::string& text, const char* value) {
    return BoundCondition(Condition(text), {ConditionKind::text}, {.date_layout = "%d.%m.%Y"})
        .evaluate(std::vector<ConditionValue>{{.text = value}});
  };
  EXPECT_EQ(of("v >= date '2026-02-01'", "11.02.2026"), yes);
  EXPECT_EQ(of("v >= date '2026-02-01'", " 3.1.2026 "), no);
  EXPECT_EQ(of("v >= date '2026-02-01'", "2026-02-11"), unknown);  // not in this layout
  EXPECT_EQ(of("v >= date '2026-02-01'", ""), unknown);
  EXPECT_EQ(of("v = '2026-02-11'", "2026-02-11"), yes);  // a text is a text
}

TEST(Condition, DeclaredMissingValuesAreMissing) {
  const InputMarks marks{.decimal = ',', .missing = {"NA", "999"}};
  const auto text = [&](const std::string& condition, const char* value) {
    return BoundCondition(Condition(condition), {ConditionKind::text}, marks)
        .evaluate(std::vector<ConditionValue>{{.text = value}});
  };
  const auto number = [&](const std::string& condition, double value) {
    return BoundCondition(Condition(condition), {ConditionKind::number}, marks)
        .evaluate(std::vector<ConditionValue>{{.number = value}});
  };
  for (const char* missing : {"NA", " NA", "999", "999,0", ""}) {
    EXPECT_EQ(text("v > 65", missing), unknown) << missing;
    EXPECT_EQ(text("v <> 'a'", missing), unknown) << missing;
    EXPECT_EQ(text("v is null", missing), yes) << missing;
  }
  EXPECT_EQ(text("v > 65", "998,5"), yes);
  EXPECT_EQ(text("v = 'na'", "na"), yes);
  EXPECT_EQ(number("v > 65", 999), unknown);
  EXPECT_EQ(number("not v > 65", 999), unknown);
  EXPECT_EQ(number("v is null", 999), yes);
  EXPECT_EQ(number("v > 65", 998), yes);
}

TEST(Condition, UnknownFollowsKleenesLogic) {
  // v = 1 is true, false or unknown by the value; w likewise.
  const auto of = [](const std::string& text, const char* v, const char* w) {
    return BoundCondition(Condition(text), {ConditionKind::text, ConditionKind::text})
        .evaluate(std::vector<ConditionValue>{{.text = v}, {.text = w}});
  };
  const std::vector<std::pair<const char*, Truth>> values = {{"0", no}, {"", unknown}, {"1", yes}};
  for (const auto& [v, first] : values) {
    EXPECT_EQ(text_case("not v = 1", v), first == unknown ? unknown : first == yes ? no : yes);
    for (const auto& [w, second] : values) {
      EXPECT_EQ(of("v = 1 and w = 1", v, w), std::min(first, second));
      EXPECT_EQ(of("v = 1 or w = 1", v, w), std::max(first, second));
      EXPECT_EQ(of("not (v = 1 or w = 1)", v, w), of("not v = 1 and not w = 1", v, w));
      EXPECT_EQ(of("v = 1 or w = 1 and v = 0", v, w), of("v = 1 or (w = 1 and v = 0)", v, w));
    }
  }
}

using ConditionCsv = Csv;

TEST_F(ConditionCsv, OnlySelectedRecordsAreHandedOn) {
  const std::string text = "x,y,who,kind\n1,2,a,\"big, red\"\n3,4,b,small\n5,6,c,\n";
  const auto rows = [&](const std::string& where) {
    return read_text(text, {.columns = {"x", "y"}, .where = where}).rows;
  };
  EXPECT_EQ(rows("kind = 'big, red'"), (Rows{{1, 2}}));
  EXPECT_EQ(rows("x > 2"), (Rows{{3, 4}, {5, 6}}));
  EXPECT_EQ(rows("kind is null or x < 2"), (Rows{{1, 2}, {5, 6}}));
  EXPECT_EQ(rows("x > 100"), (Rows{}));
  EXPECT_HAS(error_of(text, {.columns = {"x", "y"}, .where = "z = 1"}), "no column 'z'");
  EXPECT_HAS(error_of(text, {.columns = {"x", "y"}, .where = "x ="}), "character 4");
  const Table table = read_text(text, {.columns = {"x", "y"}, .unit_column = "who", .where = "\"kind\" like 's%'"});
  EXPECT_EQ(table.units, std::vector<std::string>{"b"});
  EXPECT_EQ(read_text(text, {.columns = {"x", "y"}, .unit_column = "who", .where = "who <> 'b'"}).units,
            (std::vector<std::string>{"a", "c"}));
}

// Each record is selected in a file of its own exactly if it is selected among the others, in any order.
TEST_F(ConditionCsv, ARecordIsSelectedByItsOwnValuesAlone) {
  const std::vector<std::string> values = {"7", " 7.0", "seven", "", "nan", "\"a, b\"", "1e999", "2026-01-01", "-3"};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 200; ++i) {
    lines.push_back(fmt::format("{},1,{},{}\n", i, values[i * 7 % 9], values[i * 5 % 8]));
  }
  for (const char* where : {"a = 7", "a < 'b' or b > 0", "not (a = 7 and b is null)", "a like '%a%' or b is null",
                            "b >= date '2026-01-01' or a not in (7, -3)"}) {
    const CsvOptions options{.columns = {"id", "x"}, .where = where, .block_bytes = 64};
    Rows expected;
    std::string forwards = "id,x,a,b\n", backwards = forwards;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (const auto& row : read_text("id,x,a,b\n" + lines[i], options).rows) expected.push_back(row);
      forwards += lines[i];
      backwards += lines[lines.size() - 1 - i];
    }
    EXPECT_GT(expected.size(), 5U);
    EXPECT_LT(expected.size(), 195U);
    EXPECT_EQ(read_text(forwards, options).rows, expected) << where;
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(read_text(backwards, options).rows, expected) << where;
  }
}

TEST_F(ConditionCsv, NumbersHaveTheMarksOfTheFile) {
  EXPECT_EQ(
      read_text("x;y\n1.000,5;2\n3;4\n", {.columns = {"x", "y"}, .where = "x > 1000", .decimal = ',', .thousands = '.'})
          .rows,
      (Rows{{1000.5, 2}}));
}

// What an unselected record holds in its other fields does not matter; one that has no fields to look at is a bad row.
TEST_F(ConditionCsv, ARecordThatIsNotSelectedMayHoldAnything) {
  const CsvOptions options{.columns = {"x", "y"}, .where = "use = 1"};
  EXPECT_EQ(read_text("x,y,use\nbad,,0\n1,2,1\n,,\n", options).rows, (Rows{{1, 2}}));
  EXPECT_HAS(error_of("x,y,use\nbad,2,1\n", options), "'bad' is not a number");
  EXPECT_HAS(error_of("x,y,use\n1,2,0,9\n", options), "has 4 fields");
  EXPECT_HAS(error_of("x,y,use\n1,2,\"0\n", options), "quote");
}

TEST_F(ConditionCsv, TheFirstLineMustBeKnown) {
  EXPECT_HAS(error_of("1,2\n3,4\n", {.where = "\"1\" > 2"}), "--header");
  EXPECT_EQ(read_text("1,2\n3,4\n", {.where = "\"1\" > 2", .delimiter = ',', .header = CsvHeader::no}).rows,
            (Rows{{3, 4}}));
  EXPECT_HAS(error_of("x,y\n1,2\n", {.columns = {"x", "y"}, .where = "x > 0 and \"1\" < 5"}), "as 'x' and '1'");
}

}  // namespace
}  // namespace shoal

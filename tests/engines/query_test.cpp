// The SQL that engines are asked, and what is refused before they are.
#include "engines/query.hpp"

#include <gtest/gtest.h>

#include "engines/condition_filter.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Query, NamesAndTextsAreQuoted) {
  EXPECT_EQ(quoted_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quoted_text("it's"), "'it''s'");
  EXPECT_THROW(quoted_name(std::string_view("a\0b", 3)), InputError);
}

TEST(Query, ATableIsLookedUpInTheCatalogue) {
  EXPECT_EQ(table_parts("trips"), std::vector<std::string>{"trips"});
  EXPECT_EQ(table_parts("city.trips"), (std::vector<std::string>{"city", "trips"}));
  EXPECT_EQ(table_parts("\"my.city\".trips"), (std::vector<std::string>{"my.city", "trips"}));
  EXPECT_EQ(table_parts("\"say \"\"hi\"\"\""), std::vector<std::string>{"say \"hi\""});
  EXPECT_THROW(table_parts("city."), InputError);
  EXPECT_THROW(table_parts("a.b.c"), InputError);
  EXPECT_NE(catalogue_query("it's", Engine::duckdb).find("table_name = 'it''s' and table_schema = current_schema()"),
            std::string::npos);
  EXPECT_NE(catalogue_query("a.b", Engine::postgresql).find("c.relname = 'b' and n.nspname = 'a'"), std::string::npos);
}

// The filter may let more rows through than the condition selects, never fewer.
TEST(Query, TheFilterHoldsWhatTheEngineCanDecide) {
  const std::vector<FilterColumn> columns = {{"\"n\"", "\"n\"", "g"},
                                             {"\"i\"", "\"i\"", "l"},
                                             {"\"s\"", "\"s\"", "u"},
                                             {"\"d\"", "\"d\"", "tdD"},
                                             {"\"o\"", "\"o\"", ""}};
  const auto filter = [&](const std::string& where, Engine engine = Engine::duckdb) {
    const Condition condition(where);
    std::vector<FilterColumn> named;
    std::vector<ConditionKind> kinds;
    for (const std::string& name : condition.columns()) {
      const auto place = std::string_view("nisdo").find(name);
      named.push_back(columns[place]);
      kinds.push_back(name == "s" ? ConditionKind::text : name == "d" ? ConditionKind::date : ConditionKind::number);
    }
    return condition_filter(BoundCondition(condition, kinds), named, engine);
  };
  EXPECT_EQ(filter("n < 0.5"), "\"n\" < cast('0.5' as double)");
  EXPECT_EQ(filter("n < 0.5", Engine::postgresql), "\"n\" < cast('0.5' as double precision)");
  EXPECT_EQ(filter("not n < 0.5"), "\"n\" >= cast('0.5' as double)");
  EXPECT_EQ(filter("i in (1, 2)"), "\"i\" in (1, 2)");
  EXPECT_EQ(filter("i not between -1 and 2"), "\"i\" not between -1 and 2");
  EXPECT_EQ(filter("i = 1.5"), "cast(\"i\" as double) = cast('1.5' as double)");
  EXPECT_EQ(filter("i = 9007199254740992"), "cast(\"i\" as double) = cast('9007199254740992' as double)");
  EXPECT_EQ(filter("s = 'it''s'"), "trim(\"s\", ' ' || chr(9)) in ('it''s')");
  EXPECT_EQ(filter("s <> 'a'"), "");
  EXPECT_EQ(filter("s < 'a'"), "") << "order is a matter of the collation";
  EXPECT_EQ(filter("s = 5"), "") << "texts that are numbers";
  EXPECT_EQ(filter("d >= '2026-01-02'"), "(\"d\" >= date '2026-01-01')");
  EXPECT_EQ(filter("d = '2026-01-02'"), "(\"d\" between date '2026-01-01' and date '2026-01-04')");
  EXPECT_EQ(filter("not d >= '2026-01-02'"), "");
  EXPECT_EQ(filter("o < 5"), "");
  EXPECT_EQ(filter("o is not null"), "\"o\" is not null");
  EXPECT_EQ(filter("(o < 5 and n < 1)"), "(\"n\" < cast('1' as double))");
  EXPECT_EQ(filter("not (o < 5 or n < 1)"), "(\"n\" >= cast('1' as double))");
  EXPECT_EQ(filter("(n < 1 and (i < 2 or i > 3))"), "(\"n\" < cast('1' as double) and (\"i\" < 2 or \"i\" > 3))");
}

TEST(Query, InputsAreToldApart) {
  EXPECT_FALSE(is_engine_input("points.csv"));
  EXPECT_FALSE(is_engine_input("-"));
  EXPECT_FALSE(is_engine_input("points.csv.zst"));
  EXPECT_EQ(engine_input("a/*.PARQUET").kind, EngineInput::Kind::parquet);
  EXPECT_FALSE(is_engine_input("a.ndjson.gz"));
  EXPECT_FALSE(is_engine_input("a.jsonl"));
  EXPECT_EQ(engine_input("a.duckdb").kind, EngineInput::Kind::duckdb);
  EXPECT_EQ(engine_input("iceberg:s3://b/t").place, "s3://b/t");
  EXPECT_TRUE(engine_input("s3://b/t.parquet").remote);
  EXPECT_EQ(engine_input("postgres://a@b/c").engine(), Engine::postgresql);
  const std::string unknown = error_of([] { is_engine_input("mysql://a:hunter2@b/c"); });
  EXPECT_NE(unknown.find("unknown scheme"), std::string::npos);
  EXPECT_EQ(unknown.find("hunter2"), std::string::npos);
  EXPECT_NE(error_of([] { is_engine_input("s3://bucket/t.csv"); }), "");
  EXPECT_NE(error_of([] { is_engine_input("https://a/t.jsonl"); }).find("copy the file here"), std::string::npos);
}

TEST(Query, AnAddressHoldsNoPassword) {
  for (const char* address : {"postgresql://a@b/c", "postgresql://a@b:5432/c", "postgresql://a@[::1]:5432/c",
                              "postgresql:///c?host=/tmp&sslmode=require", "postgresql://a@b:1,c:2/d",
                              "s3://bucket/a:b.parquet", "https://b:8080/c.parquet"}) {
    EXPECT_EQ(error_of([&] { check_address(address); }), "") << address;
  }
  for (const char* address : {"postgresql://a:hunter2@b/c", "postgresql://a:hu@nter2@b/c", "postgresql://a:hunter2",
                              "postgresql://b/c?user=a&password=hunter2", "postgresql://b?sslpassword=hunter2",
                              "https://a:hunter2@b/c.parquet"}) {
    const std::string message = error_of([&] { check_address(address); });
    EXPECT_NE(message, "") << address;
    EXPECT_EQ(message.find("hunter2"), std::string::npos) << address;
  }
}

TEST(Query, RowsAreATableOrAQuery) {
  const EngineInput database = engine_input("postgresql://a@b/c");
  EXPECT_EQ(row_query(database, {.table = "t"}, "\"s\".\"t\""), "select * from \"s\".\"t\"");
  EXPECT_EQ(row_query(database, {.sql = "select 1; \n"}, ""), "select * from (/*own*/\nselect 1\n) own");
  EXPECT_NE(error_of([&] { check_options(database, {}); }).find("--table"), std::string::npos);
  EXPECT_NE(error_of([&] { check_options(database, {.table = "t", .sql = "select 1"}); }).find("--sql"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_options(database, {.where = "a = 1", .sql = "select 1"}); }).find("--sql"),
            std::string::npos);
  const EngineInput file = engine_input("s3://b/t.parquet");
  EXPECT_NE(error_of([&] { check_options(file, {.table = "t"}); }).find("--table"), std::string::npos);
  EXPECT_EQ(row_query(file, {}, ""), "select * from read_parquet(['s3://b/t.parquet'], hive_partitioning = false)");
}

}  // namespace
}  // namespace shoal

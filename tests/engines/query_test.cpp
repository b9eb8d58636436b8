// The SQL that engines are asked, and what is refused before they are.
#include "engines/query.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(quoted_table("trips"), "\"trips\"");
  EXPECT_EQ(quoted_table("city.trips"), "\"city\".\"trips\"");
  EXPECT_EQ(quoted_table("\"my.city\".trips"), "\"my.city\".\"trips\"");
  EXPECT_EQ(quoted_table("\"say \"\"hi\"\"\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(quoted_table("t; drop table u"), "\"t; drop table u\"");
  EXPECT_THROW(quoted_table("city."), InputError);
}

TEST(Query, AConditionIsOnOneRow) {
  for (const char* where :
       {"age >= 18", "name = 'select' and \"from\" > 1", "day between '2026-01-01' and '2026-02-01'",
        "(a or b) and (c)", "extract(year from day) = 2026", "x is not distinct from y", "note = 'it''s'",
        "a in (1, 2)", "a - 1 > -2", "page > 1 and shows = 2"}) {
    for (const Engine engine : {Engine::duckdb, Engine::postgresql}) {
      EXPECT_EQ(error_of([&] { check_condition(where, engine); }), "") << where;
    }
  }
  for (const char* where : {"x > (select avg(x) from t)",
                            "x > (SeLeCt 1)",
                            "x in (from t)",
                            "x in (with a as (table t) table a)",
                            "x in ( values (1))",
                            "x in (table t)",
                            "true) or (true",
                            "(x",
                            "x)",
                            "x; drop table t",
                            "x -- y",
                            "x /* y",
                            "'a",
                            "\"a",
                            "e'\\'' or true",
                            "$$a$$",
                            "from t",
                            "exists (pivot t on c)",
                            "exists ( (UNPIVOT t on x))",
                            "exists (describe t)",
                            "exists (show tables)",
                            "exists (summarize t)",
                            "exists (from t)"}) {
    for (const Engine engine : {Engine::duckdb, Engine::postgresql}) {
      EXPECT_NE(error_of([&] { check_condition(where, engine); }), "") << where;
    }
  }
}

// What names it depends on the engine: xmin is a system column of PostgreSQL, and the edge of a box in many files.
TEST(Query, AConditionAsksForNoPlaceOfARow) {
  for (const char* where : {"file_row_number < 10", "t.rowid < 10", "\"RowId\" < 10"}) {
    EXPECT_NE(error_of([&] { check_condition(where, Engine::duckdb); }), "") << where;
    EXPECT_EQ(error_of([&] { check_condition(where, Engine::postgresql); }), "") << where;
  }
  for (const char* where : {"ctid < '(1,1)'", "xmin > 2 and xmax < 3", "cmax = 1",
                            "query_to_xml('sel' || 'ect 1', true, true, '') is null", "pg_relation_size('t') > 1"}) {
    EXPECT_NE(error_of([&] { check_condition(where, Engine::postgresql); }), "") << where;
    EXPECT_EQ(error_of([&] { check_condition(where, Engine::duckdb); }), "") << where;
  }
}

TEST(Query, InputsAreToldApart) {
  EXPECT_FALSE(is_engine_input("points.csv"));
  EXPECT_FALSE(is_engine_input("-"));
  EXPECT_FALSE(is_engine_input("points.csv.zst"));
  EXPECT_EQ(engine_input("a/*.PARQUET").kind, EngineInput::Kind::parquet);
  EXPECT_EQ(engine_input("a.ndjson.gz").kind, EngineInput::Kind::json_lines);
  EXPECT_EQ(engine_input("a.jsonl").kind, EngineInput::Kind::json_lines);
  EXPECT_EQ(engine_input("a.duckdb").kind, EngineInput::Kind::duckdb);
  EXPECT_EQ(engine_input("iceberg:s3://b/t").place, "s3://b/t");
  EXPECT_TRUE(engine_input("s3://b/t.parquet").remote);
  EXPECT_EQ(engine_input("postgres://a@b/c").engine(), Engine::postgresql);
  const std::string unknown = error_of([] { is_engine_input("mysql://a:hunter2@b/c"); });
  EXPECT_NE(unknown.find("unknown scheme"), std::string::npos);
  EXPECT_EQ(unknown.find("hunter2"), std::string::npos);
  EXPECT_NE(error_of([] { is_engine_input("s3://bucket/t.csv"); }), "");
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

TEST(Query, RowsAreATableAndAFilterOrAQuery) {
  const EngineInput database = engine_input("postgresql://a@b/c");
  EXPECT_EQ(row_query(database, {.table = "t"}), "select * from \"t\"");
  EXPECT_EQ(row_query(database, {.table = "t", .where = "x > 1"}), "select * from \"t\" where (/*own*/\nx > 1\n)");
  EXPECT_EQ(row_query(database, {.sql = "select 1; \n"}), "select * from (/*own*/\nselect 1\n) own");
  EXPECT_NE(error_of([&] { row_query(database, {}); }).find("--table"), std::string::npos);
  EXPECT_NE(error_of([&] { row_query(database, {.table = "t", .sql = "select 1"}); }).find("--sql"), std::string::npos);
  const EngineInput file = engine_input("s3://b/t.parquet");
  EXPECT_NE(error_of([&] { row_query(file, {.table = "t"}); }).find("--table"), std::string::npos);
  EXPECT_EQ(row_query(file, {}), "select * from read_parquet(['s3://b/t.parquet'], hive_partitioning = false)");
}

TEST(Query, FieldsOfJsonLinesAreTextsOfTheirOwnLine) {
  const std::string sql = row_query(engine_input("s3://b/t.jsonl"), {.columns = {"a/b~"}, .unit_column = "it's"});
  EXPECT_NE(sql.find("json_extract_string(json, '/a~1b~0') as \"a/b~\""), std::string::npos) << sql;
  EXPECT_NE(sql.find("json_extract_string(json, '/it''s') as \"it's\""), std::string::npos) << sql;
}

}  // namespace
}  // namespace shoal

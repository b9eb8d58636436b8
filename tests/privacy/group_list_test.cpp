#include <gtest/gtest.h>

#include <chrono>

#include "base/dates.hpp"
#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace shoal {
namespace {

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string refusal_of(const std::string& text) {
  return refusal_of([&] { static_cast<void>(declared_groups(text)); });
}

double seconds(int y, unsigned m, unsigned d) {
  using namespace std::chrono;
  return static_cast<double>(sys_days(year(y) / month(m) / day(d)).time_since_epoch().count()) * 86400;
}

TEST(Groups, AListHasAPlaceForEveryName) {
  const Grouping groups = declared_groups("ward = A| B |intensive care");
  EXPECT_EQ(groups.axis.name(), "ward");
  EXPECT_EQ(groups.names, (std::vector<std::string>{"A", "B", "intensive care"}));
  EXPECT_EQ(groups.axis.cell(groups.axis.kind().parse("B").value()), 1);
  EXPECT_EQ(groups.axis.kind().parse("D"), std::nullopt);
  EXPECT_EQ(declared_groups("ward=A").names.size(), 1U);
}

TEST(Groups, WeeksBeginOnMondayAndBelongToTheYearOfTheirThursday) {
  const Grouping groups = declared_groups("day=2025-W52..2026-W02");
  EXPECT_EQ(groups.names, (std::vector<std::string>{"2025-W52", "2026-W01", "2026-W02"}));
  EXPECT_EQ(groups.axis.lo(), seconds(2025, 12, 22));
  EXPECT_EQ(groups.axis.cell(seconds(2025, 12, 28)), 0);
  EXPECT_EQ(groups.axis.cell(seconds(2025, 12, 29)), 1);  // Monday of the first week of 2026
  EXPECT_EQ(groups.axis.cell(seconds(2026, 1, 11) + 86399), 2);
  EXPECT_EQ(groups.axis.cell(seconds(2026, 1, 12)), outside_axis);
  EXPECT_EQ(groups.axis.cell(seconds(2025, 12, 21)), outside_axis);
  // The year 2020 has 53 weeks.
  EXPECT_EQ(declared_groups("day=2020-W52..2021-W01").names.size(), 3U);
  EXPECT_NE(refusal_of("day=2021-W53..2022-W01"), "");
}

// Every day of 40 years, against the calendar's own count: a week begins on Monday, week 1 holds 4 January.
TEST(Groups, WeekTextAndBeginAgreeWithTheCalendar) {
  using namespace std::chrono;
  for (sys_days at = sys_days(year(1999) / 1 / 1); at < sys_days(year(2039) / 1 / 1); at += days(1)) {
    const double when = static_cast<double>(at.time_since_epoch().count()) * 86400;
    const std::string text = week_text(when);
    const double begin = week_begin(text).value();
    EXPECT_EQ(weekday(sys_days(days(static_cast<int>(begin / 86400)))), Monday);
    EXPECT_TRUE(begin <= when && when < begin + 7 * 86400) << text;
    const year_month_day date(at);
    if (date.month() == January && date.day() == day(4)) {
      EXPECT_EQ(text.substr(5), "W01");
    }
    EXPECT_EQ(week_text(begin), text);
  }
}

TEST(Groups, MonthsAndDays) {
  const Grouping months = declared_groups("day=2025-11..2026-02");
  EXPECT_EQ(months.names, (std::vector<std::string>{"2025-11", "2025-12", "2026-01", "2026-02"}));
  EXPECT_EQ(months.axis.cell(seconds(2025, 11, 30)), 0);
  EXPECT_EQ(months.axis.cell(seconds(2026, 1, 31) + 80000), 2);
  EXPECT_EQ(months.axis.cell(seconds(2026, 3, 1)), outside_axis);
  EXPECT_EQ(months.axis.cell(months.axis.kind().parse("2026-02").value()), 3);
  const Grouping days = declared_groups("day=2026-02-27..2026-03-01");
  EXPECT_EQ(days.names, (std::vector<std::string>{"2026-02-27", "2026-02-28", "2026-03-01"}));
  EXPECT_EQ(days.axis.cell(seconds(2026, 2, 28) + 1), 1);
}

TEST(Groups, FieldsMayBeDatesOrTheNamesOfTheGroups) {
  const Grouping weeks = declared_groups("week=2026-W01..2026-W12");
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-W03").value()), 2);
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-01-14").value()), 2);
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-01-14T23:30Z").value()), 2);
  EXPECT_EQ(weeks.axis.kind().parse("2026-W54"), std::nullopt);
}

TEST(Groups, AZoneMovesTheBegin) {
  const Grouping weeks = declared_groups("day=2026-W01..2026-W02:zone=+02:00");
  EXPECT_EQ(weeks.axis.lo(), seconds(2025, 12, 29) - 7200);
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-01-05").value()), 1);
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-01-04T22:00Z").value()), 1);
  EXPECT_EQ(weeks.axis.cell(weeks.axis.kind().parse("2026-01-04T21:59Z").value()), 0);
}

TEST(Groups, WhatIsNoListIsRefusedInOneLine) {
  EXPECT_NE(refusal_of("ward=A|B|A").find("group 'A' twice"), std::string::npos);
  EXPECT_NE(refusal_of("ward=").find("empty"), std::string::npos);
  EXPECT_NE(refusal_of("ward=A||B").find("no name"), std::string::npos);
  EXPECT_NE(refusal_of("ward").find("give a column"), std::string::npos);
  EXPECT_NE(refusal_of("=A|B").find("give a column"), std::string::npos);
  EXPECT_NE(refusal_of("day=2026-W01..2026-W03|2026-W05").find("either a list"), std::string::npos);
  EXPECT_NE(refusal_of("day=2026-W12..2026-W01").find("ends before it begins"), std::string::npos);
  EXPECT_NE(refusal_of("day=2026-W01..2026-02").find("a range is of weeks"), std::string::npos);
  EXPECT_NE(refusal_of("day=2026-02-30..2026-03-01").find("a range is of weeks"), std::string::npos);
  EXPECT_NE(refusal_of("day=2020-01-01..2026-01-01").find("at most 1000"), std::string::npos);
  EXPECT_NE(refusal_of("day=2026-01..2026-02:month").find("only a zone"), std::string::npos);
  for (const char* text : {"ward=A|B|A", "day=2026-W12..2026-W01"}) {
    EXPECT_EQ(refusal_of(text).find('\n'), std::string::npos);
  }
}

TEST(Groups, TheCostIsByGroupsAUnitIsInAndNotByTheirNumber) {
  const auto groups = [](std::uint64_t most) { return declared_groups("ward=A|B|C|D|E", most); };
  const PrivacyUnit record, person{.column = "person", .max_contributions = 3};
  PrivacyUnit replaced = person;
  replaced.neighbors = Neighbors::replace;
  const Epsilon each = Epsilon::parse("0.3");
  EXPECT_EQ(groups(1).cost(each, record).text(), "0.3");
  EXPECT_EQ(groups(1).cost(each, person).text(), "0.3");
  EXPECT_EQ(groups(2).cost(each, person).text(), "0.6");
  EXPECT_EQ(groups(5).cost(each, person).text(), "1.5");
  // A unit that is replaced leaves groups and enters others.
  EXPECT_EQ(groups(1).cost(each, replaced).text(), "0.6");
  EXPECT_EQ(groups(2).cost(each, replaced).text(), "1.2");
  EXPECT_EQ(groups(3).cost(each, replaced).text(), "1.5");
  EXPECT_NE(refusal_of([&] { static_cast<void>(groups(2).cost(each, record)); }).find("no unit column"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { static_cast<void>(groups(6).cost(each, person)); }).find("there are 5 groups"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { static_cast<void>(groups(0).cost(each, person)); }).find("max-groups is 0"),
            std::string::npos);
}

TEST(Groups, AWordForAPeriodIsNotTakenForAName) {
  for (const char* text : {"start_time=weekly", "day=month"}) {
    EXPECT_THROW(static_cast<void>(declared_groups(text)), Error) << text;
  }
  EXPECT_EQ(declared_groups("ward=weekly|daily").names.size(), 2U);  // names of a list
}

TEST(Groups, AreCalledByTheirPeriodOrTheirColumn) {
  EXPECT_EQ(declared_groups("at=2026-W01..2026-W03").word(), "week");
  EXPECT_EQ(declared_groups("at=2026-01..2026-03").word(), "month");
  EXPECT_EQ(declared_groups("at=2026-01-01..2026-01-03").word(), "day");
  EXPECT_EQ(declared_groups("ward=A|B").word(), "ward");
}

TEST(Groups, AllOfThemCountEveryUnitEverywhere) {
  const PrivacyUnit user{.column = "user", .share = true};
  EXPECT_EQ(declared_groups("ward=A|B|C", 2).counted_of(user), (CountedGroups{"ward", 2, 3}));
  EXPECT_FALSE(declared_groups("ward=A|B|C", 3).counted_of(user).has_value());
  EXPECT_FALSE(declared_groups("ward=A|B|C").counted_of({}).has_value());  // a record lies in one group
}

}  // namespace
}  // namespace shoal

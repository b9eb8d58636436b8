// What units are called: as the owner says, or by a rule from the name of the column.
#include <gtest/gtest.h>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal {
namespace {

Noun by_column(const std::string& column) {
  PrivacyUnit unit;
  unit.column = column;
  return noun_of(unit);
}

Noun by_name(const std::string& name) {
  PrivacyUnit unit;
  unit.column = "id";
  unit.name = name;
  return noun_of(unit);
}

TEST(Nouns, ComeFromTheNameOfTheColumn) {
  EXPECT_EQ(by_column(""), (Noun{"record", "records"}));
  EXPECT_EQ(by_column("patient_id"), (Noun{"patient", "patients"}));
  EXPECT_EQ(by_column("PatientID"), (Noun{"patient", "patients"}));
  EXPECT_EQ(by_column("patients"), (Noun{"patient", "patients"}));
  EXPECT_EQ(by_column("customer-number"), (Noun{"customer", "customers"}));
  EXPECT_EQ(by_column("credit card no"), (Noun{"credit card", "credit cards"}));
  EXPECT_EQ(by_column("family"), (Noun{"family", "families"}));
  EXPECT_EQ(by_column("person_key"), (Noun{"person", "people"}));
  EXPECT_EQ(by_column("who"), (Noun{"person", "people"}));
  EXPECT_EQ(by_column("box"), (Noun{"box", "boxes"}));
  EXPECT_EQ(by_column("id"), (Noun{"unit", "units"}));
  EXPECT_EQ(by_column("_"), (Noun{"unit", "units"}));
}

TEST(Nouns, AreWhatTheOwnerSays) {
  EXPECT_EQ(by_name("patients"), (Noun{"patient", "patients"}));
  EXPECT_EQ(by_name("patient"), (Noun{"patient", "patients"}));
  EXPECT_EQ(by_name("families"), (Noun{"family", "families"}));
  EXPECT_EQ(by_name("people"), (Noun{"person", "people"}));
  EXPECT_EQ(by_name("Kunde/Kunden"), (Noun{"Kunde", "Kunden"}));
}

TEST(Nouns, ThatAreNoWordsAreRefused) {
  for (const char* name : {"", "/", "a/", "/b", "a/b/c", "a\nb"})
    EXPECT_THROW(check_unit_name(name), InputError) << name;
  EXPECT_THROW(check_unit_name(std::string(61, 'a')), InputError);
  check_unit_name("person/people");
}

TEST(Nouns, HaveAnArticle) {
  EXPECT_EQ(with_article("patient"), "a patient");
  EXPECT_EQ(with_article("owner"), "an owner");
  EXPECT_EQ(with_article("user"), "a user");
}

// Only units that count once are counted by their name.
TEST(Nouns, OfWhatIsCountedFollowTheContribution) {
  PrivacyUnit unit{.column = "patient_id", .max_contributions = 3};
  EXPECT_EQ(counted_noun(unit), (Noun{"record", "records"}));
  EXPECT_EQ(in_words(unit), "one patient with at most 3 records");
  unit.max_contributions = 1;
  unit.share = true;
  EXPECT_EQ(counted_noun(unit), (Noun{"patient", "patients"}));
  EXPECT_EQ(counted_title(unit), "Patients");
}

}  // namespace
}  // namespace shoal

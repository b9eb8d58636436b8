#include "shoal/privacy.hpp"

#include "arrays.hpp"
#include "shoal/ledger.hpp"

namespace {

void bind_ledger(nb::module_& m) {
  nb::class_<shoal::LedgerAccount>(m, "LedgerAccount")
      .def_ro("dataset", &shoal::LedgerAccount::dataset)
      .def_prop_ro("cap", [](const shoal::LedgerAccount& account) { return account.cap.text(); })
      .def_prop_ro("spent", [](const shoal::LedgerAccount& account) { return account.spent.text(); })
      .def_ro("debits", &shoal::LedgerAccount::debits);
  nb::class_<shoal::LedgerEntry>(m, "LedgerEntry")
      .def_ro("id", &shoal::LedgerEntry::id)
      .def_ro("time", &shoal::LedgerEntry::time)
      .def_ro("dataset", &shoal::LedgerEntry::dataset)
      .def_prop_ro("epsilon", [](const shoal::LedgerEntry& entry) { return entry.epsilon.text(); })
      .def_ro("purpose", &shoal::LedgerEntry::purpose);
  // Amounts are decimal texts: a budget must be the decimal that was written.
  nb::class_<shoal::Ledger>(m, "Ledger")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def_static(
          "create",
          [](const std::string& path, const std::string& dataset, const std::string& cap) {
            shoal::Ledger::create(path, dataset, shoal::Epsilon::parse(cap));
          },
          nb::arg("path"), nb::arg("dataset"), nb::arg("cap"))
      .def(
          "debit",
          [](shoal::Ledger& ledger, const std::string& dataset, const std::string& epsilon,
             const std::string& purpose) {
            const nb::gil_scoped_release released;  // it may wait for other processes
            return ledger.debit(dataset, shoal::Epsilon::parse(epsilon), purpose);
          },
          nb::arg("dataset"), nb::arg("epsilon"), nb::arg("purpose"))
      .def("accounts", &shoal::Ledger::accounts)
      .def("history", &shoal::Ledger::history, nb::arg("dataset") = "")
      .def("head",
           [](const shoal::Ledger& ledger) {
             const shoal::LedgerHead head = ledger.head();
             return std::pair(head.entries, head.hash);
           })
      .def("entries_since", &shoal::Ledger::entries_since, nb::arg("hash"));
}

}  // namespace

void bind_privacy(nb::module_& m) { bind_ledger(m); }

#include "shoal/privacy.hpp"

#include "arrays.hpp"
#include "privacy/noise.hpp"
#include "privacy/random_bits.hpp"
#include "shoal/ledger.hpp"

namespace {

std::unique_ptr<shoal::Noise> noise_of(std::optional<std::uint64_t> seed) {
  return seed ? shoal::seeded_noise_not_private(*seed) : shoal::secure_noise();
}

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

// For oracle tests and benchmarks.
void bind_noise(nb::module_& internal) {
  internal.def(
      "add_laplace",
      [](const nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values, std::uint64_t numerator,
         std::uint64_t denominator, std::optional<std::uint64_t> seed, unsigned threads) {
        const std::span<std::int64_t> span(values.data(), values.shape(0));
        const nb::gil_scoped_release released;
        noise_of(seed)->add_laplace(span, {numerator, denominator}, threads);
      },
      nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("seed") = nb::none(),
      nb::arg("threads") = 1);
  internal.def(
      "choose",
      [](const std::vector<std::pair<std::uint64_t, std::uint64_t>>& intervals, std::uint64_t numerator,
         std::uint64_t denominator, std::uint64_t seed, std::size_t draws) {
        std::vector<shoal::WeightedInterval> weighted;
        for (const auto& [measure, cost] : intervals) weighted.push_back({measure, cost});
        const auto noise = noise_of(seed);
        std::vector<std::uint64_t> chosen(draws);
        for (auto& index : chosen) index = noise->choose(weighted, {numerator, denominator});
        return shoal_python::to_numpy(std::move(chosen));
      },
      nb::arg("intervals"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("seed"), nb::arg("draws"));
  internal.def("raw_words", &shoal::raw_words, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_privacy(nb::module_& m) {
  bind_ledger(m);
  nb::module_ internal =
      nb::hasattr(m, "internal") ? nb::cast<nb::module_>(m.attr("internal")) : m.def_submodule("internal");
  bind_noise(internal);
}

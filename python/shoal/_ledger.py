"""Ledgers: files that hold the privacy budgets of datasets."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import NamedTuple

from . import _core
from ._options import Decimals, decimal_text, refuse_empty


class Account(NamedTuple):
    """The budget of one dataset."""

    dataset: str
    cap: Decimal
    spent: Decimal
    left: Decimal
    debits: int


class Debit(NamedTuple):
    """One entry of a ledger's history. The time is UTC, in ISO 8601."""

    id: int
    time: str
    dataset: str
    epsilon: Decimal
    purpose: str


class Head(NamedTuple):
    """The last entry of a ledger. A copy of the hash that is kept elsewhere shows later that no entry before it was removed."""

    entries: int
    hash: str


class Ledger:
    """A file of privacy budgets. A dataset never spends more than its cap, even if processes are killed or run concurrently.

    >>> import os, tempfile, shoal
    >>> path = os.path.join(tempfile.mkdtemp(), "budget.db")
    >>> ledger = shoal.Ledger.create(path, "patients", "1.5")
    >>> ledger.debit("patients", 1, "a release by hand")
    1
    >>> ledger.account("patients").left
    Decimal('0.5')
    >>> ledger.debit("patients", 1, "another")
    Traceback (most recent call last):
    ...
    shoal.BudgetRefused: ...
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        refuse_empty({"path": self._path})
        _core.Ledger(self._path)  # raises if the file is not a ledger

    @classmethod
    def create(cls, path: str | os.PathLike[str], dataset: str, cap: Decimals) -> Ledger:
        """Add an account, and create the file if it does not exist. A cap never changes."""
        refuse_empty({"path": os.fspath(path), "dataset": dataset})
        _core.Ledger.create(os.fspath(path), dataset, decimal_text(cap, "cap"))
        return cls(path)

    def __fspath__(self) -> str:
        return self._path

    def debit(self, dataset: str, epsilon: Decimals, purpose: str) -> int:
        """Charge the account permanently and return the id of the entry. Raises BudgetRefused if the cap would be exceeded."""
        refuse_empty({"dataset": dataset, "purpose": purpose})
        return _core.Ledger(self._path).debit(dataset, decimal_text(epsilon, "epsilon"), purpose)

    def accounts(self) -> list[Account]:
        found = _core.Ledger(self._path).accounts()
        return [Account(a.dataset, Decimal(a.cap), Decimal(a.spent), Decimal(a.cap) - Decimal(a.spent), a.debits) for a in found]

    def account(self, dataset: str) -> Account:
        refuse_empty({"dataset": dataset})
        for account in self.accounts():
            if account.dataset == dataset:
                return account
        raise ValueError(f"there is no account '{dataset}' in '{self._path}'")

    def history(self, dataset: str | None = None) -> list[Debit]:
        """Return the debits of one dataset, or of all datasets, oldest first."""
        refuse_empty({"dataset": dataset})
        found = _core.Ledger(self._path).history(dataset or "")
        return [Debit(e.id, e.time, e.dataset, Decimal(e.epsilon), e.purpose) for e in found]

    def head(self) -> Head:
        return Head(*_core.Ledger(self._path).head())

    def verify(self, hash: str) -> int:
        """Return the number of entries after the entry with this hash, which an earlier head() returned.

        The first 16 digits of the hash are enough. Raises ValueError if no entry has the hash, because entries were removed or because
        it is a different ledger.
        """
        refuse_empty({"hash": hash})
        since = _core.Ledger(self._path).entries_since(hash)
        if since is None:
            raise ValueError(f"the ledger '{self._path}' has no entry with this hash: entries were removed, or it is a different ledger")
        return since

    def __repr__(self) -> str:
        return f"Ledger({self._path!r})"

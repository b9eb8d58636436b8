"""The owner's account of what was spent on each dataset."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import NamedTuple

from . import _core
from ._estimators import Decimals, decimal_text, refuse_empty


class Account(NamedTuple):
    dataset: str
    cap: Decimal
    spent: Decimal
    left: Decimal
    debits: int


class Debit(NamedTuple):
    id: int
    time: str
    dataset: str
    epsilon: Decimal
    purpose: str


class Head(NamedTuple):
    """The end of a ledger's chain. Kept elsewhere, the hash shows later that no entry up to it was removed."""

    entries: int
    hash: str


class Ledger:
    """A file that never lets more be spent on a dataset than its cap, whatever is killed and however many race.

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
        _core.Ledger(self._path)  # refuses what is no ledger

    @classmethod
    def create(cls, path: str | os.PathLike[str], dataset: str, cap: Decimals) -> Ledger:
        """Adds an account, and the file where there is none. A cap never changes."""
        refuse_empty({"path": os.fspath(path), "dataset": dataset})
        _core.Ledger.create(os.fspath(path), dataset, decimal_text(cap, "cap"))
        return cls(path)

    def __fspath__(self) -> str:
        return self._path

    def debit(self, dataset: str, epsilon: Decimals, purpose: str) -> int:
        """Charges the account, for ever; raises BudgetRefused where the cap would be exceeded. Gives the entry's id."""
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
        """The debits of a dataset, or of all, the first one first."""
        refuse_empty({"dataset": dataset})
        found = _core.Ledger(self._path).history(dataset or "")
        return [Debit(e.id, e.time, e.dataset, Decimal(e.epsilon), e.purpose) for e in found]

    def head(self) -> Head:
        return Head(*_core.Ledger(self._path).head())

    def verify(self, hash: str) -> int:
        """How many entries came after the one with this hash (or these first 16 or more digits of it): head() gave it before.
        ValueError: no entry has it, so that entries were removed, or the ledger is another one."""
        refuse_empty({"hash": hash})
        since = _core.Ledger(self._path).entries_since(hash)
        if since is None:
            raise ValueError(f"no entry of the ledger '{self._path}' has this hash: entries were removed, or the ledger is another one")
        return since

    def __repr__(self) -> str:
        return f"Ledger({self._path!r})"

"""The ledger in words."""

from __future__ import annotations

from sdr_decode.explain.account import MEANING, Cell, account_of, cost, saved_share
from sdr_decode.ledger import COLUMNS
from tests.sdr_decode.explain.example import example, saved


def test_every_number_carries_its_provenance_and_unknown_is_never_0() -> None:
    account = account_of(saved().ledger)
    assert account.columns == ("observed", "avoided", "dollars")
    assert [row.cells for row in account.rows] == [
        (Cell("15", "reported"), Cell("0", "counted"), Cell("$0.010000")),
        (Cell("8", "counted"), Cell("about 8", "estimated"), Cell("$0.010000 to $0.020000")),
        (Cell("7", "counted"), Cell("unknown"), Cell("unknown")),
        (Cell("0", "counted"), Cell("about 15", "estimated"), Cell("$0.000000")),
    ]
    assert account.sums == (
        Cell("30", "counted"),
        Cell("23 or more", "some unknown"),
        Cell("unknown"),
    )


def test_remarks_tell_the_money_and_what_was_not_launched() -> None:
    assert account_of(saved().ledger).remarks == (
        "1 of 4 candidates never launched.",
        "This decode cost: unknown.",
        "Full best-of-N would have cost: $0.040000 to $0.050000.",
        "Prices of a price list, 2026-01-31.",
        "Not known in full: token counts of 1 of 4 candidates are unknown.",
    )


def test_without_prices_the_reason_is_told() -> None:
    data = example()
    data["ledger"]["money"] = {"why": "no price is known"}
    ledger = saved(data).ledger
    assert account_of(ledger).remarks[-1] == "Cost unknown: no price is known."
    assert cost(ledger) == Cell("unknown")


def test_the_share_saved_says_how_it_is_known() -> None:
    data = example()
    assert saved_share(saved(data).ledger) == Cell("unknown")
    data["ledger"] |= {"saved": 0.4, "avoided": {"value": 20, "provenance": "estimated"}}
    assert saved_share(saved(data).ledger) == Cell("40.0%", "estimated")


def test_a_column_of_a_later_day_is_shown_and_one_that_a_row_lacks_is_unknown() -> None:
    data = example()
    data["ledger"]["rows"][1]["reused"] = {"value": 1234, "provenance": "reported"}
    account = account_of(saved(data).ledger)
    assert account.columns[-1] == "reused"
    assert [row.cells[-1].text for row in account.rows] == ["unknown", "1,234", *["unknown"] * 2]


def test_every_column_of_the_ledger_is_explained() -> None:
    assert {*COLUMNS, "dollars"} == set(MEANING)

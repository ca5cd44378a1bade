"""Policies made of others: what any would stop, what all would."""

from __future__ import annotations

import pytest

from clients.errors import SpecError
from sdr_decode.pruning import policies
from tests.sdr_decode.test_pruning import candidate, pruned

FIELD = (candidate(0, 0.0), candidate(1, 0.03), candidate(2, 0.06), candidate(3, 0.06, 0.07))


def test_any_prunes_the_union_for_the_reason_of_the_first() -> None:
    found = list(policies.make("any:threshold:0.05+margin:0.02").prune(FIELD))
    assert [each.candidate for each in found] == [1, 2, 3]
    assert "above candidate 0" in found[0].reason
    assert "threshold 0.05" in found[1].reason


def test_all_prunes_the_intersection_for_every_reason() -> None:
    found = list(policies.make("all:threshold:0.05+margin:0.02").prune(FIELD))
    assert [each.candidate for each in found] == [2, 3]
    assert "threshold 0.05" in found[0].reason
    assert "above candidate 0" in found[0].reason


def test_members_keep_their_own_options_of_the_same_name() -> None:
    assert pruned("any:threshold:0.05,warmup=2+margin:0.02,warmup=1", *FIELD[2:]) == [3]
    assert pruned("any:threshold:0.05,warmup=2+threshold:0.01,warmup=3", *FIELD) == [3]


def test_members_in_brackets_nest() -> None:
    spec = "any:(all:threshold:0.05+margin:0.02)+(threshold:0.9)"
    assert pruned(spec, *FIELD) == [2, 3]
    assert pruned("all:(any:threshold:0.9+margin:0.02)+threshold:0.05", *FIELD) == [2, 3]


def test_the_token_limit_reaches_the_members() -> None:
    field = (candidate(0, 0.5), candidate(1, 0.08, end="finished"))
    policy = policies.make("any:(all:lossless+none)+lossless")
    assert policy.watches_tokens
    assert not list(policy.prune(field))
    assert [each.candidate for each in policy.within(6).prune(field)] == [0]


def test_nothing_watches_tokens_without_a_member_that_does() -> None:
    assert not policies.make("any:threshold:0.1+lossless:hausdorff").watches_tokens


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("any", "found no members"),
        ("all:", "found no members"),
        ("any:none", "two prune policies or more"),
        ("any:all:none+none", "two prune policies or more"),
        ("any:none+", "nothing as a member"),
        ("any:+none", "nothing as a member"),
        ("any:none+()", "expected name"),
        ("any:(none+none", "open bracket"),
        ("any:none)+none", "brackets that do not pair"),
        ("any:" + "(" * 5000, "nest too deep"),
        ("any:none+nothing", "unknown prune policy 'nothing'"),
        ("any:none+margin", "margin found nothing"),
        ("all:margin:0.1,warm=2+none", "does not know the option 'warm'"),
        ("any:margin:0.1|none", "expected"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(spec: str, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        policies.make(spec)

"""The table in the README of the journal says truly which proofs find which tampering, and nothing stays unfound."""

from __future__ import annotations

import pytest

from tests.controller import tampering_matrix
from tests.controller.tampering_matrix import MATRIX_TAMPERINGS, MOMENTS, needed_proofs, row_of, table_lines


@pytest.mark.parametrize("number", range(len(MATRIX_TAMPERINGS)), ids=list(MATRIX_TAMPERINGS))
def test_readme_says_what_finds_each_tampering(number: int) -> None:
    lines = table_lines()
    assert len(lines) == len(MATRIX_TAMPERINGS)
    assert lines[number] == row_of(list(MATRIX_TAMPERINGS)[number])
    assert "not found" not in lines[number]


@pytest.mark.soak
@pytest.mark.parametrize("number", range(len(MATRIX_TAMPERINGS)), ids=list(MATRIX_TAMPERINGS))
def test_every_combination_of_proofs_finds_what_the_readme_says(number: int) -> None:
    assert table_lines()[number] == row_of(list(MATRIX_TAMPERINGS)[number], tries_all=True)


def test_planted_proof_that_hides_a_finding_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tampering_matrix, "count_findings", lambda _, proofs: int(set(proofs) == {"key"}))
    monkeypatch.setattr(
        tampering_matrix, "_counts_without_tampering", lambda _: dict.fromkeys(tampering_matrix.PROOF_SETS, 0)
    )
    assert needed_proofs("chain remade", "at once") == "key"
    assert needed_proofs("chain remade", "at once", tries_all=True).startswith("but not key and mark or ")


@pytest.mark.parametrize("moment", MOMENTS)
def test_planted_audit_without_findings_fills_the_row_differently(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tampering_matrix, "count_findings", lambda *_: 0)
    tampering_matrix._counts_without_tampering.cache_clear()
    try:
        assert needed_proofs("chain remade", moment) == "not found"
    finally:
        tampering_matrix._counts_without_tampering.cache_clear()

"""The rules that rulings rest on, one line each in our own words; their sources are those of the English ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.books import Books
from controller.words.catalogue import Rule

_BOOKS: Final = Books("Robert's Rules", "Hausregeln", betting="Setzen, {number}", section="Teil {number}, {where}")
_betting, _section, _tda = _BOOKS.of_betting, _BOOKS.of_section, _BOOKS.of_tda
_own, _house = _BOOKS.of_house, _BOOKS.of_both

RULES: Final[Mapping[str, tuple[Rule, Rule]]] = {
    "out-of-turn": (
        _betting(10, "Bindet, wenn dazwischen niemand setzt, mitgeht oder erhöht. Wer gecheckt hat, erhöht nicht."),
        _tda("53-A", "Bindet, wenn dazwischen niemand setzt oder erhöht; sonst ist wieder alles möglich."),
    ),
    "skipped": (
        _betting(11, "Zeit verlangen, sonst ist das Recht zu handeln verloren, wenn dahinter drei gehandelt haben."),
        _tda("36 und 53-B", "Zwei Aktionen dahinter, eine mit Chips, oder drei: über die Hand entscheidet der Floor."),
    ),
    "string-bet": (
        _betting(14, "Eine zweite Bewegung zählt nicht: die Erhöhung ansagen oder auf einmal setzen."),
        _tda("56", "Ein Einsatz in mehreren Bewegungen, mit Griff zurück zum Stack, ist nicht erlaubt."),
    ),
    "oversized-chip": (
        _betting(15, "Ein einzelner Chip, größer als der Einsatz, ist ohne Ansage nur Mitgehen."),
        _tda("44", "Ein zu großer Chip ist Mitgehen, wenn nicht vorher eine Erhöhung angesagt ist."),
    ),
    "under-bet": (
        _betting(16, "Ein zu kleiner Einsatz wird in seiner Runde aufgefüllt; niemand erhöht deswegen."),
        _tda("52-A", "Ein Einsatz unter dem Minimum wird berichtigt, bis die nächste Karte gegeben ist."),
    ),
    "under-raise": (
        _betting(16, "Eine zu kleine Erhöhung wird in ihrer Runde aufgefüllt; niemand erhöht deswegen."),
        _tda("52-A", "Eine Erhöhung unter dem Minimum wird berichtigt, bis die nächste Karte gegeben ist."),
    ),
    "under-call": (
        _betting(
            13, "Wer die Erhöhung nicht kannte, darf zurücknehmen, solange dahinter niemand handelt; sonst auffüllen."
        ),
        _tda("51-B", "Volles Mitgehen gegen die erste Wette oder zu zweit; sonst entscheidet der Floor."),
    ),
    "over-limit": (
        _section(14, "Pot Limit 1", "Mehr als der Pott wird auf das Erlaubte verringert, der Rest geht zurück."),
        _tda("52-B", "Ein Einsatz über dem Pott wird für alle berichtigt, bis die nächste Karte gegeben ist."),
    ),
    "off-unit": (
        _betting(16, "Ein Betrag, der gerundet sein sollte, wird auf den nächsten richtigen geändert."),
        _own("Einheit", "Es spielt das nächste Vielfache der Einheit, in der Mitte das größere."),
    ),
    "capped": (
        _betting(3, "Ab drei, die setzen können: ein Einsatz und drei Erhöhungen; vier bei zwei Setzrunden."),
        _tda("48", "Limit-Spiele begrenzen die Erhöhungen, auch zu zweit, bis im Turnier nur zwei übrig sind."),
    ),
    "not-reopened": (
        _betting(6, "Ein zu kleines All-in eröffnet nicht neu für die, die auf alles davor gehandelt haben."),
        _tda("47", "Wer gehandelt hat und vor weniger als einer vollen Erhöhung steht, erhöht nicht mehr."),
    ),
    "no-check-raise": (
        _betting(1, "Check-Raise ist überall erlaubt außer in manchem Lowball; dieses Haus hat keinen."),
        _own("kein Check-Raise", "Wer in der Runde gecheckt hat, geht mit oder passt."),
    ),
    "fold-for-free": (
        _section(
            3, "tote Hände 1", "Eine Hand, die an der Reihe weggeworfen wird, ist tot, ob gesetzt ist oder nicht."
        ),
        _tda("58", "Passen an der Reihe ohne Einsatz bindet und kann bestraft werden."),
    ),
    "not-possible": (
        _betting(8, "Eine Ansage bindet an das Mögliche: gegen einen Einsatz Mitgehen, Erhöhen oder Passen."),
        _tda("55", "Nach Check gegen einen Einsatz bleiben Mitgehen oder Passen, keine Erhöhung."),
    ),
    "chips-withdrawn": (
        _betting(12, "Losgelassene oder vorgeschobene Chips, auf die ein anderer handelt, bleiben und werden richtig."),
        _tda("46-B und 50-A", "Gesetzte Chips bleiben; wer sie nach einer Erhöhung nimmt, geht mit oder erhöht."),
    ),
    "words-differ": (
        _section(14, "Regel 8", "Wenn Ansage und Chips verschieden sind, richten sich die Chips nach der Ansage."),
        _tda("40-A", "Was zuerst kommt, Ansage oder Chips, entscheidet; zugleich gilt die klare Ansage."),
    ),
    "turn-too-early": (
        _section(5, "Regeln 6 und 8", "Ein zu früher Turn spielt in der Runde nicht; die Riverkarte ersetzt ihn."),
        _tda(
            "39-C, RP-5",
            "Ein zu früher Turn wird weggelegt, die Riverkarte ersetzt ihn; vor dem River kommt er zurück.",
        ),
    ),
    "river-too-early": (
        _section(5, "Regeln 6 und 8", "Ein zu früher River geht in den Reststapel; mischen, abheben, ohne Brennkarte."),
        _tda("39-C, RP-5", "Ein zu früher River geht in den Reststapel, der gemischt wird; keine zweite Brennkarte."),
    ),
    "flop-too-early": (
        _section(5, "Regeln 6 und 7", "Ein zu früher Flop geht in den Reststapel; die Brennkarte bleibt."),
        _tda("39-C, RP-5", "Ein zu früher Flop geht in den Reststapel, der gemischt wird; die Brennkarte bleibt."),
    ),
    "street-too-early": (
        _section(5, "Regel 6", "Eine Karte vor dem Ende der Setzrunde spielt nicht, was immer noch geschieht."),
        _tda("39-C, RP-5", "Karten vor dem Ende der Setzrunde spielen nicht."),
    ),
    "half-pot-limit": _house("halber Pott", "Eine Erhöhung ist höchstens der halbe Pott nach dem Mitgehen."),
    "fixed-limit": _house("Fixed Limit", "Einsatz und Erhöhung sind genau der Einsatz der Runde."),
    "spread-limit": _house("Spread Limit", "Einsatz und Erhöhung sind vom kleinsten bis zum größten der Runde."),
    "hand-cap": _house("Cap", "Niemand setzt in einer Hand mehr als den Cap; wer ihn erreicht, gilt als All-in."),
    "stack-corrected": _house("der Filz hat recht", "Was auf dem Filz liegt, gilt; die Buchung folgt der Zählung."),
    "buy-in": _house("Buy-in", "Wer sich setzt oder nachkauft, bleibt zwischen kleinstem und größtem Buy-in."),
    "going-south": _house("Table Stakes", "Chips bleiben am Tisch: wer bald zurückkommt, bringt das Mitgenommene."),
    "unknown-chip": _house("fremde Chips", "Ein Chip, der nicht vom Haus ist, hat keinen Wert und ist kein Einsatz."),
    "between-rounds": _house("wann ein Chip Einsatz ist", "Chips auf dem Feld sind nur in offener Runde ein Einsatz."),
}
"""By ruling: the rule with `roberts` and with `tda`."""

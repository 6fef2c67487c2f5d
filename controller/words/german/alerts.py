"""What is said of each warning and alert: what happened, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.catalogue import AlertText

_WARNINGS = {
    "out-of-turn": AlertText(
        title="Platz {seat} war nicht an der Reihe",
        text="[Wartet: {held}. ][An der Reihe ist Platz {turn}.]",
        advice="Gilt, wenn vor Platz {seat} niemand setzt, mitgeht oder erhöht. Passen gilt immer.",
        tda_advice="Gilt, wenn vor Platz {seat} niemand setzt oder erhöht. Passen gilt immer.",
    ),
    "string-bet": AlertText(
        title="Stringbet von Platz {seat}",
        text="Die Aktion war fertig; was danach kam, zählt nicht.",
        advice="Zurückschieben[: {amount}]. War vorher eine Erhöhung angesagt, das eingeben.",
    ),
    "oversized-chip": AlertText(
        title="Ein Chip von Platz {seat}: Mitgehen",
        text="Mehr als zum Mitgehen in einem Chip, ohne Ansage.",
        advice="Wechselgeld geben[: {amount}]. War vorher eine Erhöhung angesagt, das eingeben.",
    ),
    "under-bet": AlertText(
        title="Platz {seat} hat zu wenig gesetzt",
        text="[Es fehlen {amount}. ][Mindesteinsatz: {least}. ]",
        advice="In dieser Runde auffüllen lassen. Wer schon dran war, darf deshalb nicht erhöhen.",
    ),
    "under-call": AlertText(
        title="Platz {seat}: zu wenig zum Mitgehen",
        text="[Es fehlen {amount}. ]Wird aufgefüllt.",
        advice="War die Erhöhung nicht bekannt: zurücknehmen geht, solange dahinter niemand gehandelt hat.",
        tda_text="[Es fehlen {amount}. ]Voll gegen die erste Wette oder zu zweit.",
        tda_advice="Sonst wartet die Aktion: Floor rufen.",
    ),
    "under-raise": AlertText(
        title="Platz {seat}: Erhöhung zu klein",
        text="[Es fehlen {amount}. ]Wird aufgefüllt[ auf {least}].",
        advice="War Mitgehen gemeint, das eingeben. Wer schon dran war, darf deshalb nicht erhöhen.",
    ),
    "over-limit": AlertText(
        title="Platz {seat}: mehr als das Limit",
        text="[Nicht {amount}: ]es gilt das Maximum[, {most}].",
        advice="Den Rest zurückschieben. War der Pott falsch gezählt: rückgängig machen, Pott berichtigen.",
    ),
    "off-unit": AlertText(
        title="Platz {seat}: kein Vielfaches der Einheit",
        text="Es gilt der nächste Betrag[: {amount}].",
        advice="Kleinere Chips spielen nicht: zurückschieben.",
    ),
    "capped": AlertText(
        title="Keine Erhöhung mehr: {seat} geht mit",
        text="Die Erhöhungen dieser Runde sind verbraucht.",
        advice="Gilt als Mitgehen.[ Zurückschieben: {amount}.]",
    ),
    "not-reopened": AlertText(
        title="Platz {seat}: nur Mitgehen oder Passen",
        text="War schon dran, seither keine volle Erhöhung, oder war nicht an der Reihe.",
        advice="Gilt als Mitgehen.[ Zurückschieben: {amount}.]",
        tda_text="War schon dran, seither keine volle Erhöhung, oder sagte Check gegen eine Wette.",
    ),
    "no-check-raise": AlertText(
        title="Kein Check-Raise: Platz {seat} geht mit",
        text="Hat in dieser Runde gecheckt: nur Mitgehen oder Passen.",
        advice="Gilt als Mitgehen.[ Zurückschieben: {amount}.]",
    ),
    "fold-for-free": AlertText(
        title="Platz {seat} hat ohne Einsatz gepasst",
        text="Das Passen gilt.",
        advice="Daran erinnern: Checken kostet nichts.",
        tda_advice="Kann bestraft werden: bei Wiederholung dem Floor sagen.",
    ),
    "not-possible": AlertText(
        title="Platz {seat}: das geht nicht",
        text="[Gesagt: {held}. ]Platz {seat} bleibt an der Reihe.",
        advice="Fragen: mitgehen oder passen? Die nächste Aktion entscheidet.",
    ),
    "chips-withdrawn": AlertText(
        title="Platz {seat} hat Chips zurückgenommen",
        text="Was vorn lag, bindet[: {amount} fehlen].",
        advice="Wieder einlegen lassen. Wechseln und Ersetzen durch mehr sind in Ordnung.",
        tda_text="Den Einsatz zurücknehmen verpflichtet zu Mitgehen oder Erhöhen[: {amount} fehlen].",
        tda_advice="Alles einlegen lassen; Passen geht nicht.",
    ),
    "words-differ": AlertText(
        title="Platz {seat}: mehr Chips als angesagt",
        text="Die Ansage gilt.",
        advice="Zurückschieben[: {amount}]. Kamen die Chips vor der Ansage, Floor rufen.",
    ),
    "skipped": AlertText(
        title="Übergangen[: Platz {turn}]",
        text="Andere haben hinter einem Platz gehandelt, der keine Zeit verlangt hat.",
        advice="Floor rufen: Hand tot, oder die Aktion wird nachgeholt.",
    ),
    "stack-corrected": AlertText(
        title="Platz {seat} hatte mehr als verbucht",
        text="Die Chips gelten; der Stack ist jetzt unbekannt.",
        advice="Bei Gelegenheit zählen und eingeben.",
    ),
    "buy-in": AlertText(
        title="Platz {seat}: Buy-in nicht im Rahmen",
        text="[Erlaubt sind {least} bis {most}.]",
        advice="Betrag ändern. Wer von einem anderen Tisch kommt: als Wechsel eingeben, sonst Floor rufen.",
    ),
    "going-south": AlertText(
        title="Platz {seat}: Chips verlassen den Tisch",
        text="Chips im Spiel bleiben im Spiel[: {amount} fehlen].",
        advice="Zurücklegen lassen. Tronc ist in Ordnung. Bei Widerspruch Floor rufen.",
    ),
    "unknown-chip": AlertText(
        title="Unbekannter Chip an Platz {seat}",
        text="[Anzahl: {count}. ]Ein Chip, der nicht vom Haus oder gesperrt ist, zählt nichts.",
        advice="Vom Feld nehmen und ansehen; wurde falsch gezählt, den Einsatz eingeben.",
    ),
    "tray-offline": AlertText(
        title="Feld von Platz {seat} wird nicht gelesen",
        text="Chips dort werden nicht gesehen.",
        advice="Einsätze von Platz {seat} eingeben. Nach der Hand den Techniker rufen.",
    ),
}

_TO_DECIDE = {
    "behind-the-turn": AlertText(
        title="Chips an Platz {seat}, dran ist {turn}",
        text="[{did}: {seats}? Sonst ist ]Platz {seat} nicht an der Reihe.",
    ),
    "sweep-question": AlertText(
        title="Runde zu Ende?",
        text="Chips mehrerer Felder gingen zur Mitte[: {seats}].",
        advice="Ja: wer noch dran war, hat gecheckt oder gepasst[; offen: Platz {seat}]. Nein: zurücklegen.",
    ),
    "at-least": AlertText(
        title="Platz {seat}: nicht alles gelesen",
        text="Neu dort: mindestens[ {amount}], vielleicht mehr.",
        advice="Teilen oder ausbreiten lassen, oder zählen und den Einsatz eingeben.",
    ),
    "counting-bet": AlertText(
        title="Einsatz von Platz {seat} wird gezählt",
        text="Bisher {amount}[; Stapel: {count}].",
        advice="Chips auf das Zählfeld legen, höchstens zwanzig auf einmal, und jeden Stapel wieder abnehmen.",
    ),
    "counting-buy-in": AlertText(
        title="Buy-in von Platz {seat} wird gezählt",
        text="Bisher {amount}[; Stapel: {count}].",
        advice="Chips auf das Zählfeld legen, höchstens zwanzig auf einmal, und jeden Stapel wieder abnehmen.",
    ),
    "counting-stack": AlertText(
        title="Stack von Platz {seat} wird gezählt",
        text="Bisher {amount}[; Stapel: {count}].",
        advice="Chips auf das Zählfeld legen, höchstens zwanzig auf einmal, und jeden Stapel wieder abnehmen.",
    ),
    "pile-not-added": AlertText(
        title="Stapel auf dem Zählfeld zählt nicht mit",
        text="[{count} Chips darin sind nicht vom Haus. ]Ohne ihn bisher {amount}.",
        advice="In Zwanziger teilen und herausnehmen, was nicht vom Haus ist.",
    ),
    "own-stack": AlertText(
        title="Platz {seat}: Einsatz oder eigener Stack?",
        text="[{amount} mehr liegt auf dem Feld. ]Ein Stack, der dort ruht, ist kein Einsatz.",
        advice="Nichts davon zählt vor der Antwort. Den Stack hinter das Feld rücken lassen.",
    ),
    "last-pot": AlertText(
        title="Platz {seat}: Einsatz oder letzter Pott?",
        text="[{amount} auf dem Feld war im letzten Pott. ]Ein nicht eingezogener Pott ist kein Einsatz.",
        advice="Nichts davon zählt vor der Antwort.",
    ),
    "splash": AlertText(
        title="Platz {seat}: wessen Chips sind das?",
        text="[{amount} fiel auf zwei Felder zugleich. ]Ein Einsatz oder zwei?",
        advice="Alles von einem Einsatz auf ein Feld schieben lassen.",
    ),
    "covered": AlertText(
        title="Platz {seat}: Chips unter etwas?",
        text="[{amount} verstummte auf einmal. ]Es zählt weiter.",
        advice="Glas, Telefon oder Metall vom Feld nehmen. Oder eingezogen, oder zurückgenommen?",
    ),
    "copied": AlertText(
        title="Platz {seat}: ein Chip an zwei Orten",
        text="Ein Chip wurde kopiert: der Betrag ist unsicher[, gelesen {amount}].",
        advice="Chips zählen und eingeben. Den zweifelhaften für den Floor aufheben.",
    ),
    "change": AlertText(
        title="Platz {seat}: Einsatz oder Wechselgeld?",
        text="[{amount} tauschte den Platz mit einem anderen Feld. ]Wechselgeld ist kein Einsatz.",
        advice="Nichts zählt vor der Antwort.",
    ),
    "emptied": AlertText(
        title="Platz {seat}: wo ist der Einsatz?",
        text="[{amount} verließ das Feld. ]Es zählt weiter.",
        advice="Selbst eingezogen oder vom Spieler zurückgenommen? Zurückgenommen wird es wieder geschuldet.",
    ),
    "folded-seat": AlertText(
        title="Chips an Platz {seat}: hat gepasst",
        text="[Dort liegt {amount} und zählt nichts.]",
        advice="Nicht gepasst: das Passen zurücknehmen; sonst die Chips wegnehmen lassen.",
    ),
    "act-or-answer": AlertText(
        title="Chips an Platz {seat}: nach Platz {turn}?",
        text="Platz {turn} hat dahinter gesetzt.[ Vorher {did}: {seats}?]",
        advice="Oder handelt Platz {seat} jetzt, und Platz {turn} war nicht an der Reihe?",
    ),
    "key-too-late": AlertText(
        title="Eben kam Platz {seat} an die Reihe",
        text="Eine Taste so kurz danach galt noch dem Platz davor.",
        advice="War Platz {seat} gemeint, noch einmal drücken.",
    ),
    "chips-between-rounds": AlertText(
        title="Chips an Platz {seat}: nächste Runde?",
        text="[{amount} kam nach den Einsätzen. ]Zählt jetzt nichts.",
        advice="Zu spät: zurückschieben. Sonst zählt es in der nächsten Runde.",
    ),
    "due-back": AlertText(
        title="{amount} retour an Platz {seat}",
        text="Das ist mehr, als spielt.",
        advice="Mit der nächsten Karte geht es auch zurück.",
    ),
    "owes": AlertText(
        title="Platz {seat} schuldet {amount}",
        text="Die Aktion verpflichtet zu mehr, als dort liegt.",
        advice="Einlegen lassen; vorher keine Karte.",
    ),
    "held-for-the-floor": AlertText(
        title="Platz {seat} wartet auf den Floor",
        text="Wartet[: {held}].",
        advice="Floor rufen: es gilt, oder es ist nicht geschehen.",
    ),
    "unsettled": AlertText(
        title="Chips an Platz {seat} bewegen sich",
        text="[Bisher gesehen: {amount}. ]Es zählt, wenn es ruht.",
        advice="Warten, oder den Einsatz eingeben.",
    ),
    "post-owed": AlertText(
        title="Platz {seat} schuldet einen Blind",
        text="[{amount} für den Wiedereinstieg. ]Vorher keine Karten.",
        advice="Bringen lassen, oder den Platz auslassen.",
    ),
    "kill-owed": AlertText(
        title="Platz {seat} schuldet den Kill-Blind",
        text="[{amount}, bevor gegeben wird.]",
        advice="Bringen lassen; die Limits dieser Hand wachsen.",
    ),
    "flop-too-early": AlertText(
        title="Flop zu früh gegeben",
        text="Die Runde war noch offen: Floor rufen.",
        advice="Runde beenden. Die drei in den Reststapel mischen, Brennkarte bleibt, neuer Flop ohne Brennkarte.",
    ),
    "turn-too-early": AlertText(
        title="Turn zu früh gegeben",
        text="Die Runde war noch offen: Floor rufen.",
        advice="Weglegen, Runde beenden, brennen, nächste Karte. Dann einmischen; River ohne Brennkarte.",
    ),
    "river-too-early": AlertText(
        title="River zu früh gegeben",
        text="Die Runde war noch offen: Floor rufen.",
        advice="Runde beenden. Karte in den Reststapel mischen, abheben, River ohne Brennkarte.",
    ),
    "street-too-early": AlertText(
        title="Karten zu früh gegeben",
        text="Die Runde war noch offen[: dran ist Platz {turn}].",
        advice="Diese Karten spielen nicht. Runde beenden und Floor rufen.",
    ),
    "betting-open": AlertText(
        title="Die Runde ist noch offen",
        text="[Dran ist Platz {turn}: ]es kommt keine Karte mehr.",
        advice="Waren alle dran, bestätigen. Sonst Runde beenden.",
    ),
}

_TABLE_AND_DEVICES = {
    "lammer": AlertText(
        title="Platz {seat}: ein Button auf dem Feld",
        text="[Es ist: {lammer}. ]Das ist kein Einsatz.",
        advice="Neben das Feld legen.",
    ),
    "all-in-not-booked": AlertText(
        title="All-in-Button an Platz {seat}",
        text="Verbucht sind noch Chips dahinter.",
        advice="Button wegnehmen; oder All-in eingeben, oder den Stack zählen.",
    ),
    "missed-blind-not-booked": AlertText(
        title="Missed-Blind-Button an Platz {seat}",
        text="Verbucht ist kein geschuldeter Blind.",
        advice="Button wegnehmen; oder Floor rufen, wenn falsch verbucht ist.",
    ),
    "rock-not-booked": AlertText(
        title="Rock an Platz {seat} gesehen",
        text="Verbucht ist er bei einem anderen Platz.",
        advice="Rock versetzen; oder Floor rufen, wenn falsch verbucht ist.",
    ),
    "kill-not-booked": AlertText(
        title="Kill-Button an Platz {seat}",
        text="Verbucht ist kein geschuldeter Kill-Blind.",
        advice="Button wegnehmen; oder den Kill eingeben.",
    ),
    "button-elsewhere": AlertText(
        title="Button an Platz {seat} gesehen",
        text="[Verbucht ist er an Platz {button}.]",
        advice="Button versetzen; oder Floor rufen, wenn falsch verbucht ist.",
    ),
    "chips-left-over": AlertText(
        title="Chips des letzten Potts an Platz {seat}",
        text="Sie sind kein Einsatz[: {amount}].",
        advice="Wegnehmen lassen.",
    ),
    "not-on-the-felt": AlertText(
        title="Blind von Platz {seat} liegt nicht da",
        text="[{amount} davon ist verbucht und wird auf dem Feld nicht gesehen.]",
        advice="Legen lassen; liegt er schon da, weitermachen.",
    ),
    "chips-found": AlertText(
        title="Ungesehene Chips: {spot}",
        text="[{amount} kam ungemeldet. ][Von Platz {seats}? ]",
        advice="Zählen, den Einsatz berichtigen. Vielleicht ein schwacher Chip: für den Techniker aufheben.",
    ),
    "tag-copied": AlertText(
        title="Ein Chip an zwei Orten",
        text="[Plätze: {seats}. ]Zwei Chips melden sich als derselbe: einer ist nicht vom Haus.",
        advice="Floor rufen: er nimmt beide und tauscht sie.",
    ),
    "tag-weak": AlertText(
        title="Schwacher Chip[: {amount}]",
        text="Er meldet sich zu selten, wo immer er liegt[: {tag}].",
        advice="Beim nächsten Einsatz tauschen lassen: der Floor hebt ihn für den Techniker auf.",
    ),
    "chips-astray": AlertText(
        title="Verirrte Chips im Pott",
        text="Es läuft keine Hand[, doch dort liegt {amount}].",
        advice="Wurde ein Pott nicht ausgezahlt? Sonst Floor rufen: er zählt und gibt die Differenz ein.",
    ),
    "next-hand-held": AlertText(
        title="Die nächste Hand wartet",
        text="Hand für Hand: erst beenden alle Tische diese.",
        advice="Warten, bis der Floor den Tisch freigibt.",
    ),
    "break": AlertText(
        title="Pause[: noch {count} min]",
        text="In der Pause wird nicht gegeben.",
        advice="Danach nennt der Floor die nächste Stufe.",
    ),
    "level-over": AlertText(
        title="Die Stufe ist zu Ende",
        text="[Nächste: {name}. ]Die laufende Hand wird gespielt, wie sie begann.",
        advice="Die nächste Hand ist die neue Stufe. Der Floor wechselt ein, was nicht mehr spielt.",
    ),
    "floor-called": AlertText(
        title="Der Floor ist gerufen",
        text="[Platz {seat} wartet. ]Die Hand bleibt, wie sie ist.",
        advice="Der Floor entscheidet und nimmt den Ruf weg.",
    ),
    "failed": AlertText(
        title="Etwas ging schief[ an Platz {seat}]",
        text="Ein Fehler dieses Programms[: Chips noch nicht gezählt, {spot}].",
        advice="Abnehmen und wieder hinlegen, oder eingeben. Dem Techniker sagen.",
        technician="[Meldung: {reason}.]",
    ),
    "restarted": AlertText(
        title="Der Tisch wurde neu gestartet",
        text="Er macht weiter, wo er war[: Hand {hand}].",
        advice="Pott und Einsätze mit dem Filz vergleichen, bevor es weitergeht.",
    ),
    "spot-offline": AlertText(
        title="Nicht gelesen: {spot}",
        text="Chips dort werden nicht gesehen.",
        advice="Selbst zählen. Nach der Hand den Techniker rufen.",
        technician="[Meldung: {reason}.]",
    ),
    "reader-offline": AlertText(
        title="{device} antwortet nicht",
        text="Einsätze dort werden nicht gesehen[: Plätze {seats}].",
        advice="Eingeben. Nach der Hand den Techniker rufen: erst Kabel und Strom.",
        technician="[Meldung: {reason}.]",
    ),
    "reader-misset": AlertText(
        title="{device}: Einstellung",
        text="Falsch eingestellt; wird benutzt, meldet aber vielleicht nicht alles.",
        advice="Beträge ansehen. Nach der Hand den Techniker rufen.",
        technician="[{name}: {reason}.]",
    ),
    "board-offline": AlertText(
        title="{device} antwortet nicht",
        text="Seine Tasten, Knöpfe und Lampen sind aus.",
        advice="Den Schirm benutzen. Nach der Hand den Techniker rufen: erst das Kabel.",
        technician="[Meldung: {reason}.]",
    ),
    "presses-lost": AlertText(
        title="{device}: Drücke weg",
        text="[Nicht gemeldet wurden {count} Tastendrücke.]",
        advice="Schirm mit dem Tisch vergleichen und eingeben, was fehlt.",
    ),
    "badge-reader-offline": AlertText(
        title="Ausweisleser antwortet nicht",
        text="Entscheidungen des Floors werden ohne Namen aufgezeichnet.",
        advice="Weiterspielen. Nach der Hand den Techniker rufen.",
        technician="[Meldung: {reason}.]",
    ),
    "high-water-offline": AlertText(
        title="Marke des Journals nicht geschrieben",
        text="Eine ältere Kopie der Aufzeichnung fiele nicht auf.",
        advice="Weiterspielen. Nach der Hand den Techniker rufen: der andere Speicher.",
        technician="[Meldung: {reason}.]",
    ),
    "table-key-offline": AlertText(
        title="Aufzeichnung ohne Unterschrift",
        text="Der Schlüssel des Tisches fehlt: geänderte Aufzeichnungen fielen nicht auf.",
        advice="Weiterspielen. Nach der Hand den Techniker rufen: der Speicher des Schlüssels.",
        technician="[Meldung: {reason}.]",
    ),
    "storage-nearly-full": AlertText(
        title="Speicher fast voll",
        text="Ist er voll, wird nichts mehr aufgezeichnet.",
        advice="Weiterspielen. Nach der Hand den Techniker rufen: Platz schaffen.",
        technician="[Frei: {reason}.]",
    ),
    "sensors-off": AlertText(
        title="Keine Sensoren: Einsätze eingeben",
        text="Am Tisch wird nichts gelesen.",
        advice="Pott und Limits rechnet der Schirm aus dem Eingegebenen. Den Techniker rufen.",
    ),
    "journal-damaged": AlertText(
        title="Aufzeichnung beschädigt",
        text="[Ganz bis Hand {hand}. ]Ein Teil ist verloren.",
        advice="Weiterspielen: der Floor zählt Pott und Stacks und gibt sie ein. Den Techniker rufen.",
    ),
    "journal-gap": AlertText(
        title="Eine Zeit lang nicht aufgezeichnet",
        text="[{count} Schritte fehlen; ]Pott und Stacks sind wie gespielt, und es wird wieder aufgezeichnet.",
        advice="Weiterspielen. Der Floor notiert die Lücke. Den Techniker rufen.",
    ),
    "journal-altered": AlertText(
        title="Aufzeichnung verändert",
        text="[Aufzeichnung: {reason}. ]",
        advice="Weiterspielen: der Floor zählt Pott und Stacks. Bis der Techniker da ist, fasst niemand das Gerät an.",
    ),
    "journal-not-written": AlertText(
        title="NICHT AUFGEZEICHNET",
        text="[{reason}. ]Was jetzt kommt, überlebt keinen Stromausfall.",
        advice="Weiterspielen: sobald Speicher da ist, geht es von selbst weiter. Den Techniker rufen.",
    ),
}

ALERTS: Final[Mapping[str, AlertText]] = _WARNINGS | _TO_DECIDE | _TABLE_AND_DEVICES

"""What went wrong in silence, or with a misleading alert, at a whole table with the timing that it needs: it is right
now, or asked about with the right answer first. The numbers are those of the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from controller.live import found, left_over
from controller.rules import Phase
from firmware_bridge.emulators.faults import Fault
from hardware.simulated.noise import Noise, Rates
from hardware.simulated.world import Cover
from tests.pipeline.scene import QUIET_S, Scene


def raised_and_called(seed: int = 1) -> Scene:
    """4 raises to 30, 1 folds, 2 calls; 3 is in turn and owes 20."""
    scene = Scene(seed=seed)
    scene.bets(4, 25, 5)
    scene.key("fold")
    scene.bets(2, 25)
    assert (scene.turn, scene.bets_now) == (3, {2: 30, 3: 10, 4: 30})
    return scene


def won_by_four(rates: Rates) -> Scene:
    """4 has won 45; the next hand is dealt while the pot is pushed. 3 and 4 post."""
    scene = Scene(rates)
    scene.bets(4, 25, 5)
    for _ in range(3):
        scene.key("fold")
    scene.sweeps(2, 3, 4)
    scene.wait(1.0)
    scene.do("award main 4")
    scene.until(scene.hands.push_pot({4: 45}, scene.now_us))
    scene.do("hand")
    return scene


# --- out of turn, by the order in which chips came ---


@pytest.mark.parametrize(("first", "told"), [(1, {"out-of-turn"}), (4, set[str]())])
def test_chips_that_surely_came_before_those_of_the_seat_in_turn_are_out_of_turn(first: int, told: set[str]) -> None:
    """1 calls in two halves, 4, which comes before it, while it does so; or 4 calls first. Nothing is keyed."""
    scene, seen = Scene(), set[str]()
    scene.wait(10.0)  # a chip that comes alone with the cards protects them
    if first == 4:
        scene.puts(4, 5, 5)
        scene.wait(0.5)
    scene.puts(1, 5)
    scene.wait(0.5)
    if first == 1:
        scene.puts(4, 5, 5)
    scene.wait(0.6)
    scene.puts(1, 5)
    for _ in range(30):
        scene.wait(0.1)
        seen |= {alert.code for alert in scene.view.alerts if alert.values.seat == 1 and alert.level == "warning"}
    assert (seen, scene.turn) == (told, 1 if told else 2)
    assert scene.bets_now == {2: 5, 3: 10, 4: 10} | ({} if told else {1: 10})


# --- wrong in silence ---


def test_1_the_last_pot_on_the_winners_spot_is_no_bet() -> None:
    """It lies there into the next hand, in which the winner posts on top of it."""
    scene = won_by_four(Rates(last_pot=1.0))
    scene.wait(0.5)
    scene.puts(3, 5)
    scene.puts(4, 5, 5)
    scene.wait(QUIET_S)
    assert (scene.turn, scene.bets_now, left_over(scene.live)) == (1, {3: 5, 4: 10}, ((4, 45),))
    scene.wait(20.0)
    assert (scene.turn, scene.bets_now, scene.questions, scene.alerts) == (1, {3: 5, 4: 10}, [], set())


@pytest.mark.parametrize("after_s", [0.05, 0.3, 1.1])
def test_2_a_bet_right_after_the_sweep_counts_whole(after_s: float) -> None:
    """Chips of the same values as those that were swept, and other chips."""
    scene = raised_and_called()
    scene.bets(3, 5, 5, 5, 5)
    scene.sweeps(3, 4, 2)
    scene.wait(after_s)
    scene.puts(2, 25, 5)
    scene.wait(QUIET_S)
    scene.key("deal")
    assert (scene.turn, scene.bets_now, scene.pot) == (3, {2: 30}, 120)


@pytest.mark.parametrize("after_s", [0.3, 0.8])
def test_3_a_fold_key_for_the_next_seat_does_not_fold_the_raiser(after_s: float) -> None:
    """Twenty chips land within 0.3 s, and take as long again to be read."""
    scene = Scene()
    scene.hands.bet(4, [5] * 20, scene.now_us)
    scene.wait(after_s)
    scene.key("fold")
    scene.wait(QUIET_S)
    assert (scene.turn, scene.bets_now) == (2, {2: 5, 3: 10, 4: 100})


def test_3_a_fold_key_before_any_chip_was_heard_is_asked_about() -> None:
    scene = Scene()
    scene.hands.bet(4, [5] * 20, scene.now_us)
    scene.wait(0.02)
    scene.key("fold")
    scene.wait(5.0)
    assert scene.questions == [(4, "folded-seat", "chips-are 4 bet")]
    scene.do("chips-are 4 bet")
    assert scene.bets_now == {2: 5, 3: 10, 4: 100}


def test_4_chips_at_a_folded_seat_are_asked_about() -> None:
    scene = Scene()
    scene.key("fold")
    scene.key("fold")
    scene.bets(4, 25, 5)
    scene.wait(3.0)
    assert (scene.turn, scene.questions) == (2, [(4, "folded-seat", "chips-are 4 nothing")])


def test_5_a_blind_that_never_lay_there_is_told() -> None:
    scene = Scene(blinds=False)
    scene.world.put(3, [5, 5])
    scene.bets(4, 5, 5)
    assert "not-on-the-felt" in scene.alerts
    scene.bets(2, 5)
    assert "not-on-the-felt" not in scene.alerts


@pytest.mark.parametrize(("beside", "there"), [(3, 4), (3, 1), (5, 4)])
def test_6_a_raise_splashed_over_two_spots_is_one_raise(beside: int, there: int) -> None:
    """Onto the spot of another player, or onto one where nobody sits."""
    scene = Scene()
    chips = scene.world.choose("stack4", [5] * 8)
    scene.world.carry(chips[there:], "stack4", "bet4")
    scene.world.carry(chips[:there], "stack4", f"bet{beside}")
    scene.wait(2.5)
    assert scene.questions == [(4, "splash", "chips-are 4 of 40")]
    scene.do("chips-are 4 of 40")
    scene.world.carry(chips[:there], f"bet{beside}", "bet4")
    scene.wait(4.0)
    assert (scene.turn, scene.bets_now, scene.questions) == (1, {2: 5, 3: 10, 4: 40}, [])


def test_7_own_chips_that_reach_the_antenna_are_asked_about() -> None:
    scene = Scene()
    chips = scene.world.choose("stack4", [500, 100])
    scene.world.carry(chips, "stack4", "bet4")
    scene.wait(3.0)
    assert (scene.turn, scene.questions) == (4, [(4, "own-stack", "chips-are 4 nothing")])
    scene.do("chips-are 4 nothing")
    scene.bets(4, 25, 5)
    assert scene.bets_now == {2: 5, 3: 10, 4: 30}


def test_8_an_all_in_that_is_not_read_whole_is_asked_about() -> None:
    """A hundred chips lie so high that many of them answer seldom."""
    scene = Scene(noise=Noise(Rates(height_read=0.01), 1))
    scene.hands.bet(4, [5] * 100, scene.now_us)
    scene.wait(8.0)
    assert (scene.turn, scene.questions) == (4, [(4, "at-least", "chips-are 4 bet")])


@pytest.mark.parametrize(("chips", "answer"), [((5,) * 100, 18), ((25,) * 10, 5)])
def test_8_chips_that_never_answered_are_told_at_the_sweep(chips: tuple[int, ...], answer: int) -> None:
    """Nothing on the spot says that they lie there; the pot's antenna does, which is read seldom where a heap lies."""
    scene = Scene()
    lying = scene.world.choose("stack4", list(chips))
    scene.world.cover("bet4", Cover("part", frozenset(lying[answer:])))
    scene.bets(4, *chips)
    for _ in range(3):
        scene.key("fold")
    scene.sweeps(4, 2, 3)
    scene.wait(5.0 if len(chips) < 20 else 60.0)
    assert sum(each.denomination for each in found(scene.live)) == sum(chips[answer:])
    assert "chips-found" in scene.alerts


class Seldom:
    """One tag answers every seventh reading."""

    def __init__(self, phase: int) -> None:
        self.phase = phase
        self.uid = ""
        self.readings: Counter[str] = Counter()

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        self.readings[spot] += self.uid in lying
        return [uid for uid in lying if uid != self.uid or self.readings[spot] % 7 == self.phase]

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        return None


@pytest.mark.parametrize("phase", (0, 3, 6))
def test_9_a_chip_that_answers_one_reading_in_seven_is_not_left_out(phase: int) -> None:
    noise = Seldom(phase)
    scene = Scene(noise=noise)
    noise.uid = scene.world.choose("stack4", [25] * 5)[2]
    scene.puts(4, *[25] * 5)
    scene.wait(9.0)
    told, questions = scene.bets_now.get(4), [(seat, about) for seat, about, _ in scene.questions]
    assert (told, questions) in ((125, []), (None, [(4, "at-least")]))


def test_10_a_bet_with_a_copied_tag_is_asked_about_and_takes_nothing_away() -> None:
    scene = Scene()
    own, other = (scene.world.choose(f"stack{seat}", [25, 5]) for seat in (4, 1))
    scene.world.copy(other[0], own[0])
    scene.bets(4, 25, 5)
    scene.bets(1, 25, 5)
    assert (scene.bets_now[4], scene.questions) == (30, [(1, "copied", "chips-are 1 bet")])
    scene.do("chips-are 1 bet")
    scene.wait(5.0)
    assert (scene.turn, scene.bets_now, scene.questions) == (2, {1: 30, 2: 5, 3: 10, 4: 30}, [])


def test_11_a_glass_on_the_spot_is_told() -> None:
    scene = Scene()
    scene.bets(4, 25, 5)
    glass = Cover("metal")
    scene.world.cover("bet4", glass)
    scene.wait(5.0)
    assert (scene.bets_now[4], scene.questions) == (30, [(4, "covered", "chips-are 4 covered")])
    scene.world.cover("bet4", None)
    scene.wait(QUIET_S)
    assert (scene.bets_now[4], scene.questions, scene.motions) == (30, [], ["4 chips 25 5"])


def test_13_card_protectors_are_no_bets() -> None:
    scene = Scene(Rates(protector=1.0))
    scene.wait(6.0)
    assert (scene.turn, scene.bets_now, scene.motions) == (4, {2: 5, 3: 10}, [])


# --- wrong with a misleading alert ---

SWEPT_S = (0.3, 0.6, 1.0)


@pytest.mark.parametrize("after_s", SWEPT_S)
def test_the_last_call_is_swept_as_soon_as_it_lies_there(after_s: float) -> None:
    """Once it was lost, and the other player owed 50."""
    scene = raised_and_called()
    scene.puts(3, 5, 5, 5, 5)
    scene.wait(after_s)
    scene.sweeps(3, 4, 2)
    scene.wait(1.0)
    scene.key("deal")
    assert (scene.turn, scene.pot, scene.alerts) == (2, 90, set())


@pytest.mark.parametrize("after_s", [0.2, 1.0, 3.0])
def test_a_hand_over_three_of_five_chips_is_no_string_bet(after_s: float) -> None:
    scene = Scene()
    chips = scene.world.choose("stack4", [25, 25, 5, 5, 5])
    scene.puts(4, 25, 25, 5, 5, 5)
    scene.wait(after_s)
    scene.world.cover("bet4", Cover("part", frozenset(chips[:3])))
    scene.wait(1.5)
    scene.world.cover("bet4", None)
    scene.wait(QUIET_S)
    assert (scene.turn, scene.bets_now, scene.alerts) == (1, {2: 5, 3: 10, 4: 65}, set())


@pytest.mark.parametrize("after_s", [1.0, 4.0])
def test_a_cut_out_after_seconds_makes_the_bet_smaller(after_s: float) -> None:
    scene = Scene()
    scene.puts(4, *[5] * 20)
    scene.wait(after_s)
    scene.until(scene.hands.take_back(4, [5] * 12, scene.now_us))
    scene.wait(QUIET_S)
    assert (scene.turn, scene.bets_now, scene.alerts) == (1, {2: 5, 3: 10, 4: 40}, set())


def test_change_from_a_neighbours_bet_changes_no_bet() -> None:
    """2 calls 25 with a chip of 25 on its blind, and takes five chips of 1 for it."""
    scene = Scene(Rates(change=1.0))
    scene.key("fold")
    scene.bets(1, 5, 5, 5, 5, 5)
    scene.puts(2, 25)
    scene.wait(8.0)
    assert [mishap.kind for mishap in scene.hands.mishaps] == ["change"]
    assert (scene.turn, scene.bets_now, scene.questions) == (3, {1: 25, 2: 25, 3: 10}, [])
    assert not scene.alerts & {"chips-withdrawn", "string-bet"}


def test_a_tip_is_no_bet() -> None:
    """The winner lays a chip on its spot, and the dealer takes it, while the next hand begins."""
    scene = won_by_four(Rates(tip=1.0))
    scene.puts(3, 5)
    scene.puts(4, 5, 5)
    scene.wait(6.0)
    assert [mishap.kind for mishap in scene.hands.mishaps] == ["tip"]
    assert (scene.turn, scene.bets_now, scene.alerts) == (1, {3: 5, 4: 10}, set())


@pytest.mark.parametrize("after_s", SWEPT_S)
def test_a_lone_bet_is_swept_before_the_folds_are_keyed(after_s: float) -> None:
    scene = raised_and_called()
    scene.bets(3, 5, 5, 5, 5)
    scene.sweeps(3, 4, 2)
    scene.wait(1.0)
    scene.key("deal")
    scene.wait(1.0)
    scene.puts(2, 25, 5)
    scene.wait(after_s)
    scene.sweeps(2)
    scene.wait(0.5)
    for _ in range(2):
        scene.key("fold")
    assert scene.table.hand is not None
    assert (scene.table.hand.phase, scene.pot, scene.alerts) == (Phase.CLOSED, 120, set())


@pytest.mark.parametrize("after_s", [0.7, 2.0])
def test_a_check_key_for_a_chip_call_calls_for_nobody_else(after_s: float) -> None:
    scene = Scene()
    scene.puts(4, 5, 5)
    scene.wait(after_s)
    scene.key("check-call")
    scene.wait(QUIET_S)
    assert (scene.turn, scene.bets_now) == (1, {2: 5, 3: 10, 4: 10})


# --- a dealer who does not wait for the screen ---


@pytest.mark.parametrize("seed", range(1, 4))
def test_rounds_that_are_swept_at_once_are_counted_whole(seed: int) -> None:
    """Bets and calls one behind the other, keyed when all is swept."""
    scene = Scene(seed=seed)
    for seat, chips in ((4, (5, 5)), (1, (5, 5)), (2, (5,))):
        scene.puts(seat, *chips)
        scene.wait(0.6 + seed / 10)
    scene.wait(0.3)
    scene.sweeps(2, 3, 4, 1)
    scene.wait(0.8)
    scene.key("check-call")
    scene.key("deal")
    assert (scene.pot, scene.bets_now, scene.questions) == (40, {}, [])
    assert scene.table.hand is not None
    assert scene.table.hand.round == 2


# --- readers that are out ---


SEATS_OF = {"odd": {1, 3, 5, 7, 9}, "even": {2, 4, 6, 8, 10}}


@pytest.mark.parametrize("reader", SEATS_OF)
def test_a_cable_pulled_while_the_bets_are_swept_makes_no_bet(reader: str) -> None:
    scene = raised_and_called()
    scene.bets(3, 5, 5, 5, 5)
    scene.hands.sweep((4, 2, 3), scene.now_us)
    scene.wait(0.3)
    scene.rig.unplug_reader(reader)
    scene.wait(1.0)
    assert set(scene.table.offline) == SEATS_OF[reader]
    scene.key("deal")
    scene.rig.plug_reader(reader)
    scene.wait(5.0)
    assert (set(scene.table.offline), scene.turn, scene.bets_now, scene.pot) == (set(), 2, {}, 90)
    assert (scene.view.to_call, scene.view.max_raise_to, scene.questions) == (0, 970, [])


@pytest.mark.parametrize("reader", SEATS_OF)
def test_a_reader_that_falls_silent_while_chips_land_loses_none(reader: str) -> None:
    """It is shown within its longest reading and half a second, and works again within five."""
    scene = Scene()
    scene.puts(4, 25, 5)
    scene.rig._readers[reader].emulator.silence(scene.now_us + 3_000_000)  # type: ignore[attr-defined]
    scene.wait(1.5)
    assert set(scene.table.offline) == SEATS_OF[reader]
    scene.wait(1.5 + 5.0)
    assert (set(scene.table.offline), scene.turn, scene.bets_now) == (set(), 1, {2: 5, 3: 10, 4: 30})


# --- planted faults ---


def test_planted_fault_no_baseline_after_a_pot_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.live.judging.taken.is_last_pot", lambda *_: False)
    with pytest.raises(AssertionError):
        test_1_the_last_pot_on_the_winners_spot_is_no_bet()


def test_planted_fault_a_copy_that_goes_unnoticed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.settling.tracks.Whereabouts.copied", lambda *_: False)
    with pytest.raises(AssertionError):
        test_10_a_bet_with_a_copied_tag_is_asked_about_and_takes_nothing_away()


def test_planted_fault_chips_seen_and_forgotten_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.live.judging.gone._reappeared", lambda *_: ())
    with pytest.raises(AssertionError):
        test_a_hand_over_three_of_five_chips_is_no_string_bet(1.0)

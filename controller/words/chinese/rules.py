"""The rules that rulings rest on, one line each in our own words; their sources are those of the English ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.books import Books
from controller.words.catalogue import Rule

_BOOKS: Final = Books("罗伯特规则", "本场规则", betting="下注与加注 {number}", section="第{number}章 {where}")
_betting, _section, _tda = _BOOKS.of_betting, _BOOKS.of_section, _BOOKS.of_tda
_own, _house = _BOOKS.of_house, _BOOKS.of_both

RULES: Final[Mapping[str, tuple[Rule, Rule]]] = {
    "out-of-turn": (
        _betting(10, "中间无人下注、跟注或加注则有效。已过牌的人不能再下注或加注。"),
        _tda("53-A", "中间无人下注或加注则有效；否则所有选择重新开放。"),
    ),
    "skipped": (
        _betting(11, "要叫时间；后面已有三人行动，就失去行动的权利。"),
        _tda("36、53-B", "后面有两个动作且其一放了筹码，或有任何三个动作，被漏的手由楼面决定。"),
    ),
    "string-bet": (
        _betting(14, "第二次动作不算：要加注就先宣布，或一次放出。"),
        _tda("56", "回手拿筹码、分几次下注，不允许。"),
    ),
    "oversized-chip": (
        _betting(15, "没有宣布，单枚大于下注额的筹码只算跟注。"),
        _tda("44", "单枚大码算跟注，除非落下之前已宣布加注。"),
    ),
    "under-bet": (
        _betting(16, "下注不足，在本圈内补足；别人不能因此加注。"),
        _tda("52-A", "低于下限的首个下注，在发下一街之前改正。"),
    ),
    "under-raise": (
        _betting(16, "加注不足，在本圈内补足；别人不能因此加注。"),
        _tda("52-A", "低于下限的加注，在发下一街之前改正。"),
    ),
    "under-call": (
        _betting(13, "不知道有人加注的，后面无人行动时可以收回；否则补足。"),
        _tda("51-B", "面对首个下注或单挑时须补足跟注；其他情况由楼面决定。"),
    ),
    "over-limit": (
        _section(14, "底池限注1", "超过底池的减到上限，多出的退回。"),
        _tda("52-B", "超过底池的下注，对所有人改正，直到发下一街。"),
    ),
    "off-unit": (
        _betting(16, "应取整的数额，改为最接近的正确数额。"),
        _own("最小单位", "按最接近的单位倍数，居中的取大。"),
    ),
    "capped": (
        _betting(3, "三人以上能下注：一注三加；两圈下注的游戏为四加。"),
        _tda("48", "限注游戏有加注上限，单挑也一样，直到比赛只剩两人。"),
    ),
    "not-reopened": (
        _betting(6, "不足额的全下，对之前都已行动的人不重开加注。"),
        _tda("47", "已行动而面对不足额加注的人，不能再加注。"),
    ),
    "no-check-raise": (
        _betting(1, "除某些低牌游戏外都允许过牌加注；本场不允许。"),
        _own("不许过牌加注", "本圈已过牌的人可以跟注或弃牌，不能加注。"),
    ),
    "fold-for-free": (
        _section(3, "死牌1", "轮到时把牌丢出，后面还有人行动，无论有没有注都是死牌。"),
        _tda("58", "轮到时无注可跟而弃牌，有效，并可能受罚。"),
    ),
    "not-possible": (
        _betting(8, "轮到时所说的话按可行的约束：面对下注，是跟注、加注或弃牌。"),
        _tda("55", "面对下注时说过牌，只能跟注或弃牌，不能加注。"),
    ),
    "chips-withdrawn": (
        _betting(12, "已放手的，或推出后别人据此行动的筹码，留下并改正。"),
        _tda("46-B、50-A", "轮到时放出的筹码留下；被加注后收回自己的注，必须跟注或加注。"),
    ),
    "words-differ": (
        _section(14, "第8条", "所说与筹码不符，筹码按所说改正。"),
        _tda("40-A", "说话与筹码，先到为准；同时则以清楚的话为准。"),
    ),
    "turn-too-early": (
        _section(5, "第6、8条", "发早的转牌本圈不用；用本来的河牌代替。"),
        _tda("39-C、RP-5", "发早的转牌放一旁，用河牌代替，发河牌之前洗回。"),
    ),
    "river-too-early": (
        _section(5, "第6、8条", "发早的河牌放回余牌；洗牌、切牌，发牌不再烧牌。"),
        _tda("39-C、RP-5", "发早的河牌放回余牌并洗牌；不再烧牌。"),
    ),
    "flop-too-early": (
        _section(5, "第6、7条", "发早的翻牌洗回余牌；烧牌不动，重发不再烧牌。"),
        _tda("39-C、RP-5", "发早的翻牌放回余牌并洗牌；烧牌不动。"),
    ),
    "street-too-early": (
        _section(5, "第6条", "下注没结束就发的牌不用，不论后面的人怎样行动。"),
        _tda("39-C、RP-5", "下注没结束就发的牌不用。"),
    ),
    "half-pot-limit": _house("半池", "加注最多为跟注后底池的一半。"),
    "fixed-limit": _house("固定限注", "下注和加注正好是这一圈的注额。"),
    "spread-limit": _house("区间限注", "下注和加注在这一圈的最小与最大注额之间。"),
    "hand-cap": _house("封顶", "每手牌每人投入不超过封顶；到封顶视为全下。"),
    "stack-corrected": _house("以台面为准", "台面上的筹码为准；清点后改正账面。"),
    "buy-in": _house("买入", "入座或加码的数额在最小与最大买入之间。"),
    "going-south": _house("台面筹码制", "筹码留在台上：限时内回来的，要带回拿走的数额。"),
    "unknown-chip": _house("外来筹码", "不是本场的筹码没有价值，不算下注。"),
    "between-rounds": _house("筹码何时算下注", "只有下注开放时，注区上的筹码才算下注。"),
}
"""By ruling: the rule with `roberts` and with `tda`."""

"""What bounds a bet, what it is made up of, and why a player is not in the hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Addend, Limit, PotAddend, WhyNoRaise, WhyOut

ADDENDS: Final[Mapping[Addend, str]] = {
    "in-front": "已下{amount}",
    "call": "跟注{amount}",
    "pot": "底池{amount}",
    "half-pot": "半池{amount}",
    "bet": "下注{amount}",
    "raise": "加注{amount}",
    "complete": "补足{amount}",
    "on-unit": "单位{amount}",
}

POT_ADDENDS: Final[Mapping[PotAddend, str]] = {
    "there": "已有{amount}",
    "call": "跟注{amount}",
    "blinds": "盲注补足{amount}",
    "antes": "前注{amount}",
    "rounded": "进位{amount}",
}

WHY_NO_RAISE: Final[Mapping[WhyNoRaise, str]] = {
    "": "",
    "capped": "封顶：不能再加注",
    "no-check-raise": "已过牌：不能加注",
    "not-reopened": "未重开：不能加注",
    "nobody-to-raise": "无人可加注",
    "no-chips": "跟注后无筹码",
}

WHY_OUT: Final[Mapping[WhyOut, str]] = {
    "": "",
    "away": "暂离",
    "no-chips": "没有筹码",
    "short": "不够大盲",
    "posts": "需补盲[{amount}]",
    "between-blinds": "在盲位之间：等待",
    "moved": "换位：等待[{count}手]",
    "next-hand": "下一手加入",
}

OVER: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("超过底池：{amount}", "超过底池加注：{amount}"),
    "half-pot": ("超过半池：{amount}", "超过半池加注：{amount}"),
    "stack": ("超过后手：全下为{amount}", "超过后手：全下为{amount}"),
    "cap": ("超过封顶：{amount}", "超过封顶：{amount}"),
    "fixed": ("固定下注为{amount}", "固定加注到{amount}"),
    "spread": ("超过最大下注：{amount}", "超过最大加注：{amount}"),
    "none": ("无限", "无限"),
}

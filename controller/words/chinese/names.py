"""What games, streets, pots, places, devices and states are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Limit, SeatStatus, Urgency

_FLOP = ("翻牌前", "翻牌", "转牌", "河牌")
_STUD = ("第三街", "第四街", "第五街", "第六街", "第七街")
_ONE_DRAW = ("换牌前", "换牌后")
_DRAWS = ("换牌前", "第一次换牌", "第二次换牌", "第三次换牌")

VARIANTS: Final[Mapping[str, str]] = {
    "holdem": "德州扑克",
    "short-deck": "短牌",
    "pineapple": "菠萝",
    "crazy-pineapple": "疯狂菠萝",
    "irish": "爱尔兰",
    "omaha": "奥马哈",
    "omaha8": "奥马哈高低",
    "omaha5": "五张奥马哈",
    "big-o": "大奥",
    "courchevel": "高雪维尔",
    "stud": "七张梭哈",
    "stud8": "七张梭哈高低",
    "razz": "拉兹",
    "five-card-stud": "五张梭哈",
    "draw": "五张换牌",
    "single-draw": "2-7单次换牌",
    "triple-draw": "三次换牌",
    "badugi": "巴杜吉",
}

STREETS: Final[Mapping[str, tuple[str, ...]]] = {
    "holdem": _FLOP,
    **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), _FLOP),
    **dict.fromkeys(("omaha", "omaha8", "omaha5", "big-o"), _FLOP),
    "courchevel": ("第一张翻牌", "翻牌", "转牌", "河牌"),
    "stud": _STUD,
    "stud8": _STUD,
    "razz": _STUD,
    "five-card-stud": ("第二街", "第三街", "第四街", "第五街"),
    "draw": _ONE_DRAW,
    "single-draw": _ONE_DRAW,
    "triple-draw": _DRAWS,
    "badugi": _DRAWS,
}

STRUCTURES: Final[Mapping[str, str]] = {
    "no-limit": "无限注",
    "pot-limit": "底池限注",
    "half-pot": "半池限注",
    "fixed-limit": "固定限注",
    "spread-limit": "区间限注",
}

_SIDES = range(1, 10)

POTS: Final[Mapping[str, str]] = {"main": "主池", **{f"side{number}": f"边池{number}" for number in _SIDES}}

POTS_SHORT: Final[Mapping[str, str]] = {"main": "主", **{f"side{number}": f"边{number}" for number in _SIDES}}

POTS_SAID: Final[Mapping[str, str]] = POTS

SPOTS: Final[Mapping[str, str]] = {
    **{f"bet{seat}": f"{seat}号位" for seat in range(1, 11)},
    "pot": "底池",
    "pad": "点码垫",
    "tray": "荷官码盘",
}

LAMMERS: Final[Mapping[str, str]] = {
    "button": "庄家按钮",
    "missed-blind": "漏盲按钮",
    "all-in": "全下按钮",
    "rock": "Rock标志",
    "kill": "Kill按钮",
}

ACCOUNTS: Final[Mapping[str, str]] = {
    "rake": "抽水",
    "jackpot": "奖池",
    "kitty": "公共金",
    "time": "台费",
    "toke": "小费",
    "adjustment": "差额",
}

REASONS: Final[Mapping[str, str]] = {
    "silence": "没有回应；检查电源、线和波特率",
    "reboot": "它重新启动了",
    "protocol": "版本不同；装上本系统的固件",
    "not-found": "没有这个端口；插上适配器，名称按布局文件",
    "busy": "端口被占用；服务正在运行，或布局中两个设备共用它",
    "permission": "这个用户无权打开端口；把它加入dialout组",
    "unplugged": "端口消失了；检查线",
    "io-error": "端口不能用",
    "overrun": "它不接收数据",
    "babbling": "数据多于线路所能传：接错设备，或设备坏了",
    "stopped": "它被停止了",
    "changed": "有一条被改动",
    "exchanged": "有两条被对调",
    "removed": "有几条被取走",
    "inserted": "有几条是插入的",
    "remade": "有几条被他人重写",
    "cut": "最后几条被截去",
    "older-copy": "被换成了较旧的副本",
    "wal-removed": "最新的被取走",
    "deleted": "全部被取走",
    "replaced": "被换成了另一份记录",
    "differs": "本程序算出的与上一个不同",
    "badge-forged": "有一条写了不在场的卡",
}

LEVELS: Final[Mapping[Urgency, str]] = {"info": "提示", "question": "询问", "warning": "警告"}

STATUSES: Final[Mapping[SeatStatus, str]] = {
    "empty": "空位",
    "away": "暂离",
    "out": "未入局",
    "to-act": "行动",
    "waiting": "等待",
    "acted": "已行动",
    "folded": "弃牌",
    "all-in": "全下",
}

PASSED: Final[Mapping[str, str]] = {"checked": "过牌", "folded": "弃牌"}

BOUNDS: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("底池下注", "底池加注到"),
    "half-pot": ("半池下注", "半池加注到"),
    "stack": ("全下下注", "全下加注到"),
    "cap": ("下注到封顶", "加注到封顶"),
    "fixed": ("固定下注", "固定加注到"),
    "spread": ("最大下注（区间）", "最大加注（区间）"),
    "none": ("最大下注：无限", "最大加注：无限"),
}

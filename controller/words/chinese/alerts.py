"""What is said of each warning and alert: what happened, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.catalogue import AlertText

_WARNINGS = {
    "out-of-turn": AlertText(
        title="{seat}号位抢先行动",
        text="[暂留：{held}。][轮到{turn}号位。]",
        advice="{seat}号位之前无人下注、跟注或加注，则有效。弃牌一律有效。",
        tda_advice="{seat}号位之前无人下注或加注，则有效。弃牌一律有效。",
    ),
    "string-bet": AlertText(
        title="{seat}号位分次下注",
        text="动作已完成，之后放出的不算。",
        advice="退回[{amount}]。若先已宣布加注，请输入。",
    ),
    "oversized-chip": AlertText(
        title="{seat}号位单枚大码：算跟注",
        text="一枚筹码大于跟注额，且未宣布。",
        advice="找零[{amount}]。若先已宣布加注，请输入。",
    ),
    "under-bet": AlertText(
        title="{seat}号位下注不足",
        text="[差{amount}。][最少{least}。]",
        advice="本圈内补足。已行动的人不能因此加注。",
    ),
    "under-call": AlertText(
        title="{seat}号位跟注不足",
        text="[差{amount}。]须补足。",
        advice="若不知道有人加注，后面无人行动时可以收回筹码。",
        tda_text="[差{amount}。]面对首个下注或单挑时须补足。",
        tda_advice="其他情况暂留：请楼面。",
    ),
    "under-raise": AlertText(
        title="{seat}号位加注不足",
        text="[差{amount}。]须补足[到{least}]。",
        advice="若本意是跟注，请输入。已行动的人不能因此加注。",
    ),
    "over-limit": AlertText(
        title="{seat}号位超过上限",
        text="[不是{amount}：]减到上限[{most}]。",
        advice="其余退回。若底池算错，先撤销，再改正底池。",
    ),
    "off-unit": AlertText(
        title="{seat}号位：不是最小单位的倍数",
        text="按最接近的数额[：{amount}]。",
        advice="更小的筹码不参与，请退回。",
    ),
    "capped": AlertText(
        title="加注次数已满：{seat}号位算跟注",
        text="本圈的加注次数已用完。",
        advice="算跟注。[退回{amount}。]",
    ),
    "not-reopened": AlertText(
        title="{seat}号位只能跟注或弃牌",
        text="已行动，之后没有足额加注；或曾抢先行动。",
        advice="算跟注。[退回{amount}。]",
        tda_text="已行动，之后没有足额加注；或面对下注时说了过牌。",
    ),
    "no-check-raise": AlertText(
        title="不许过牌加注：{seat}号位算跟注",
        text="本圈已过牌：只能跟注或弃牌。",
        advice="算跟注。[退回{amount}。]",
    ),
    "fold-for-free": AlertText(
        title="{seat}号位无注可跟却弃牌",
        text="弃牌有效。",
        advice="提醒玩家：过牌不用付钱。",
        tda_advice="可能受罚：若再犯，告知楼面。",
    ),
    "not-possible": AlertText(
        title="{seat}号位不能这样做",
        text="[所说：{held}。]仍轮到{seat}号位。",
        advice="问：跟注还是弃牌？以下一个动作为准。",
    ),
    "chips-withdrawn": AlertText(
        title="{seat}号位收回了筹码",
        text="放出的筹码有约束力[：欠{amount}]。",
        advice="请放回。找零、以更大的注替换都可以。",
        tda_text="收回自己的注，必须跟注或加注[：欠{amount}]。",
        tda_advice="请全数放回；不能弃牌。",
    ),
    "words-differ": AlertText(
        title="{seat}号位：筹码多于所说",
        text="以所说为准。",
        advice="退回[{amount}]。若先放筹码后说话，请楼面。",
    ),
    "skipped": AlertText(
        title="漏了[{turn}号位]",
        text="该位没有叫时间，后面的人已行动。",
        advice="请楼面：判死牌，或补回行动。",
    ),
    "stack-corrected": AlertText(
        title="{seat}号位的筹码比账面多",
        text="筹码照收；后手现在未知。",
        advice="方便时清点后手并输入。",
    ),
    "buy-in": AlertText(
        title="{seat}号位：买入不合规定",
        text="[买入为{least}至{most}。]",
        advice="更改数额。从别桌来的玩家按转台输入；否则请楼面。",
    ),
    "going-south": AlertText(
        title="{seat}号位：筹码离台",
        text="台上的筹码不能拿走[：应放回{amount}]。",
        advice="请放回。小费可以。玩家不同意，请楼面。",
    ),
    "unknown-chip": AlertText(
        title="{seat}号位有不明筹码",
        text="[{count}枚。]不是本场的或已作废的筹码不计数。",
        advice="从注区取下查看；若数错了，输入下注。",
    ),
    "tray-offline": AlertText(
        title="{seat}号位注区离线",
        text="看不到那里的筹码。",
        advice="{seat}号位的下注请手动输入。这手后叫技术员。",
    ),
}

_TO_DECIDE = {
    "behind-the-turn": AlertText(
        title="{seat}号位有筹码，轮到{turn}号位",
        text="[{seats}号位{did}了？若没有，][{seat}号位抢先行动。]",
    ),
    "sweep-question": AlertText(
        title="本圈结束了？",
        text="几个注区的筹码移到了中间[：{seats}号位]。",
        advice="是：剩下的人已过牌或弃牌[；还有{seat}号位]。否：把注放回。",
    ),
    "at-least": AlertText(
        title="{seat}号位：没有全部读到",
        text="新增至少[{amount}]，可能更多。",
        advice="请分开或摊开，或清点后输入下注。",
    ),
    "counting-bet": AlertText(
        title="清点{seat}号位的下注",
        text="目前{amount}[，{count}叠]。",
        advice="把筹码放在点码垫上，每次最多二十枚，每叠点完取下。",
    ),
    "counting-buy-in": AlertText(
        title="清点{seat}号位的买入",
        text="目前{amount}[，{count}叠]。",
        advice="把筹码放在点码垫上，每次最多二十枚，每叠点完取下。",
    ),
    "counting-stack": AlertText(
        title="清点{seat}号位的后手",
        text="目前{amount}[，{count}叠]。",
        advice="把筹码放在点码垫上，每次最多二十枚，每叠点完取下。",
    ),
    "pile-not-added": AlertText(
        title="点码垫上这叠没有计入",
        text="[其中{count}枚不是本场的。]不计它，目前{amount}。",
        advice="分成每叠二十枚，取出不是本场的筹码。",
    ),
    "own-stack": AlertText(
        title="{seat}号位：下注，还是自己的后手？",
        text="[注区多了{amount}。]放着不动的后手不是下注。",
        advice="您回答之前都不计。请把后手移到注区后面。",
    ),
    "last-pot": AlertText(
        title="{seat}号位：下注，还是上一个底池？",
        text="[注区的{amount}是上一个底池的。]没收走的底池不是下注。",
        advice="您回答之前都不计。请玩家收走。",
    ),
    "splash": AlertText(
        title="{seat}号位：这是谁的筹码？",
        text="[{amount}同时落在两个注区。]一注还是两注？",
        advice="请把同一注推到一个注区。",
    ),
    "covered": AlertText(
        title="{seat}号位：筹码被盖住了？",
        text="[{amount}同时读不到了。]仍然计算。",
        advice="拿开杯子、手机或金属。或者已收注，或被玩家收回？",
    ),
    "copied": AlertText(
        title="{seat}号位：同一标签在两处",
        text="标签被复制：数额不可靠[，读到{amount}]。",
        advice="清点后输入。可疑的筹码留给楼面。",
    ),
    "change": AlertText(
        title="{seat}号位：下注，还是找零？",
        text="[{amount}与另一注区互换。]找零不是下注。",
        advice="您回答之前都不计。",
    ),
    "emptied": AlertText(
        title="{seat}号位：注去哪里了？",
        text="[{amount}离开了注区。]仍然计算。",
        advice="是您收走，还是玩家收回？玩家收回的仍要补上。",
    ),
    "folded-seat": AlertText(
        title="{seat}号位有筹码，但已弃牌",
        text="[那里有{amount}，不计。]",
        advice="若没有弃牌，撤销弃牌；否则请玩家拿回。",
    ),
    "act-or-answer": AlertText(
        title="{seat}号位有筹码：在{turn}号位之后？",
        text="{turn}号位在其后下注。[{seats}号位先{did}了？]",
        advice="还是{seat}号位现在才行动，{turn}号位抢先行动？",
    ),
    "key-too-late": AlertText(
        title="刚刚轮到{seat}号位",
        text="按键太近，应是给前一位的。",
        advice="若要给{seat}号位，请再按一次。",
    ),
    "chips-between-rounds": AlertText(
        title="{seat}号位有筹码：是下一圈的？",
        text="[{amount}是在下注完成或收池之后放的。]现在不计。",
        advice="若放迟了，请退回；否则下一圈开圈后才计。",
    ),
    "due-back": AlertText(
        title="退回{amount}给{seat}号位",
        text="这是多出来的。",
        advice="发下一张牌时也会退回。",
    ),
    "owes": AlertText(
        title="{seat}号位欠{amount}",
        text="他的动作应付的比放出的多。",
        advice="请补上；之前不发牌。",
    ),
    "held-for-the-floor": AlertText(
        title="{seat}号位等楼面",
        text="暂留[：{held}]。",
        advice="请楼面：有效，或当作没做。",
    ),
    "unsettled": AlertText(
        title="{seat}号位的筹码在动",
        text="[目前看到{amount}。]放稳才计。",
        advice="等一等，或输入下注。",
    ),
    "post-owed": AlertText(
        title="{seat}号位欠盲注",
        text="[补{amount}才能入局。]之前不发牌给他。",
        advice="请补盲，或这手不发给他。",
    ),
    "kill-owed": AlertText(
        title="{seat}号位欠Kill盲注",
        text="[{amount}，发牌前补上。]",
        advice="请补上；这手的限额提高。",
    ),
    "flop-too-early": AlertText(
        title="翻牌发早了",
        text="下注还没结束：请楼面。",
        advice="先完成下注。三张洗回余牌，烧牌不动，切牌，重发翻牌不再烧牌。",
    ),
    "turn-too-early": AlertText(
        title="转牌发早了",
        text="下注还没结束：请楼面。",
        advice="放一旁，完成下注，烧牌，发下一张。之后洗回余牌；河牌不再烧牌。",
    ),
    "river-too-early": AlertText(
        title="河牌发早了",
        text="下注还没结束：请楼面。",
        advice="完成下注。把牌洗回余牌（烧牌、弃牌不洗），切牌，发河牌不再烧牌。",
    ),
    "street-too-early": AlertText(
        title="牌发早了",
        text="下注还没结束[：轮到{turn}号位]。",
        advice="这些牌不算。完成下注并请楼面。",
    ),
    "betting-open": AlertText(
        title="下注还没结束",
        text="[轮到{turn}号位：]没有牌要发了。",
        advice="都行动了就点确认；否则先完成下注。",
    ),
}

_TABLE_AND_DEVICES = {
    "lammer": AlertText(
        title="{seat}号位注区有标志码",
        text="[是{lammer}。]不是下注。",
        advice="放到注区旁边。",
    ),
    "all-in-not-booked": AlertText(
        title="{seat}号位有全下按钮",
        text="账面上还有后手。",
        advice="拿走按钮；或输入全下，或清点后手。",
    ),
    "missed-blind-not-booked": AlertText(
        title="{seat}号位有漏盲按钮",
        text="账面上不欠盲注。",
        advice="拿走按钮；若账面有错，请楼面。",
    ),
    "rock-not-booked": AlertText(
        title="{seat}号位有Rock标志",
        text="账面上在另一位。",
        advice="移走Rock标志；若账面有错，请楼面。",
    ),
    "kill-not-booked": AlertText(
        title="{seat}号位有Kill按钮",
        text="账面上不欠Kill盲注。",
        advice="拿走按钮；或输入他欠Kill盲注。",
    ),
    "button-elsewhere": AlertText(
        title="庄家按钮在{seat}号位",
        text="[账面上在{button}号位。]",
        advice="移动按钮；若账面有错，请楼面。",
    ),
    "chips-left-over": AlertText(
        title="{seat}号位有上一个底池的筹码",
        text="不是下注[：{amount}]。",
        advice="请玩家收走。",
    ),
    "not-on-the-felt": AlertText(
        title="{seat}号位的盲注不在",
        text="[账面上的{amount}在注区看不到。]",
        advice="请放上；若已在那里，继续。",
    ),
    "chips-found": AlertText(
        title="没看到的筹码：{spot}",
        text="[来了{amount}，注区没有读到。][{seats}号位的？]",
        advice="清点并改正下注。标签可能弱：留给技术员。",
    ),
    "tag-copied": AlertText(
        title="同一标签在两处",
        text="[座位：{seats}。]两枚筹码同一标签：其中一枚不是本场的。",
        advice="请楼面：两枚都收起并更换。",
    ),
    "tag-weak": AlertText(
        title="标签弱[：{amount}的筹码]",
        text="放在哪里都很少读到[：{tag}]。",
        advice="下次下注时更换：楼面留给技术员。",
    ),
    "chips-astray": AlertText(
        title="底池里有多余筹码",
        text="现在没有牌局[，但那里有{amount}]。",
        advice="是不是有底池没付？否则请楼面清点并输入差额。",
    ),
    "next-hand-held": AlertText(
        title="下一手等待",
        text="同步发牌：各桌都先打完这手。",
        advice="等楼面放行。",
    ),
    "break": AlertText(
        title="休息[：还有{count}分钟]",
        text="休息时不发牌。",
        advice="结束后由楼面宣布下一级别。",
    ),
    "level-over": AlertText(
        title="本级别结束",
        text="[下一级：{name}。]进行中的这手照旧。",
        advice="下一手按新级别。楼面换掉不再使用的筹码。",
    ),
    "floor-called": AlertText(
        title="已请楼面",
        text="[{seat}号位等待。]牌局保持原样。",
        advice="楼面决定后取消呼叫。",
    ),
    "failed": AlertText(
        title="出错了[，{seat}号位]",
        text="本程序的错误[：{spot}的筹码还没计]。",
        advice="拿起再放回，或手动输入。告知技术员。",
        technician="[信息：{reason}。]",
    ),
    "restarted": AlertText(
        title="本桌已重新启动",
        text="从原处继续[：第{hand}手]。",
        advice="下一个动作之前，按台面核对底池和下注。",
    ),
    "spot-offline": AlertText(
        title="读不到：{spot}",
        text="看不到那里的筹码。",
        advice="请自己清点。这手后叫技术员。",
        technician="[信息：{reason}。]",
    ),
    "reader-offline": AlertText(
        title="{device}没有响应",
        text="看不到那里的下注[：{seats}号位]。",
        advice="手动输入。这手后叫技术员：先查线和电源。",
        technician="[信息：{reason}。]",
    ),
    "reader-misset": AlertText(
        title="{device}：设置不对",
        text="照样使用，但可能漏报下注。",
        advice="留意数额。这手后叫技术员。",
        technician="[{name}：{reason}。]",
    ),
    "board-offline": AlertText(
        title="{device}没有响应",
        text="它的键、按钮和灯都不能用。",
        advice="请用屏幕。这手后叫技术员：先查线。",
        technician="[信息：{reason}。]",
    ),
    "presses-lost": AlertText(
        title="{device}漏了按键",
        text="[有{count}次按键没有报上来。]",
        advice="按台面核对屏幕，补上缺的。",
    ),
    "badge-reader-offline": AlertText(
        title="读卡器没有响应",
        text="楼面的决定记录时没有姓名。",
        advice="继续。这手后叫技术员。",
        technician="[信息：{reason}。]",
    ),
    "high-water-offline": AlertText(
        title="记录标记写不进去",
        text="若换成旧的记录，将察觉不到。",
        advice="继续。这手后叫技术员：另一个存储。",
        technician="[信息：{reason}。]",
    ),
    "table-key-offline": AlertText(
        title="记录没有签名",
        text="读不到本桌的密钥：记录若被改动，将察觉不到。",
        advice="继续。这手后叫技术员：密钥的存储。",
        technician="[信息：{reason}。]",
    ),
    "storage-nearly-full": AlertText(
        title="存储空间快满了",
        text="满了就无法再记录。",
        advice="继续。这手牌之后叫技术员：腾出空间。",
        technician="[剩余：{reason}。]",
    ),
    "sensors-off": AlertText(
        title="没有感应：所有下注手动输入",
        text="台上什么都读不到。",
        advice="屏幕按您输入的计算底池和限额。叫技术员。",
    ),
    "journal-damaged": AlertText(
        title="记录损坏",
        text="[到第{hand}手完整。]有一部分丢失。",
        advice="继续：楼面清点底池和后手并输入。叫技术员。",
    ),
    "journal-gap": AlertText(
        title="有一段时间没有记录",
        text="[缺{count}步；]底池和后手按实际，现在又有记录。",
        advice="继续。楼面记下这段时间的牌局。叫技术员。",
    ),
    "journal-altered": AlertText(
        title="记录被改动",
        text="[记录：{reason}。]",
        advice="继续：楼面清点底池和后手。技术员来之前谁也不要碰机器。",
    ),
    "journal-not-written": AlertText(
        title="没有记录：写不进去",
        text="[{reason}。]之后的内容断电即失。",
        advice="继续：有了存储空间会自动恢复记录。叫技术员。",
    ),
}

ALERTS: Final[Mapping[str, AlertText]] = _WARNINGS | _TO_DECIDE | _TABLE_AND_DEVICES

"""Small notebook tasks with one right outcome each, for a real model: what is asked, and how the outcome is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nephele_nb.events import Event, ToolOutput
from nephele_nb.library import Library
from nephele_nb.run import Answer

NOTES = {
    "Brno depot": "The depot in Brno closed on 3 March 2024 because of a flood in its cellar. It opens again in June.",
    "Hardness tests": "Of the 58 water samples taken in spring, 9 failed the hardness test. All nine came from wells.",
    "水壶退货": "三月共退回 31 个水壶。退货原因是水垢堵住壶嘴，不是加热故障。客服建议用柠檬酸清洗。",
    "Tea tasting": "The oolong of 2023 won the tasting; the sencha was too bitter.",
    "会议室": "三楼会议室的投影仪坏了，报修编号是 PX-204。",
}
INVENTORY = [{"item": f"item-{n}", "stock": n * 3 % 41, "shelf": "ABC"[n % 3]} for n in range(40)]


def names() -> dict[str, Any]:
    """Return the variables each task finds, made anew."""
    sales = pd.DataFrame(
        {
            "store_id": [n % 4 for n in range(37)],
            "region": [("North", "South", "East")[n * n % 3] for n in range(37)],
            "units": [n * 7 % 23 + 1 for n in range(37)],
            "price": [round(1.5 + n * 0.25, 2) for n in range(37)],
        }
    )
    days = pd.date_range("2024-02-20", periods=45, freq="D")
    return {
        "sales": sales,
        "stores": pd.DataFrame({"store_id": [0, 1, 2, 3], "city": ["Brno", "Prague", "Linz", "Graz"]}),
        "monthly": pd.DataFrame({"month": list(range(1, 13)), "units": [n * n % 50 for n in range(1, 13)]}),
        "visits": pd.DataFrame({"date": days, "visitors": [n * 11 % 19 for n in range(45)]}),
        "trips": pd.DataFrame({"trip": [1, 2, 3], "miles": [12.5, 40.0, 7.25]}),
        "temps": [68.0, 95.9, 50.0, 86.0],
        "prices_text": ["12.50", "7.25", "30.00"],
        "survey": pd.DataFrame({"age": [31, None, 45, None, None, 28], "city": ["a", "b", None, "d", "e", "f"]}),
    }


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round left behind."""

    answer: Answer
    events: list[Event]
    names: dict[str, Any]
    library: Library

    def says(self, *wanted: str | float) -> bool:
        """Tell whether the answer holds all of these: a number as a number of its own, words in any case."""
        text = re.sub(r"<!--.*?-->|(?<=\d),(?=\d{3})", "", self.answer.text.lower())
        numbers = {float(found) for found in re.findall(r"\d+(?:\.\d+)?", text)}
        return all(w.lower() in text if isinstance(w, str) else w in numbers for w in wanted)

    def drew(self) -> bool:
        """Tell whether a figure came out of the code that ran."""
        return any("image/png" in e.output.get("data", {}) for e in self.events if isinstance(e, ToolOutput))

    def note(self, title: str) -> str:
        """Return the text of a new note, "" where there is none."""
        hits = self.library.search(title)
        return next((self.library.read(h.content_id).text for h in hits if title.lower() in h.title.lower()), "")


@dataclass(frozen=True, slots=True)
class Task:
    """One message and the test of its outcome."""

    name: str
    text: str
    reached: Callable[[Outcome], bool]


DATA = names()
SALES: pd.DataFrame = DATA["sales"]
JOINED = SALES.merge(DATA["stores"], on="store_id")
VISITS: pd.DataFrame = DATA["visits"]


def _units(**where: str) -> float:
    rows = JOINED
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return float(rows["units"].sum())


def _best_region() -> str:
    return str(SALES.groupby("region")["units"].sum().idxmax())


def _revenue(outcome: Outcome) -> bool:
    sales = outcome.names["sales"]
    return "revenue" in sales and bool((sales["revenue"] - SALES["units"] * SALES["price"]).abs().max() < 1e-6)


def _between(first: str, last: str) -> float:
    return float(VISITS["date"].between(first, last).sum())


LOW = float(sum(row["stock"] < 10 for row in INVENTORY))  # type: ignore[operator]
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
TASKS = [
    Task("count rows", "How many rows does the DataFrame sales have?", lambda o: o.says(37.0)),
    Task("name columns", "Which columns does sales have?", lambda o: o.says("store_id", "region", "units", "price")),
    Task(
        "filter", "How many rows of sales have region North?", lambda o: o.says(float((SALES.region == "North").sum()))
    ),
    Task("add up", "What is the sum of units in sales?", lambda o: o.says(_units())),
    Task("group", "Which region in sales sold the most units in total?", lambda o: o.says(_best_region())),
    Task(
        "join two tables",
        "Join sales and stores on store_id. How many units were sold in the city Brno?",
        lambda o: o.says(_units(city="Brno")),
    ),
    Task(
        "fix an error",
        "sales['unit'].max() fails with a KeyError. Fix it and tell me the result.",
        lambda o: o.says(float(SALES["units"].max())),
    ),
    Task("plot a line", "Plot units over month from the DataFrame monthly as a line chart.", Outcome.drew),
    Task(
        "write a note",
        "Write a note with the title Kettle recall saying that 12 kettles were recalled in May.",
        lambda o: "12" in o.note("Kettle recall"),
    ),
    Task("find a note", "Why did the depot in Brno close? It is in my notes.", lambda o: o.says("flood")),
    Task(
        "cite",
        "According to my notes, how many water samples failed the hardness test? Cite the note.",
        lambda o: (o.says(9.0) or o.says("nine")) and "[1]" in o.answer.text and bool(o.answer.sources),
    ),
    Task(
        "date range",
        "How many rows of visits have a date from 2024-03-01 to 2024-03-15, both included?",
        lambda o: o.says(_between("2024-03-01", "2024-03-15")),
    ),
    Task(
        "convert miles",
        "What is the sum of miles in trips, in kilometres? Use 1 mile = 1.609344 km and round to 1 decimal.",
        lambda o: o.says(96.2),
    ),
    Task("new column", "Add a column revenue to sales: units times price.", _revenue),
    Task(
        "library table",
        "How many rows of the table inventory in my library have stock below 10?",
        lambda o: o.says(LOW),
    ),
    Task(
        "make a list",
        "Make a list called primes with all prime numbers below 30.",
        lambda o: list(o.names.get("primes", [])) == PRIMES,
    ),
    Task("missing values", "How many values are missing in the column age of survey?", lambda o: o.says(3.0)),
    Task("数行", "sales 这张表有多少行？", lambda o: o.says(37.0)),
    Task("条件求和", "sales 里 region 为 South 的 units 总和是多少？", lambda o: o.says(_units(region="South"))),
    Task("查笔记", "根据我的笔记，水壶为什么被退货？", lambda o: o.says("水垢")),
    Task("查编号", "会议室投影仪的报修编号是多少？查一下我的笔记。", lambda o: o.says("PX-204")),
    Task(
        "写笔记",
        "写一篇笔记，标题是“周会纪要”，内容是：周三开会，讨论退货。",
        lambda o: "退货" in o.note("周会纪要"),
    ),
    Task("换算温度", "列表 temps 是华氏温度。最高的是多少摄氏度？保留一位小数。", lambda o: o.says(35.5)),
    Task("柱状图", "用 monthly 画出每个月 units 的柱状图。", Outcome.drew),
    Task("修错误", "sum(prices_text) 会报错，因为元素是字符串。请修好并告诉我总和。", lambda o: o.says(49.75)),
    Task("日期", "visits 里 2024 年 3 月有多少行？", lambda o: o.says(_between("2024-03-01", "2024-03-31"))),
]

"""What is no memory: the passing and the secret are told by their signs, and what lasts is let through."""

from __future__ import annotations

import pytest

from nephele_nb.memory.lasting import Refusal, refusal


def hide(text: str) -> str:
    return text.replace("hunter2hunter2", "[secret]")


LASTING = [
    "Prefers dark plots with units on both axes",
    "每张图都要有单位",
    "Standup notes list yesterday's work and today's plan",
    "Asks every day what changed since yesterday",
    "每天写日报，列出今天的计划",
    "The weekly report is due on Mondays",
    "The data lie in ~/projects/tea/sales.csv",
    "Project tea: prices are in euro, dates are ISO",
    'When the user says "today" they mean the trading day',
    "The key for the API stands in the environment variable TEA_API_KEY",
    "The password policy is strict: rotate each quarter",
    "Explain what a token is: a piece of a word",
    "In `df.now` the clock is UTC",
    "Never say tomorrow: name the date",
    "密码放在系统钥匙串里",
    "令牌：见保险柜",
    "Uses pandas 3; copy-on-write is on",
    "Corrected: revenue excludes VAT",
    "默认使用今天的汇率",
]
PASSING = [
    ("Today the user prefers bars over lines", "Today"),
    ("The user wants red plots for now", "for now"),
    ("Use the second file this time", "this time"),
    ("In this session df is the cleaned frame", "this session"),
    ("This conversation is about tea", "This conversation"),
    ("这次先用中文回答", "这次"),
    ("用户今天想看柱状图", "今天"),
    ("当前会话使用表 sales", "当前会话"),
    ("He is tired right now", "right now"),
    ("Meeting tomorrow at ten", "tomorrow"),
    ("Fine in general. Today it failed, though.", "Today"),
]
PLACES = [
    "Results lie in /tmp/out/run.csv",
    "See /var/folders/ab/cd/T/x.png",
    r"Written to C:\Users\me\AppData\Local\Temp\x.csv",
    "Works in Untitled3.ipynb",
    "Connected through kernel-1b2c.json",
    "The object at 0x7f3a2b1c9d10 is the model",
]
SECRETS = [
    "The value is hunter2hunter2",
    "api key: sk-proj-abcdefghij0123456789",
    "Use ghp_abcdefghijklmnop1234567890",
    "AKIAABCDEFGHIJKLMNOP",
    "-----BEGIN RSA PRIVATE KEY-----\nMII",
    "postgres://tea:pot1@db.local/tea",
    "The password is tr0ub4dor",
    "密码：abc12345",
    'token = "a1b2c3d4"',
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
    "Every day the passphrase is correct-horse-battery",
]


@pytest.mark.parametrize("text", LASTING)
def test_what_lasts_is_let_through(text: str) -> None:
    assert refusal((text,), hide) is None


@pytest.mark.parametrize(("text", "sign"), PASSING)
def test_the_passing_is_refused_by_its_word(text: str, sign: str) -> None:
    assert refusal(("Title", text), hide) == Refusal("passing", sign)


@pytest.mark.parametrize("text", PLACES)
def test_a_place_of_one_session_is_refused(text: str) -> None:
    found = refusal((text,), hide)
    assert found is not None
    assert found.kind == "place"
    assert found.sign in text


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_refused_and_not_repeated(text: str) -> None:
    assert refusal((text,), hide) == Refusal("secret", "")

"""An answer without a model only quotes: the sentences that fit, each with the number of its hit."""

from __future__ import annotations

from nephele_nb.model import lite
from nephele_nb.types import Hit


def hit(text: str, content_id: str = "n1") -> Hit:
    return Hit(content_id, "Title", text, 1.0, (0, len(text)), ("text",))


MARCH = hit("Spring was mild. Sales fell in March because the depot in Brno closed. Tea is served at four.")
OTHER = hit("# Depots\n\n- The depot in Brno opened again in April.\n- Prague is 3.5 km away.", "n2")


def quotes(answer: str) -> list[str]:
    return [line for line in answer.splitlines() if line.startswith("> ")]


def test_the_best_sentences_are_quoted_with_their_numbers() -> None:
    answer = lite.answer("Why did sales fall in March?", [MARCH, OTHER], "en")
    assert "> Sales fell in March because the depot in Brno closed. [1]" in quotes(answer)
    assert not [quote for quote in quotes(answer) if "Tea" in quote]
    assert "no model was used" in answer


def test_each_hit_is_heard_and_marks_are_taken_off() -> None:
    answer = lite.answer("Where is the Brno depot?", [MARCH, OTHER], "en")
    assert "> The depot in Brno opened again in April. [2]" in quotes(answer)


def test_every_quote_stands_in_its_hit() -> None:
    hits = [MARCH, OTHER]
    for quote in quotes(lite.answer("depot in Brno and Prague", hits, "en")):
        text, _, number = quote.removeprefix("> ").rpartition(" [")
        assert text in hits[int(number.rstrip("]")) - 1].text


def test_a_number_with_a_point_is_one_sentence() -> None:
    assert "> Prague is 3.5 km away. [1]" in quotes(lite.answer("How far is Prague?", [OTHER], "en"))


def test_chinese_is_matched_by_pairs_of_characters() -> None:
    text = "三月的销售额下降了。原因是布尔诺仓库关闭。茶在四点供应。"
    answer = lite.answer("仓库为什么关闭？", [hit(text)], "zh")
    assert "> 原因是布尔诺仓库关闭。 [1]" in quotes(answer)
    assert "未使用模型" in answer
    assert not [quote for quote in quotes(answer) if "茶" in quote]


def test_a_hit_without_a_fitting_sentence_gives_its_first() -> None:
    assert quotes(lite.answer("zebra", [MARCH], "en")) == ["> Spring was mild. [1]"]


def test_no_hits_is_a_statement() -> None:
    assert lite.answer("zebra", [], "en") == lite.WORDS["en"]["none"]
    assert lite.answer("斑马", [], "zh") == lite.WORDS["zh"]["none"]


def test_a_long_sentence_is_cut_visibly() -> None:
    (quote,) = quotes(lite.answer("word", [hit("word " * 300)], "en"))
    assert quote.endswith("… [1]")
    assert len(quote) < 420


def test_only_prose_is_quoted() -> None:
    text = (
        "# Hard water and kettles\n\n#returns #kettles\n\n| month | kettles |\n|---|---|\n| March | 9 |\n\n"
        "Scale builds up within weeks. Most came back in March."
    )
    table = Hit(
        "table:r", "returned", "month | kettles | returned\nMarch | 9 | 3", 1.0, (0, 9), ("text",), kind="table"
    )
    answer = lite.answer("why were kettles returned in March?", [hit(text), table], "en")
    assert quotes(answer) == ["> Scale builds up within weeks. [1]", "> Most came back in March. [1]"]


def test_a_table_alone_gives_the_statement() -> None:
    table = Hit("table:r", "returned", "month | kettles", 1.0, (0, 9), ("text",), kind="table")
    assert lite.answer("kettles", [table], "en") == lite.WORDS["en"]["none"]


def test_a_sentence_that_is_wrapped_over_lines_is_quoted_whole() -> None:
    english = (
        "The kettle must be descaled once a month, since the water of\nour town is so hard that scale builds up\n"
        "within weeks. Tea is served at four.\n\n- Filters are changed in the first week of each spring\n- Lamps never"
    )
    chinese = "本店的热水壶每个月都需要用柠檬酸除垢一次，因为本地的水\n非常硬，水垢几周内就会形成。茶在四点供应。"
    (quote,) = quotes(lite.answer("How is the kettle descaled in hard water?", [hit(english)], "en"))
    assert quote == f"> {english.partition(' Tea')[0]} [1]".replace("\n", " ")
    assert quotes(lite.answer("when are filters changed?", [hit(english)], "en")) == [
        "> Filters are changed in the first week of each spring [1]"
    ]
    assert quotes(lite.answer("热水壶除垢", [hit(chinese)], "zh")) == [
        "> 本店的热水壶每个月都需要用柠檬酸除垢一次，因为本地的水非常硬，水垢几周内就会形成。 [1]"
    ]


def test_short_lines_stand_for_themselves() -> None:
    text = "Phone: 1234\nAddress: Brno depot\nOpen: nine to five"
    assert quotes(lite.answer("Brno address", [hit(text)], "en")) == ["> Address: Brno depot [1]"]

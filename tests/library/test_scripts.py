"""Text of every script is found by its own words, however their letters are written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nephele_nb.library import Library
from nephele_nb.library.graph import located
from nephele_nb.library.words import normal

TEXTS = {
    "zh": "采购订单自动审批流程需要两名经理签字", "zh-tw": "把機器推論洗成權威事實是不可接受的，請先驗收",
    "ja": "東京都の会議は来週です。ｶﾅも含む", "kana": "プロジェクトの進捗をスプレッドシートで管理する",
    "half": "ﾃﾞｰﾀﾍﾞｰｽとｻｰﾊﾞ", "ko": "서울 회의는 다음 주 월요일입니다", "ko2": "데이터베이스를 백업했습니다",
    "th": "การประชุมครั้งต่อไปจะจัดขึ้นที่กรุงเทพมหานคร", "km": "ការប្រជុំនឹងធ្វើនៅភ្នំពេញ", "hi": "बैठक अगले सोमवार को होगी",
    "ar": "اَلْكِتَابُ عَلَى الطَّاوِلَةِ", "he": "הַפְּגִישָׁה תתקיים ביום שני", "ru": "Совещание в понедельник, отчёт готов",
    "el": "Η συνάντηση θα γίνει στην Αθήνα", "vi": "Cuộc họp diễn ra tại Đà Nẵng", "tr": "İstanbul toplantısı; ışık",
    "de": "Die Straße nach Köln ist gesperrt", "fr": "Une œuvre naïve de Besançon", "pl": "Łódź jest piękna",
    "is": "Þingvellir í október", "nfd": "Cafe\u0301 cre\u0300me", "full": "ＰＹＴＨＯＮ３．１２　ｖｅｒｓｉｏｎ",
    "lig": "a ﬁnancial oﬃce", "math": "energy E=mc² at ½ speed", "rare": "𠮷野家の牛丼",
    "emoji": "done 🎉 by 👩‍🔬 of 🇯🇵", "mixed": "用ERP系统做CRM对接,API返回404",
}  # fmt: skip
QUERIES = [
    ("审批流程", "zh"), ("审", "zh"), ("签字", "zh"), ("权威事实", "zh-tw"), ("驗收", "zh-tw"), ("東京", "ja"),
    ("カナ", "ja"), ("ｶﾅ", "ja"), ("スプレッドシート", "kana"), ("進捗管理", "kana"), ("データベース", "half"),
    ("サーバ", "half"), ("회의", "ko"), ("월요일", "ko"), ("데이터", "ko2"), ("백업", "ko2"), ("ประชุม", "th"),
    ("กรุงเทพ", "th"), ("ភ្នំពេញ", "km"), ("सोमवार", "hi"), ("الكتاب", "ar"), ("הפגישה", "he"), ("СОВЕЩАНИЕ", "ru"),
    ("отчет", "ru"), ("отчёт", "ru"), ("συναντηση", "el"), ("ΑΘΗΝΑ", "el"), ("họp", "vi"), ("hop", "vi"),
    ("da nang", "vi"), ("istanbul", "tr"), ("ISTANBUL", "tr"), ("isik", "tr"), ("strasse", "de"), ("STRASSE", "de"),
    ("koln", "de"), ("köln", "de"), ("Ko\u0308ln", "de"), ("oeuvre", "fr"), ("naive", "fr"), ("besancon", "fr"),
    ("lodz", "pl"), ("łódź", "pl"), ("thingvellir", "is"), ("cafe", "nfd"), ("café", "nfd"), ("CRÈME", "nfd"),
    ("python3.12", "full"), ("ＰＹＴＨＯＮ", "full"), ("financial", "lig"), ("office", "lig"), ("E=mc2", "math"),
    ("1⁄2", "math"), ("𠮷野家", "rare"), ("牛丼", "rare"), ("ERP", "mixed"), ("crm对接", "mixed"), ("４０４", "mixed"),
    ("🎉", "emoji"), ("👩‍🔬", "emoji"), ("🇯🇵", "emoji"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    library = Library(tmp_path_factory.mktemp("scripts"), embedder="none")
    for name, text in TEXTS.items():
        library.add_note("", text, content_id=name)
    yield library
    library.close()


@pytest.mark.parametrize(("query", "found"), QUERIES)
def test_a_word_is_found_in_its_note(lib: Library, query: str, found: str) -> None:
    hits = lib.search(query, k=5)
    assert hits[0].content_id == found
    assert lib.read(found).text[slice(*hits[0].span)] == hits[0].text


def test_accents_make_no_two_words_but_marks_that_change_the_letter_stay() -> None:
    assert normal("Café") == normal("CAFE\u0301") == normal("cafe")
    assert normal("が") == normal("か\u3099") != normal("か")
    assert normal("й") != normal("и")
    assert normal("ќ") != normal("к")
    assert normal("молоко\u0301") == normal("молоко")
    assert normal("की") != normal("क")
    assert normal("น้ำ") != normal("นำ")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30) | st.text(alphabet="aéñİßłœ\u0301\u0308ёй\u064b\u05b0臺か\u3099 ﬁ½", max_size=12))
def test_the_normal_form_is_its_own(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize(
    ("key", "text", "at"),
    [
        ("cafe", "un Cafe\u0301 noir", "Cafe\u0301"), ("cafe", "un CAFÉ noir", "CAFÉ"),
        ("strasse", "die Straße", "Straße"),
        ("كتاب", "هذا كِتَابٌ جديد", "كِتَابٌ"), ("lodz", "do Łódź jadę", "Łódź"), ("图书馆", "去圖書館吧", "圖書館"),
    ],
)  # fmt: skip
def test_a_name_is_located_as_it_is_written(key: str, text: str, at: str) -> None:
    span = located(normal(key), text)
    assert span is not None
    assert text[slice(*span)] == at

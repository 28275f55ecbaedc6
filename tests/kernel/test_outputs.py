"""What the model reads of outputs, and how they stay within bounds."""

from __future__ import annotations

import pytest

from nephele_nb.kernel.collector import STREAM_CAP, Collector
from nephele_nb.kernel.outputs import bound, cut, images, is_rich, merge_streams, model_text, strip_ansi


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def display(**data):
    return {"output_type": "display_data", "data": {k.replace("_", "/", 1): v for k, v in data.items()}, "metadata": {}}


def error(trace, evalue="boom"):
    return {"output_type": "error", "ename": "ValueError", "evalue": evalue, "traceback": trace}


def test_streams_and_values_become_text():
    outputs = [stream("a\n"), stream("b\n"), display(text_plain="<Figure>", image_png="AA=="), stream("e", "stderr")]
    assert model_text(outputs) == "a\nb\n<Figure>\ne"


def test_rich_output_without_text_is_named():
    assert model_text([display(image_png="AA==")]) == "[image/png]"


def test_multiline_fields_of_saved_notebooks_are_joined():
    assert model_text([{"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]}]) == "a\nb"
    assert images([display(image_png=["AA\n", "BB\n"])]) == ("data:image/png;base64,AABB",)


def test_colours_links_and_progress_bars_are_stripped():
    assert strip_ansi("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07") == "red link"
    assert model_text([stream("10%\r50%\r100%\ndone\r\n")]) == "100%\ndone"


@pytest.mark.parametrize("cap", [100, 500, 8000])
def test_long_text_keeps_head_and_tail_within_the_cap(cap):
    text = model_text([stream("start " + "x" * 50_000 + " end")], cap)
    assert len(text) <= cap
    assert text.startswith("start ")
    assert text.endswith(" end")
    assert "characters left out" in text


def test_the_count_of_what_is_left_out_is_right():
    whole = "".join(chr(0x4E00 + i) for i in range(5000))
    short = cut(whole, 1000)
    head, mark, tail = short.split("\n")
    assert int(mark.split()[1]) == len(whole) - len(head) - len(tail)
    assert whole.startswith(head)
    assert whole.endswith(tail)


def test_text_that_fits_is_left_alone():
    assert cut("abc", 3) == "abc"
    assert len(cut("a" * 100, 5)) <= 5


def test_the_end_of_an_error_is_always_there():
    trace = [f"\x1b[31mframe {i}\x1b[0m" for i in range(2000)] + ["ValueError: boom"]
    text = model_text([stream("y" * 20_000), error(trace)], 3000)
    assert len(text) <= 3000
    assert text.endswith("ValueError: boom")
    assert "frame 0\n" in text
    assert "\x1b" not in text


def test_an_error_without_its_line_gets_it():
    assert model_text([error([])]) == "ValueError: boom"
    assert model_text([error(["An exception has occurred"], "")]).endswith("ValueError")


def test_images_are_data_urls_and_png_comes_first():
    both = display(image_png="AA==", image_jpeg="BB==")
    assert images([stream("x"), both, display(image_jpeg="CC==")]) == (
        "data:image/png;base64,AA==",
        "data:image/jpeg;base64,CC==",
    )


def test_only_neighbours_of_one_name_are_merged():
    merged = merge_streams([stream("a"), stream("b"), stream("c", "stderr"), stream("d")])
    assert [o["text"] for o in merged] == ["ab", "c", "d"]


def test_bound_keeps_small_outputs_and_marks_large_ones():
    small = (stream("ok"), display(text_plain="p", text_html="<b>p</b>"))
    assert bound(small, 1000) == small
    big = display(text_plain="p", image_png="A" * 10_000)
    (kept,) = bound([big], 1000)
    assert kept["data"] == {"text/plain": "p\n… image/png of 10000 bytes left out …"}
    (text,) = bound([stream("x" * 10_000)], 1000)
    assert len(text["text"]) <= 1000
    (raised,) = bound([error(["z" * 10_000])], 1000)
    assert sum(map(len, raised["traceback"])) <= 1000


def test_rich_means_more_than_text():
    assert is_rich(display(image_png="AA=="))
    assert is_rich(display(text_plain="x", text_html="<b>x</b>"))
    assert not is_rich(display(text_plain="x"))
    assert not is_rich(stream("x"))
    assert not is_rich(error([]))


def test_a_collector_bounds_a_flood_while_it_comes():
    heard = []
    collector = Collector(heard.append)
    for _ in range(3000):
        collector.hear("stream", {"name": "stdout", "text": "x" * 1000})
    (only,) = collector.outputs()
    assert len(only["text"]) <= 2 * STREAM_CAP


def test_a_picture_shown_twice_is_kept_once():
    collector = Collector()
    collector.hear("execute_result", {"data": {"image/png": "AA=="}, "metadata": {}})
    collector.hear("display_data", {"data": {"image/png": "AA=="}, "metadata": {}})
    collector.hear("display_data", {"data": {"image/png": "BB=="}, "metadata": {}})
    assert [o["output_type"] for o in collector.outputs()] == ["execute_result", "display_data"]


def test_clearing_and_updating_displays():
    collector = Collector()
    collector.hear("display_data", {"data": {"text/plain": "1"}, "transient": {"display_id": "d"}})
    collector.hear("update_display_data", {"data": {"text/plain": "2"}, "transient": {"display_id": "d"}})
    assert [o["data"] for o in collector.outputs()] == [{"text/plain": "2"}]
    collector.hear("clear_output", {"wait": True})
    assert len(collector.outputs()) == 1
    collector.hear("stream", {"name": "stdout", "text": "new"})
    assert collector.outputs() == (stream("new"),)
    collector.hear("clear_output", {"wait": False})
    assert collector.outputs() == ()


def test_what_is_no_output_is_not_kept():
    collector = Collector()
    collector.hear("status", {"execution_state": "busy"})
    collector.hear("comm_open", {"comm_id": "x"})
    assert collector.outputs() == ()

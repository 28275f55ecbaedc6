"""What went wrong is one sentence, without what is secret, however odd the answer."""

from __future__ import annotations

import json

import pytest

from nephele_nb.model import failure
from nephele_nb.model.client import ModelClient
from nephele_nb.model.scripted import ScriptedModel, Step
from nephele_nb.model.tiers import endpoint
from tests.model.conversation import Heard, at, hear, run

KEY = "sk-verysecret-123456"
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "raw",
    [
        f'data: {{"choices": {DEEP}}}\n\n'.encode(),
        f'data: {{"choices": {DEEP[:100_000]}'.encode(),
        f'{{"choices": {DEEP}}}'.encode(),
        DEEP.encode(),
    ],
)
def test_json_nested_too_deep_is_told(raw: bytes) -> None:
    async def main() -> Heard:
        with ScriptedModel([Step(raw=raw)]) as model:
            client = ModelClient(at(model))
            heard = await hear(client)
            await client.close()
            return heard

    error = run(main()).error
    assert error is not None
    assert error.code == "provider"


def test_an_error_nested_too_deep_is_told() -> None:
    deep: object = "why"
    for _ in range(5000):
        deep = [deep]
    said = str(failure.from_status(endpoint("byok", "http://host/v1", KEY, "m"), 400, deep))
    assert "refused the request (400)" in said
    assert "nested too deep" in said


def test_what_an_endpoint_repeats_of_its_address_is_blotted_out() -> None:
    where = endpoint("byok", f"https://me:{KEY}-a@host/v1?key={KEY}-b&v=1", f"{KEY}-c", "m")
    said = json.dumps({"at": where.base_url, "with": where.api_key, "v": 1})
    error = str(failure.from_status(where, 400, {"error": {"message": said}}))
    assert KEY not in error
    assert '"v": 1' in error

"""One class says what a valid run is; its links and its complaints are the same everywhere."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from speculation.sampling import Sampling
from speculation.settings import MAX_PROMPT_CHARACTERS, Mode, Precision, Settings, complaints

valid = st.builds(
    Settings,
    prompt=st.text(max_size=200),
    mode=st.sampled_from(get_args(Mode)),
    pair=st.from_regex(r"[A-Za-z0-9:/|._-]{1,40}", fullmatch=True),
    k=st.integers(1, 12),
    temperature=st.floats(0.0, 2.0),
    top_k=st.integers(0, 1000),
    top_p=st.floats(0.0, 1.0, exclude_min=True),
    min_p=st.floats(0.0, 1.0),
    seed=st.integers(0, 2**53 - 1),
    length=st.integers(1, 200),
    precision=st.sampled_from(get_args(Precision)),
)


@given(valid)
def test_a_link_gives_the_settings_back(settings: Settings) -> None:
    link = settings.to_link()
    assert all(isinstance(value, str) for value in link.values())
    assert set(link) == set(Settings.model_fields), "a link must write defaults, too"
    assert Settings.from_link(link) == settings
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


def test_missing_names_are_defaults_and_unknown_ones_are_ignored() -> None:
    assert Settings.from_link({"k": "3", "utm_source": "mail"}) == Settings(k=3)
    assert Settings.from_link({}) == Settings()


BOUNDS = [
    ("prompt", "x" * MAX_PROMPT_CHARACTERS, "x" * (MAX_PROMPT_CHARACTERS + 1)),
    ("mode", "continue", "shout"),
    ("pair", "hf:a/b|c/d", ""),
    ("k", 1, 0),
    ("k", 12, 13),
    ("temperature", 0.0, -0.01),
    ("temperature", 2.0, 2.01),
    ("top_k", 0, -1),
    ("top_k", 1000, 1001),
    ("top_p", 1e-6, 0.0),
    ("top_p", 1.0, 1.01),
    ("min_p", 0.0, -0.01),
    ("min_p", 1.0, 1.01),
    ("seed", 0, -1),
    ("seed", 2**53 - 1, 2**53),
    ("length", 1, 0),
    ("length", 200, 201),
    ("precision", "bfloat16", "float8"),
]


@pytest.mark.parametrize(("field", "good", "bad"), BOUNDS)
def test_bounds(field: str, good: Any, bad: Any) -> None:
    assert getattr(Settings(**{field: good}), field) == good
    for make in (lambda: Settings(**{field: bad}), lambda: Settings.from_link({field: str(bad)})):
        with pytest.raises(ValidationError) as caught:
            make()
        assert list(complaints(caught.value)) == [field]


HOSTILE = [
    ("k", "4; drop table runs"),
    ("k", "nan"),
    ("k", "1e99"),
    ("k", "9" * 5000),
    ("temperature", "inf"),
    ("temperature", "nan"),
    ("temperature", "0x1"),
    ("top_p", "-inf"),
    ("seed", "1.5"),
    ("seed", "-0x7f"),
    ("mode", "__class__"),
    ("pair", "<script>alert(1)</script>"),
    ("pair", "a\nb"),
    ("pair", "a\x00b"),
    ("pair", "x" * 401),
    ("prompt", "\ud800"),
]


@pytest.mark.parametrize(("field", "value"), HOSTILE)
def test_hostile_values_are_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings.from_link({field: value})
    found = complaints(caught.value)
    assert list(found) == [field]
    assert len(found[field]) < 200, "a complaint must not repeat a page of input"


def test_odd_text_is_a_prompt_like_any_other() -> None:
    for prompt in ("<img onerror=alert(1)>", "שלום", "🙂", "a\x07b\x1b[31m", "a\r\nb\tc", ""):
        assert Settings.from_link(Settings(prompt=prompt).to_link()).prompt == prompt


def test_complaints_are_worded_for_a_page() -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(k=40, temperature=-1.0, prompt="\ud800")
    found = complaints(caught.value)
    assert found["k"] == "input should be less than or equal to 12 (got 40)"
    assert found["temperature"] == "input should be greater than or equal to 0 (got -1.0)"
    assert "unicode" in found["prompt"].lower()


def test_unknown_fields_are_refused_in_code() -> None:
    with pytest.raises(ValidationError, match="temprature"):
        Settings(temprature=1.0)  # type: ignore[call-arg]


def test_settings_cannot_be_changed_and_can_be_a_key() -> None:
    settings = Settings()
    with pytest.raises(ValidationError, match="frozen"):
        settings.k = 5  # type: ignore[misc]
    assert {settings: 1}[Settings()] == 1


def test_every_field_has_a_help_line() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, f"{name} has no help line"
        assert field.description.endswith("."), f"the help line of {name} is no sentence"


def test_the_sampling_part() -> None:
    settings = Settings(temperature=0.5, top_k=7, top_p=0.9, min_p=0.05)
    assert settings.sampling == Sampling(0.5, 7, 0.9, 0.05)

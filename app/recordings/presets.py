"""The prompts on offer, chosen for contrast: a draft earns as much as the text is predictable.

Adding one is adding an entry here (and recording it: `make traces`).
"""

from dataclasses import dataclass

from speculation.settings import Settings


@dataclass(frozen=True)
class Preset:
    """One prompt, its recorded run's name, and what to look for in it."""

    name: str
    title: str
    settings: Settings
    look_for: str


_ALL = (
    Preset(
        "code",
        "Code",
        Settings(seed=4),  # of the seeds 1 to 8 the middle one in tokens per cycle
        "Boilerplate is easy to guess: long cycles, interrupted where a name is chosen.",
    ),
    Preset(
        "quote",
        "Quoted passage",
        Settings(
            prompt="Repeat this paragraph exactly: The lighthouse stands at the end of the long "
            "stone pier. Every evening its keeper climbs the ninety-two steps, lights the lamp, "
            "and writes the weather in a small blue book.",
            temperature=0.0,
        ),
        "The target copies almost without doubt, yet the four-layer draft guesses. Now choose the "
        "lookup draft under More settings.",
    ),
    Preset(
        "list",
        "List",
        Settings(prompt="Write a shopping list for a birthday party with ten items."),
        "The format repeats and is free; the words between are not.",
    ),
    Preset(
        "story",
        "Story",
        Settings(prompt="Write a short story about a dragon who is afraid of fire."),
        "Many next words are good ones: the two distributions differ more, and cycles are shorter.",
    ),
    Preset(
        "poem",
        "Poem",
        Settings(prompt="Write a poem about the sea in autumn."),
        "The least predictable text of these: watch how much is drafted for nothing.",
    ),
    Preset(
        "question",
        "Question",
        Settings(prompt="Why is the sky blue?"),
        "Facts are where the small model knows least: names and terms are corrected.",
    ),
)


def presets() -> tuple[Preset, ...]:
    """All presets, the default first."""
    return _ALL

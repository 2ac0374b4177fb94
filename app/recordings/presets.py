"""The prompts on offer, chosen for contrast: a draft earns as much as the text is predictable.

What to look for is said of the recorded run, and a test holds each sentence to it. Adding a prompt
is adding an entry here (and recording it: `make traces`).
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
        "Boilerplate is easy to guess: the longest cycles of these prompts, the first four without "
        "a rejection.",
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
        "The target copies almost without doubt, yet the four-layer draft guesses: the shortest "
        "cycles of all. Now choose the lookup draft.",
    ),
    Preset(
        "list",
        "List",
        Settings(prompt="Write a shopping list for a birthday party with ten items."),
        "The form repeats: marks and line breaks stay more often than the words between them.",
    ),
    Preset(
        "story",
        "Story",
        Settings(prompt="Write a short story about a dragon who is afraid of fire."),
        "Many next words are good ones: of the prompts at this temperature, the two distributions "
        "differ most here, and cycles are shortest.",
    ),
    Preset(
        "poem",
        "Poem",
        Settings(prompt="Write a poem about the sea in autumn."),
        "What the draft gets right here, it gets right in a row: longer cycles than in the story, "
        "and many that lose their first draft.",
    ),
    Preset(
        "question",
        "Question",
        Settings(prompt="Why is the sky blue?"),
        "The small model knows few facts: more than half of the cycles lose their first draft.",
    ),
)


def presets() -> tuple[Preset, ...]:
    """All presets, the default first."""
    return _ALL

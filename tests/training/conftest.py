"""A tiny target and what it wrote, made once a file."""

import pytest

from helpers.tiny_training import random_target, shard
from training.target import Target
from training.texts.sample import Texts


@pytest.fixture(scope="module")
def target() -> Target:
    """A random Llama whose laws are far from flat."""
    return random_target()


@pytest.fixture(scope="module")
def texts(target: Target) -> Texts:
    """One shard of samples from prompts of unequal length."""
    return shard(target, seed=5)

"""Texts the target wrote earlier, of any length, taken over as shards of equal rows.

The file is an npz with flat `token_ids` and, for each text, `length`, `prompt_length` and
`temperature`. Texts of like length go into one shard; the filling at the end of a row changes
nothing before it (attention only looks back) and is never counted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.texts.sample import Texts


def adopt(file: Path, folder: Path, rows: int) -> int:
    """Write the file's texts as `shard-000.npz` and on, unless shards are there; how many."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("shard-???.npz")):
        return 0
    with np.load(file) as stored:
        flat, length = stored["token_ids"], stored["length"].astype(np.int32)
        prompt_length, temperature = stored["prompt_length"], stored["temperature"]
    start = np.concatenate([[0], np.cumsum(length)])
    order = np.argsort(length, kind="stable")
    parts = [order[i : i + rows] for i in range(0, len(order), rows)]
    for index, part in enumerate(parts):
        tokens = np.zeros((len(part), int(length[part].max())), np.uint16)
        for row, text in enumerate(part):
            tokens[row, : length[text]] = flat[start[text] : start[text + 1]]
        Texts(
            tokens=tokens,
            prompt_length=prompt_length[part].astype(np.int32),
            length=length[part],
            temperature=temperature[part].astype(np.float32),
            kind=np.full(len(part), -1, np.int32),
            prompt=np.full(len(part), -1, np.int32),
        ).save(folder / f"shard-{index:03d}.npz")
    return len(parts)

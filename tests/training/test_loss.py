"""The loss with its gradient written out, against autograd; and going on from an earlier draft."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers.tiny_training import RECIPE
from training import chunked_loss
from training.chunked_loss import mixed_loss
from training.distill import Students, losses
from training.target import Target


@pytest.mark.parametrize("share", [0.0, 0.4, 0.9])
def test_chunked_loss_and_gradients_are_those_of_the_plain_one(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunked_loss, "ROWS", 7)  # chunks that do not divide the positions
    generator = torch.Generator().manual_seed(3)
    positions, hidden, vocabulary, short, says = 20, 6, 30, 11, (0.3, 0.7)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    drafts, head = [random(positions, hidden) for _ in says], random(short, hidden)
    target_states, embedding = random(positions, hidden), random(vocabulary, hidden)
    normalizer = (target_states @ embedding.T).logsumexp(-1)
    counted = (random(positions) > -0.5).float()

    def gradients(form: str) -> tuple[float, list[torch.Tensor]]:
        leaves = [one.clone().requires_grad_() for one in (*drafts, head)]
        *mine, top = leaves
        rows = embedding[:short]
        if form == "chunked":
            loss, parts = mixed_loss(
                mine, top, target_states, rows, normalizer, counted, share, says
            )
            plain = [losses(m, top, target_states @ rows.T, normalizer, counted) for m in mine]
            assert torch.allclose(parts.T, torch.stack([torch.stack(x) for x in plain]), atol=1e-6)
        else:
            pairs = [losses(m, top, target_states @ rows.T, normalizer, counted) for m in mine]
            both = [(1 - share) * e + share * (1 - o) for e, o in pairs]
            loss = says[0] * both[0] + says[1] * both[1]
        torch.autograd.backward(loss)
        return float(loss), [leaf.grad for leaf in leaves if leaf.grad is not None]

    mine, expected = gradients("chunked"), gradients("plain")
    assert mine[0] == pytest.approx(expected[0], abs=1e-6)
    for a, b in zip(mine[1], expected[1], strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_training_goes_on_from_a_draft(target: Target, tmp_path: Path) -> None:
    early = Students.start(target, torch.arange(0, 300, 3), replace(RECIPE, depths=(2,)))
    with torch.no_grad():
        early.head.mul_(2.0)
    early.save(tmp_path, seen=1)
    both = replace(RECIPE, depths=(1, 2), head_shares=(0.5, 0.5))
    later = Students.start_from(target, tmp_path / "layers-2", early.token_ids, both)
    assert [rung.shape.layers for rung in later.rungs] == [1, 2]
    assert torch.equal(later.token_ids, early.token_ids)
    assert torch.allclose(later.head, early.head, rtol=0.01)
    for name, weight in early.rungs[0].weights.items():  # kept in bfloat16 in between
        assert torch.allclose(later.rungs[1].weights[name], weight, rtol=0.01)
        if "layers.0" in name:
            assert torch.equal(later.rungs[0].weights[name], later.rungs[1].weights[name])
    deeper = replace(RECIPE, depths=(3,))
    with pytest.raises(ValueError, match="has 2 layers; 3 wanted"):
        Students.start_from(target, tmp_path / "layers-2", early.token_ids, deeper)


def test_a_trained_head_grows_by_rows_that_fit_it(target: Target, tmp_path: Path) -> None:
    """The trained rows stay; a new one is the target's, moved as training moved the others."""
    had = torch.arange(0, 300, 2)
    early = Students.start(target, had, replace(RECIPE, depths=(2,)))
    hidden, generator = target.shape.hidden, torch.Generator().manual_seed(4)
    turn = torch.randn(hidden, hidden, generator=generator)
    shift = torch.randn(hidden, generator=generator)
    with torch.no_grad():
        early.head.copy_(target.embedding[had] @ turn + shift)
    early.save(tmp_path, seen=1)
    wanted = torch.tensor([0, 1, 2, 3, *range(100, 300)])
    one = replace(RECIPE, depths=(2,), head_rows=len(wanted))
    longer = Students.start_from(target, tmp_path / "layers-2", wanted, one)
    ids = longer.token_ids
    assert ids.tolist() == sorted({*had.tolist(), *wanted.tolist()})
    assert longer.rungs[0].token_ids is ids
    kept = torch.isin(ids, had)
    assert torch.allclose(longer.head[kept], early.head, rtol=0.01, atol=0.01)
    expected = target.embedding[ids[~kept]] @ turn + shift
    error = (longer.head[~kept] - expected).norm() / expected.norm()
    assert error < 0.3, "the map that moved the trained rows is found again"
    law = longer.rungs[0].log_law(target.embedding, torch.tensor([[1, 2]]))
    assert torch.allclose(law.exp().sum(-1), torch.ones(1, 2))
    assert law.isfinite().nonzero()[:, -1].unique().tolist() == ids.tolist()

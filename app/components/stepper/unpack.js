/**
 * A run as the server sends it (components/run_payload.py) in the shape of a trace. Pure.
 */

const VERSION = 1;

/** What is no payload, a whole trace or a part of one for a class, comes back as it is. */
export function unpack(given) {
  if (!given || given.version === undefined) return given;
  if (given.version !== VERSION) throw new Error(`a run of version ${given.version}`);
  const { digest, vocabulary, alpha, pieces } = given;
  return { digest, vocab_size: vocabulary, alpha, pieces, settings: { k: given.k },
    cycles: given.cycles.map(unpackCycle) };
}

function unpackCycle(packed, index) {
  const { start, n, cut, end } = packed;
  const checked = packed.u.length;
  const drafted = packed.tokens.map((token, i) => ({
    index: start + i, token, p: packed.p[i], q: packed.q[i],
    a: packed.a[i] ?? null, u: packed.u[i] ?? null, laws: packed.laws[i] ?? null,
    verdict: i >= checked ? "unchecked" : i < n ? "accepted" : "rejected",
  }));
  const decided = [...packed.tokens.slice(0, n), ...(end ? [end.token] : [])];
  return { index, start, drafted, n_accepted: n, cut, committed: decided.slice(0, packed.committed),
    replacement: end && { ...end, index: start + n } };
}

/** `refused` is an answer: the provider understood the call and does not want it. */
type CallEnd = 'ok' | 'refused' | 'failed'

const counts = new Map<string, Record<CallEnd, number>>()

export function countCall(provider: string, end: CallEnd): void {
  const ofProvider = counts.get(provider) ?? { ok: 0, refused: 0, failed: 0 }
  ofProvider[end] += 1
  counts.set(provider, ofProvider)
}

/** The calls of this process since it started, by provider. */
export function readCallCounts(): ReadonlyMap<string, Readonly<Record<CallEnd, number>>> {
  return counts
}

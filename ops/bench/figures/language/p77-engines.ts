import { findKeywords } from '../../../../tasks/engines/language/keywords.ts'
import { joinRatings, rateSentences } from '../../../../tasks/engines/language/sentiment.ts'
import { chooseSentences } from '../../../../tasks/engines/language/summarize.ts'
import { embedText } from '../../../../tasks/engines/vectors/hash-embedding.ts'
import type { Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { makeProse } from './made-prose.ts'

/** Almost as much as a call takes. */
const BYTES = 190_000
const CHUNK_BYTES = 1_200
const WARM_UP = 5
const ROUNDS = 12

export default {
  id: 'P77',
  title: 'llm: our own engines over 190 KB of prose, by the processor time that they take',
  async measure() {
    const text = makeProse(BYTES)
    const chunks = Array.from({ length: Math.ceil(BYTES / CHUNK_BYTES) }, (_, at) =>
      text.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
    )
    const read = (label: string, atLeast: number, run: () => unknown): Reading => ({
      ...{ label, unit: 'MB/s a core', ours: measure(run), floor: Number.NaN, goal: { atLeast } },
      ...{ judgedBy: 'ours', limitedBy: 'one thread', facts: { bytes: BYTES, rounds: ROUNDS } },
    })
    return [
      read('summarize', 1, () => chooseSentences(text, { maxSentences: 5 })),
      read('keywords', 1, () => findKeywords(text, { max: 10, ngrams: 4, dedupe: true })),
      read('sentiment', 1, () => joinRatings(rateSentences(text))),
      read(`embed, chunks of ${CHUNK_BYTES} bytes`, 5, () => chunks.map(chunk => embedText(chunk))),
    ]
  },
} satisfies Figure

function measure(run: () => unknown): number {
  for (let round = 0; round < WARM_UP; round++) run()
  const rates = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return BYTES / (user + system)
  })
  return median(rates)
}

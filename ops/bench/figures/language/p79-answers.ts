import { JSON_HEADERS } from '../../calls.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'
import { makeProse } from './made-prose.ts'

const CHUNKS = 20_000
const LEAST_CHUNKS = 2_000
const CHUNK_BYTES = 600
const BATCH = 500
const QUESTIONS = 40

export default {
  id: 'P79',
  title: 'rag/answer (extractive) over 20,000 chunks of a vector baton, one client',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0, accounts: 1 })
    const count = Math.max(LEAST_CHUNKS, Math.round(CHUNKS * bench.profile.bulk))
    const text = makeProse(count * CHUNK_BYTES)
    const { id: batonId } = await post(stack, '/v1/baton', { preset: 'vector', tier: 'standard' })
    for (let at = 0; at < count; at += BATCH) {
      const vectors = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => {
        const start = (at + index) * CHUNK_BYTES
        return { id: `c${at + index}`, text: text.slice(start, start + CHUNK_BYTES) }
      })
      await post(stack, `/v1/baton/${batonId}/vectors`, { vectors })
    }
    const times: number[] = []
    for (let asked = 0; asked < QUESTIONS; asked++) {
      const start = Math.floor((asked + 0.5) * (text.length / QUESTIONS))
      const [, question = ''] = /\s(.{40,80}?)\s/su.exec(text.slice(start, start + 200)) ?? []
      const startedMs = performance.now()
      await post(stack, '/v1/rag/answer', { question, batonId, method: 'extractive' })
      if (asked > 0) times.push(performance.now() - startedMs)
    }
    return [
      {
        ...{ label: `an answer from ${count} chunks, median`, unit: 'ms', ours: median(times), floor: Number.NaN },
        ...{ goal: { atMost: 100 }, judgedBy: 'ours', limitedBy: 'words and vectors of all chunks' },
        facts: { count, questions: QUESTIONS },
      },
    ]
  },
} satisfies Figure

async function post({ baseUrl, keys }: Stack, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${keys[0]}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

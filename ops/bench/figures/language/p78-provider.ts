import { JSON_HEADERS } from '../../calls.ts'
import type { Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack } from '../../stack.ts'
import { openModelServer } from './model-server.ts'

const CALLS = 300
const LEAST_CALLS = 40
const WARM_UP = 20
const ASKED = { messages: [{ role: 'user', content: 'When is low tide?' }], max_tokens: 100 }

export default {
  id: 'P78',
  title: 'chat/completions: what our path adds to a provider that answers at once, and to the first byte of its stream',
  async measure(bench) {
    await using provider = await openModelServer()
    await using stack = await openStack(bench.environment, { workers: 0, accounts: 1, env: provider.env })
    const count = Math.max(LEAST_CALLS, Math.round(CALLS * bench.profile.bulk))
    const ours = { url: `${stack.baseUrl}/v1/chat/completions`, key: stack.keys[0]!, model: 'value' }
    const direct = { url: `${provider.url}/chat/completions`, key: 'bench', model: 'medium' }
    const whole = await compare(ours, direct, { count, isStream: false })
    const first = await compare(ours, direct, { count, isStream: true })
    const read = (label: string, times: Awaited<ReturnType<typeof compare>>, atMost: number): Reading => ({
      ...{ label, unit: 'ms', ours: times.ours - times.direct, floor: times.direct, goal: { atMost } },
      ...{ judgedBy: 'ours', limitedBy: 'two round trips to Postgres', facts: { ...times, count } },
    })
    return [
      read('added to an answer, median', whole, 5),
      read('added to the first byte of a stream, median', first, 10),
    ]
  },
} satisfies Figure

interface Place {
  url: string
  key: string
  model: string
}

/** The medians of calls that take turns, so that what else the machine does meets both. */
async function compare(ours: Place, direct: Place, { count, isStream }: { count: number; isStream: boolean }) {
  const times = { ours: [] as number[], direct: [] as number[] }
  for (let call = -WARM_UP; call < count; call++)
    for (const [side, place] of Object.entries({ ours, direct })) {
      const ms = await time(place, isStream)
      if (call >= 0) times[side as keyof typeof times].push(ms)
    }
  return { ours: median(times.ours), direct: median(times.direct) }
}

async function time({ url, key, model }: Place, isStream: boolean): Promise<number> {
  const startedMs = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...ASKED, model, stream: isStream }),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  const reader = response.body!.getReader()
  await reader.read()
  const firstMs = performance.now() - startedMs
  while (!(await reader.read()).done);
  return isStream ? firstMs : performance.now() - startedMs
}

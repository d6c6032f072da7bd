import { JSON_HEADERS } from '../../calls.ts'
import type { Bench, Figure } from '../../figure.ts'
import { quantile } from '../../median.ts'
import { createPhotograph } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'

/** Enough for the whole measurement: each keeps a core busy for about half a second. */
const HEAVY_JOBS = 1_000
const POSTED_AT_ONCE = 16
const PATH = '/v1/image/resize'

export default {
  id: 'P23',
  title: 'a light call of one account while another keeps 1,000 heavy jobs queued in its lane',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 2 })
    const photograph = await createPhotograph()
    const [heavyFile, lightFile] = await Promise.all(
      stack.accounts.map(account => storeUpload(stack, account, photograph, 'image/jpeg')),
    )
    const light = { file: { inputKey: lightFile }, width: 64, format: 'webp' }
    const alone = await timeCalls(bench, stack, light)
    bench.log(`queueing ${HEAVY_JOBS} jobs`)
    await queueHeavy(stack, { file: { inputKey: heavyFile }, width: 640, format: 'avif' })
    const beside = await timeCalls(bench, stack, light)
    const waiting = await countOpen(stack)
    if (waiting === 0) throw new Error('the heavy jobs ended before the measurement did')
    await requireNoFailedJobs(stack)
    return [
      {
        label: 'light call beside 1,000 heavy jobs, p99 above alone',
        unit: 'ms',
        ours: beside.p99Ms - alone.p99Ms,
        floor: alone.p99Ms,
        goal: { atMost: 2_000 },
        judgedBy: 'ours',
        limitedBy: `the next end of a running job; p50 ${beside.p50Ms.toFixed(0)} over ${alone.p50Ms.toFixed(0)} ms; ${waiting} heavy jobs were left`,
        facts: { alone, beside },
      },
    ]
  },
} satisfies Figure

/** Calls one after the other with the second account's key. */
async function timeCalls({ profile }: Bench, stack: Stack, body: unknown) {
  await post(stack, 1, body)
  const times: number[] = []
  const until = performance.now() + profile.rounds * profile.seconds * 2_000
  while (performance.now() < until) {
    const startedAt = performance.now()
    await post(stack, 1, body)
    times.push(performance.now() - startedAt)
  }
  times.sort((a, b) => a - b)
  return { calls: times.length, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

async function queueHeavy(stack: Stack, body: unknown): Promise<void> {
  for (let done = 0; done < HEAVY_JOBS; done += POSTED_AT_ONCE) {
    const count = Math.min(POSTED_AT_ONCE, HEAVY_JOBS - done)
    await Promise.all(Array.from({ length: count }, () => post(stack, 0, body, { prefer: 'respond-async' })))
  }
}

async function post({ baseUrl, keys }: Stack, caller: number, body: unknown, more: Record<string, string> = {}) {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${keys[caller]}`, ...more }
  const reply = await fetch(baseUrl + PATH, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await reply.text()
  if (!reply.ok) throw new Error(`${PATH} answered ${reply.status}: ${answer.slice(0, 300)}`)
}

async function countOpen({ db }: Stack): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    text: "select count(*) from svc.job where status in ('submitted', 'running')",
  })
  return Number(rows[0]!.count)
}

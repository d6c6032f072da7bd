import type { Lane } from '#kit'
import { JSON_HEADERS } from '../../calls.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { quantile } from '../../median.ts'
import { createPhotograph } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'

const FLOOD = 100_000
/** Longer than the flood takes, so that none of its jobs expires. */
const QUEUE_SECONDS = 86_400
const POSTED_AT_ONCE = 64

interface Work {
  label: string
  lane: Lane
  path: string
  /** What floods, and what another account asks for meanwhile. */
  heavy(file: string): object
  light(file: string): object
  /** Whether the light call is awaited on its connection, or asked for by its ticket. */
  isTicket: boolean
  /** Jobs of one account at once, as an operator sets it who promises others a time. */
  maxRunning?: number
}

const IMAGE = {
  lane: 'native',
  path: '/v1/image/resize',
  heavy: file => ({ file: { inputKey: file }, width: 640, format: 'avif' }),
  light: file => ({ file: { inputKey: file }, width: 64, format: 'webp' }),
} satisfies Pick<Work, 'lane' | 'path' | 'heavy' | 'light'>
const TEXT = { lane: 'thread', path: '/v1/utils/uuid', heavy: () => ({}), light: () => ({}), isTicket: false } as const

const WORKS: readonly Work[] = [
  { ...IMAGE, label: 'slow jobs, a call that is awaited', isTicket: false },
  { ...IMAGE, label: 'slow jobs, a ticket', isTicket: true },
  { ...IMAGE, label: 'slow jobs, one at once by queue.max_running', isTicket: false, maxRunning: 1 },
  { ...TEXT, label: 'fast jobs, a call that is awaited' },
]

/** The flood is queued before a worker runs, because no caller here is as fast as a worker with fast jobs. */
export default {
  id: 'P25',
  title: 'one job of an account while another has 100,000 queued in its lane',
  async measure(bench) {
    const readings: Reading[] = []
    for (const work of WORKS) readings.push(await measureFlood(bench, work))
    return readings
  },
} satisfies Figure

async function measureFlood(bench: Bench, work: Work): Promise<Reading> {
  const settings = {
    'cputools.exec.queue_timeout_s': QUEUE_SECONDS,
    ...(work.maxRunning !== undefined && { 'queue.max_running': work.maxRunning }),
  }
  await using stack = await openStack(bench.environment, { accounts: 2, workers: 0, lanes: [work.lane], settings })
  const photograph = await createPhotograph()
  const [heavyFile, lightFile] = (await Promise.all(
    stack.accounts.map(account => storeUpload(stack, account, photograph, 'image/jpeg')),
  )) as [string, string]
  const worker = await stack.addWorker()
  const alone = await timeCalls(bench, stack, work, work.light(lightFile))
  await worker.stop()
  const jobs = Math.round(FLOOD * bench.profile.bulk)
  bench.log(`queueing ${jobs} jobs for: ${work.label}`)
  await queueFlood(stack, work, { body: work.heavy(heavyFile), jobs })
  await stack.addWorker()
  const beside = await timeCalls(bench, stack, work, work.light(lightFile))
  const left = await countOpen(stack)
  if (left === 0) throw new Error('the flood ended before the measurement did')
  await requireNoFailedJobs(stack)
  return {
    label: `${jobs} ${work.label}: the slowest beyond alone`,
    unit: 'ms',
    ours: beside.worstMs - alone.p50Ms,
    floor: alone.p50Ms,
    goal: { atMost: 2_000 },
    judgedBy: 'ours',
    limitedBy: `the processors, which running jobs share; p50 ${beside.p50Ms.toFixed(0)} over ${alone.p50Ms.toFixed(0)} ms, ${beside.calls} calls; ${left} jobs were left`,
    facts: { alone, beside },
  }
}

/** One call after the other with the second account's key. */
async function timeCalls({ profile }: Bench, stack: Stack, work: Work, body: object) {
  await call(stack, work, body)
  const times: number[] = []
  const until = performance.now() + profile.rounds * profile.seconds * 1_000
  while (performance.now() < until) {
    const startedAt = performance.now()
    await call(stack, work, body)
    times.push(performance.now() - startedAt)
  }
  times.sort((a, b) => a - b)
  return { calls: times.length, p50Ms: quantile(times, 0.5), worstMs: times.at(-1)! }
}

async function call(stack: Stack, { path, isTicket }: Work, body: object): Promise<void> {
  const ticket = { prefer: isTicket ? 'respond-async' : 'respond-async, wait=60' }
  const { id } = await post(stack, { path, caller: 1, body, headers: ticket })
  if (!isTicket) return
  const headers = { authorization: `Bearer ${stack.keys[1]}` }
  const job = (await (await fetch(`${stack.baseUrl}/v1/jobs/${id}?wait=60`, { headers })).json()) as { status: string }
  if (job.status !== 'succeeded') throw new Error(`the job ended as ${job.status}`)
}

async function queueFlood(stack: Stack, { path }: Work, { body, jobs }: { body: object; jobs: number }): Promise<void> {
  const headers = { prefer: 'respond-async' }
  for (let done = 0; done < jobs; done += POSTED_AT_ONCE) {
    const count = Math.min(POSTED_AT_ONCE, jobs - done)
    await Promise.all(Array.from({ length: count }, () => post(stack, { path, caller: 0, body, headers })))
  }
}

interface Posted {
  path: string
  caller: number
  body: object
  headers: Record<string, string>
}

async function post({ baseUrl, keys }: Stack, { path, caller, body, headers: more }: Posted): Promise<{ id: string }> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${keys[caller]}`, ...more }
  const reply = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await reply.text()
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${answer.slice(0, 300)}`)
  return JSON.parse(answer) as { id: string }
}

async function countOpen({ db }: Stack): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    text: "select count(*) from svc.job where status in ('submitted', 'running')",
  })
  return Number(rows[0]!.count)
}

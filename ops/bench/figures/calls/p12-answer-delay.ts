import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { rows } from '../../../../sql/db.ts'
import { buildQueuedCall } from '../../calls.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { FLOOR_TABLE_SQL } from '../../floor/start.ts'
import { receiveMessage } from '../../load/run.ts'
import { quantile } from '../../median.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'

type Answer = [jobId: string, answeredAtMs: number]

const CLOCK_SCRIPT = fileURLToPath(new URL('answer-clock.ts', import.meta.url))
const CLIENTS = 8
/** The first calls of a process are slow because its code is not compiled yet. */
const WARM_UP_SHARE = 0.2

/**
 * A job is finished when `job.finish_batch` records its end, just before its commit. Between that and the last byte at
 * the client lie the commit, its notification, the api and a socket. The floor is the UPDATE and commit of one row,
 * repeated on one connection at the same time and therefore under the same load.
 */
export default {
  id: 'P12',
  title: "from a finished job to the waiting client's answer, lane Q, p99 over commit p99",
  async measure(bench) {
    await using stack = await openStack(bench.environment)
    await stack.db.query({ text: FLOOR_TABLE_SQL })
    await verifyCall(stack, buildQueuedCall(stack))
    const [answers, commits] = await measureAnswersAndCommits(bench, stack)
    await requireNoFailedJobs(stack)
    return [buildReading(await computeAnswerDelays(stack, answers), commits)]
  },
} satisfies Figure

async function measureAnswersAndCommits(bench: Bench, stack: Stack): Promise<[Answer[], number[]]> {
  const seconds = bench.profile.rounds * bench.profile.seconds
  const { path, ...call } = buildQueuedCall(stack)
  const child = fork(CLOCK_SCRIPT, [JSON.stringify({ url: stack.baseUrl + path, ...call, clients: CLIENTS, seconds })])
  const stopped = new AbortController()
  const commits = measureCommits(stack.databaseUrl, stopped.signal)
  try {
    const answers = await receiveMessage<Answer[]>(child)
    stopped.abort()
    return [answers, await commits]
  } finally {
    stopped.abort()
  }
}

async function measureCommits(url: string, signal: AbortSignal): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const times: number[] = []
  const debit = { name: 'spend', text: 'update floor.account set balance_micros = balance_micros - 1 where id = 0' }
  try {
    while (!signal.aborted) {
      const startedAt = performance.now()
      await client.query(debit)
      times.push(performance.now() - startedAt)
    }
    return times
  } finally {
    await client.end()
  }
}

async function computeAnswerDelays(stack: Stack, answers: Answer[]): Promise<number[]> {
  const finished = await rows<{ id: string; at: string }>(
    stack.db,
    'select id, (extract(epoch from finished_at) * 1000)::text as at from svc.job where id = any($1::uuid[])',
    [answers.map(([id]) => id)],
  )
  const byId = new Map(finished.map(({ id, at }) => [id, Number(at)]))
  return answers.map(([id, answeredAt]) => answeredAt - byId.get(id)!)
}

function buildReading(delays: number[], commits: number[]): Reading {
  const [answer, commit] = [delays, commits].map(times => {
    const sorted = times.slice(Math.floor(times.length * WARM_UP_SHARE)).sort((a, b) => a - b)
    return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), count: sorted.length }
  }) as [Distribution, Distribution]
  return {
    label: `lane Q, ${CLIENTS} clients, end to answer p99`,
    unit: 'ms',
    ours: answer.p99Ms,
    floor: commit.p99Ms,
    goal: { atMost: 3 },
    judgedBy: 'ratio',
    limitedBy: `p50 ${answer.p50Ms.toFixed(2)} over ${commit.p50Ms.toFixed(2)} ms; ${answer.count} answers, ${commit.count} commits`,
    facts: { answer, commit },
  }
}

interface Distribution {
  p50Ms: number
  p99Ms: number
  count: number
}

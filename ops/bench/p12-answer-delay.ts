import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { rows } from '../../sql/db.ts'
import { queuedCall } from './calls.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import { FLOOR_TABLE } from './floor.ts'
import { answerOf } from './load.ts'
import { quantile } from './median.ts'
import { checkStack, openStack, type Stack, tryCall } from './stack.ts'

type Answer = [jobId: string, answeredAtMs: number]

const CLOCK = fileURLToPath(new URL('answer-clock.ts', import.meta.url))
const CLIENTS = 8
/** Of the first calls of a process most are slow: it has not yet been compiled. */
const SKIPPED = 0.2

/**
 * A job is finished when `job.finish_batch` notes its end, just before its commit; from there to the last byte at the
 * client there are that commit, its news, the api and a socket. The floor is one row's UPDATE and commit, over and over
 * on one connection, at the same time and thus under the same load.
 */
export default {
  id: 'P12',
  title: "from a finished job to the waiting client's answer, lane Q, p99 over commit p99",
  async measure(bench) {
    await using stack = await openStack(bench.home)
    await stack.db.query({ text: FLOOR_TABLE })
    await tryCall(stack, queuedCall(stack))
    const [answers, commits] = await delaysBesideCommits(bench, stack)
    await checkStack(stack)
    return [reading(await answerDelays(stack, answers), commits)]
  },
} satisfies Figure

async function delaysBesideCommits(bench: Bench, stack: Stack): Promise<[Answer[], number[]]> {
  const seconds = bench.pace.rounds * bench.pace.seconds
  const { path, ...call } = queuedCall(stack)
  const child = fork(CLOCK, [JSON.stringify({ url: stack.baseUrl + path, ...call, clients: CLIENTS, seconds })])
  const stopped = new AbortController()
  const commits = commitTimes(stack.databaseUrl, stopped.signal)
  try {
    const answers = await answerOf<Answer[]>(child)
    stopped.abort()
    return [answers, await commits]
  } finally {
    stopped.abort()
  }
}

async function commitTimes(url: string, signal: AbortSignal): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const times: number[] = []
  const spend = { name: 'spend', text: 'update floor.account set balance_micros = balance_micros - 1 where id = 0' }
  try {
    while (!signal.aborted) {
      const begun = performance.now()
      await client.query(spend)
      times.push(performance.now() - begun)
    }
    return times
  } finally {
    await client.end()
  }
}

async function answerDelays(stack: Stack, answers: Answer[]): Promise<number[]> {
  const finished = await rows<{ id: string; at: string }>(
    stack.db,
    'select id, (extract(epoch from finished_at) * 1000)::text as at from svc.job where id = any($1::uuid[])',
    [answers.map(([id]) => id)],
  )
  const byId = new Map(finished.map(({ id, at }) => [id, Number(at)]))
  return answers.map(([id, answeredAt]) => answeredAt - byId.get(id)!)
}

function reading(delays: number[], commits: number[]): Reading {
  const [answer, commit] = [delays, commits].map(times => {
    const sorted = times.slice(Math.floor(times.length * SKIPPED)).sort((a, b) => a - b)
    return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), count: sorted.length }
  }) as [Spread, Spread]
  return {
    of: `lane Q, ${CLIENTS} clients, end to answer p99`,
    unit: 'ms',
    ours: answer.p99Ms,
    floor: commit.p99Ms,
    goal: { atMost: 3 },
    judged: 'ratio',
    limit: `p50 ${answer.p50Ms.toFixed(2)} over ${commit.p50Ms.toFixed(2)} ms; ${answer.count} answers, ${commit.count} commits`,
    facts: { answer, commit },
  }
}

interface Spread {
  p50Ms: number
  p99Ms: number
  count: number
}

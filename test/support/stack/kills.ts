import { setTimeout as sleep } from 'node:timers/promises'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../machine/eventually.ts'
import type { Answer } from './client.ts'
import type { Stack } from './start.ts'

const ANSWER_WITHIN_MS = 180_000

/** Each kills something and starts it again. */
type Victims = Readonly<Record<string, () => Promise<unknown>>>

interface KillOptions {
  /** As `Date.now()` counts. Whatever the time, each of `order` has its turn. */
  until: number
  pauseMs: number
  /** The names of those that are killed, one after the other, again and again. */
  order: readonly string[]
}

/** Returns how often each was killed. */
export async function killInTurn(
  victims: Victims,
  { until, pauseMs, order }: KillOptions,
): Promise<Record<string, number>> {
  const counts = Object.fromEntries(Object.keys(victims).map(name => [name, 0]))
  for (let turn = 0; Date.now() < until || turn < order.length; turn++) {
    await sleep(pauseMs)
    const name = order[turn % order.length]!
    counts[name]! += 1
    await victims[name]!()
  }
  return counts
}

/** Kills the api, a worker and connections of a stack until then. It starts the worker that it kills. */
export async function killRoles(stack: Stack, options: KillOptions): Promise<Record<string, number>> {
  let { api } = stack
  let starting = stack.startWorker({})
  const victims = {
    api: async () => {
      await api.kill()
      api = await stack.startApi()
    },
    // It takes long to start; the others are killed meanwhile.
    worker: async () => {
      await (await starting).kill()
      starting = stack.startWorker({})
    },
    connections: () => cutConnections(stack),
  }
  const counts = await killInTurn(victims, options)
  await starting
  return counts
}

/** About half of the connections of the service. */
export async function cutConnections({ db }: Stack): Promise<void> {
  await rows(
    db,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
     and application_name like 'coinop%' and application_name <> 'coinop test' and random() < 0.5`,
  )
}

/** Asks until an answer is done, as a careful client does it. An earlier try may have done it. */
export async function insist(
  what: string,
  ask: () => Promise<Answer>,
  isDone: (answer: Answer) => boolean,
): Promise<Answer> {
  const answers: Answer[] = []
  const attempt = async () => {
    const answer = await ask().catch(() => undefined)
    if (answer) answers.push(answer)
    return answer !== undefined && isDone(answer) && answer
  }
  return eventually(what, attempt, ANSWER_WITHIN_MS).catch((error: Error) => {
    throw new Error(`${error.message}; the last was ${answers.at(-1)?.status} ${answers.at(-1)?.text}`)
  })
}

export const hasStatus = (status: number) => (answer: Answer) => answer.status === status

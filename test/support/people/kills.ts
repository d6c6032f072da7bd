import { setTimeout as sleep } from 'node:timers/promises'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../machine/eventually.ts'
import type { Answer } from '../stack/client.ts'
import type { Stack } from '../stack/start.ts'

const PAUSE_MS = 600
const ANSWER_WITHIN_MS = 180_000

/** Until an answer with this status arrives, as a careful client does it. An earlier try may have done it. */
export async function insist(
  what: string,
  ask: () => Promise<Answer>,
  done: (answer: Answer) => boolean,
): Promise<Answer> {
  const answers: Answer[] = []
  const attempt = async () => {
    const answer = await ask().catch(() => undefined)
    if (answer) answers.push(answer)
    return answer && done(answer) && answer
  }
  return eventually(what, attempt, ANSWER_WITHIN_MS).catch((error: Error) => {
    throw new Error(`${error.message}; the last was ${answers.at(-1)?.status} ${answers.at(-1)?.text}`)
  })
}

export const hasStatus = (status: number) => (answer: Answer) => answer.status === status

const VICTIMS = ['api', 'connections', 'worker'] as const

/** Kills the api, half of the connections to the database and the worker in turn; at the end all are there again. */
export async function killUntil(stack: Stack, until: number, workerEnv: Record<string, string> = {}) {
  const counts = { api: 0, worker: 0, connections: 0 }
  let { api } = stack
  let starting = stack.startWorker(workerEnv)
  for (let turn = 0; Date.now() < until || turn < VICTIMS.length; turn++) {
    await sleep(PAUSE_MS)
    const victim = VICTIMS[turn % VICTIMS.length]!
    counts[victim] += 1
    if (victim === 'api') {
      await api.kill()
      api = await stack.startApi()
    } else if (victim === 'worker') {
      await (await starting).kill()
      starting = stack.startWorker(workerEnv)
    } else
      await rows(
        stack.db,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name like 'coinop%' and application_name <> 'coinop test' and random() < 0.5`,
      )
  }
  await starting
  return counts
}

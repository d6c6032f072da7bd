import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CronItem, TaskList } from 'graphile-worker'
import type { Chore } from '#kit'
import { findOpenJobs, forgetResults } from '../sql/job.ts'
import { findUnrecorded, forgetObjects, listExpiredObjects } from '../sql/object.ts'
import type { ChoreDeps } from '../tasks/chores/deps.ts'
import type { WorkerContext } from './context.ts'
import { bindPaymentDeps } from './payment-deps.ts'
import { bindProductDeps } from './product-parts.ts'

const CHORES_FOLDER = fileURLToPath(new URL('../tasks/chores/', import.meta.url))

let loaded: Map<string, Chore<ChoreDeps>> = new Map()

/** Loads every chore of the folder; called once before the lanes start. */
export async function loadChores(): Promise<void> {
  const names = readdirSync(CHORES_FOLDER).filter(file => file.endsWith('.ts') && file !== 'deps.ts')
  const modules = await Promise.all(
    names.map(
      async file =>
        [file.slice(0, -3), ((await import(CHORES_FOLDER + file)) as { default: Chore<ChoreDeps> }).default] as const,
    ),
  )
  loaded = new Map(modules)
}

/** Returns each chore as a task of the queue, and the schedule of all chores. */
export function buildChoreTasks(context: WorkerContext): { tasks: TaskList; cron: CronItem[] } {
  const tasks: TaskList = {}
  const cron: CronItem[] = []
  for (const [name, chore] of loaded) {
    const task = `chore_${name.replaceAll('-', '_')}`
    tasks[task] = () => chore.run(bindDeps(context, name))
    cron.push({ task, match: chore.every, options: { maxAttempts: 3 } })
  }
  return { tasks, cron }
}

function bindDeps(context: WorkerContext, name: string): ChoreDeps {
  const { db, config, facilitator, store, settings, log } = context
  return {
    now: () => new Date(),
    objects: {
      listExpired: limit => listExpiredObjects(db, limit),
      forget: keys => forgetObjects(db, keys),
      findUnrecorded: keys => findUnrecorded(db, keys),
    },
    jobs: {
      forgetResults: () => forgetResults(db, settings.get('job.result_days')),
      findOpen: ids => findOpenJobs(db, ids),
    },
    ...bindProductDeps(context),
    payments: facilitator && bindPaymentDeps(db, config.secret, facilitator),
    store,
    log: (facts, text) => log.info({ chore: name, ...facts }, text),
  }
}

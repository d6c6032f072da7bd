import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CronItem, TaskList } from 'graphile-worker'
import type { Chore } from '#kit'
import { traceFrom } from '../ops/tracing/trace.ts'
import { applyDueChanges } from '../sql/admin/settings.ts'
import { findOpenJobs, forgetResults } from '../sql/job.ts'
import { freezeMonth, openMonths } from '../sql/ledger.ts'
import { findUnrecorded, forgetObjects, listExpiredObjects } from '../sql/object.ts'
import { forgetDeadSteps } from '../sql/step/queue.ts'
import type { ChoreDeps } from '../tasks/chores/deps.ts'
import { products } from '../tasks/products/index.ts'
import type { StepDeps } from '../tasks/products/step-deps.ts'
import { bindBackups } from './backups.ts'
import type { WorkerContext } from './context.ts'
import { bindPaymentDeps } from './payment-deps.ts'
import { bindStepDeps, loadCallers } from './steps/deps.ts'

const TASKS_FOLDER = fileURLToPath(new URL('../tasks/', import.meta.url))
const STEPS_AT_ONCE = 1_000
const NEVER = new AbortController().signal

/** A chore under its name, `forget-results` or `webhook.forget`, with what it is given. */
interface NamedChore {
  name: string
  every: string
  run(context: WorkerContext): Promise<void>
}

let loaded: readonly NamedChore[] = []

/** Loads every chore of the platform and of the products; called once before the lanes start. */
export async function loadChores(): Promise<void> {
  const ofProducts = await Promise.all(products.map(({ name }) => loadChoresOf(name)))
  loaded = [...(await loadPlatformChores()), ...ofProducts.flat()]
}

async function loadPlatformChores(): Promise<NamedChore[]> {
  const found = await loadFolder<ChoreDeps>(`${TASKS_FOLDER}chores/`)
  return found.map(([name, chore]) => ({
    name,
    every: chore.every,
    run: context => chore.run(bindDeps(context, name)),
  }))
}

async function loadChoresOf(product: string): Promise<NamedChore[]> {
  const found = await loadFolder<StepDeps>(`${TASKS_FOLDER}products/${product}/chores/`)
  const callers = await loadCallers(product)
  return found.map(([file, chore]) => {
    const name = `${product}.${file}`
    return {
      name,
      every: chore.every,
      run: context => {
        const own = context.products.get(product)?.bindDeps?.(context)
        return chore.run({ ...bindStepDeps(context, { name, callers, signal: NEVER }), ...own })
      },
    }
  })
}

function loadFolder<Deps>(folder: string): Promise<[name: string, chore: Chore<Deps>][]> {
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.ts') && file !== 'deps.ts') : []
  return Promise.all(
    files.map(async file => {
      const module: { default?: Chore<Deps> } = await import(folder + file)
      if (!module.default?.run) throw new Error(`${folder}${file} default-exports no chore`)
      return [file.slice(0, -3), module.default]
    }),
  )
}

/** Returns each chore as a task of the queue, and the schedule of all chores. */
export function buildChoreTasks(context: WorkerContext): { tasks: TaskList; cron: CronItem[] } {
  const tasks: TaskList = {}
  const cron: CronItem[] = []
  for (const { name, every, run } of loaded) {
    const task = `chore_${name.replaceAll(/[.-]/g, '_')}`
    tasks[task] = () => traceFrom(undefined, { name: `chore ${name}`, kind: 'internal' }, () => run(context))
    cron.push({ task, match: every, options: { maxAttempts: 3 } })
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
    steps: { forgetDead: () => forgetDeadSteps(db, settings.get('step.dead_days'), STEPS_AT_ONCE) },
    ledger: { openMonths: () => openMonths(db), freezeMonth: () => freezeMonth(db) },
    settings: { applyDue: () => applyDueChanges(db) },
    backups: bindBackups(context),
    payments: facilitator && bindPaymentDeps(db, config.secret, facilitator),
    store,
    log: (facts, text) => log.info({ chore: name, ...facts }, text),
  }
}

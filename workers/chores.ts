import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CronItem, TaskList } from 'graphile-worker'
import type { Chore } from '#kit'
import { forgetResults } from '../sql/job.ts'
import { expiredObjects, forgetObjects } from '../sql/object.ts'
import type { ChoreHands } from '../tasks/chores/shape.ts'
import type { WorkFloor } from './floor.ts'
import { paymentHands } from './payment-hands.ts'

const root = fileURLToPath(new URL('../tasks/chores/', import.meta.url))

let loaded: Map<string, Chore<ChoreHands>> = new Map()

/** Finds the chores by walking their folder; called once before the lanes start. */
export async function loadChores(): Promise<void> {
  const names = readdirSync(root).filter(file => file.endsWith('.ts') && file !== 'shape.ts')
  const modules = await Promise.all(
    names.map(
      async file =>
        [file.slice(0, -3), ((await import(root + file)) as { default: Chore<ChoreHands> }).default] as const,
    ),
  )
  loaded = new Map(modules)
}

/** Each chore as a task of the queue, and the schedule of all of them. */
export function choreTasks(floor: WorkFloor): { tasks: TaskList; cron: CronItem[] } {
  const tasks: TaskList = {}
  const cron: CronItem[] = []
  for (const [name, chore] of loaded) {
    const task = `chore_${name.replaceAll('-', '_')}`
    tasks[task] = () => chore.run(handsOf(floor, name))
    cron.push({ task, match: chore.every, options: { maxAttempts: 3 } })
  }
  return { tasks, cron }
}

/** The one place where a chore's hands are bound to the world. */
function handsOf({ db, config, facilitator, store, settings, log }: WorkFloor, name: string): ChoreHands {
  return {
    now: () => new Date(),
    objects: {
      expired: limit => expiredObjects(db, limit),
      forget: keys => forgetObjects(db, keys),
    },
    jobs: { forgetResults: () => forgetResults(db, settings.get('job.result_days')) },
    payments: facilitator && paymentHands(db, config.secret, facilitator),
    store,
    say: (facts, text) => log.info({ chore: name, ...facts }, text),
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Task, TaskList } from 'graphile-worker'
import { Check } from 'typebox/schema'
import type { Step } from '#kit'
import { traceFrom } from '../../ops/tracing/trace.ts'
import { products } from '../../tasks/products/index.ts'
import type { StepDeps } from '../../tasks/products/step-deps.ts'
import { bindStepDeps, type Callers, loadCallers, type StepContext } from './deps.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEFAULT_LIMIT_SECONDS = 60

/** What a step does, and what its product's callers are. */
export interface LoadedStep {
  step: Step<never, StepDeps>
  callers: Callers
}

/** A step under the name `<product>.<step>`. It is loaded when it first runs: a worker has dozens and rarely needs all. */
export interface NamedStep {
  name: string
  load: () => Promise<LoadedStep>
}

/** Finds the steps of all products. */
export function findSteps(): NamedStep[] {
  return products.flatMap(({ name }) => findStepsOf(name))
}

function findStepsOf(product: string): NamedStep[] {
  const folder = `${ROOT}tasks/products/${product}/steps/`
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  return files.sort().map(file => ({
    name: `${product}.${file.slice(0, -3)}`,
    load: async () => {
      const { default: step } = (await import(folder + file)) as { default?: LoadedStep['step'] }
      if (!step?.run) throw new Error(`${folder}${file} default-exports no step`)
      return { step, callers: await loadCallers(product) }
    },
  }))
}

/** Returns the steps as tasks of their queue. */
export function buildStepTasks(context: StepContext, steps: readonly NamedStep[]): TaskList {
  return Object.fromEntries(steps.map(named => [named.name, buildTask(context, named)]))
}

function buildTask(context: StepContext, { name, load }: NamedStep): Task {
  return async payload => {
    const { step, callers } = await load()
    const own = context.products?.get(name.split('.')[0]!)?.bindDeps?.(context)
    if (!Check(step.payload, payload)) throw new Error(`the payload is not that of ${name}: ${JSON.stringify(payload)}`)
    const limitSeconds = step.limitSeconds ?? DEFAULT_LIMIT_SECONDS
    await traceFrom(undefined, { name: `step ${name}`, kind: 'consumer' }, () =>
      runLimited(limitSeconds, signal =>
        step.run(payload as never, { ...bindStepDeps(context, { name, callers, signal }), ...own }),
      ),
    )
  }
}

/** A run that goes on after its time limit is abandoned, because nothing can stop it from outside. */
async function runLimited(limitSeconds: number, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const late = new Error(`the step took longer than ${limitSeconds} seconds`)
    controller.abort(late)
    reject(late)
  }, limitSeconds * 1_000)
  try {
    await Promise.race([run(controller.signal), promise])
  } finally {
    clearTimeout(timer)
  }
}

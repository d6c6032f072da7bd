import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Task, TaskList } from 'graphile-worker'
import { Check } from 'typebox/value'
import type { Step } from '#kit'
import { products } from '../../tasks/products/index.ts'
import type { StepDeps } from '../../tasks/products/step-deps.ts'
import { bindStepDeps, type Callers, loadCallers, type StepContext } from './deps.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEFAULT_LIMIT_SECONDS = 60

/** A step with what its product's callers are, under the name `<product>.<step>`. */
export interface NamedStep {
  name: string
  step: Step<never, StepDeps>
  callers: Callers
}

/** Loads the steps of all products. */
export async function loadSteps(): Promise<NamedStep[]> {
  const listed = await Promise.all(products.map(({ name }) => loadStepsOf(name)))
  return listed.flat()
}

async function loadStepsOf(product: string): Promise<NamedStep[]> {
  const folder = `${ROOT}tasks/products/${product}/steps/`
  if (!existsSync(folder)) return []
  const callers = await loadCallers(product)
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  const loaded = files.sort().map(async file => {
    const { default: step } = (await import(folder + file)) as { default?: NamedStep['step'] }
    if (!step?.run) throw new Error(`${folder}${file} default-exports no step`)
    return { name: `${product}.${file.slice(0, -3)}`, step, callers }
  })
  return Promise.all(loaded)
}

/** Returns the steps as tasks of their queue. */
export function buildStepTasks(context: StepContext, steps: readonly NamedStep[]): TaskList {
  return Object.fromEntries(steps.map(named => [named.name, buildTask(context, named)]))
}

function buildTask(context: StepContext, { name, step, callers }: NamedStep): Task {
  return async payload => {
    const own = context.products?.get(name.split('.')[0]!)?.bindDeps?.(context)
    if (!Check(step.payload, payload)) throw new Error(`the payload is not that of ${name}: ${JSON.stringify(payload)}`)
    const limitSeconds = step.limitSeconds ?? DEFAULT_LIMIT_SECONDS
    await runLimited(limitSeconds, signal =>
      step.run(payload as never, { ...bindStepDeps(context, { name, callers, signal }), ...own }),
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

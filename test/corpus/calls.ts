import type { NamedOperation } from '../../tasks/index.ts'
import type { Call } from './ask.ts'
import { type Body, chooseBodies, isSuitable, listBodies } from './bodies.ts'
import { createRandom, type SeededRandom } from './random.ts'
import type { Sample } from './samples/kinds.ts'

const MISMATCHES_PER_OPERATION = 4

interface Choice {
  seed: number
  only: readonly string[]
  isThorough: boolean
}

/** Every sample for every operation that takes its family, and a few mismatched ones for each, in random order. */
export function planCalls(operations: readonly NamedOperation[], samples: readonly Sample[], choice: Choice): Call[] {
  const calls = operations.flatMap(operation => planOperationCalls(operation, listBodies(operation), samples, choice))
  const selected = calls.filter(
    call => choice.only.length === 0 || choice.only.some(filter => matchesFilter(filter, call)),
  )
  return createRandom(choice.seed, 'order').pickSeveral(selected, selected.length)
}

function planOperationCalls(
  operation: NamedOperation,
  bodies: readonly Body[],
  samples: readonly Sample[],
  { seed, isThorough }: Choice,
): Call[] {
  const matching = samples.flatMap(sample => {
    const random = createRandom(seed, `${operation.name} ${sample.name}`)
    return chooseBodies(operation, bodies, sample.family, random, isThorough).map(body => ({ operation, sample, body }))
  })
  return [...matching, ...planMismatchedCalls(operation, bodies, samples, createRandom(seed, operation.name))]
}

function planMismatchedCalls(
  operation: NamedOperation,
  bodies: readonly Body[],
  samples: readonly Sample[],
  random: SeededRandom,
): Call[] {
  const files = bodies.filter(({ takes }) => takes === 'file')
  if (files.length === 0) return []
  const body = random.pick(files)
  const mismatched = samples.filter(({ family }) => !isSuitable(body, operation, family))
  return random.pickSeveral(mismatched, MISMATCHES_PER_OPERATION).map(sample => ({ operation, sample, body }))
}

/** A filter is `pdf`, `pdf/merge`, `image/resize:bomb` or `:bomb`. */
function matchesFilter(filter: string, { operation, sample }: Call): boolean {
  const [target = '', samplePart = ''] = filter.split(':')
  const name = operation.name.replace('.', '/')
  return (target === '' || name === target || operation.family === target) && sample.name.includes(samplePart)
}

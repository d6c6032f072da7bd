import type { NamedOperation } from '../../tasks/index.ts'
import type { Call } from './ask.ts'
import { type Body, bodiesOf, chosenBodies, suits } from './bodies.ts'
import { type Dice, diceFor } from './dice.ts'
import type { Sample } from './sample.ts'

const STRANGERS_EACH = 4

export interface Choice {
  seed: number
  only: readonly string[]
  isThorough: boolean
}

/** Every sample through every operation that takes its family, a few of others through each; in an order of chance. */
export function callsFor(operations: readonly NamedOperation[], samples: readonly Sample[], choice: Choice): Call[] {
  const calls = operations.flatMap(operation => callsOf(operation, bodiesOf(operation), samples, choice))
  const wanted = calls.filter(call => choice.only.length === 0 || choice.only.some(word => isMeant(word, call)))
  return diceFor(choice.seed, 'order').some(wanted, wanted.length)
}

function callsOf(
  operation: NamedOperation,
  bodies: readonly Body[],
  samples: readonly Sample[],
  { seed, isThorough }: Choice,
): Call[] {
  const meant = samples.flatMap(sample => {
    const dice = diceFor(seed, `${operation.name} ${sample.name}`)
    return chosenBodies(operation, bodies, sample.family, dice, isThorough).map(body => ({ operation, sample, body }))
  })
  return [...meant, ...strangersOf(operation, bodies, samples, diceFor(seed, operation.name))]
}

function strangersOf(
  operation: NamedOperation,
  bodies: readonly Body[],
  samples: readonly Sample[],
  dice: Dice,
): Call[] {
  const files = bodies.filter(({ takes }) => takes === 'file')
  if (files.length === 0) return []
  const body = dice.pick(files)
  const strange = samples.filter(({ family }) => !suits(body, operation, family))
  return dice.some(strange, STRANGERS_EACH).map(sample => ({ operation, sample, body }))
}

/** `pdf`, `pdf/merge`, `image/resize:bomb` or `:bomb`. */
function isMeant(word: string, { operation, sample }: Call): boolean {
  const [door = '', file = ''] = word.split(':')
  const name = operation.name.replace('.', '/')
  return (door === '' || name === door || operation.family === door) && sample.name.includes(file)
}

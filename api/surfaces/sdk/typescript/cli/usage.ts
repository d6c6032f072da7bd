import { constants } from 'node:os'

/** The command was not given as it must be. */
export class UsageError extends Error {}

/** The command was ended by a signal. */
export class Interruption extends Error {
  readonly exitCode: number

  constructor(sentence: string, signal: NodeJS.Signals) {
    super(sentence)
    this.exitCode = 128 + constants.signals[signal]
  }
}

export const EXIT = { done: 0, refused: 1, usage: 2, unpaid: 3, unavailable: 4 } as const

/** `maxWidth` and `max_width` are the option `--max-width`. */
export function optionOf(name: string): string {
  return name
    .replaceAll('_', '-')
    .replaceAll(/([a-z0-9])([A-Z])/g, (_all, one: string, two: string) => `${one}-${two.toLowerCase()}`)
}

/** The text among `known` that is nearest to one that is not among them. */
export function nearestOf(text: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(text.length / 3))
  const near = known.map(word => [word, distanceOf(text, word)] as const).filter(([, distance]) => distance <= limit)
  return near.sort(([, one], [, other]) => one - other)[0]?.[0]
}

function distanceOf(one: string, other: string): number {
  let former = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1]
    for (const [column, otherLetter] of [...other].entries())
      next.push(
        Math.min(next[column]! + 1, former[column + 1]! + 1, former[column]! + (letter === otherLetter ? 0 : 1)),
      )
    former = next
  }
  return former.at(-1)!
}

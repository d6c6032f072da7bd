/** Chance that is the same for the same seed, so that what a run has found can be found again. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to but not `below`. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.roll(items.length)]!
  }

  /** So many different ones; all of them where there are no more. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items]
    const taken: Item[] = []
    while (left.length > 0 && taken.length < count) taken.push(...left.splice(this.roll(left.length), 1))
    return taken
  }
}

/** Dice of their own for each word, which do not depend on what else is rolled. */
export function diceFor(seed: number, word: string): Dice {
  let hash = seed >>> 0
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16_777_619) >>> 0
  return new Dice(hash)
}

/** Random numbers that repeat with the same seed, so that a failure can be reproduced. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from 0 up to, but not including, `below`. */
  nextInt(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.nextInt(items.length)]!
  }

  /** `count` different items, or all of them if there are not so many. */
  pickSeveral<Item>(items: readonly Item[], count: number): Item[] {
    const remaining = [...items]
    const picked: Item[] = []
    while (remaining.length > 0 && picked.length < count)
      picked.push(...remaining.splice(this.nextInt(remaining.length), 1))
    return picked
  }
}

/** A generator for one purpose, whose numbers do not depend on how often other generators are used. */
export function createRandom(seed: number, purpose: string): SeededRandom {
  let hash = seed >>> 0
  for (let index = 0; index < purpose.length; index++)
    hash = Math.imul(hash ^ purpose.charCodeAt(index), 16_777_619) >>> 0
  return new SeededRandom(hash)
}

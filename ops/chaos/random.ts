import { createHash } from 'node:crypto'

/** Draws that follow from a seed. Whoever draws has a stream of its own, so that no other's draws change it. */
export class Random {
  readonly #path: string
  readonly #state: Uint32Array

  constructor(path: string) {
    this.#path = path
    const digest = createHash('sha256').update(path).digest()
    this.#state = Uint32Array.from({ length: 4 }, (_, index) => digest.readUInt32LE(index * 4))
  }

  stream(name: string): Random {
    return new Random(`${this.#path}/${name}`)
  }

  /** At least 0 and less than 1; the generator is sfc32. */
  next(): number {
    const state = this.#state
    const [a, b, c, counter] = state as unknown as [number, number, number, number]
    const drawn = (a + b + counter) >>> 0
    state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + drawn, counter + 1])
    return drawn / 2 ** 32
  }

  /** From the least to the most, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  isChance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(0, items.length - 1)]!
  }

  pickWeighted<Item extends { weight: number }>(items: readonly Item[]): Item {
    let left = this.next() * items.reduce((sum, { weight }) => sum + weight, 0)
    for (const item of items) {
      left -= item.weight
      if (left < 0) return item
    }
    return items.at(-1)!
  }
}

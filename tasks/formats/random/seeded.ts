/** Numbers from 0 up to 1, the same for the same seed on every machine (mulberry32). */
export class SeededRandom {
  #state = 0

  seed(seed: number): void {
    this.#state = seed >>> 0
  }

  next(): number {
    const state = (this.#state + 0x6d2b79f5) >>> 0
    this.#state = state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<Value>(list: ArrayLike<Value>): Value {
    return list[Math.floor(this.next() * list.length)]!
  }
}

export function createRandom(seed: number): () => number {
  const random = new SeededRandom()
  random.seed(seed)
  return () => random.next()
}

/** A seed from several numbers. Numbers that differ in the last one only give seeds that differ. */
export function mixSeed(...parts: readonly number[]): number {
  return parts.reduce((seed, part) => scramble(seed ^ Math.imul(part + 1, 0x9e3779b1)), 0)
}

function scramble(value: number): number {
  let mixed = value >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

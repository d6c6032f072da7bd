/** The size of each part of a text in UTF-8, without encoding it each time. */
export class TextSizes {
  readonly #text: string
  /** The bytes before each code unit. */
  readonly #before: Uint32Array

  constructor(text: string) {
    this.#text = text
    this.#before = new Uint32Array(text.length + 1)
    let bytes = 0
    for (let at = 0; at < text.length; at++) {
      bytes += measureUnit(text, at)
      this.#before[at + 1] = bytes
    }
  }

  measure(start: number, end: number): number {
    return this.#before[end]! - this.#before[start]!
  }

  /** How far so many bytes reach from a place, at the end of a whole character. */
  reach(start: number, bytes: number): number {
    const limit = this.#before[start]! + bytes
    let [low, high] = [start, this.#text.length]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#before[middle]! <= limit) low = middle
      else high = middle - 1
    }
    return isInsidePair(this.#text, low) ? low - 1 : low
  }

  /** The place from which no more than so many bytes lead to another, at the start of a whole character. */
  reachBack(end: number, bytes: number): number {
    const least = this.#before[end]! - bytes
    let [low, high] = [0, end]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#before[middle]! >= least) high = middle
      else low = middle + 1
    }
    return isInsidePair(this.#text, low) ? low + 1 : low
  }
}

/** All bytes of a pair count for its first half; a half alone is stored as the character for what is unknown. */
function measureUnit(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  if (unit < 0xd800 || unit > 0xdfff) return 3
  if (isHigh(unit)) return isLow(text.charCodeAt(at + 1)) ? 4 : 3
  return isInsidePair(text, at) ? 0 : 3
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

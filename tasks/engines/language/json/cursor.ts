/** What was done to a text to make it JSON. */
export interface Repair {
  /** In UTF-16 code units of the text that was given. */
  position: number
  kind: string
}

/** What cannot be read as JSON without guessing. */
export class Unrepairable extends Error {
  readonly position: number

  constructor(position: number, reason: string) {
    super(reason)
    this.position = position
  }
}

const SPACE = /[\s\u00a0\ufeff\u200b\u2028\u2029]/

/** A place in the text, with what was repaired before it. */
export class Cursor {
  readonly text: string
  readonly repairs: Repair[] = []
  at: number
  readonly end: number

  constructor(text: string, start = 0, end = text.length) {
    this.text = text
    this.at = start
    this.end = end
  }

  get current(): string {
    return this.at < this.end ? this.text[this.at]! : ''
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  note(kind: string, position = this.at): void {
    if (this.repairs.length < 1_000) this.repairs.push({ position, kind })
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at) && this.at + text.length <= this.end
  }

  /** Goes on past spaces and comments. */
  skipSpace(): void {
    for (;;) {
      const start = this.at
      while (this.at < this.end && SPACE.test(this.text[this.at]!)) this.at += 1
      if (/[\u00a0\ufeff\u200b]/.test(this.text.slice(start, this.at))) this.note('odd space replaced', start)
      if (!this.#skipComment()) return
    }
  }

  #skipComment(): boolean {
    const start = this.at
    if (this.startsWith('/*')) {
      const close = this.text.indexOf('*/', this.at + 2)
      this.at = close < 0 ? this.end : Math.min(this.end, close + 2)
    } else if (this.startsWith('//') || this.startsWith('#')) {
      const close = this.text.indexOf('\n', this.at)
      this.at = close < 0 ? this.end : Math.min(this.end, close)
    } else return false
    this.note('comment removed', start)
    return true
  }

  /** The next character that is no space, from a place on. */
  peekFrom(from: number): string {
    let at = from
    while (at < this.end && SPACE.test(this.text[at]!)) at += 1
    return at < this.end ? this.text[at]! : ''
  }
}

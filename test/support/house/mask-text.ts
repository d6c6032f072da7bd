const TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const TEMPLATE = /(?:\\[\s\S]|(?!\$\{)[^`\\])*/y
const PLAIN = /[^/"'`{}]+/y

/** Blanks out comments, strings, regular expressions and the text of templates, but keeps the expressions in them. */
export function maskText(code: string): string {
  return new TextMasker(code).mask()
}

class TextMasker {
  readonly #code: string
  #index = 0
  #masked = ''
  /** For each template whose expression is being read, the number of open braces in that expression. */
  readonly #openBraces: number[] = []

  constructor(code: string) {
    this.#code = code
  }

  mask(): string {
    while (this.#index < this.#code.length) {
      const isSkipped = this.#copyMatch(PLAIN) || this.#blank(TEXT) || (this.#canStartRegex() && this.#blank(REGEX))
      if (!isSkipped) this.#readPunctuation()
    }
    return this.#masked
  }

  #readPunctuation(): void {
    const character = this.#code[this.#index]
    this.#copy(1)
    const depth = this.#openBraces.length - 1
    if (character === '`') this.#readTemplate()
    else if (depth < 0) return
    else if (character === '{') this.#openBraces[depth]!++
    else if (character === '}' && this.#openBraces[depth]!-- === 0) {
      this.#openBraces.pop()
      this.#readTemplate()
    }
  }

  #readTemplate(): void {
    this.#blank(TEMPLATE)
    const hasExpression = this.#code.startsWith('${', this.#index)
    if (hasExpression) this.#openBraces.push(0)
    this.#copy(hasExpression ? 2 : 1)
  }

  #copyMatch(pattern: RegExp): boolean {
    const found = this.#match(pattern)
    this.#copy(found.length)
    return found !== ''
  }

  #blank(pattern: RegExp): boolean {
    const found = this.#match(pattern)
    this.#masked += found.replace(/[^\n]/g, ' ')
    this.#index += found.length
    return found !== ''
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index
    return pattern.exec(this.#code)?.[0] ?? ''
  }

  #copy(length: number): void {
    this.#masked += this.#code.slice(this.#index, this.#index + length)
    this.#index += length
  }

  /** A slash after a value divides; anywhere else it starts a regular expression. */
  #canStartRegex(): boolean {
    return /(?:^|[(,=:[!&|?{};>\n]|\breturn)\s*$/.test(this.#masked.slice(-40))
  }
}

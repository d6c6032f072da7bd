/** A page about one task: the calls that do it, what comes of them, and what can go wrong. */
export interface HowTo {
  /** Begins with a verb: `Make a scanned PDF searchable`. */
  title: string
  /** One or two sentences on when it is needed. */
  lead: string
  /** Other words for the same, by which it is found. */
  keywords: string
  steps: readonly Step[]
  /** What surprises people, each in a sentence or two. */
  pitfalls: readonly string[]
  /** How the calls are paid for, if it is not by a key. */
  payer?: 'wallet'
  /** Its calls ask other servers on the web, which an operator must allow. */
  needsWeb?: boolean
}

/** One call of a page. */
export interface Step {
  /** The name of the call: `pdf.merge`. */
  call: string
  /** What it does here, as a comment in the programs. */
  note?: string
  /** Its arguments, as the clients and MCP take them. `sample:scan.pdf` is a file. */
  input: Readonly<Record<string, unknown>>
  /** The name of its answer, for later steps. */
  as?: string
  /** The name under which the file of the answer is saved. */
  saves?: string
  /** Whether somebody makes it who has no key. */
  isAnonymous?: boolean
}

/** A value of the answer of an earlier step. */
export class AnswerField {
  readonly step: string
  readonly path: readonly string[]
  /** Of an address, the part after so many slashes, counted from its end: 0 is the last. */
  readonly fromEnd: number | undefined

  constructor(step: string, path: string, fromEnd?: number) {
    this.step = step
    this.path = path.split('.')
    this.fromEnd = fromEnd
  }
}

/** The file that an earlier step has made. */
export class AnswerFile {
  readonly step: string

  constructor(step: string) {
    this.step = step
  }
}

export function howTo(page: HowTo): HowTo {
  return page
}

export function answerField(step: string, path: string, fromEnd?: number): AnswerField {
  return new AnswerField(step, path, fromEnd)
}

export function answerFile(step: string): AnswerFile {
  return new AnswerFile(step)
}

import { PLATFORM_PROBLEMS } from './platform-problems.ts'
import type { ProblemEntry, ProductNames } from './product.ts'

export type ProblemCode = keyof typeof PLATFORM_PROBLEMS | ProductNames<'problems'>

type AllProblems = Record<ProblemCode, ProblemEntry>

/** The problems of the platform, and those of the products once they are loaded. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemEntry>> = { ...(PLATFORM_PROBLEMS as object as AllProblems) }

/** Adds the problems of a product. A code has one meaning, so it can be declared once only. */
export function addProblems(problems: Readonly<Record<string, ProblemEntry>>): void {
  for (const [code, entry] of Object.entries(problems)) {
    if (isProblemCode(code)) throw new Error(`the problem ${code} is declared twice`)
    Object.assign(PROBLEMS, { [code]: entry })
  }
}

/** Whether the same call may succeed later, where its status alone does not tell. */
const RETRYABLE: Partial<Record<ProblemCode, boolean>> = { PROVIDER_NOT_CONFIGURED: false, PROVIDER_UNAVAILABLE: true }

export type Hints = Record<string, unknown>

/** A Problem as plain data. Errors lose their class when they cross threads, processes or the database. */
export interface ProblemData {
  code: ProblemCode
  hints: Hints
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly hints: Hints

  constructor(code: ProblemCode, hints: Hints = {}) {
    super(PROBLEMS[code][1])
    this.name = 'Problem'
    this.code = code
    this.hints = hints
  }

  get status(): number {
    return PROBLEMS[this.code][0]
  }

  toData(): ProblemData {
    return { code: this.code, hints: this.hints }
  }

  /** The response body. Hints cannot overwrite `error` and `code`, on which callers rely. */
  toBody(): { error: string; code: string } & Hints {
    const retryable = RETRYABLE[this.code]
    return {
      ...{ ...this.hints, error: this.message, code: wireCode(this.code) },
      ...(retryable !== undefined && { retryable }),
    }
  }

  static from(data: ProblemData): Problem {
    return isProblemCode(data.code) ? new Problem(data.code, data.hints) : new Problem('INTERNAL')
  }
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code)
}

/** The code on the wire. `INPUT_TOO_LARGE` and `MISSING_AUTH` are shared by two problems. */
export function wireCode(code: ProblemCode): string {
  const [, , wire] = PROBLEMS[code]
  return wire ?? code
}

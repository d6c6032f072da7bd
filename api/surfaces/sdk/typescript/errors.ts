/** What the service refused or failed to do. A failed call costs nothing. */
export class CoinopError extends Error {
  readonly code: string
  /** 0 if there was no answer. */
  readonly status: number
  /** What the service says besides the sentence, such as `field`, `allowed` or `didYouMean`. */
  readonly hints: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(sentence: string, facts: ErrorFacts) {
    super(sentence, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
    this.status = facts.status ?? 0
    this.hints = facts.hints ?? {}
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

interface ErrorFacts {
  code: string
  status?: number
  hints?: Readonly<Record<string, unknown>>
  requestId?: string
  retryAfterSeconds?: number
  cause?: unknown
}

interface MissingAnswer {
  isLate?: boolean
  hints?: Readonly<Record<string, unknown>>
}

/** There was no answer: no connection, or none in time. A paid call with the `idempotencyKey` of its hints is charged once. */
export class ConnectionError extends CoinopError {
  /** The service was reached, but did not answer in the time that the caller gives a call. */
  readonly isLate: boolean

  constructor(sentence: string, cause: unknown, { isLate = false, hints = {} }: MissingAnswer = {}) {
    super(sentence, { code: 'CONNECTION_FAILED', cause, hints })
    this.isLate = isLate
  }
}

/** The wallet refuses to sign: the price is above the limit, or the token is not one that it pays with. */
export class PaymentRefusedError extends CoinopError {
  constructor(sentence: string, hints: Record<string, unknown>) {
    super(sentence, { code: 'PAYMENT_REFUSED', status: 402, hints })
  }
}

type ProblemClass = new (sentence: string, facts: ErrorFacts) => CoinopError

const classes = new Map<string, ProblemClass>()

/** The class of one code of this installation; the package has a list of them. */
export function defineProblem(code: string, name: string): ProblemClass {
  const named = { [name]: class extends CoinopError {} }[name]!
  classes.set(code, named)
  return named
}

interface Failure {
  status: number
  headers: Headers
  body: unknown
}

/** The error of an answer. A code that came into being after this package was made is a plain `CoinopError`. */
export function errorOf({ status, headers, body }: Failure): CoinopError {
  const { error, code, message, ...hints } = isFields(body) ? body : {}
  const known = typeof code === 'string' ? code : `HTTP_${status}`
  const sentence = [message, error, `The service answered ${status}.`].find(text => typeof text === 'string') as string
  const Class = classes.get(known) ?? CoinopError
  return new Class(sentence, {
    code: known,
    status,
    hints,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers),
  })
}

export function readRetryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : seconds
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { type Entry, FILE_RULE, PROBLEMS, type ProblemCode } from '#kit'
import { isPaid } from '../entries.ts'

// Every paid call can be refused for some twenty reasons. The documents say once which they share, because repeated
// for each operation they were most of what a language model had to read.

/** The problems that a call of this entry may return, by status: the common ones and the entry's own. */
export function groupProblemsByStatus(entry: Entry): Map<number, ProblemCode[]> {
  const codes = [...new Set([...listCommonProblems(entry), ...entry.errors, ...(entry.stepErrors ?? [])])]
  const sorted = codes.sort((left, right) => PROBLEMS[left][0] - PROBLEMS[right][0])
  return Map.groupBy(sorted, code => PROBLEMS[code][0])
}

/** The problems that the intake may return before the entry itself runs. */
export function listCommonProblems(entry: Entry): ProblemCode[] {
  const isOperation = entry.kind === 'operation'
  const isAnonymous = isOperation || entry.auth.includes('none')
  return [
    ...EVERY_CALL,
    ...(entry.family === 'system' ? [] : RATE_LIMITED),
    ...(isAnonymous ? [] : IDENTITY),
    ...(entry.auth.includes('key') ? SCOPED : []),
    ...(entry.body ? BODY : []),
    ...(entry.query || entry.params ? PARAMETERS : []),
    ...(entry.auth.includes('none') ? [] : CLOSED_ADDRESS),
    ...listPaymentProblems(entry),
    ...(takesFiles(entry) ? FILES : []),
    ...(isOperation ? listRunProblems(entry) : []),
    ...(entry.tools.length > 0 ? TOOLS : []),
  ]
}

/** A file may be inside of another field, as the logo of a seller is. */
function takesFiles({ body }: Entry): boolean {
  return JSON.stringify(body ?? {}).includes(`"${FILE_RULE}"`)
}

function listRunProblems({ auth }: Entry): ProblemCode[] {
  return [...DELIVERY, ...(auth.includes('x402') ? SIGN_IN : []), ...RUN]
}

function listPaymentProblems(entry: Entry): ProblemCode[] {
  const takesWallets = entry.auth.includes('x402')
  if (!isPaid(entry)) return takesWallets ? WALLET : []
  return takesWallets ? [...PAYMENT, ...WALLET, ...SETTLEMENT] : PAYMENT
}

/** Wrong credentials are refused even by a call that needs none, and the disk of the database may be full for any. */
const EVERY_CALL: ProblemCode[] = ['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED', 'INTERNAL', 'BUSY', 'STORAGE_FULL']
const RATE_LIMITED: ProblemCode[] = ['RATE_LIMITED']
const IDENTITY: ProblemCode[] = ['MISSING_AUTH']
/** Of connectors, whose tokens are sent here too. */
const SCOPED: ProblemCode[] = ['INSUFFICIENT_SCOPE']
const BODY: ProblemCode[] = [
  'INVALID_JSON',
  'UNKNOWN_FIELD',
  'MISSING_FIELD',
  'INVALID_PARAM',
  'EMPTY_BODY',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
const PARAMETERS: ProblemCode[] = ['UNKNOWN_FIELD', 'MISSING_FIELD', 'INVALID_PARAM']
/** An address that is not open to all takes no fields that it does not name. */
const CLOSED_ADDRESS: ProblemCode[] = ['UNKNOWN_FIELD']
const PAYMENT: ProblemCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'PAYMENT_REQUIRED',
  'INSUFFICIENT_BALANCE',
  'SPEND_LIMIT_REACHED',
  'PRICE_ABOVE_LIMIT',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_FLIGHT',
]
/** A payment is read wherever one is accepted; on a free route it only identifies the wallet. */
const WALLET: ProblemCode[] = ['INVALID_PAYMENT_SIGNATURE', 'PAYMENT_REQUIRED']
const SETTLEMENT: ProblemCode[] = ['UNDERPAID', 'PROVIDER_UNAVAILABLE']
const FILES: ProblemCode[] = [
  'INVALID_SOURCE',
  'INVALID_BASE64',
  'INVALID_MULTIPART',
  'BODY_INCOMPLETE',
  'INPUT_NOT_FOUND',
  'INPUT_GONE',
  'ENTRY_REQUIRED',
  'MODE_DISABLED',
  'URL_NOT_ALLOWED',
  'FETCH_FAILED',
  'STORED_INPUT_TOO_LARGE',
  'INPUT_TOO_LARGE',
  'INPUT_EMPTY',
  'UNSUPPORTED_FORMAT',
]
/** Of the batons that files are taken from and outputs are delivered to. */
const DELIVERY: ProblemCode[] = [
  'CONFLICTING_OPTIONS',
  'FORBIDDEN',
  'NOT_FOUND',
  'PRESET_MISMATCH',
  'QUOTA_EXHAUSTED',
  'GONE',
  'PRECONFIG_NOT_FOUND',
  'INVALID_SHAPE',
  'FLAG_DEPENDENCY_UNMET',
  'IPV6_NOT_SUPPORTED',
  'INVALID_EVENTS',
  'WEBHOOK_URL_REFUSED',
  'witness_key_not_configured',
]
/** A baton by its id, and nobody to whom it could belong. */
const SIGN_IN: ProblemCode[] = ['SIGN_IN_REQUIRED']
const RUN: ProblemCode[] = ['JOB_CANCELLED', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED']
const TOOLS: ProblemCode[] = ['PROVIDER_NOT_CONFIGURED', 'SANDBOX_UNAVAILABLE']

/** The sentence of the problem. x402 fixes the text of one problem to its code, which says nothing to a reader. */
export function describeProblem(code: ProblemCode): string {
  const [, sentence] = PROBLEMS[code]
  return sentence === code ? 'This call must be paid for.' : sentence
}

import { type Entry, PROBLEMS, type ProblemCode } from '#kit'
import { fileFieldsOf } from '../intake/file-fields.ts'
import { isPaid } from './surface.ts'

/** The problems any call of this kind may answer with, then the entry's own: by status, each with its codes. */
export function problemsByStatus(entry: Entry): Map<number, ProblemCode[]> {
  const codes = [...new Set([...commonProblems(entry), ...entry.errors])]
  const sorted = codes.sort((left, right) => PROBLEMS[left][0] - PROBLEMS[right][0])
  return Map.groupBy(sorted, code => PROBLEMS[code][0])
}

/** What the door in front of the entry refuses with, before anything of its own happens. */
export function commonProblems(entry: Entry): ProblemCode[] {
  const isRun = entry.kind === 'operation'
  const isOpen = isRun || entry.auth.includes('none')
  const files = fileFieldsOf(entry.body ?? {})
  return [
    ...ANY,
    ...(entry.family === 'system' ? [] : COUNTED),
    ...(isOpen ? [] : IDENTITY),
    ...(entry.body ? BODY : []),
    ...(entry.query || entry.params ? PARAMETERS : []),
    ...(isPaid(entry) ? PAYMENT : []),
    ...(isRun && files.size > 0 ? FILES : []),
    ...(isRun ? RUN : []),
    ...(entry.tools.length > 0 ? TOOLS : []),
  ]
}

/** Wrong credentials are refused even where none are needed. */
const ANY: ProblemCode[] = ['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED', 'INTERNAL', 'BUSY']
const COUNTED: ProblemCode[] = ['RATE_LIMITED']
const IDENTITY: ProblemCode[] = ['MISSING_AUTH']
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
const PAYMENT: ProblemCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'PAYMENT_REQUIRED',
  'INSUFFICIENT_BALANCE',
  'SPEND_LIMIT_REACHED',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_FLIGHT',
]
const FILES: ProblemCode[] = [
  'INVALID_SOURCE',
  'INVALID_BASE64',
  'INVALID_MULTIPART',
  'BODY_INCOMPLETE',
  'INPUT_NOT_FOUND',
  'INPUT_GONE',
  'STORED_INPUT_TOO_LARGE',
  'INPUT_TOO_LARGE',
  'INPUT_EMPTY',
  'UNSUPPORTED_FORMAT',
  'STORAGE_FULL',
]
const RUN: ProblemCode[] = ['JOB_CANCELLED', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED']
const TOOLS: ProblemCode[] = ['PROVIDER_NOT_CONFIGURED', 'SANDBOX_UNAVAILABLE']

/** The sentence of the table; the one whose text the protocol fixes says nothing to a reader. */
export function sentenceOf(code: ProblemCode): string {
  const [, sentence] = PROBLEMS[code]
  return sentence === code ? 'This call has to be paid.' : sentence
}

import { type Entry, PROBLEMS, type ProblemCode } from '#kit'
import { takesFiles } from './plain-schema.ts'
import { isPaid } from './surface.ts'

/** The problems any call of this kind may answer with, then the entry's own: by status, each with its codes. */
export function problemsByStatus(entry: Entry): Map<number, ProblemCode[]> {
  const codes = [...new Set([...commonProblems(entry), ...entry.errors])]
  const sorted = codes.sort((left, right) => PROBLEMS[left][0] - PROBLEMS[right][0])
  return Map.groupBy(sorted, code => PROBLEMS[code][0])
}

export function commonProblems(entry: Entry): ProblemCode[] {
  const isOpen = entry.auth.length === 0 || entry.auth.includes('none')
  return [
    ...(entry.body ? BODY : []),
    ...(entry.query || entry.params ? PARAMETERS : []),
    ...(isOpen ? [] : IDENTITY),
    ...(isPaid(entry) ? PAYMENT : []),
    ...(takesFiles(entry.body) ? FILES : []),
    ...(entry.kind === 'operation' ? RUN : []),
    'RATE_LIMITED',
    'INTERNAL',
  ]
}

const BODY: ProblemCode[] = [
  'INVALID_JSON',
  'UNKNOWN_FIELD',
  'MISSING_FIELD',
  'INVALID_PARAM',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
const PARAMETERS: ProblemCode[] = ['UNKNOWN_FIELD', 'MISSING_FIELD', 'INVALID_PARAM']
const IDENTITY: ProblemCode[] = ['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED']
const PAYMENT: ProblemCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'INSUFFICIENT_BALANCE',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_FLIGHT',
]
const FILES: ProblemCode[] = [
  'INVALID_SOURCE',
  'INVALID_BASE64',
  'INPUT_NOT_FOUND',
  'INPUT_GONE',
  'STORED_INPUT_TOO_LARGE',
  'INPUT_TOO_LARGE',
  'INPUT_EMPTY',
]
const RUN: ProblemCode[] = ['TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED', 'BUSY', 'PROVIDER_NOT_CONFIGURED']

/** The sentence of the table; the one whose text the protocol fixes says nothing to a reader. */
export function sentenceOf(code: ProblemCode): string {
  const [, sentence] = PROBLEMS[code]
  return sentence === code ? 'This call has to be paid.' : sentence
}

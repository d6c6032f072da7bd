import { Problem } from '#kit'
import { isExactNumber } from '../../../tasks/formats/json/numbers.ts'

interface Lost {
  holder: object
  key: string
}

/** Refuses whole numbers that would lose digits, and those beyond all doubles: ids would change silently. */
export function rejectLostNumbers(text: string): void {
  let lost: Lost | undefined
  const root: unknown = JSON.parse(text, function (this: object, key: string, value: unknown, { source }: Source) {
    if (typeof value === 'number' && source !== undefined && isLost(value, source)) lost ??= { holder: this, key }
    return value
  } as (this: object, key: string, value: unknown) => unknown)
  if (!lost) return
  const field = findPath(root, lost) ?? 'body'
  const reason = 'A JSON number of this size would lose digits. Send it as a text, or the whole as a file or text.'
  throw new Problem('INVALID_PARAM', { field, reason })
}

interface Source {
  source?: string
}

function isLost(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !isExactNumber(value, source)
}

function findPath(root: unknown, { holder, key }: Lost): string | undefined {
  const waiting: [value: unknown, path: string[]][] = [[root, []]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, path] = next
    if (value === holder) return [...path, key].join('.')
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) waiting.push([inner, [...path, name]])
  }
  return undefined
}

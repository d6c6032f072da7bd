import { Problem } from '#kit'
import { findCountry } from '../../../tasks/formats/identity/countries.ts'
import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { ProviderRefusal } from '../http/client.ts'

/** A day as `2026-01-31`; providers write it as a text or as its parts. */
export function readDay(value: unknown): string | null {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d/.exec(value)?.[0] ?? null
  const { year, month, day } = (value ?? {}) as { year?: number; month?: number; day?: number }
  if (!year || !month || !day) return null
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

export function readText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== ''
    ? value.replaceAll('\0', '').toWellFormed().slice(0, 200)
    : null
}

/** Three letters, as documents have them; providers write two or three. */
export function readCountry(value: unknown): string {
  const code = String(value ?? '').toUpperCase()
  return /^[A-Z]{3}$/.test(code) ? code : (findCountry(code) ?? 'XXX')
}

export function readSex(value: unknown): string | null {
  const letter = String(value ?? '')
    .charAt(0)
    .toUpperCase()
  return letter === '' ? null : letter === 'M' || letter === 'F' ? letter : 'X'
}

/** The codes in `words` that stand for reasons here, each once. */
export function collectReasons(
  words: readonly unknown[],
  meanings: Readonly<Record<string, ReasonCode>>,
): ReasonCode[] {
  return [...new Set(words.flatMap(word => meanings[String(word)] ?? []))]
}

/** A refusal by the provider is none of the caller's doing, unless `expected` is its status. */
export async function tolerate<Result>(
  provider: string,
  answer: Promise<Result>,
  expected: readonly number[] = [],
): Promise<Result | undefined> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error
    if (expected.includes(error.status)) return undefined
    throw new Problem('PROVIDER_UNAVAILABLE', { provider, providerStatus: error.status })
  }
}

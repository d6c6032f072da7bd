import { existsSync, readFileSync } from 'node:fs'
import type { HowToPage } from './load.ts'

// Decision 0560: keep what a page shows as a file, and compare it with what comes out.

/** What the last call of a page answered when it was last recorded. */
export interface RecordedResult {
  /** The answer, without the bytes of its files. `{url}` stands for the public address. */
  answer: unknown
  /** What all calls of the page were charged together. */
  chargedMicros: string
  /** The first page or the image of the file that was made. */
  image?: { width: number; height: number }
}

const RESULTS_FOLDER = new URL('results/', import.meta.url)

export function resultFile({ subject, slug }: Pick<HowToPage, 'subject' | 'slug'>, ending: 'json' | 'webp'): URL {
  return new URL(`${subject}/${slug}.${ending}`, RESULTS_FOLDER)
}

const known = new Map<string, RecordedResult | undefined>()

/** Undefined for a page whose result was not recorded yet. */
export function readResult(page: HowToPage): RecordedResult | undefined {
  if (known.has(page.slug)) return known.get(page.slug)
  const file = resultFile(page, 'json')
  const result = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedResult) : undefined
  known.set(page.slug, result)
  return result
}

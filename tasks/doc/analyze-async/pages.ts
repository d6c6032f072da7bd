import { Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'

interface PageRun {
  pages: readonly number[]
  signal: AbortSignal
  progress(done: number, total: number, unit: string): void
  analyze(page: number): Promise<object>
}

type Parts = Tools['savedParts']

/** A page that has ended this often with its worker is left out, so that it does not end the next one. */
const MAX_STARTS = 3
const STARTS = 'starts'
/** How long one page may take. */
export const PAGE_SECONDS = 60

/** What is wrong with the call or the machine is wrong for every page, as is the end of the time of the whole job. */
function isOfWholeJob({ code, hints }: Problem): boolean {
  if (code === 'TIME_LIMIT_EXCEEDED') return hints.limitSeconds !== PAGE_SECONDS
  return code === 'LANGUAGE_UNSUPPORTED' || code === 'SANDBOX_UNAVAILABLE'
}

/** Analyses the pages that are not saved yet, and saves each. Nothing of them is kept in memory. */
export async function analyzePages({ pages, signal, progress, analyze }: PageRun, parts: Parts): Promise<void> {
  const saved = new Set(await parts.list())
  const starts = saved.has(STARTS) ? (JSON.parse(await parts.read(STARTS)) as Record<string, number>) : {}
  for (const [index, page] of pages.entries()) {
    progress(index, pages.length, 'pages')
    if (saved.has(pageName(page))) continue
    starts[page] = (starts[page] ?? 0) + 1
    await parts.save(STARTS, JSON.stringify(starts))
    const content =
      starts[page] > MAX_STARTS ? describeFailure(page, INTERNAL) : await analyzeOne(page, signal, analyze)
    await parts.save(pageName(page), JSON.stringify(content))
  }
  progress(pages.length, pages.length, 'pages')
}

export function pageName(page: number): string {
  return `page-${page}`
}

const INTERNAL = new Problem('INTERNAL')

/** A page that cannot be read does not fail the others. An engine that crashes gets a second chance. */
async function analyzeOne(
  page: number,
  signal: AbortSignal,
  analyze: PageRun['analyze'],
  isLast = false,
): Promise<object> {
  try {
    return { page, status: 'ok', ...(await analyze(page)) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Problem))
      return isLast ? describeFailure(page, INTERNAL) : analyzeOne(page, signal, analyze, true)
    if (isOfWholeJob(error)) throw error
    return describeFailure(page, error)
  }
}

function describeFailure(page: number, { code, message }: Problem): object {
  return { page, status: 'failed', error: { code, message } }
}

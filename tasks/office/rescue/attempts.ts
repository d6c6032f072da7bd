import { Problem } from '#kit'

interface Rescued {
  printed: {
    path: string
    filter: string
    fonts: readonly { requested: string; installed: string }[]
    formulasLost?: boolean
  }
  fidelity: 'high' | 'medium' | 'text-only'
}

/** One way to read a document; nothing if it does not apply. */
export type Attempt = () => Promise<Rescued | undefined>

/** Tries one way after the other. A document that none can read fails with what the first said. */
export async function firstThatWorks(attempts: readonly Attempt[]): Promise<Rescued> {
  let failure: Problem | undefined
  for (const attempt of attempts) {
    try {
      const rescued = await attempt()
      if (rescued) return rescued
    } catch (error) {
      if (!(error instanceof Problem) || !UNREADABLE.has(error.code)) throw error
      failure ??= error
    }
  }
  throw failure ?? new Problem('OFFICE_PARSE_FAILED')
}

const UNREADABLE = new Set(['OFFICE_PARSE_FAILED', 'ARCHIVE_PARSE_FAILED', 'ARCHIVE_UNSAFE', 'PDF_PARSE_FAILED'])

/** What the `Prefer` header asks for: a ticket at once, and how long to wait before one is given. */
export interface Preference {
  isAsync: boolean
  /** From `wait=N`. With `respond-async` it means: queue the work and wait this long for it. */
  waitSeconds: number | undefined
}

const NONE: Preference = { isAsync: false, waitSeconds: undefined }
export const MAX_WAIT_SECONDS = 60

export function readPreference(header: string | string[] | undefined): Preference {
  if (header === undefined) return NONE
  const words = (Array.isArray(header) ? header.join(',') : header).toLowerCase().split(/[,;]\s*/)
  const wait = words.map(word => /^wait\s*=\s*"?(\d{1,5})"?$/.exec(word.trim())?.[1]).find(Boolean)
  return {
    isAsync: words.some(word => word.trim() === 'respond-async'),
    waitSeconds: wait === undefined ? undefined : Math.min(MAX_WAIT_SECONDS, Number(wait)),
  }
}

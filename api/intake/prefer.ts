/** What a caller prefers: to be answered with a ticket, and how long it would wait before that. */
export interface Preference {
  isAsync: boolean
  /** Given as `wait=N`; together with `respond-async` it means: queue the work, and wait so long for it. */
  waitSeconds: number | undefined
}

const NONE: Preference = { isAsync: false, waitSeconds: undefined }
export const LONGEST_WAIT_SECONDS = 60

export function preferenceOf(header: string | string[] | undefined): Preference {
  if (header === undefined) return NONE
  const words = (Array.isArray(header) ? header.join(',') : header).toLowerCase().split(/[,;]\s*/)
  const wait = words.map(word => /^wait\s*=\s*"?(\d{1,5})"?$/.exec(word.trim())?.[1]).find(Boolean)
  return {
    isAsync: words.some(word => word.trim() === 'respond-async'),
    waitSeconds: wait === undefined ? undefined : Math.min(LONGEST_WAIT_SECONDS, Number(wait)),
  }
}

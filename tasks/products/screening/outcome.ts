import type { Coverage } from './coverage.ts'
import type { Match } from './matching/score.ts'

export const STATUSES = ['clear', 'review', 'match'] as const
export type Status = (typeof STATUSES)[number]

const NOTICE =
  'A name that matches does not prove an identity; a person must decide. Nothing found says only that these versions of these lists have no like name.'
const SAMPLE_NOTICE = 'Only the sample was searched: every entry of it is invented, so this says nothing about anyone.'

export type JudgedMatch = Match & { falsePositive: boolean }

/** Marks what was dismissed of the same entry in the same wording. */
export function markFalsePositives(
  matches: readonly Match[],
  falsePositives: readonly { entityId: string; hash: string }[],
): JudgedMatch[] {
  return matches.map(match => ({
    ...match,
    falsePositive: falsePositives.some(({ entityId, hash }) => entityId === match.entityId && hash === match.hash),
  }))
}

/** As many as are wanted, in their order. Those that decide what it comes to are left out last, and dismissed ones first. */
export function limitMatches<One extends Pick<JudgedMatch, 'status' | 'falsePositive'>>(
  matches: readonly One[],
  limit: number,
): One[] {
  if (matches.length <= limit) return [...matches]
  const rank = ({ status, falsePositive }: One) => (falsePositive ? 2 : status === 'match' ? 0 : 1)
  const kept = new Set(matches.toSorted((one, other) => rank(one) - rank(other)).slice(0, limit))
  return matches.filter(match => kept.has(match))
}

/** What the matches come to. Clear is only what was searched whole; what was not needs a person, found or not. */
export function decideStatus(matches: readonly JudgedMatch[], { isComplete }: Pick<Coverage, 'isComplete'>): Status {
  const open = matches.filter(({ falsePositive }) => !falsePositive)
  if (open.some(({ status }) => status === 'match')) return 'match'
  return open.length > 0 || !isComplete ? 'review' : 'clear'
}

const PASSED_OVER = 'Your own lists were not searched: add custom to lists.'

export function writeNotice({ isSample, passedOver }: Pick<Coverage, 'isSample' | 'passedOver'>): string {
  const notice = isSample ? SAMPLE_NOTICE : NOTICE
  return passedOver.length > 0 ? `${notice} ${PASSED_OVER}` : notice
}

import type { JudgedMatch, Status } from './outcome.ts'

/** What a monitor remembers of an entry that it matches. */
export interface WatchedMatch {
  entityId: string
  caption: string
  score: number
  status: 'review' | 'match'
  hash: string
  falsePositive: boolean
}

export function summarise(matches: readonly JudgedMatch[]): WatchedMatch[] {
  return matches.map(({ entityId, entity, matchedName, score, status, hash, falsePositive }) => ({
    ...{ entityId, score, status, hash, falsePositive },
    caption: entity.names.find(({ type }) => type === 'primary')?.name ?? matchedName,
  }))
}

export interface MonitorChange {
  monitorId: string
  referenceId: string | null
  name: string
  status: Status
  formerStatus: Status
  added: string[]
  changed: string[]
  removed: string[]
}

/** What is other than before; undefined if nothing that the owner must look at. */
export function findChange(
  monitor: { id: string; referenceId: string | null; name: string; status: Status; matches: readonly WatchedMatch[] },
  found: readonly WatchedMatch[],
  status: Status,
): MonitorChange | undefined {
  const before = new Map(monitor.matches.map(match => [match.entityId, match]))
  const now = new Set(found.map(({ entityId }) => entityId))
  const added = found.filter(({ entityId }) => !before.has(entityId))
  const changed = found.filter(({ entityId, hash }) => before.has(entityId) && before.get(entityId)!.hash !== hash)
  const removed = monitor.matches.filter(({ entityId }) => !now.has(entityId))
  if (added.length + changed.length + removed.length === 0) return undefined
  const idsOf = (matches: readonly WatchedMatch[]) => matches.map(({ entityId }) => entityId)
  return {
    ...{ monitorId: monitor.id, referenceId: monitor.referenceId, name: monitor.name, status },
    ...{ formerStatus: monitor.status, added: idsOf(added), changed: idsOf(changed), removed: idsOf(removed) },
  }
}

import type { Coverage } from './coverage.ts'
import { ALGORITHM } from './matching/score.ts'
import { decideStatus, type JudgedMatch, limitMatches, writeNotice } from './outcome.ts'
import { hashQuery } from './request.ts'
import type { MatchOptions, Subject } from './subject.ts'

/** A subject that was searched, and in what. */
interface SearchedSubject {
  id: string
  subject: Subject
  options: MatchOptions
  coverage: Coverage
  subjectKey: string
  referenceId: string | undefined
}

/** A screening as its owner is shown it, and as it is kept. */
export function describeScreening(searched: SearchedSubject, matches: readonly JudgedMatch[]) {
  const { id, subject, options, coverage, subjectKey, referenceId } = searched
  const shown = {
    screeningId: `scr_${id}`,
    ...(referenceId !== undefined && { referenceId }),
    status: decideStatus(matches, coverage),
    incomplete: !coverage.isComplete,
    matches: limitMatches(matches, options.limit).map(match => showMatch(match, options.families)),
    coverage: coverage.families,
    algorithm: ALGORITHM,
    threshold: options.threshold,
    searchedAt: new Date().toISOString(),
    queryHash: hashQuery(
      subject,
      options,
      coverage.searched.map(({ version }) => version),
    ),
    notice: writeNotice(coverage),
  }
  return { shown, kept: { id, subjectKey, referenceId, subject, result: shown } }
}

function showMatch(match: JudgedMatch, families: readonly string[]) {
  const { entityId, source, score, status, falsePositive, matchedName, nameType, explanation, hash } = match
  const { sourceId, type, families: listed, ...entity } = match.entity
  return {
    ...{ entityId, source, sourceId, list: listed.find(family => families.includes(family))!, type },
    caption: entity.names.find(name => name.type === 'primary')?.name ?? matchedName,
    ...{ score, status, falsePositive, matchedName, nameType, explanation, entryHash: hash, entity },
  }
}

import { findCoverage, type ListedVersion } from '../coverage.ts'
import { describeScreening } from '../describe.ts'
import type { Family } from '../entity.ts'
import { splitNames } from '../matching/candidates.ts'
import { type Candidate, scoreCandidates } from '../matching/score.ts'
import { markFalsePositives } from '../outcome.ts'
import { prepareEntity } from '../prepare.ts'
import type { ScreeningRecord } from '../report/record.ts'
import { hashEntity, keySubject } from '../request.ts'
import { SAMPLE_KEY, SAMPLE_LIST } from '../sources.ts'
import type { MatchOptions, Subject } from '../subject.ts'
import { SAMPLE } from './entities.ts'

/** Stands in place of the id of a screening. */
export const SAMPLE_SCREENING = 'sample'

const FAMILIES: Family[] = ['sanctions', 'pep']

const ASKED = { lists: FAMILIES, sources: [], allowSample: true }
const RULES = { chosen: [], refreshHours: 24, expireDays: 1, isPast: false }

const SUBJECT: Subject = {
  ...{ name: 'Quexington, Zorblat', type: 'person', dob: '1961-04-17' },
  ...{ aliases: [], nationality: ['GB'], country: [], identifiers: [] },
}

const OPTIONS: MatchOptions = {
  ...{ threshold: 0.85, limit: 5, weakAliases: true, explain: true },
  ...{ excludeIds: [], topics: [], families: FAMILIES },
}

/** The screening of an invented person in the sample, really compared, for trials of what is made of a screening. */
export function screenSample(now: Date): ScreeningRecord {
  const names = splitNames(SUBJECT)
  const corpus = { counts: {}, entries: SAMPLE.length }
  const scored = scoreCandidates(SUBJECT, SAMPLE.map(toCandidate), corpus, names, OPTIONS)
  const matches = scored.map(({ id, ...match }) => ({ ...match, entity: SAMPLE[id]! }))
  const coverage = findCoverage(ASKED, [describeSample(now)], { ...RULES, now })
  const searched = { id: SAMPLE_SCREENING, subject: SUBJECT, options: OPTIONS, coverage, referenceId: undefined }
  const marked = markFalsePositives(matches, [])
  const { shown } = describeScreening({ ...searched, subjectKey: keySubject(SUBJECT) }, marked)
  return { ...shown, screeningId: SAMPLE_SCREENING, searchedAt: now.toISOString(), subject: SUBJECT, ruledOut: [] }
}

function describeSample(now: Date): ListedVersion {
  const loadedAt = now.toISOString()
  return {
    ...{ ...SAMPLE_LIST, isOwn: false, listId: 0, version: 1, entries: SAMPLE.length, sha256: hashEntity(SAMPLE) },
    ...{ publishedAt: null, loadedAt, checkedAt: loadedAt, failure: null },
  }
}

function toCandidate(entity: (typeof SAMPLE)[number], id: number): Candidate {
  const { names, sourceId } = prepareEntity(entity)
  return { id, entityId: `${SAMPLE_KEY}:${sourceId}`, source: SAMPLE_KEY, hash: hashEntity(entity), entity, names }
}

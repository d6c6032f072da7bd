import { Problem } from '#kit'
import type * as screeningCallers from '../../../sql/screening/index.ts'
import type { StepDeps } from '../step-deps.ts'
import { type Coverage, findCoverage } from './coverage.ts'
import { describeScreening } from './describe.ts'
import { scoreCandidates } from './matching/score.ts'
import { searchSubject } from './matching/search.ts'
import { WordIndex } from './matching/word-index.ts'
import { type JudgedMatch, markFalsePositives } from './outcome.ts'
import { keySubject, readMatchOptions, readSubject, type SentSubject } from './request.ts'
import type { MatchOptions, Subject } from './subject.ts'

type Lookup = 'listWords' | 'listPostings' | 'countEntries' | 'findIdentified' | 'readCompared' | 'readBodies'
type Names = Lookup | 'listVersions' | 'listFalsePositives'

/** What a step of this or another product needs to search the lists. */
type SearchDeps = Pick<StepDeps<typeof screeningCallers>, 'settings' | 'now'> & {
  sql: Pick<StepDeps<typeof screeningCallers>['sql'], Names>
}

interface BackgroundRequest extends SentSubject {
  lists: string[]
  sources: string[]
  allowSample: boolean
  threshold: number
  limit: number
  weakAliases: boolean
  explain: boolean
}

interface Searched {
  subject: Subject
  subjectKey: string
  options: MatchOptions
  coverage: Coverage
  matches: JudgedMatch[]
}

/** Searches as a call would, but in the thread of a worker. Undefined if none of the lists is loaded. */
export async function searchInBackground(
  request: BackgroundRequest,
  accountId: string,
  deps: SearchDeps,
): Promise<Searched | undefined> {
  const { sql } = deps
  const coverage = await readCoverage(request, accountId, deps)
  if (!coverage) return undefined
  const subject = readSubject(request)
  const options = readMatchOptions(request, request, coverage.searchedFamilies)
  const lists = coverage.searched.map(({ listId }) => listId)
  const versions = coverage.searched.map(({ version }) => version!)
  const own = coverage.searched.filter(({ isOwn }) => isOwn).map(({ listId }) => listId)
  const entries = coverage.searched.reduce((sum, list) => sum + (list.entries ?? 0), 0)
  const found = await searchSubject(subject, options, entries, {
    indexes: [new WordIndex(sql, null), ...(own.length > 0 ? [new WordIndex(sql, own)] : [])],
    countEntries: sql.countEntries,
    findIdentified: (keys, limit) => sql.findIdentified({ keys, lists, versions, limit }),
    readCompared: asked => sql.readCompared({ ...asked, lists, versions }),
    readBodies: sql.readBodies,
    score: async work => scoreCandidates(work.subject, work.candidates, work.corpus, work.names, work.options),
  })
  const subjectKey = keySubject(subject, request.referenceId)
  const known = await sql.listFalsePositives(accountId, [subjectKey])
  return { subject, subjectKey, options, coverage, matches: markFalsePositives(found, known) }
}

/** No lists that are loaded are no result, and no fault of the step. */
async function readCoverage(
  request: BackgroundRequest,
  accountId: string,
  { sql, settings, now }: SearchDeps,
): Promise<Coverage | undefined> {
  const rules = {
    chosen: settings.get('screening.lists'),
    refreshHours: settings.get('screening.refresh_hours'),
    expireDays: settings.get('screening.expire_days'),
    now: now(),
    isPast: false,
  }
  try {
    return findCoverage(request, await sql.listVersions(accountId), rules)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

interface PersonRequest {
  id: string
  name: string
  dob?: string
  referenceId?: string
  lists: string[]
  threshold: number
  allowSample: boolean
}

/** Screens one person; undefined if none of the lists is loaded, or the name has nothing that can be compared. */
export async function screenPerson({ id, ...asked }: PersonRequest, accountId: string, deps: SearchDeps) {
  const request = { ...PERSON, ...asked }
  try {
    const searched = await searchInBackground(request, accountId, deps)
    return searched && describeScreening({ ...searched, id, referenceId: asked.referenceId }, searched.matches)
  } catch (error) {
    if (error instanceof Problem && error.code === 'NAME_EMPTY') return undefined
    throw error
  }
}

const PERSON: Omit<BackgroundRequest, 'name' | 'lists' | 'threshold' | 'allowSample'> = {
  ...{ type: 'person', aliases: [], nationality: [], country: [], identifiers: [], excludeIds: [], topics: [] },
  ...{ sources: [], limit: 10, weakAliases: true, explain: true },
}

import { type Static, Type } from 'typebox'
import { isUuid, newId, Problem } from '#kit'
import { listVersions } from '../../../sql/screening/lists.ts'
import { type KeptScreening, keepScreenings, listFalsePositives } from '../../../sql/screening/screenings.ts'
import {
  type Coverage,
  type CoverageRules,
  findCoverage,
  priceSubject,
} from '../../../tasks/products/screening/coverage.ts'
import { describeScreening } from '../../../tasks/products/screening/describe.ts'
import { markFalsePositives } from '../../../tasks/products/screening/outcome.ts'
import {
  keySubject,
  readMatchOptions,
  readSubject,
  type SentSubject,
} from '../../../tasks/products/screening/request.ts'
import type { Subject } from '../../../tasks/products/screening/subject.ts'
import type { ApiContext } from '../../context.ts'
import type { RouteJob } from '../../route.ts'
import { type MatchBody, SUBJECT } from './schema.ts'

export type MatchRequest = Static<typeof MatchBody>

/** Subjects of a batch that are searched at once; their candidates come from one database. */
const SEARCHED_AT_ONCE = 4
const LEAST_MICROS = 1_000n

export function coverageRules({ settings }: Pick<ApiContext, 'settings'>, isPast = false): CoverageRules {
  return {
    chosen: settings.get('screening.lists'),
    refreshHours: settings.get('screening.refresh_hours'),
    expireDays: settings.get('screening.expire_days'),
    now: new Date(),
    isPast,
  }
}

const SUBJECT_FIELDS = Object.keys(SUBJECT) as (keyof typeof SUBJECT)[]

/** Whether a caller has sent it: what is left out has the value that says nothing. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== 'any' && !(Array.isArray(value) && value.length === 0)
}

/** The subjects of a call by their keys; that of a call for one has none. */
function listSubjects(body: MatchRequest): [key: string, sent: SentSubject, subject: Subject][] {
  const { name, subjects } = body
  const stray = subjects && SUBJECT_FIELDS.find(field => isGiven(body[field]))
  if (stray)
    throw new Problem('CONFLICTING_OPTIONS', {
      fields: [stray, 'subjects'],
      reason: 'It belongs to each of the subjects.',
    })
  if (subjects) return Object.entries(subjects).map(([key, sent]) => [key, sent, readSubject(sent, `subjects.${key}.`)])
  if (name === undefined) throw new Problem('MISSING_FIELD', { field: 'name', oneOf: ['name', 'subjects'] })
  const sent = { ...body, name }
  return [['', sent, readSubject(sent)]]
}

type CoverageAsked = Pick<MatchRequest, 'lists' | 'sources' | 'allowSample' | 'asOf'>

/** What a search covers. Throws if nothing that is asked for is loaded. */
export async function readCoverage(
  context: ApiContext,
  { lists, sources, allowSample, asOf }: CoverageAsked,
  accountId: string | undefined,
): Promise<Coverage> {
  if (allowSample) await context.screener.storeSample()
  const versions = await listVersions(context.db, accountId ?? null, asOf)
  return findCoverage({ lists, sources, allowSample }, versions, coverageRules(context, asOf !== undefined))
}

/** Checks all that can be known before anything is paid, and tells the price: less where only a part of the lists is loaded. */
export async function quoteScreening(
  context: ApiContext,
  body: MatchRequest,
  accountId: string | undefined,
): Promise<bigint> {
  const subjects = listSubjects(body)
  const coverage = await readCoverage(context, body, accountId)
  const familyMicros = BigInt(context.settings.get('screening.family_micros'))
  const amount = priceSubject(coverage, familyMicros) * BigInt(subjects.length)
  const least = BigInt(context.settings.get('screening.least_micros'))
  return [amount, least, LEAST_MICROS].reduce((one, other) => (other > one ? other : one))
}

interface Screened {
  kept: KeptScreening
  shown: object
}

/** Searches, keeps what came of it, and ends the job that pays for it. */
export async function screen(context: ApiContext, body: MatchRequest, job: RouteJob): Promise<object> {
  const subjects = listSubjects(body)
  const coverage = await readCoverage(context, body, job.accountId)
  const falsePositives = await listFalsePositives(
    context.db,
    job.accountId,
    subjects.map(([, { referenceId }, subject]) => keySubject(subject, referenceId)),
  )
  const screened: [string, Screened][] = []
  for (let at = 0; at < subjects.length; at += SEARCHED_AT_ONCE) {
    const turn = subjects.slice(at, at + SEARCHED_AT_ONCE).map(async ([key, sent, subject]) => {
      const options = readMatchOptions(sent, body, coverage.searchedFamilies)
      const matches = await context.screener.search(subject, options, coverage.searched)
      const subjectKey = keySubject(subject, sent.referenceId)
      const own = falsePositives.filter(one => one.subjectKey === subjectKey)
      const marked = markFalsePositives(matches, own)
      return [
        key,
        describeScreening(
          { id: newId(), subject, options, coverage, subjectKey, referenceId: sent.referenceId },
          marked,
        ),
      ] as const
    })
    for (const [key, one] of await Promise.all(turn)) screened.push([key, one])
  }
  const result = body.subjects
    ? { results: Object.fromEntries(screened.map(([key, { shown }]) => [key, shown])) }
    : screened[0]![1].shown
  const days = context.settings.get('screening.kept_days')
  await keepScreenings(
    context.db,
    job,
    screened.map(([, { kept }]) => kept),
    result,
    days,
  )
  return result
}

export const ScreeningId = Type.Object({
  id: Type.String({ maxLength: 64, description: 'The `screeningId` of an answer, such as `scr_019ab3c4-…`.' }),
})

/** The id in the database. */
export function readScreeningId({ id }: { id: string }): string {
  const uuid = id.replace(/^scr_/, '')
  if (!isUuid(uuid)) throw new Problem('NOT_FOUND')
  return uuid
}

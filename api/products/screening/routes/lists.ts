import { Type } from 'typebox'
import { Choice } from '#kit'
import { listKept, listVersions } from '../../../../sql/screening/lists.ts'
import { type CoverageRules, type ListedVersion, showVersion } from '../../../../tasks/products/screening/coverage.ts'
import { FAMILIES } from '../../../../tasks/products/screening/entity.ts'
import { SAMPLE } from '../../../../tasks/products/screening/sample/entities.ts'
import { findSource, SAMPLE_KEY, SOURCES } from '../../../../tasks/products/screening/sources.ts'
import { route } from '../../../route.ts'
import { coverageRules } from '../screen.ts'

/** As many as an operator can let a list keep. */
const MAX_VERSIONS = 100

const Nullable = Type.Union([Type.String(), Type.Null()])

const List = Type.Object({
  source: Type.String(),
  title: Type.String(),
  publisher: Type.String(),
  lists: Type.Array(Choice(FAMILIES)),
  state: Choice(['loaded', 'expired', 'not-loaded', 'sample'], { description: '`expired` lists count as not loaded.' }),
  chosen: Type.Boolean({ description: 'Refreshed and searched without being named in sources.' }),
  version: Type.Union([Type.Integer(), Type.Null()]),
  publishedAt: Nullable,
  loadedAt: Nullable,
  checkedAt: Nullable,
  entries: Type.Integer(),
  sha256: Nullable,
  stale: Type.Boolean(),
  versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'To be named in `asOf` of a screening.' }),
      loadedAt: Type.String({ format: 'date-time', description: 'When it became the current version.' }),
      publishedAt: Nullable,
      entries: Type.Integer(),
    }),
    { maxItems: MAX_VERSIONS, description: 'Those that are kept, the newest first.' },
  ),
  failure: Nullable,
  needs: Type.Optional(Type.String({ description: 'What the operator must have to load it.' })),
  licence: Type.Optional(Type.String()),
})

export default route({
  at: 'GET /v1/screening/lists',
  summary: 'List the screening lists with their versions, their entries and how fresh they are.',
  keywords: 'which sanctions lists, when was ofac updated, list versions, coverage of screening',
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ lists: Type.Array(List) }) },
  errors: [],
  async handle({ caller }, context) {
    const rules = coverageRules(context)
    const versions = await listVersions(context.db, caller?.accountId ?? null)
    const own = versions.filter(({ isOwn }) => isOwn)
    const known = [...SOURCES.map(({ key }) => key), ...own.map(({ key }) => key)]
    const listIds = versions.map(({ listId }) => listId)
    const kept = Map.groupBy(await listKept(context.db, listIds, MAX_VERSIONS), ({ listId }) => listId)
    const lists = known.map(key => {
      const listed = versions.find(version => version.key === key)
      return { ...showList(key, listed, rules), versions: showKept(listed && kept.get(listed.listId)) }
    })
    return { lists: [...lists, SAMPLE_LIST] }
  },
})

const NOTHING = {
  ...{ chosen: false, version: null, publishedAt: null, loadedAt: null, checkedAt: null, entries: 0 },
  ...{ sha256: null, stale: false, failure: null },
}

const SAMPLE_LIST = {
  ...{
    source: SAMPLE_KEY,
    title: 'Sample of invented entries',
    publisher: 'this service',
    lists: ['sanctions', 'pep'],
  },
  ...{ ...NOTHING, state: 'sample', entries: SAMPLE.length, versions: [] },
}

function showKept(kept: Awaited<ReturnType<typeof listKept>> = []) {
  return kept.map(({ version, loadedAt, publishedAt, entries }) => ({ version, loadedAt, publishedAt, entries }))
}

function showList(key: string, listed: ListedVersion | undefined, rules: CoverageRules) {
  const source = findSource(key)
  const families = source?.families ?? listed!.families
  const facts = {
    ...{ source: key, title: source?.title ?? listed!.title, publisher: source?.publisher ?? 'you', lists: families },
    chosen: rules.chosen.includes(key),
    ...(source?.needs && { needs: source.needs }),
    ...(source && { licence: source.licence }),
  }
  if (!listed || listed.version === null)
    return { ...NOTHING, ...facts, state: 'not-loaded', failure: listed?.failure ?? null }
  const { stale, version, publishedAt, loadedAt, entries, sha256 } = showVersion(listed, rules)
  const checkedAt = listed.checkedAt ?? listed.loadedAt
  const isExpired = !listed.isOwn && rules.now.getTime() - Date.parse(checkedAt!) > rules.expireDays * 86_400_000
  return {
    ...{ ...facts, state: isExpired ? 'expired' : 'loaded', version, publishedAt, loadedAt, checkedAt },
    ...{ entries, sha256, stale, failure: listed.failure },
  }
}

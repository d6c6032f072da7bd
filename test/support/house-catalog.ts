import type { Entry } from '#kit'
import { PROBLEMS, type ProblemCode } from '#kit'
import { codeFiles, type House } from './house-files.ts'

/** An operation without a test or an example, a route no story of test/routes calls. */
export function untested(entries: readonly Entry[], house: House): string[] {
  return entries.flatMap(entry =>
    entry.kind === 'operation' ? untestedOperation(entry, house) : untestedRoute(entry, house),
  )
}

function untestedOperation({ name, examples }: Entry, house: House): string[] {
  const place = name.replace('.', '/')
  return [
    house.has(`test/tasks/${place}.test.ts`) ? [] : [`tasks/${place}.ts has no test: test/tasks/${place}.test.ts`],
    examples.length > 0 ? [] : [`tasks/${place}.ts declares no example`],
  ].flat()
}

function untestedRoute({ name, path, body, examples }: Entry, house: House): string[] {
  const place = `api/routes/${name.replace('.', '/')}.ts`
  const start = path.replace(/[{*].*$/, '')
  const isTold = [...house].some(([file, text]) => file.startsWith('test/routes/') && text.includes(start))
  return [
    isTold ? [] : [`${place} has no test: no file of test/routes asks for ${start}`],
    !body || examples.length > 0 ? [] : [`${place} takes a body and declares no example`],
  ].flat()
}

/** Every `sample:` that a declaration names. */
export function samplesOf(entries: readonly Entry[]): Set<string> {
  const names = JSON.stringify(entries.map(({ examples }) => examples)).matchAll(/"sample:([^"]+)"/g)
  return new Set([...names].map(([, name]) => name!))
}

/** Codes that belong to products still to be built; each leaves this list with its product. */
export const LATER = new Set<ProblemCode>([
  'INVALID_EVENTS',
  'INVALID_WORKFLOW_ID',
  'PRECONFIG_NOT_FOUND',
  'ALREADY_WITNESSED',
  'BATON_NOT_ACTIVE',
  'CHAIN_NOT_INITIALIZED',
  'NOT_WITNESSED',
  'QUOTA_EXHAUSTED',
  'BATON_FROZEN',
  'CHAINED_OVERWRITE',
  'VERSION_CONFLICT',
  'GONE',
  'MEDIA_DECODE_FAILED',
  'FLAG_DEPENDENCY_UNMET',
  'IPV6_NOT_SUPPORTED',
  'INVALID_FIELD',
  'INVALID_SHAPE',
  'witness_key_not_configured',
  'HANDOFF_BILLING_NOT_READY',
  'MCP_DISABLED',
])

const TABLE = /^(tasks\/kit\/problem\.ts|api\/surfaces\/expected-problems\.ts)$/
const DECLARED = /\berrors:\s*\[[^\]]*\]/g

/** Codes nothing throws, and codes said to be for later that something throws already. */
export function idleCodes(house: House): string[] {
  const code = codeFiles(house)
    .filter(([path]) => !TABLE.test(path))
    .map(([, text]) => text.replace(DECLARED, ''))
  const sql = [...house].filter(([path]) => /^sql\/functions\/.*\.sql$/.test(path)).map(([, text]) => text)
  const all = [...code, ...sql].join('\n')
  return (Object.keys(PROBLEMS) as ProblemCode[]).flatMap(name => {
    const isThrown = new RegExp(`['"\`]${name}['"\`]`).test(all)
    if (isThrown && LATER.has(name)) return [`${name} is thrown now: take it off the list of later codes`]
    return isThrown || LATER.has(name) ? [] : [`${name} stands in tasks/kit/problem.ts and nothing throws it`]
  })
}

/** Codes a declaration names that the table does not have. */
export function unknownCodes(entries: readonly Entry[]): string[] {
  const named = entries.flatMap(({ name, errors }) => errors.map(code => [name, code] as const))
  return named
    .filter(([, code]) => !Object.hasOwn(PROBLEMS, code))
    .map(([name, code]) => `${name} declares ${code}: no such problem`)
}

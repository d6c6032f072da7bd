import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * How far a program is shut in. 2: own file system, processes and network (bubblewrap). 1: no network and a user of
 * its own. 0: nothing but limits, for development only. None: nothing that parses untrusted bytes may run.
 */
export type SandboxLevel = 0 | 1 | 2

export interface Limits {
  /** Of address space. */
  memoryMb?: number
  /** Of memory a process may write: for those that reserve more addresses than they use. */
  dataMb?: number
  cpuSeconds?: number
  fileBytes?: number
  processes?: number
}

export interface Confinement {
  /** The one folder that can be written; the program starts in it. */
  folder: string
  /** The user the program runs as where we are root: the owner of the folder. */
  uid: number
  /** Names inside the folder that cannot be written. */
  readOnly: readonly string[]
  limits: Limits
  /** Files and folders besides the system's own that a warm child needs to see. */
  visible: readonly string[] | undefined
  /** Shuts its own parts in once more, for which it needs device files and namespaces of its own. */
  ownSandbox?: boolean
}

export interface Command {
  file: string
  args: string[]
  cwd: string
}

const INSIDE = '/w'
export const isRoot = process.getuid?.() === 0
export const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/** The command line that runs `program` shut in as the level says. It contains no secret and no user text of ours. */
export function confine(level: SandboxLevel, program: string, args: readonly string[], how: Confinement): Command {
  const bare = [program, ...args]
  if (level === 2) return toCommand([...limitsOf(how.limits), 'bwrap', ...mounts(how), ...asUser(how), ...bare], '/')
  if (level === 1) return toCommand(['unshare', '--net', ...asUser(how), ...limitsOf(how.limits), ...bare], how.folder)
  return toCommand([...limitsOf(how.limits), ...bare], how.folder)
}

function toCommand([file, ...args]: string[], cwd: string): Command {
  return { file: file!, args, cwd }
}

const isLinux = process.platform === 'linux'

function limitsOf({ memoryMb, dataMb, cpuSeconds, fileBytes, processes }: Limits): string[] {
  if (!isLinux) return []
  const limits = ['prlimit', '--core=0']
  if (memoryMb) limits.push(`--as=${memoryMb * 2 ** 20}`)
  if (dataMb) limits.push(`--data=${dataMb * 2 ** 20}`)
  if (cpuSeconds) limits.push(`--cpu=${Math.ceil(cpuSeconds)}`)
  if (fileBytes) limits.push(`--fsize=${fileBytes}`)
  // The count is of all processes and threads of the user: only a user of the job's own can have a small one.
  if (processes && isRoot) limits.push(`--nproc=${processes}`)
  return limits
}

/** As root the mounts are made by root, so that the folder may lie anywhere, and the program's user is set inside. */
function asUser({ uid }: Confinement): string[] {
  if (!isRoot) return []
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return ['/usr/bin/setpriv', ...user, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
}

const NAMESPACES = ['pid', 'net', 'ipc', 'uts', 'cgroup'].map(name => `--unshare-${name}`)
const PRIVILEGE = isRoot
  ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap(name => ['--cap-add', name])
  : ['--unshare-user']
const NO_MORE_NAMESPACES = isRoot ? [] : ['--disable-userns']
/** Each mount costs a tenth of a millisecond, so that programs see only what all of them need. */
const SYSTEM_FILES = ['/etc/ld.so.cache']
const FONT_FILES = ['/etc/fonts', '/var/cache/fontconfig']

function mounts({ folder, readOnly, visible = [], ownSandbox }: Confinement): string[] {
  return [
    ...NAMESPACES,
    ...PRIVILEGE,
    ...(ownSandbox ? [] : NO_MORE_NAMESPACES),
    '--die-with-parent',
    '--new-session',
    ...systemMounts(),
    ...(ownSandbox ? ['--dev', '/dev'] : []),
    ...visible.flatMap(path => ['--dir', dirname(path), '--ro-bind', path, path]),
    ...['--bind', folder, INSIDE],
    // Where our own code lies under /tmp there is such a folder already; TMPDIR names the other.
    ...(visible.some(path => path.startsWith('/tmp/')) ? [] : ['--symlink', INSIDE, '/tmp']),
    // Where we are root, our files belong to another user than the program's.
    ...(isRoot ? [] : readOnly).flatMap(name => ['--ro-bind', join(folder, name), join(INSIDE, name)]),
    ...['--remount-ro', '/', '--chdir', INSIDE, '--'],
  ]
}

let system: string[] | undefined

function systemMounts(): string[] {
  system ??= [
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib64'].filter(path => existsSync(path)).flatMap(sameAsHere),
    ...SYSTEM_FILES.filter(path => existsSync(path)).flatMap(path => ['--dir', dirname(path), '--ro-bind', path, path]),
    ...['--proc', '/proc'],
  ]
  return system
}

function sameAsHere(path: string): string[] {
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path]
  return ['--ro-bind', path, path]
}

/** What a Node child needs to see: its own binary and the code it runs, never the data folder. */
export function nodeFiles(): string[] {
  const code = ['node_modules', 'pools', 'tasks', 'package.json'].map(name => join(repository, name))
  return [realpathSync(process.execPath), ...code, ...fontFiles()]
}

export function fontFiles(): string[] {
  return FONT_FILES.filter(path => existsSync(path))
}

/** The whole environment of a confined program: nothing of ours. A locale would be loaded by each program on the way. */
export function environment(folder: string, level: SandboxLevel): Record<string, string> {
  const home = level === 2 ? INSIDE : folder
  return { PATH: '/usr/bin:/bin:/usr/local/bin', HOME: home, TMPDIR: home, TZ: 'UTC' }
}

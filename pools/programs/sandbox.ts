import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { machine } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * How strictly a program is confined. 2: its own file system, processes and network (bubblewrap). 1: no network and a
 * user of its own. 0: only limits, for development. Without a level, nothing that parses untrusted bytes may run.
 */
export type SandboxLevel = 0 | 1 | 2

interface Limits {
  /** Limits the address space. */
  memoryMb?: number
  /** Limits the memory a process may write to: for programs that reserve more addresses than they use. */
  dataMb?: number
  cpuSeconds?: number
  fileBytes?: number
  processes?: number
}

interface Confinement {
  /** The only folder that can be written; the program starts in it. */
  folder: string
  /** The user the program runs as if we are root: the owner of the folder. */
  uid: number
  /** Names inside the folder that cannot be written. */
  readOnly: readonly string[]
  limits: Limits
  /** Files and folders besides the system's own that the program can read. */
  visible: readonly string[] | undefined
  /** A folder that the program can read, and where it sees it. */
  mounted?: { from: string; at: string }
  /** The program has a sandbox of its own for its parts, which needs device files and namespaces. */
  ownSandbox?: boolean
}

interface Command {
  file: string
  args: string[]
  cwd: string
}

const FOLDER_INSIDE = '/w'
export const isRoot = process.getuid?.() === 0
const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Builds the command line that runs `program` confined. It must contain no secret: other users can read it. */
export function confine(
  level: SandboxLevel,
  program: string,
  args: readonly string[],
  confinement: Confinement,
): Command {
  const { folder, limits } = confinement
  const [limit, user] = [buildLimitArgs(limits), buildUserArgs(confinement)]
  const unconfined = [program, ...args]
  if (level === 2) return toCommand([...limit, 'bwrap', ...buildMountArgs(confinement), ...user, ...unconfined], '/')
  if (level === 1) return toCommand(['unshare', '--net', ...user, ...limit, ...unconfined], folder)
  return toCommand([...limit, ...unconfined], folder)
}

/** Where the starter of warm sandboxes sees the folders of all jobs; no program does. */
const FOLDERS_INSIDE = '/jobs/all'
const STARTER_PATH = fileURLToPath(new URL('./warm/starter.pl', import.meta.url))

/** Builds the command line of a sandbox that starts programs in the folders below `root`, one after another. */
export function confineStarter(root: string): Command {
  const mounts = [
    ...buildSystemMountArgs(),
    ...listFontFiles().flatMap(path => ['--dir', dirname(path), '--ro-bind', path, path]),
    ...['--dir', FOLDER_INSIDE, '--dir', '/none', '--symlink', FOLDER_INSIDE, '/tmp'],
    ...['--perms', '0700', '--dir', dirname(FOLDERS_INSIDE), '--bind', root, FOLDERS_INSIDE],
    ...['--ro-bind', STARTER_PATH, '/starter.pl', '--remount-ro', '/'],
  ]
  const privilege = [...PRIVILEGE, ...NO_MORE_NAMESPACES, '--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP']
  const starter = ['perl', '/starter.pl', machine(), isRoot ? '1' : '0']
  const sandbox = ['bwrap', ...NAMESPACES, ...privilege, '--die-with-parent', '--new-session', ...mounts]
  return toCommand([...sandbox, '--chdir', '/', '--', ...starter], '/')
}

function toCommand([file, ...args]: string[], cwd: string): Command {
  return { file: file!, args, cwd }
}

const isLinux = process.platform === 'linux'

/** Between SIGXCPU, which tells why a program ended, and SIGKILL. With equal limits the kernel would send SIGKILL alone. */
const CPU_GRACE_SECONDS = 5

function buildLimitArgs({ memoryMb, dataMb, cpuSeconds, fileBytes, processes }: Limits): string[] {
  if (!isLinux) return []
  const limits = ['prlimit', '--core=0']
  if (memoryMb) limits.push(`--as=${memoryMb * 2 ** 20}`)
  if (dataMb) limits.push(`--data=${dataMb * 2 ** 20}`)
  if (cpuSeconds) limits.push(`--cpu=${Math.ceil(cpuSeconds)}:${Math.ceil(cpuSeconds) + CPU_GRACE_SECONDS}`)
  if (fileBytes) limits.push(`--fsize=${fileBytes}`)
  // The kernel counts all processes and threads of the user, so only a user that runs this job alone can have a limit.
  if (processes && isRoot) limits.push(`--nproc=${processes}`)
  return limits
}

/** As root, bubblewrap mounts as root, so that the folder may be anywhere, and the user is changed inside the sandbox. */
function buildUserArgs({ uid }: Confinement): string[] {
  if (!isRoot) return []
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  return ['/usr/bin/setpriv', ...user, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
}

const NAMESPACES = ['pid', 'net', 'ipc', 'uts', 'cgroup'].map(name => `--unshare-${name}`)
const PRIVILEGE = isRoot
  ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap(name => ['--cap-add', name])
  : ['--unshare-user']
const NO_MORE_NAMESPACES = isRoot ? [] : ['--disable-userns']
/**
 * Each mount takes a tenth of a millisecond, so programs get only the files that all of them need. The libraries of
 * linear algebra, which ffmpeg needs, are links to alternatives.
 */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/alternatives']
const FONT_FILES = ['/etc/fonts', '/var/cache/fontconfig']

function buildMountArgs({ folder, readOnly, visible = [], mounted, ownSandbox }: Confinement): string[] {
  return [
    ...NAMESPACES,
    ...PRIVILEGE,
    ...(ownSandbox ? [] : NO_MORE_NAMESPACES),
    '--die-with-parent',
    '--new-session',
    ...buildSystemMountArgs(),
    ...(ownSandbox ? ['--dev', '/dev'] : []),
    ...visible.flatMap(path => ['--dir', dirname(path), '--ro-bind', path, path]),
    ...(mounted ? ['--dir', dirname(mounted.at), '--ro-bind', mounted.from, mounted.at] : []),
    ...['--bind', folder, FOLDER_INSIDE],
    // If our own code is under /tmp, that folder exists already. TMPDIR names the job's folder in any case, and LibreOffice
    // looks for a folder to write to in these two places only.
    ...['--symlink', FOLDER_INSIDE, visible.some(path => path.startsWith('/tmp/')) ? '/var/tmp' : '/tmp'],
    // If we are root, our files belong to another user, and the program cannot write to them anyway.
    ...(isRoot ? [] : readOnly).flatMap(name => ['--ro-bind', join(folder, name), join(FOLDER_INSIDE, name)]),
    ...['--remount-ro', '/', '--chdir', FOLDER_INSIDE, '--'],
  ]
}

let systemMountArgs: string[] | undefined

function buildSystemMountArgs(): string[] {
  systemMountArgs ??= [
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib64'].filter(path => existsSync(path)).flatMap(mountAsOnHost),
    ...SYSTEM_FILES.filter(path => existsSync(path)).flatMap(path => ['--dir', dirname(path), '--ro-bind', path, path]),
    ...['--proc', '/proc'],
  ]
  return systemMountArgs
}

function mountAsOnHost(path: string): string[] {
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path]
  return ['--ro-bind', path, path]
}

/** What a Node child needs to read: its own binary and the code it runs, never the data folder. */
export function listNodeFiles(): string[] {
  const code = ['node_modules', 'pools', 'tasks', 'package.json'].map(name => join(REPOSITORY, name))
  return [realpathSync(process.execPath), ...code, ...listFontFiles()]
}

export function listFontFiles(): string[] {
  return FONT_FILES.filter(path => existsSync(path))
}

/** The whole environment of a confined program: nothing of ours, and no locale, which each program would load at start. */
export function buildEnvironment(folder: string, level: SandboxLevel): Record<string, string> {
  const home = level === 2 ? FOLDER_INSIDE : folder
  return { PATH: '/usr/bin:/bin:/usr/local/bin', HOME: home, TMPDIR: home, TZ: 'UTC' }
}

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../house/files.ts'

const run = promisify(execFile)
const BASE = 'localhost/node:24-bookworm-slim'
const IMAGE = 'localhost/coinop-test'
const PROGRAMS = ['buildah', 'mmdebstrap', 'unshare', 'setpriv', 'ip']
const MAX_OUTPUT_BYTES = 64 * 2 ** 20
/** Of the user `node` in the image. */
const UID = 1_000

/** Why no image can be built here; undefined if one can. */
export function whyNoImage(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'images are built by root on Linux'
  const missing = PROGRAMS.filter(
    name => !['/usr/bin', '/usr/sbin', '/sbin'].some(path => existsSync(join(path, name))),
  )
  return missing.length > 0 ? `not installed: ${missing.join(', ')}` : undefined
}

async function buildah(...args: string[]): Promise<string> {
  const env = { ...process.env, STORAGE_DRIVER: 'overlay', BUILDAH_ISOLATION: 'chroot' }
  return (await run('buildah', args, { env, maxBuffer: MAX_OUTPUT_BYTES })).stdout.trim()
}

/** What stands for the public base image, which cannot be fetched here: Debian, Node, npm and the user `node`. */
async function buildBase(folder: string): Promise<void> {
  const tar = join(folder, 'debian.tar')
  await run('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates', 'bookworm', tar])
  const { stdout: npm } = await run('sh', ['-c', 'readlink -f "$(command -v npm)"'])
  const container = await buildah('from', 'scratch')
  await buildah('add', '-q', container, tar, '/')
  await buildah('copy', '-q', container, process.execPath, '/usr/local/bin/node')
  await buildah('copy', '-q', container, dirname(dirname(npm.trim())), '/usr/local/lib/node_modules/npm')
  const user = `groupadd --gid ${UID} node && useradd --uid ${UID} --gid node --create-home node`
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  await buildah('run', container, '--', 'sh', '-c', `${user} && ${link}`)
  await buildah('commit', '-q', '--rm', container, BASE)
}

/** Builds the image of the last commit by the Dockerfile as it is. What a build before has made is used again. */
export async function buildImage(folder: string): Promise<string> {
  const context = join(folder, 'context')
  await run('git', ['clone', '--quiet', ROOT, context])
  const isThere = await buildah('images', '-q', BASE).catch(() => '')
  if (isThere === '') await buildBase(folder)
  // The build reaches the registries by the certificates and the settings of this machine.
  const { stdout: settings } = await run('npm', ['config', 'get', 'globalconfig'])
  const lent = [
    ['/etc/ssl/certs', '/etc/ssl/certs'],
    [settings.trim(), '/usr/local/etc/npmrc'],
  ].flatMap(([from, to]) => (existsSync(from!) ? ['--volume', `${from}:${to}:ro`] : []))
  await buildah(
    ...['bud', '--layers', '--format', 'docker', '--pull-never', '--from', BASE, ...lent],
    ...['--tag', IMAGE, '--file', join(context, 'Dockerfile'), context],
  )
  return IMAGE
}

export interface ImageContainer extends AsyncDisposable {
  /** What `curl` prints of the service, called from within its network. */
  curl(...args: string[]): Promise<string>
  log(): string
  /** Its processes of Node and Postgres, by their user. */
  users(): Promise<number[]>
  /** Asks it to stop, as an engine does, and returns its exit code. */
  stop(): Promise<number | null>
}

interface Place {
  folder: string
  namespace: string
}

/** Starts an image as an engine would: a root, processes and a network of its own, and the user that the image names. */
export async function startImage(image: string, { folder, namespace }: Place): Promise<ImageContainer> {
  const container = await buildah('from', '--pull-never', image)
  const root = await buildah('mount', container)
  const { OCIv1: description } = JSON.parse(await buildah('inspect', '--type', 'image', image)) as ImageDescription
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  await run('chown', [`${UID}:${UID}`, data])
  // Every engine gives a container its hosts.
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  const log = join(folder, `${container}.log`)
  const output = openSync(log, 'w')
  const args = ['netns', 'exec', namespace, 'unshare', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
  const child = spawn('ip', [...args, 'sh', '-ec', enterRoot(description.config, root, data)], {
    stdio: ['ignore', output, output],
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  async function stop(): Promise<number | null> {
    const first = (await listProcesses(namespace)).find(({ isFirst }) => isFirst)
    if (first) process.kill(first.pid, 'SIGTERM')
    else child.kill('SIGKILL')
    return (await ended)[0]
  }
  return {
    curl: async (...more) => (await run('ip', ['netns', 'exec', namespace, 'curl', '-sS', ...more])).stdout,
    log: () => readFileSync(log, 'utf8'),
    users: async () => (await listProcesses(namespace)).map(({ uid }) => uid),
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) await stop()
      await buildah('umount', container)
      await buildah('rm', container)
    },
  }
}

interface ImageDescription {
  OCIv1: { config: ImageConfig }
}

interface ImageConfig {
  User?: string
  Env: string[]
  Cmd: string[]
  WorkingDir: string
}

/** Its folder becomes the root. The programs that it confines mount a /proc of their own, so nothing may lie over this one. */
function enterRoot({ User: user, Env, Cmd, WorkingDir }: ImageConfig, root: string, data: string): string {
  const becomeUser = user ? `setpriv --reuid ${user} --regid ${user} --clear-groups` : ''
  return [
    ...['mount --make-rprivate /', `mount --bind ${root} ${root}`, `mount -t proc proc ${root}/proc`],
    ...[`mount --rbind /dev ${root}/dev`, `mount -t tmpfs tmpfs ${root}/tmp`, `mount --bind ${data} ${root}/data`],
    ...[`cd ${root}`, 'mkdir -p .old', 'pivot_root . .old', 'umount -l /.old', 'rmdir /.old', `cd ${WorkingDir}`],
    `exec env -i HOME=/home/node ${Env.join(' ')} ${becomeUser} ${Cmd.join(' ')}`,
  ].join('\n')
}

/** Those of Node and Postgres in a network. */
async function listProcesses(namespace: string) {
  const { stdout } = await run('ip', ['netns', 'pids', namespace])
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .flatMap(line => {
      const pid = Number(line)
      const status = readStatus(pid)
      const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/) ?? []
      const [command = ''] = field('Name')
      if (!/^(node|postgres|MainThread)/.test(command)) return []
      return [{ pid, uid: Number(field('Uid')[0]), isFirst: field('NSpid').at(-1) === '1' }]
    })
}

/** Of a process that may have ended meanwhile. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

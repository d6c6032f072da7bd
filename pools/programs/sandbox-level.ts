import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Folders } from '../folders.ts'
import type { JobContext } from '../job-context.ts'
import type { LauncherClient } from './launcher-client.ts'
import { Programs } from './run.ts'
import { isRoot, listNodeFiles, type SandboxLevel } from './sandbox.ts'

export interface PoolLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/**
 * Finds the strongest confinement that works on this machine, by trying. Undefined in production without any: untrusted
 * bytes must not be parsed there.
 */
export async function findSandboxLevel(
  options: { sandbox: 'auto' | 'off'; production: boolean; log: PoolLog },
  folders: Folders,
  launcher: LauncherClient,
): Promise<SandboxLevel | undefined> {
  const { sandbox, production, log } = options
  const levels: SandboxLevel[] = sandbox === 'off' || process.platform !== 'linux' ? [] : isRoot ? [2, 1] : [2]
  for (const level of levels) {
    const leaks = await findLeaks(level, folders, launcher)
    if (leaks.length === 0) return level
    log.warn({ level, leaks }, 'the sandbox does not confine at this level')
  }
  if (production) log.error({}, 'no sandbox: programs and native engines are refused')
  else log.warn({}, 'NO SANDBOX: programs and native engines run unconfined; for development only')
  return production ? undefined : 0
}

/** Tries from inside the sandbox what must be impossible, and returns what was possible. */
async function findLeaks(level: SandboxLevel, folders: Folders, launcher: LauncherClient): Promise<string[]> {
  const name = `self-test-${level}`
  const canary = join(folders.root, 'canary')
  const listener = createServer().listen(0, '127.0.0.1')
  const programs = new Programs(level, launcher)
  try {
    const folder = await folders.open(name)
    await writeFile(canary, 'canary', { mode: level === 2 ? 0o644 : 0o600 })
    if (!listener.listening) await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    const context = createSelfTestContext(folder, name)
    const escapeArgs = ['-e', ESCAPE_SCRIPT, canary, String(port)]
    const options = { memoryMb: 0, visible: listNodeFiles() }
    const [escaped, limited] = await Promise.all([
      programs.run(context, process.execPath, escapeArgs, options),
      programs.run(context, 'sh', ['-c', 'ulimit -v'], { memoryMb: 64 }),
    ])
    const leaks = escaped.code === 0 ? (JSON.parse(escaped.stdout) as string[]) : [escaped.stderr.trim().slice(0, 300)]
    return limited.stdout.trim() === String(64 * 1024) ? leaks : [...leaks, 'memory is not limited']
  } catch (error) {
    return [(error as Error).message]
  } finally {
    listener.close()
    await folders.close(name)
    await rm(canary, { force: true })
  }
}

export function createSelfTestContext(folder: string, jobId: string): JobContext {
  const limitSeconds = 10
  const deadlineMs = performance.now() + limitSeconds * 1000
  const { signal } = new AbortController()
  return { jobId, folder, signal, deadlineMs, limitSeconds, out: file => join(folder, file) }
}

const ESCAPE_SCRIPT = `
const fs = require('node:fs'), net = require('node:net'), path = require('node:path')
const [canary, port] = process.argv.slice(1)
const leaks = []
const attempt = (name, action) => { try { action(); leaks.push(name) } catch {} }
attempt('reads files of others', () => fs.readFileSync(canary))
attempt('writes outside its folder', () => fs.writeFileSync(path.join(path.dirname(canary), 'written'), ''))
attempt('keeps a privilege', () => { if (process.getuid() !== 0) throw 0 })
const known = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'PWD']
if (Object.keys(process['env']).some(name => !known.includes(name))) leaks.push('sees our environment')
const socket = net.connect(Number(port), '127.0.0.1')
const end = () => { process.stdout.write(JSON.stringify(leaks)); process.exit(0) }
socket.on('connect', () => { leaks.push('reaches the network'); end() })
socket.on('error', end)
`

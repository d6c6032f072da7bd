import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addInputFile, checkOutputFile, interpretExit } from '../../pools/programs/run.ts'
import { listNodeFiles } from '../../pools/programs/sandbox.ts'
import { ToolCrashed, ToolLost } from '../../pools/tool-crashed.ts'
import { openTestHost } from '../support/pools/contexts.ts'

let host: Awaited<ReturnType<typeof openTestHost>>
beforeAll(async () => {
  host = await openTestHost()
})
afterAll(() => host.close())

/** In a warm sandbox if one is ready, as it is for all of these tests that run one program after another. */
const runShell = async (script: string, options = {}, context = host.createContext()) =>
  host.programs.run(await context, 'sh', ['-c', script], options)

test('works in its own folder and returns exit code and output', async () => {
  const context = await host.createContext()
  await writeFile(context.out('in.txt'), 'hello')
  const name = await addInputFile(context, context.out('in.txt'))
  const { code, stdout, stderr } = await host.programs.run(context, 'sh', [
    '-c',
    `cat ${name}; echo more > made; echo oops >&2; exit 3`,
  ])
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: 'hello', stderr: 'oops\n' })
  expect(await readFile(await checkOutputFile(context, context.out('made'), 'sh'), 'utf8')).toBe('more\n')
})

test('reads stdin and keeps 64 KiB of the output', async () => {
  const { stdout } = await runShell('cat', { stdin: Buffer.from('secret') })
  expect(stdout).toBe('secret')
  const loud = await runShell('head -c 1000000 /dev/zero 2>/dev/null || yes | head -c 1000000')
  expect(loud.stdout.length).toBe(65_536)
})

test.runIf(process.platform === 'linux')('is confined on this machine', () => {
  expect([1, 2]).toContain(host.level)
})

test('reads no file of ours or of another job', async () => {
  const other = await host.createContext()
  await writeFile(other.out('other.txt'), 'theirs')
  const canary = join(host.path, 'canary')
  await writeFile(canary, 'canary', { mode: 0o600 })
  const { stdout } = await runShell(
    `cat ${other.out('other.txt')} ${canary} ${join(process.cwd(), 'package.json')} /proc/1/environ; true`,
  )
  expect(stdout).not.toMatch(/theirs|canary|coinop/)
})

test('has none of our environment and no privilege', async () => {
  const { stdout } = await runShell('env; grep -E "^(CapEff|NoNewPrivs|Uid)" /proc/self/status')
  const names = stdout.split('\n').flatMap(line => /^(\w+)=/.exec(line)?.[1] ?? [])
  expect(names.filter(name => !['PATH', 'HOME', 'TMPDIR', 'TZ', 'PWD', '_', 'OLDPWD', 'SHLVL'].includes(name))).toEqual(
    [],
  )
  expect(stdout).toMatch(/CapEff:\s+0+\n/)
  expect(stdout).toMatch(/NoNewPrivs:\s+1/)
  expect(stdout).not.toMatch(/Uid:\s+0\s/)
})

test('reaches no network, not even the loopback interface', async () => {
  const connections: string[] = []
  const listener = createServer(() => connections.push('called')).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  const script = `const s = require('net').connect(${port}, '127.0.0.1'); const report = state => { console.log(state); process.exit() }
    s.on('connect', () => report('open')); s.on('error', () => report('shut'))`
  const options = { memoryMb: 0, visible: listNodeFiles() }
  const { stdout } = await host.programs.run(await host.createContext(), process.execPath, ['-e', script], options)
  listener.close()
  expect(stdout).toBe('shut\n')
  expect(connections).toEqual([])
})

test('writes nothing outside its folder', async () => {
  const { stdout } = await runShell(
    'for d in /usr /etc / /var; do touch $d/x 2>/dev/null && echo $d; done; touch /tmp/mine && echo tmp',
  )
  expect(stdout).toBe('tmp\n')
})

test('is killed with all it started at the deadline and when the job is cancelled', async () => {
  const context = await host.createContext()
  const { uid } = await stat(context.folder)
  const script = 'sleep 300 | setsid sleep 300 | sleep 300'
  await expect(host.programs.run(context, 'sh', ['-c', script], { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
    hints: { limitSeconds: 20 },
  })
  if (process.getuid?.() === 0) await expect.poll(() => listProcesses(uid)).toEqual([])
  const stop = new AbortController()
  const running = runShell('sleep 300', {}, host.createContext(20, stop.signal))
  setTimeout(() => stop.abort(new Error('cancelled')), 100)
  await expect(running).rejects.toThrow('cancelled')
})

test.runIf(existsSync('/proc/self/schedstat'))(
  'is not late for the time in which others had the processors',
  async () => {
    const work = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo done'
    /** Whether programs ended in time that had to wait for each other, and how much longer they were given. */
    const runTogether = async () => {
      const startedMs = performance.now()
      await runShell(work)
      const context = await host.createContext((1.5 * (performance.now() - startedMs)) / 1000)
      const { deadlineMs } = context
      const runs = Array.from({ length: 3 * availableParallelism() }, () =>
        runShell(work, {}, Promise.resolve(context)),
      )
      const outputs = await Promise.all(runs.map(run => run.then(({ stdout }) => stdout)).map(toOutcome))
      return { areDone: outputs.every(output => output === 'done\n'), wasExtended: context.deadlineMs > deadlineMs }
    }
    // What else runs on this machine may come or go between the first run and the others.
    await expect.poll(runTogether, { timeout: 60_000, interval: 0 }).toEqual({ areDone: true, wasExtended: true })
  },
)

const toOutcome = (run: Promise<string>) => run.catch((error: Error) => error.message)

async function listProcesses(uid: number): Promise<string[]> {
  const numbers = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    numbers.map(async pid => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      return new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(status) && !/^State:\s+Z/m.test(status)
        ? [status.split('\n')[0]!]
        : []
    }),
  )
  return found.flat()
}

test('is stopped at its limits for memory, time and file size', async () => {
  await expect(runShell('mawk \'BEGIN { s = "a"; while (1) s = s s }\'', { memoryMb: 64 })).rejects.toMatchObject({
    code: 'MEMORY_LIMIT_EXCEEDED',
  })
  await expect(runShell('while :; do :; done', {}, host.createContext(1))).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  })
  await expect(runShell('exec yes > big', { outputLimitBytes: 2 ** 20 })).rejects.toMatchObject({
    code: 'OUTPUT_TOO_LARGE',
  })
})

test('tells a program that used up its processor time from one that was killed from outside', () => {
  const exit = { code: null, signal: null, timedOut: false, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  const run = { ...exit, program: 'pdftotext', isLate: false, limitSeconds: 30, memoryMb: 64 }
  const late = expect.objectContaining({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitSeconds: 30 } })
  for (const ended of [{ code: 152 }, { signal: 'SIGXCPU' }, { timedOut: true }, { code: 137, isLate: true }])
    expect(() => interpretExit({ ...run, ...ended })).toThrow(late)
  expect(() => interpretExit({ ...run, code: 137 })).toThrow(ToolLost)
  expect(interpretExit({ ...run, code: 0, isLate: true })).toMatchObject({ code: 0 })
})

test.runIf(process.platform === 'linux')(
  'is told by SIGXCPU of its processor time, which all threads share',
  async () => {
    for (const programs of [host.programs, host.programsAt(host.level!)]) {
      const context = await host.createContext(10)
      const { stdout } = await programs.run(context, 'sh', ['-c', 'ulimit -S -t; ulimit -H -t'])
      const [soft, hard] = stdout.trim().split('\n').map(Number) as [number, number]
      expect(soft).toBeGreaterThanOrEqual(10 * availableParallelism())
      expect(hard).toBeGreaterThan(soft)
    }
  },
)

test.runIf(process.getuid?.() === 0)('is stopped at its limit for processes', async () => {
  const bomb = await runShell(
    's="sleep 9"; i=0; while [ $i -lt 300 ]; do s="$s|sleep 9"; i=$((i+1)); done; eval "$s"; echo all',
  )
  expect(bomb.stdout).not.toContain('all')
  expect(bomb.stderr).toMatch(/fork/i)
})

test('a program killed by a signal has crashed, a missing program cannot start', async () => {
  await expect(runShell('kill -SEGV $$')).rejects.toThrow(ToolCrashed)
  const missing = host.programs.run(await host.createContext(), 'no-such-program', [])
  await expect(missing.then(({ code }) => Promise.reject(new Error(`code ${code}`)))).rejects.toThrow(
    /code (1|127)|crashed/,
  )
})

test('accepts no link, folder or file elsewhere as an output', async () => {
  const context = await host.createContext()
  await symlink('/etc/hostname', context.out('link'))
  await mkdir(context.out('folder'))
  await writeFile(join(host.path, 'elsewhere'), '')
  for (const path of [
    context.out('link'),
    context.out('folder'),
    context.out('missing'),
    join(host.path, 'elsewhere'),
  ]) {
    await expect(checkOutputFile(context, path, 'sh')).rejects.toThrow(ToolCrashed)
  }
})

test('many programs run at once without mixing up their output', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => runShell(`echo ${index}`)))
  expect(results.map(({ stdout }) => stdout.trim())).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
})

test.runIf(process.getuid?.() === 0)('at level 1 it has no network and a user of its own', async () => {
  const programs = host.programsAt(1)
  const context = await host.createContext()
  await chmod(host.path, 0o711)
  const other = await host.createContext()
  await writeFile(other.out('other.txt'), 'theirs')
  const script = `id -u; cat ${other.out('other.txt')}; ls /sys/class/net; echo made > made; grep CapEff /proc/self/status`
  const { stdout } = await programs.run(context, 'sh', ['-c', script])
  expect(stdout).toContain(String((await stat(context.folder)).uid))
  expect(stdout).not.toContain('theirs')
  expect(stdout).toMatch(/CapEff:\s+0+\n/)
  expect(await checkOutputFile(context, context.out('made'), 'sh')).toBe(context.out('made'))
})

test.runIf(process.platform === 'linux')(
  'fails the programs of a launcher that is killed as crashed, and starts a new launcher',
  async () => {
    const programs = host.programsAt(host.level!)
    const running = programs.run(await host.createContext(), 'sh', ['-c', 'sleep 300'])
    await expect.poll(() => listLauncherPids()).not.toEqual([])
    for (const pid of await listLauncherPids()) process.kill(pid, 'SIGKILL')
    await expect(running).rejects.toThrow(ToolCrashed)
    const again = await programs.run(await host.createContext(), 'sh', ['-c', 'echo again'])
    expect(again.stdout).toBe('again\n')
  },
)

async function listLauncherPids(): Promise<number[]> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ')
  const lines = await Promise.all(
    children.map(async pid => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  )
  return lines.flatMap(([pid, line]) => (line.includes('launcher.ts') ? [Number(pid)] : []))
}

import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bringIn, takeOut } from '../../pools/programs.ts'
import { nodeFiles } from '../../pools/sandbox.ts'
import { ToolCrashed } from '../../pools/tool-crashed.ts'
import { openRooms } from '../support/room.ts'

let rooms: Awaited<ReturnType<typeof openRooms>>
beforeAll(async () => {
  rooms = await openRooms()
})
afterAll(() => rooms.close())

const shell = async (script: string, options = {}, room = rooms.room()) =>
  rooms.programs.run(await room, 'sh', ['-c', script], options)

test('works in its own folder and gives back code and words', async () => {
  const room = await rooms.room()
  await writeFile(room.out('in.txt'), 'hello')
  const name = await bringIn(room, room.out('in.txt'))
  const { code, stdout, stderr } = await rooms.programs.run(room, 'sh', [
    '-c',
    `cat ${name}; echo more > made; echo oops >&2; exit 3`,
  ])
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: 'hello', stderr: 'oops\n' })
  expect(await readFile(await takeOut(room, room.out('made'), 'sh'), 'utf8')).toBe('more\n')
})

test('reads what is given to it and keeps 64 KiB of what it says', async () => {
  const { stdout } = await shell('cat', { stdin: Buffer.from('secret') })
  expect(stdout).toBe('secret')
  const loud = await shell('head -c 1000000 /dev/zero 2>/dev/null || yes | head -c 1000000')
  expect(loud.stdout.length).toBe(65_536)
})

test.runIf(process.platform === 'linux')('is confined on this machine', () => {
  expect([1, 2]).toContain(rooms.level)
})

test('sees no file of ours, nor of another job', async () => {
  const other = await rooms.room()
  await writeFile(other.out('other.txt'), 'theirs')
  const canary = join(rooms.home, 'canary')
  await writeFile(canary, 'canary', { mode: 0o600 })
  const { stdout } = await shell(
    `cat ${other.out('other.txt')} ${canary} ${join(process.cwd(), 'package.json')} /proc/1/environ; true`,
  )
  expect(stdout).not.toMatch(/theirs|canary|coinop/)
})

test('has none of our environment and no privilege', async () => {
  const { stdout } = await shell('env; grep -E "^(CapEff|NoNewPrivs|Uid)" /proc/self/status')
  const names = stdout.split('\n').flatMap(line => /^(\w+)=/.exec(line)?.[1] ?? [])
  expect(names.filter(name => !['PATH', 'HOME', 'TMPDIR', 'TZ', 'PWD', '_', 'OLDPWD', 'SHLVL'].includes(name))).toEqual(
    [],
  )
  expect(stdout).toMatch(/CapEff:\s+0+\n/)
  expect(stdout).toMatch(/NoNewPrivs:\s+1/)
  expect(stdout).not.toMatch(/Uid:\s+0\s/)
})

test('reaches no network, not even that of the machine itself', async () => {
  const heard: string[] = []
  const listener = createServer(() => heard.push('called')).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  const script = `const s = require('net').connect(${port}, '127.0.0.1'); const say = w => { console.log(w); process.exit() }
    s.on('connect', () => say('open')); s.on('error', () => say('shut'))`
  const options = { memoryMb: 0, visible: nodeFiles() }
  const { stdout } = await rooms.programs.run(await rooms.room(), process.execPath, ['-e', script], options)
  listener.close()
  expect(stdout).toBe('shut\n')
  expect(heard).toEqual([])
})

test('writes nothing outside its folder', async () => {
  const { stdout } = await shell(
    'for d in /usr /etc / /var; do touch $d/x 2>/dev/null && echo $d; done; touch /tmp/mine && echo tmp',
  )
  expect(stdout).toBe('tmp\n')
})

test('dies with all it started at the deadline, and when the job is cancelled', async () => {
  const room = await rooms.room()
  const { uid } = await stat(room.folder)
  const script = 'sleep 300 | setsid sleep 300 | sleep 300'
  await expect(rooms.programs.run(room, 'sh', ['-c', script], { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
    hints: { limitSeconds: 20 },
  })
  if (process.getuid?.() === 0) await expect.poll(() => processesOf(uid), { timeout: 5000 }).toEqual([])
  const stop = new AbortController()
  const running = shell('sleep 300', {}, rooms.room(20, stop.signal))
  setTimeout(() => stop.abort(new Error('cancelled')), 100)
  await expect(running).rejects.toThrow('cancelled')
})

async function processesOf(uid: number): Promise<string[]> {
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

test('is stopped at its limits of memory, time, file size and processes', async () => {
  await expect(shell('mawk \'BEGIN { s = "a"; while (1) s = s s }\'', { memoryMb: 64 })).rejects.toMatchObject({
    code: 'MEMORY_LIMIT_EXCEEDED',
  })
  await expect(shell('while :; do :; done', {}, rooms.room(1))).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
  await expect(shell('exec yes > big', { outputLimitBytes: 2 ** 20 })).rejects.toMatchObject({
    code: 'OUTPUT_TOO_LARGE',
  })
  if (process.getuid?.() !== 0) return
  const bomb = await shell(
    's="sleep 9"; i=0; while [ $i -lt 100 ]; do s="$s|sleep 9"; i=$((i+1)); done; eval "$s"; echo all',
  )
  expect(bomb.stdout).not.toContain('all')
  expect(bomb.stderr).toMatch(/fork/i)
})

test('a program that dies of a signal has crashed, one that is not there could not start', async () => {
  await expect(shell('kill -SEGV $$')).rejects.toThrow(ToolCrashed)
  const missing = rooms.programs.run(await rooms.room(), 'no-such-program', [])
  await expect(missing.then(({ code }) => Promise.reject(new Error(`code ${code}`)))).rejects.toThrow(
    /code (1|127)|crashed/,
  )
})

test('takes no link, folder or stranger for an output', async () => {
  const room = await rooms.room()
  await symlink('/etc/hostname', room.out('link'))
  await mkdir(room.out('folder'))
  await writeFile(join(rooms.home, 'stranger'), '')
  for (const path of [room.out('link'), room.out('folder'), room.out('missing'), join(rooms.home, 'stranger')]) {
    await expect(takeOut(room, path, 'sh')).rejects.toThrow(ToolCrashed)
  }
})

test('many run at once and none mixes up with another', async () => {
  const said = await Promise.all(Array.from({ length: 20 }, (_, index) => shell(`echo ${index}`)))
  expect(said.map(({ stdout }) => stdout.trim())).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
})

test.runIf(process.getuid?.() === 0)(
  'where only the lesser level can be had, it has no network and a user of its own',
  async () => {
    const programs = rooms.programsAt(1)
    const room = await rooms.room()
    await chmod(rooms.home, 0o711)
    const other = await rooms.room()
    await writeFile(other.out('other.txt'), 'theirs')
    const script = `id -u; cat ${other.out('other.txt')}; ls /sys/class/net; echo made > made; grep CapEff /proc/self/status`
    const { stdout } = await programs.run(room, 'sh', ['-c', script])
    expect(stdout).toContain(String((await stat(room.folder)).uid))
    expect(stdout).not.toContain('theirs')
    expect(stdout).toMatch(/CapEff:\s+0+\n/)
    expect(await takeOut(room, room.out('made'), 'sh')).toBe(room.out('made'))
  },
)

test.runIf(process.platform === 'linux')(
  'a launcher that is killed fails its programs as crashed, and a new one starts',
  async () => {
    const running = shell('sleep 300')
    await expect.poll(() => launcherPids()).not.toEqual([])
    for (const pid of await launcherPids()) process.kill(pid, 'SIGKILL')
    await expect(running).rejects.toThrow(ToolCrashed)
    expect((await shell('echo again')).stdout).toBe('again\n')
  },
)

async function launcherPids(): Promise<number[]> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ')
  const lines = await Promise.all(
    children.map(async pid => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  )
  return lines.flatMap(([pid, line]) => (line.includes('launcher.ts') ? [Number(pid)] : []))
}

import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JobContext } from '../../pools/job-context.ts'
import { addInputFile, type ProgramOptions } from '../../pools/programs/run.ts'
import { isRoot } from '../../pools/programs/sandbox.ts'
import { ToolCrashed, ToolLost } from '../../pools/tool-crashed.ts'
import { listDescendants } from '../support/machine/processes.ts'
import { openTestHost } from '../support/pools/contexts.ts'

let host: Awaited<ReturnType<typeof openTestHost>>
beforeAll(async () => {
  host = await openTestHost({ warmSandboxes: 1 })
})
beforeEach(context => {
  if (!host.warm) context.skip()
})
afterAll(() => host.close())

interface RunOptions {
  ends?: boolean
  context?: Promise<JobContext>
}

/** Runs a shell in the only warm sandbox, and makes sure that it was there and, unless it `ends` it, that it stays. */
async function runWarm(
  script: string,
  { ends = false, context = host.createContext(), ...options }: ProgramOptions & RunOptions = {},
) {
  await expect.poll(() => host.warm!.ready).toBe(1)
  const [starter] = listStarters()
  const result = host.programs.run(await context, 'sh', ['-c', script], options)
  await result.catch(() => undefined)
  if (!ends) expect(listStarters()).toEqual([starter])
  return result
}

/** The ids of the starters in the sandboxes of this process, as this machine counts them. */
const listStarters = () =>
  listDescendants(process.pid).flatMap(({ pid, command }) => (command.startsWith('perl /starter.pl') ? [pid] : []))

/** kill, ptrace, process_vm_writev */
const INTEL_CALLS = [62, 101, 311]
const ARM_CALLS = [129, 117, 271]

/** Tries every call on every process but itself. */
const ATTACK = `my ($kill, $ptrace, $write) = map { 0 + $_ } @ARGV;
my $own = (split / /, do { open my $file, '<', '/proc/self/stat'; <$file> })[0];
for my $pid (1 .. 3000) {
  next if $pid == $own;
  my ($bytes, $length) = ('x' x 8, 8);
  my $vector = pack('PQ', $bytes, $length);
  for my $name (16, 0x4206) { print "traced $pid\\n" if syscall($ptrace, $name, $pid, 0, 0) == 0 }
  print "wrote $pid\\n" if syscall($write, $pid, $vector, 1, $vector, 1, 0) >= 0;
  my $handle = syscall(434, $pid, 0);
  if ($handle >= 0) { for (0 .. 9) { print "took $_ of $pid\\n" if syscall(438, $handle, $_, 0) >= 0 } }
  print "signalled $pid\\n" if $pid != 1 && syscall($kill, $pid, 9) == 0;
}
syscall($kill, 1, $_) for 1 .. 64;
print "tried 3000\\n"`

describe.runIf(process.platform === 'linux')('a warm sandbox', () => {
  test('runs one program after another, each in the folder of its job', async () => {
    const [one, other] = [await host.createContext(), await host.createContext()]
    await writeFile(one.out('in.txt'), 'hello')
    await addInputFile(one, one.out('in.txt'))
    const first = await runWarm('cat in.txt; echo more > made; echo oops >&2; exit 3', { context: inContext(one) })
    expect(first).toEqual({ code: 3, stdout: 'hello', stderr: 'oops\n' })
    expect(await readFile(one.out('made'), 'utf8')).toBe('more\n')
    const second = await runWarm('pwd; ls -A . /tmp "$TMPDIR"', { context: inContext(other) })
    expect(second).toMatchObject({ code: 0, stdout: '/w\n.:\n\n/tmp:\n\n/w:\n' })
  })

  test('its starter cannot be traced, signalled, limited, read or written by a program', async () => {
    const [starter] = listStarters()
    const { stdout } = await runWarm(`
      kill -9 -1; kill -STOP 1; kill -9 1; kill -9 ${starter}; kill -9 $PPID
      for pid in 1 ${starter} $PPID; do
        for name in environ mem maps root/w cwd/. fd/0 ns/mnt; do
          (: < /proc/$pid/$name) && echo "opened $pid $name"
        done
        for name in mem oom_score_adj comm fd/0; do (echo 1 > /proc/$pid/$name) && echo "wrote $pid $name"; done
        prlimit --pid $pid --nofile=0 && [ $pid != 1 ] && echo "limited $pid"
        renice -n 19 $pid >&2 && [ $pid != 1 ] && echo "slowed $pid"
      done
      echo tried`)
    expect(stdout).toBe('tried\n')
  })

  test('a program sees only its own processes, and traces, signals and opens no other', async () => {
    const context = await host.createContext()
    const numbers = process.arch === 'arm64' ? ARM_CALLS : INTEL_CALLS
    await writeFile(context.out('attack.pl'), ATTACK)
    await addInputFile(context, context.out('attack.pl'))
    const command = `cat /proc/[0-9]*/cmdline | tr '\\0' ' '; echo; exec perl attack.pl ${numbers.join(' ')}`
    const { stdout } = await runWarm(command, { context: inContext(context) })
    expect(stdout).not.toMatch(/bwrap|node/)
    expect(stdout.split('\n').slice(1)).toEqual(['tried 3000', ''])
  })

  test('leaves no process, file, shared memory, socket or environment to the next program', async () => {
    await runWarm(`
      setsid sh -c 'sleep 300 & exec sleep 300' >/dev/null 2>&1 &
      nohup sh -c 'while :; do echo late; sleep 0.01; done' & (trap "" TERM HUP; sleep 300) &
      echo left > /tmp/left; ln -s /etc /tmp/link; ipcmk -Q -M 4096 -S 1; export LEFT=here; umask 777; ulimit -t 5`)
    const { stdout } = await runWarm(
      'ls -A /tmp /w; cat /proc/[0-9]*/stat | wc -l; ipcs | grep -c 0x; echo "$LEFT"; umask; ulimit -t',
    )
    const [, , , processes, segments, left, mask, seconds] = stdout.split('\n')
    expect(stdout).toMatch(/^\/tmp:\n\n\/w:\n/)
    expect(Number(processes)).toBeLessThanOrEqual(4)
    expect([segments, left, mask]).toEqual(['0', '', '0022'])
    expect(Number(seconds)).toBeGreaterThan(5)
  })

  test('kills what a program left running, as soon as the program has ended', async () => {
    const mark = `left-by-${process.pid}`
    const { stdout } = await runWarm(`setsid sh -c 'sleep 300; : ${mark}' & echo started`)
    expect(stdout).toBe('started\n')
    await expect.poll(() => listProcessesWith(mark)).toEqual([])
  })

  test('gives a program no file but its own three streams', async () => {
    const { stdout } = await runWarm('ls /proc/self/fd; cat /proc/self/fdinfo/0 > /dev/null; true')
    expect(stdout.split('\n').filter(Boolean)).toEqual(['0', '1', '2', '3'])
    const sent = await runWarm('(: < /proc/self/fd/1) && echo "can read what others write"; cat', {
      stdin: Buffer.from('a'),
    })
    expect(sent.stdout.endsWith('a')).toBe(true)
    expect((await runWarm('cat')).stdout).toBe('')
  })

  test('shows a program neither the folders of other jobs nor the files of this machine', async () => {
    const other = await host.createContext()
    await writeFile(other.out('other.txt'), 'theirs', { mode: 0o666 })
    const { stdout } = await runWarm(`
      ls -A /jobs; cat /jobs/all/${other.jobId}/other.txt ${other.out('other.txt')}; umount /jobs; umount -l /jobs
      cat /proc/1/root/jobs/all/${other.jobId}/other.txt; cd /w/..; ls -d all ../jobs/all
      cat ${process.cwd()}/package.json; unshare -r -m umount /jobs; unshare -r -m cat /jobs/all/${other.jobId}/other.txt
      touch /x /usr/x /etc/x /none/x /jobs/x && echo wrote; echo tried`)
    expect(stdout).toBe('tried\n')
  })

  test('a program has no privilege and cannot get one', async () => {
    const { stdout } = await runWarm('id -u; grep -E "^(Cap|NoNewPrivs)" /proc/self/status')
    if (isRoot) expect(Number(stdout.split('\n')[0])).toBeGreaterThan(50_000)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(stdout).toMatch(new RegExp(`${set}:\\s0+\\n`))
    expect(stdout).toMatch(/NoNewPrivs:\s1/)
    if (!isRoot) expect((await runWarm('unshare -r true')).code).not.toBe(0)
  })

  test.runIf(isRoot)('two jobs run as different users', async () => {
    const [one, other] = [await runWarm('id -u'), await runWarm('id -u')]
    expect(one.stdout).not.toBe(other.stdout)
  })
})

const inContext = (context: JobContext) => Promise.resolve(context)

async function listProcessesWith(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter(line => line.includes(mark))
}

describe.runIf(process.platform === 'linux')('a warm sandbox is replaced', () => {
  const expectReplacement = async (work: () => Promise<unknown>) => {
    await expect.poll(() => host.warm!.ready).toBe(1)
    const before = listStarters()
    expect(before).toHaveLength(1)
    await work()
    await expect.poll(() => host.warm!.ready).toBe(1)
    await expect.poll(() => listStarters().some(pid => before.includes(pid))).toBe(false)
  }

  test('after a signal killed its program', async () => {
    await expectReplacement(() => expect(runWarm('kill -SEGV $$', { ends: true })).rejects.toThrow(ToolCrashed))
  })

  test('after its program was late or cancelled', async () => {
    const late = { ends: true, timeoutMs: 300 }
    const mark = `late-in-${process.pid}`
    const script = `setsid sh -c 'sleep 300; : ${mark}' | sleep 300`
    await expectReplacement(() => expect(runWarm(script, late)).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' }))
    await expect.poll(() => listProcessesWith(mark)).toEqual([])
    const stop = new AbortController()
    const context = host.createContext(20, stop.signal)
    const started = `started-in-${process.pid}`
    await expectReplacement(async () => {
      const running = runWarm(`sleep 300; : ${started}`, { ends: true, context })
      await expect.poll(() => listProcessesWith(started)).not.toEqual([])
      stop.abort(new Error('cancelled'))
      await expect(running).rejects.toThrow('cancelled')
    })
  })

  test('after it was killed while its program ran', async () => {
    await expectReplacement(async () => {
      const running = host.programs.run(await host.createContext(), 'sleep', ['300'])
      const [starter] = listStarters()
      process.kill(starter!, 'SIGKILL')
      await expect(running).rejects.toThrow(ToolLost)
    })
  })

  test('after 200 programs', async () => {
    await expectReplacement(async () => {
      for (let run = 0; run < 200; run += 1) await host.programs.run(await host.createContext(), 'true', [])
    })
  })

  test('when the folder of a job cannot be mounted, and the program runs in a sandbox of its own', async () => {
    await rename(host.folders.root, `${host.folders.root}-old`)
    await mkdir(host.folders.root)
    await expectReplacement(async () => expect((await runShell('echo anyway')).stdout).toBe('anyway\n'))
  })

  test('and a program that finds none ready gets a sandbox of its own', async () => {
    await expect.poll(() => host.warm!.ready).toBe(1)
    const outputs = await Promise.all(
      [1, 2, 3].map(async number => (await runShell(`echo ${number}; ls -d /jobs`)).stdout),
    )
    expect(outputs.sort()).toEqual(['1\n/jobs\n', '2\n', '3\n'])
  })
})

const runShell = async (script: string) => host.programs.run(await host.createContext(), 'sh', ['-c', script])

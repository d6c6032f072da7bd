import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { measureCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { readEndedChildrenTime } from '../../processor-time.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'
import { timeCall } from '../../timed-call.ts'
import { COMMANDS, createClip, timeCommand, varyClip } from './commands.ts'

const PARALLEL = 10
const STORED = { inlineOutput: 'never' }

interface Work {
  label: string
  path: string
  options: object
  command(clip: string): string
  goal: number
  /** How often it is run in a round. */
  runs: number
}

const WORKS: readonly Work[] = [
  {
    label: 'convert, 6 s of 720p',
    path: '/v1/media/convert',
    options: { to: 'mp4', width: 640, ...STORED },
    command: COMMANDS.convert,
    goal: 0.95,
    runs: 1,
  },
  {
    label: 'trim, 5 s of 720p',
    path: '/v1/media/trim',
    options: { start: 1, end: 6, ...STORED },
    command: COMMANDS.trim,
    goal: 0.95,
    runs: 1,
  },
  {
    label: 'probe',
    path: '/v1/media/probe',
    options: {},
    command: clip => `${COMMANDS.probe} ${clip}`,
    goal: 0.8,
    runs: 8,
  },
  {
    label: 'thumbnail',
    path: '/v1/media/thumbnail',
    options: { at: 1.5, width: 640, ...STORED },
    command: COMMANDS.thumbnail,
    goal: 0.8,
    runs: 4,
  },
]

/** Each side runs one after the other and in turns, so that what else runs on the machine slows both alike. */
export default {
  id: 'P51',
  title: 'media/convert, trim, probe and thumbnail over the same ffmpeg command, and ten conversions at once',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'recordings-'))
    const clip = await createClip(folder, 'long.mp4', '1280x720', 6)
    const readings: Reading[] = []
    for (const work of WORKS) readings.push(await compareRuns(bench, stack, { work, folder, clip }))
    readings.push(await compareParallel(stack, folder))
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

let variants = 0

/** Stores another variant of a clip and gives the body of a call with it. */
async function prepareCall(stack: Stack, clip: Buffer, options: object): Promise<object> {
  const inputKey = await storeUpload(stack, stack.accounts[0]!, varyClip(clip, ++variants), 'video/mp4')
  return { file: { inputKey }, ...options }
}

interface Comparison {
  work: Work
  folder: string
  clip: Buffer
}

async function compareRuns({ profile }: Bench, stack: Stack, { work, folder, clip }: Comparison): Promise<Reading> {
  const { label, path, options, goal } = work
  const call = async () => (await timeCall(stack, path, await prepareCall(stack, clip, options))).seconds
  const command = () => timeCommand(work.command('long.mp4'), folder)
  await Promise.all([call(), command()])
  const [ours, floor]: [Run[], Run[]] = [[], []]
  for (let run = 0; run < profile.rounds * work.runs; run++) {
    floor.push(await measureCommand(command))
    ours.push(await measureCall(stack, call))
  }
  const sum = (runs: readonly Run[], field: keyof Run) => runs.reduce((total, run) => total + run[field], 0)
  const rate = (runs: readonly Run[]) => runs.length / sum(runs, 'seconds')
  const cpu = (runs: readonly Run[]) => Math.round(sum(runs, 'cpuMs') / runs.length)
  return {
    label,
    unit: 'runs/s',
    ours: rate(ours),
    floor: rate(floor),
    goal: { atLeast: goal },
    judgedBy: 'ratio',
    limitedBy: `${cpu(ours)} ms of CPU in worker and api, and ${cpu(floor)} ms directly`,
    facts: { ours, floor },
  }
}

interface Run {
  seconds: number
  cpuMs: number
}

async function measureCommand(command: () => Promise<number>): Promise<Run> {
  const before = readEndedChildrenTime()
  const seconds = await command()
  return { seconds, cpuMs: (readEndedChildrenTime() - before) * 1_000 }
}

async function measureCall({ workers, api }: Stack, call: () => Promise<number>): Promise<Run> {
  const { result: seconds, cost } = await measureCost({ worker: workers[0]!.pid, api: api.pid }, call)
  const { worker = 0, api: answering = 0 } = cost.perCall(1).msPerCall
  return { seconds, cpuMs: worker + answering }
}

async function compareParallel(stack: Stack, folder: string): Promise<Reading> {
  const clip = await createClip(folder, 'short.mp4', '1280x720', 2)
  const bodies = await Promise.all(
    Array.from({ length: PARALLEL }, () => prepareCall(stack, clip, { to: 'mp4', width: 640, ...STORED })),
  )
  let floor = 0
  for (let run = 0; run < PARALLEL; run++) floor += await timeCommand(COMMANDS.convert('short.mp4'), folder)
  const startedAt = performance.now()
  await Promise.all(bodies.map(body => timeCall(stack, '/v1/media/convert', body)))
  return {
    label: `${PARALLEL} conversions at once, over one after the other`,
    unit: 's',
    ours: (performance.now() - startedAt) / 1_000,
    floor,
    goal: { atMost: 1.1 },
    judgedBy: 'ratio',
    limitedBy: 'processor',
  }
}

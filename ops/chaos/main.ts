import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { BrokenPromise } from './broken-promise.ts'
import { loadDisturbances } from './disturbance.ts'
import { History } from './history.ts'
import { openInstallation } from './installation.ts'
import { FAULT_NAMES, findFault } from './planted-faults.ts'
import { Random } from './random.ts'
import { runRounds } from './run.ts'
import { loadStories } from './story.ts'
import { sum, Tally } from './tally.ts'

const ROUND_SECONDS = 60
const USAGE = `Usage: npm run chaos -- [--minutes 10] [--seed N] [--out FILE] [--plant ${FAULT_NAMES.join(' | ')}]`

const options = readOptions()
process.exit(await main(options))

interface Options {
  minutes: number
  seed: string
  out: string | undefined
  plant: string | undefined
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        out: { type: 'string' },
        plant: { type: 'string' },
      },
    })
    const minutes = Number(values.minutes ?? 10)
    if (!(minutes > 0 && minutes <= 10_000))
      throw new RangeError('--minutes is a number of at most 10000, such as 0.5.')
    if (values.plant !== undefined && !findFault(values.plant))
      throw new RangeError(`There is no fault ${values.plant}.`)
    const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000_000))
    return { minutes, seed, out: values.out, plant: values.plant }
  } catch (error) {
    log(`${(error as Error).message}\n${USAGE}`)
    return process.exit(2)
  }
}

/** Progress goes to stderr, because stdout belongs to the result. */
function log(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function main({ minutes, seed, out, plant }: Options): Promise<number> {
  process.stdout.write(`seed ${seed}\n`)
  const [stories, disturbances] = await Promise.all([loadStories(), loadDisturbances()])
  const [history, tally, startedAt] = [new History(), new Tally(), Date.now()]
  const outcome = await run()
  const seconds = Math.round((Date.now() - startedAt) / 1_000)
  const line = { at: new Date(startedAt).toISOString(), seed, minutes, seconds, plant, ...outcome, ...tally.describe() }
  if (out !== undefined) appendFileSync(out, `${JSON.stringify(line)}\n`)
  process.stdout.write(`${describe(tally)}\n${outcome.result}, after ${seconds} s\nseed ${seed}\n`)
  return outcome.result === 'all promises held' ? 0 : 1

  async function run(): Promise<{ result: string }> {
    await using service = await openInstallation(loadConfig().dataDir, stories.length)
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => void service[Symbol.asyncDispose]().then(() => process.exit(1)))
    if (!service.disk) log('fill-disk is left out: this user may not mount a small disk')
    const fault = plant === undefined ? undefined : findFault(plant)
    const random = new Random(`chaos ${seed}`)
    try {
      await runRounds({ service, stories, disturbances, random, history, tally, fault, log }, divide(minutes))
      return { result: 'all promises held' }
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error
      process.stdout.write(`${error.message}\n\n${history.around(error.subject).join('\n')}\n\n`)
      return { result: `broken: ${error.promise}` }
    }
  }
}

/** Rounds of a minute, and a last one of what is left. */
function divide(minutes: number): number[] {
  const seconds = minutes * 60
  const rounds = Array.from({ length: Math.floor(seconds / ROUND_SECONDS) }, () => ROUND_SECONDS * 1_000)
  const rest = Math.round((seconds % ROUND_SECONDS) * 1_000)
  return rest > 0 ? [...rounds, rest] : rounds
}

function describe({ disturbances, kills, cuts, calls, checks }: Tally): string {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .sort()
      .join(', ')
  return `${sum(disturbances)} disturbances: ${list(disturbances)}
${sum(kills)} processes killed (${list(kills)}), ${cuts} connections cut
${sum(calls)} calls: ${list(calls)}
${sum(checks)} checks: ${list(checks)}`
}

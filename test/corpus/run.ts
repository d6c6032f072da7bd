import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { wireCode } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { commonProblems } from '../../api/surfaces/expected-problems.ts'
import { openHome } from '../../ops/bench/home.ts'
import { openStack, type Stack } from '../../ops/bench/stack.ts'
import { loadConfig } from '../../ops/config.ts'
import { loadOperations } from '../../tasks/index.ts'
import { ask, type Call } from './ask.ts'
import { callsFor } from './calls.ts'
import { folderSamples } from './folder-samples.ts'
import { judge } from './judge.ts'
import { leftoversOf, orphansOf, treeOf } from './leftovers.ts'
import { readOptions } from './options.ts'
import { Report } from './report.ts'
import type { Sample } from './sample.ts'
import { madeSamples } from './samples.ts'
import { watchWorker } from './watch-worker.ts'

const TELL_EVERY = 250

const { dataDir } = loadConfig()
const options = readOptions(dataDir)
const declared = await declaredCodes()
const outside = (await Promise.all(options.folders.map(folderSamples))).flat()
const samples = [...(options.isOutsideOnly ? [] : await makeable(madeSamples(options.seed))), ...outside]
const calls = callsFor(await loadOperations(), samples, options)
const report = new Report(options.failuresPath)
say(`${samples.length} files, ${calls.length} calls, ${options.jobs} at a time, --seed ${options.seed}`)
{
  await using home = await openHome(dataDir)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void home[Symbol.asyncDispose]().then(() => process.exit(1)))
  }
  const temporary = join(home.folder, 'temporary')
  await mkdir(temporary)
  const known = await runThrough(home, temporary)
  for (const orphan of orphansOf(known)) report.note(orphan)
}
process.stdout.write(`${report.table()}\n${report.summary()}\n--seed ${options.seed}\n`)
process.exit(report.failures > 0 ? 1 : 0)

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Some are written by programs that this machine may not have. */
async function makeable(made: readonly Sample[]): Promise<Sample[]> {
  const whether = await Promise.allSettled(made.map(sample => sample.bytes()))
  for (const [at, outcome] of whether.entries()) {
    if (outcome.status === 'rejected') say(`not made here: ${made[at]!.name}: ${String(outcome.reason).slice(0, 100)}`)
  }
  return made.filter((_, at) => whether[at]!.status === 'fulfilled')
}

/** Makes all calls on a service of their own, and gives the processes it consisted of. */
async function runThrough(home: Parameters<typeof openStack>[0], temporary: string) {
  await using stack = await openStack(home, { accounts: options.jobs, env: { TMPDIR: temporary } })
  let next = 0
  const underWay = new Set<Call>()
  using _watch = watchWorker(stack, underWay, text => report.note(text))
  const work = async (index: number) => {
    const caller = { accountId: stack.accounts[index]!, key: stack.keys[index]! }
    for (let call = calls[next++]; call; call = calls[next++]) {
      underWay.add(call)
      await tryOne(stack, caller, call)
      underWay.delete(call)
      if (next % TELL_EVERY === 0) say(`${next} of ${calls.length}, ${report.failures} failures`)
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, (_, index) => work(index)))
  const known = treeOf(stack)
  for (const left of await leftoversOf(stack, temporary)) report.note(left)
  return known
}

async function tryOne(stack: Stack, caller: Parameters<typeof ask>[1], call: Call): Promise<void> {
  const reply = await ask(stack, caller, call)
  report.add(call, reply, await judge(call, reply, declared.get(call.operation.name)!))
}

/** What each call may answer with, by its own declaration and that of the door in front of it. */
async function declaredCodes(): Promise<Map<string, Set<string>>> {
  const { entries } = await loadCatalog()
  return new Map(
    entries.map(entry => [entry.name, new Set([...commonProblems(entry), ...entry.errors].map(wireCode))] as const),
  )
}

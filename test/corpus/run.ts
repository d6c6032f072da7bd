import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { wireCode } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { listCommonProblems } from '../../api/surfaces/openapi/expected-problems.ts'
import { openBenchEnvironment } from '../../ops/bench/environment.ts'
import { openStack, type Stack } from '../../ops/bench/stack.ts'
import { loadConfig } from '../../ops/config.ts'
import { loadOperations } from '../../tasks/index.ts'
import { type Call, performCall } from './ask.ts'
import { planCalls } from './calls.ts'
import { judge } from './judge.ts'
import { findLeftovers, findOrphans, listWorkerProcesses } from './leftovers.ts'
import { readOptions } from './options.ts'
import { Report } from './report.ts'
import { buildSamples } from './samples/all.ts'
import { readFolderSamples } from './samples/folders.ts'
import type { Sample } from './samples/kinds.ts'
import { watchWorker } from './watch-worker.ts'

const REPORT_EVERY_CALLS = 250

const { dataDir } = loadConfig()
const options = readOptions(dataDir)
const declared = await loadDeclaredCodes()
const externalSamples = (await Promise.all(options.folders.map(readFolderSamples))).flat()
const samples = [...(options.isExternalOnly ? [] : await keepBuildable(buildSamples(options.seed))), ...externalSamples]
const calls = planCalls(await loadOperations(), samples, options)
const report = new Report(options.failuresPath)
log(`${samples.length} files, ${calls.length} calls, ${options.jobs} at a time, --seed ${options.seed}`)
{
  await using environment = await openBenchEnvironment(dataDir)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void environment[Symbol.asyncDispose]().then(() => process.exit(1)))
  }
  const temporaryFolder = join(environment.folder, 'temporary')
  await mkdir(temporaryFolder)
  const processes = await runCalls(environment, temporaryFolder)
  for (const orphan of findOrphans(processes)) report.addLeftover(orphan)
}
process.stdout.write(`${report.table()}\n${report.summary()}\n--seed ${options.seed}\n`)
process.exit(report.failures > 0 ? 1 : 0)

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Drops samples that cannot be built here, because a program that writes them is not installed. */
async function keepBuildable(candidates: readonly Sample[]): Promise<Sample[]> {
  const outcomes = await Promise.allSettled(candidates.map(sample => sample.bytes()))
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected')
      log(`cannot build ${candidates[index]!.name}: ${String(outcome.reason).slice(0, 100)}`)
  }
  return candidates.filter((_, index) => outcomes[index]!.status === 'fulfilled')
}

/** Makes all calls on a service of their own, and returns its processes. */
async function runCalls(environment: Parameters<typeof openStack>[0], temporaryFolder: string) {
  await using stack = await openStack(environment, { accounts: options.jobs, env: { TMPDIR: temporaryFolder } })
  let next = 0
  const inProgress = new Set<Call>()
  using _watch = watchWorker(stack, inProgress, text => report.addLeftover(text))
  const runLane = async (index: number) => {
    const caller = { accountId: stack.accounts[index]!, key: stack.keys[index]! }
    for (let call = calls[next++]; call; call = calls[next++]) {
      inProgress.add(call)
      await runCall(stack, caller, call)
      inProgress.delete(call)
      if (next % REPORT_EVERY_CALLS === 0) log(`${next} of ${calls.length}, ${report.failures} failures`)
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, (_, index) => runLane(index)))
  const processes = listWorkerProcesses(stack)
  for (const leftover of await findLeftovers(stack, temporaryFolder)) report.addLeftover(leftover)
  return processes
}

async function runCall(stack: Stack, caller: Parameters<typeof performCall>[1], call: Call): Promise<void> {
  const reply = await performCall(stack, caller, call)
  report.add(call, reply, await judge(call, reply, declared.get(call.operation.name)!))
}

/** The problem codes that each call may return: the common ones and its own. */
async function loadDeclaredCodes(): Promise<Map<string, Set<string>>> {
  const { entries } = await loadCatalog()
  return new Map(
    entries.map(entry => [entry.name, new Set([...listCommonProblems(entry), ...entry.errors].map(wireCode))] as const),
  )
}

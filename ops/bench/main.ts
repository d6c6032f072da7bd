import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { openBenchEnvironment } from './environment.ts'
import { type Bench, DEFAULT_PROFILE, type Figure, QUICK_PROFILE } from './figure.ts'
import { chooseFigures, loadFigures } from './figures.ts'
import { findGenerator } from './load/run.ts'
import { describeMachine } from './machine.ts'
import { formatJson, formatTable, type Result } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})
const profile = values.quick ? QUICK_PROFILE : DEFAULT_PROFILE
const generator = findGenerator()
const machine = describeMachine(generator)
const figures = await selectFigures()
const { dataDir } = loadConfig()
const startedAt = performance.now()

/** Progress goes to stderr, because stdout belongs to the result. */
function log(text: string): void {
  process.stderr.write(`${text}\n`)
}

const results: Result[] = []
{
  await using environment = await openBenchEnvironment(dataDir)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void environment[Symbol.asyncDispose]().then(() => process.exit(1)))
  }
  for (const figure of figures) {
    log(`${figure.id}  ${figure.title}`)
    results.push(await measureFigure(figure, { environment, profile, generator, log: text => log(`     ${text}`) }))
  }
}
const report = { machine, profile, seconds: Math.round((performance.now() - startedAt) / 1_000), results }
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
writeFileSync(join(dataDir, 'bench.json'), `${formatJson(report)}\n`)
process.stdout.write(`${values.json ? formatJson(report) : formatTable(report)}\n`)
process.exit(results.some(({ failure }) => failure) ? 1 : 0)

async function selectFigures(): Promise<Figure[]> {
  try {
    const [first, ...names] = positionals
    if (first === 'peers') return chooseFigures((await import('./peers/figures.ts')).PEER_FIGURES, names)
    return chooseFigures(await loadFigures(), positionals)
  } catch (error) {
    log((error as Error).message)
    return process.exit(2)
  }
}

/** A figure that fails does not stop the others. */
async function measureFigure({ id, title, measure }: Figure, bench: Bench): Promise<Result> {
  try {
    return { id, title, readings: await measure(bench) }
  } catch (error) {
    bench.log((error as Error).message)
    return { id, title, readings: [], failure: (error as Error).message }
  }
}

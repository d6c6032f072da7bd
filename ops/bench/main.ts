import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { type Bench, type Figure, PACE, QUICK_PACE } from './figure.ts'
import { chooseFigures, loadFigures } from './figures.ts'
import { openHome } from './home.ts'
import { findGenerator } from './load.ts'
import { machineFacts } from './machine.ts'
import { asJson, asTable, type Result } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})
const pace = values.quick ? QUICK_PACE : PACE
const generator = findGenerator()
const machine = machineFacts(generator)
const figures = await wantedFigures()
const { dataDir } = loadConfig()
const begun = performance.now()

/** What is told on the way goes beside the answer. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

const results: Result[] = []
{
  await using home = await openHome(dataDir)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void home[Symbol.asyncDispose]().then(() => process.exit(1)))
  }
  for (const figure of figures) {
    say(`${figure.id}  ${figure.title}`)
    results.push(await resultOf(figure, { home, pace, generator, say: text => say(`     ${text}`) }))
  }
}
const report = { machine, pace, seconds: Math.round((performance.now() - begun) / 1_000), results }
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
writeFileSync(join(dataDir, 'bench.json'), `${asJson(report)}\n`)
process.stdout.write(`${values.json ? asJson(report) : asTable(report)}\n`)
process.exit(results.some(({ failure }) => failure) ? 1 : 0)

async function wantedFigures(): Promise<Figure[]> {
  try {
    return chooseFigures(await loadFigures(), positionals)
  } catch (error) {
    say((error as Error).message)
    return process.exit(2)
  }
}

/** A figure that cannot be measured does not take the others with it. */
async function resultOf({ id, title, measure }: Figure, bench: Bench): Promise<Result> {
  try {
    return { id, title, readings: await measure(bench) }
  } catch (error) {
    bench.say((error as Error).message)
    return { id, title, readings: [], failure: (error as Error).message }
  }
}

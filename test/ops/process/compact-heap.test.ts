import { execa } from 'execa'
import { expect, test } from 'vitest'

/** A process of its own, because tests collect too. It works without a pause for three looks at how busy it is. */
const SCRIPT = `
const { constants, PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
const { compactWhenIdle } = await import(process.argv[1])
const lines = []
const observer = new PerformanceObserver(list => {
  for (const { detail } of list.getEntries()) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) lines.push('collected')
  }
  if (!lines.includes('collected')) return
  console.log([...new Set(lines)].join(', '))
  process.exit()
})
observer.observe({ entryTypes: ['gc'] })
compactWhenIdle()
let turns = 0
function work() {
  const until = performance.now() + 100
  while (performance.now() < until);
  if (++turns < 16) setImmediate(work)
  else lines.push('idle')
}
work()
setInterval(() => {}, 1_000)
`

const PATH = new URL('../../../ops/process/compact-heap.ts', import.meta.url).href

test('compacts the heap as soon as the process is idle, and not while it works', async () => {
  const { stdout } = await execa('node', ['--input-type=module', '--eval', SCRIPT, PATH], { timeout: 60_000 })
  expect(stdout).toBe('idle, collected')
})

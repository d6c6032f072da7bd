import { writeSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Says as the very last line how it went: `N passed, N failed` and, where some were skipped, how many. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: 'passed' | 'failed') => tests.filter(test => test.result().state === state).length
    const broken = modules.filter(module => module.errors().length > 0).length
    const passed = count('passed')
    const failed = count('failed') + broken + unhandledErrors.length
    const skipped = tests.length - passed - count('failed')
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
    process.once('exit', () => writeSync(1, line))
  }
}

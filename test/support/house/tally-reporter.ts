import { writeSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Prints the result as the last line: `N passed, N failed`, and the number of skipped tests if there are any. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: 'passed' | 'failed') => tests.filter(test => test.result().state === state).length
    const brokenModules = modules.filter(module => module.errors().length > 0).length
    const passed = count('passed')
    const failed = count('failed') + brokenModules + unhandledErrors.length
    const skipped = tests.length - passed - count('failed')
    const tally = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
    process.once('exit', () => writeSync(1, tally))
  }
}

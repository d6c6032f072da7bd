import { writeSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** As much of an error as says what it is. */
const MAX_LENGTH = 1_000

/** Prints as its last lines each failure with its reason, and the tally: `N passed, N failed`, and the number of skipped tests if there are any. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const failures = [
      ...tests
        .filter(test => test.result().state === 'failed')
        .map(test => describe(`${test.module.relativeModuleId} > ${test.fullName}`, test.result().errors ?? [])),
      ...modules
        .flatMap(module => [module, ...module.children.allSuites()])
        .filter(group => group.errors().length > 0)
        .map(group =>
          describe(
            'fullName' in group ? `${group.module.relativeModuleId} > ${group.fullName}` : group.relativeModuleId,
            group.errors(),
          ),
        ),
      ...unhandledErrors.map(error => describe('outside of a test', [error])),
    ]
    const passed = tests.filter(test => test.result().state === 'passed').length
    const skipped = tests.filter(test => test.result().state === 'skipped').length
    const tally = `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
    process.once('exit', () => writeSync(1, [...failures, tally, ''].join('\n')))
  }
}

function describe(name: string, errors: readonly SerializedError[]): string {
  const reasons = errors.map(({ message, diff = '', stack = '', cause }) => {
    const calls = stack.split('\n').filter(line => /^\s+at /.test(line) && !line.includes('node_modules'))
    return [message, describeCause(cause), String(diff), ...calls]
      .map(part => stripVTControlCharacters(part))
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .slice(0, MAX_LENGTH)
  })
  return `failed: ${[name, ...reasons].join(' | ')}`
}

/** Of a failed `fetch` only its cause says what failed. */
function describeCause(cause: unknown): string {
  const { message, code } = (cause ?? {}) as { message?: unknown; code?: unknown }
  return [message, code].filter(part => part !== undefined).join(' ')
}

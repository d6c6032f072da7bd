import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import LongestFirst from './support/house/longest-first.ts'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres.ts'],
    reporters: ['default', 'test/support/house/tally-reporter.ts'],
    pool: 'forks',
    // One more than the cores of the smallest machine, because the longest files mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Only where nobody can look: the tally names every test that needed its second try.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { LOG_LEVEL: 'silent' },
  },
})

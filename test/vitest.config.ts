import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import LongestFirst from './support/house/longest-first.ts'

// Packages are compiled once for the processes of all test files.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'coinop-test-compile-cache')

// The C library keeps freed memory: on virtual machines, getting it anew takes 5 % of the processor time of a run.
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(256 * 2 ** 20)
process.env.MALLOC_MMAP_THRESHOLD_ ??= String(64 * 2 ** 20)
process.env.MALLOC_TOP_PAD_ ??= String(4 * 2 ** 20)

/** Files that leave nothing behind in their process. They run one after the other in few processes, which load what they have in common once. */
const SHARING = [
  'tasks',
  'sql',
  'intake',
  'routes',
  'products',
  'surfaces',
  'providers',
  'workers',
  'pages',
  'console',
].map(name => `test/${name}/**/*.test.ts`)

/** What needs kills, waiting and chance, or starts whole services again and again: `npm run test:long`. */
const LONG = ['test/**/*.long.test.ts']

/** Hosts of their own, for which this machine must be free: `npm run test:machines`. */
const MACHINES = ['test/machines/*.test.ts']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: ['test/support/database/postgres.ts'],
    reporters: ['default', 'test/support/house/tally-reporter.ts'],
    // Decision 0741: run as many test files at once as there are cores.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    projects: [
      createProject({ name: 'alone', include: ['test/**/*.test.ts'], exclude: [...SHARING, ...LONG, ...MACHINES] }),
      createProject({ name: 'sharing', include: SHARING, exclude: LONG, isolate: false }),
      createProject({ name: 'long', include: LONG, minutes: 10 }),
      createProject({ name: 'machines', include: MACHINES, minutes: 10 }),
    ],
  },
})

interface Project {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: boolean
  /** After which a test hangs. */
  minutes?: number
}

function createProject({ minutes = 5, ...files }: Project) {
  const timeout = minutes * 60_000
  return {
    test: {
      ...files,
      pool: 'forks',
      // They end what hangs. What only waits for its turn on a busy machine takes far less.
      testTimeout: timeout,
      hookTimeout: timeout,
      expect: { poll: { timeout: 120_000 } },
      env: { LOG_LEVEL: 'silent' },
    },
  } satisfies TestProjectConfiguration
}

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobContext } from '../../pools/job-context.ts'
import { ToolCrashed } from '../../pools/tool-crashed.ts'
import type { ResizeOptions } from '../../pools/tools/sharp/edit/resize.ts'
import { openTestHost } from '../support/pools/contexts.ts'

let host: Awaited<ReturnType<typeof openTestHost>>
beforeAll(async () => {
  host = await openTestHost()
})
afterAll(() => host.close())

/** What only waits for its turn on a busy machine takes less. */
const LIMIT_SECONDS = 120

const OPTIONS: ResizeOptions = {
  width: 100,
  fit: 'inside',
  position: 'center',
  enlarge: false,
  dpr: 1,
  kernel: 'lanczos3',
  sharpen: 'auto',
  linear: false,
  format: 'keep',
  lossless: false,
  background: '#ffffff',
  animation: 'auto',
  metadata: 'strip',
  icc: 'srgb',
  tolerant: false,
}

async function writeImage(context: JobContext, width = 400, height = 300): Promise<string> {
  const path = context.out('image')
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  await sharp({ create: { width, height, channels: 3, background: '#000', noise } })
    .jpeg()
    .toFile(path)
  return path
}

const resize = async (context: JobContext, file: string, options: Partial<ResizeOptions> = {}) =>
  host.engines.call<{ width: number; bytes?: Uint8Array; path?: string }>(context, 'sharp', 'resize', [file], {
    ...OPTIONS,
    ...options,
  })

/** Slow enough to be interrupted while it runs. */
const SLOW = { width: 6000, enlarge: true, format: 'avif', quality: 100 } as const

async function listChildPids(engine: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async pid => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  )
  return lines.flatMap(([pid, line]) =>
    line.includes(host.folders.root) && line.includes(`native-${engine}-`) ? [Number(pid)] : [],
  )
}

test('answers many calls at once and leaves none of their files in its folder', async () => {
  const context = await host.createContext(LIMIT_SECONDS)
  const file = await writeImage(context)
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, index) => resize(context, file, { width: 50 + index })),
  )
  expect(results.map(({ width }) => width)).toEqual(Array.from({ length: 12 }, (_, index) => 50 + index))
  await expect
    .poll(async () => {
      const folders = (await readdir(host.folders.root)).filter(name => name.startsWith('native-sharp'))
      return (await Promise.all(folders.map(name => readdir(`${host.folders.root}/${name}`)))).flat()
    })
    .toEqual([])
})

test('returns a large result as a file of the job', async () => {
  const context = await host.createContext(LIMIT_SECONDS)
  const made = await resize(context, await writeImage(context, 2000, 1500), { width: 2000, format: 'png' })
  expect(made.bytes).toBeUndefined()
  expect(made.path!.startsWith(context.folder)).toBe(true)
  expect(await sharp(made.path).metadata()).toMatchObject({ width: 2000, height: 1500, format: 'png' })
})

test('ends a call at its deadline, and the next call works', async () => {
  const context = await host.createContext(1)
  const file = await writeImage(context, 3000, 2000)
  await expect(resize(context, file, SLOW)).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
    hints: { limitSeconds: 1 },
  })
  const next = await host.createContext(LIMIT_SECONDS)
  expect((await resize(next, await writeImage(next))).width).toBe(100)
})

test('ends a cancelled call, and the calls beside it succeed', async () => {
  const stop = new AbortController()
  const context = await host.createContext(LIMIT_SECONDS, stop.signal)
  const other = await host.createContext(LIMIT_SECONDS)
  const slow = resize(context, await writeImage(context, 3000, 2000), SLOW)
  const beside = resize(other, await writeImage(other, 2000, 2000), { width: 1900, format: 'avif' })
  setTimeout(() => stop.abort(new Error('cancelled')), 300)
  await expect(slow).rejects.toThrow('cancelled')
  expect((await beside).width).toBe(1900)
})

test.runIf(process.platform === 'linux')(
  'fails the calls of a process that dies as crashed, and a new process takes the next',
  async () => {
    const context = await host.createContext(LIMIT_SECONDS)
    const file = await writeImage(context, 3000, 2000)
    const slow = resize(context, file, SLOW)
    await expect.poll(() => listChildPids('sharp')).not.toEqual([])
    const killed = listChildPids('sharp').then(pids => pids.map(pid => process.kill(pid, 'SIGKILL')))
    await expect(Promise.all([slow, killed])).rejects.toThrow(ToolCrashed)
    expect(host.engines.stats().crashed).toBeGreaterThan(0)
    expect((await resize(context, file)).width).toBe(100)
  },
)

test.runIf(process.platform === 'linux')('fails only the call that exceeds the memory limit', async () => {
  const size = 1.6e9
  const stream = deflateSync(deflateSync(Buffer.alloc(size), { level: 1 }))
  const head = '%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n'
  const dict = `5 0 obj\n<< /Type /XRef /Size 6 /W [1 2 1] /Root 1 0 R /Filter [/FlateDecode /FlateDecode] /Length ${stream.length} >>\nstream\n`
  const tail = `\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`
  // Compressing takes seconds, so the deadline is set after it.
  const bomb = await host.createContext(15)
  await writeFile(bomb.out('bomb.pdf'), Buffer.concat([Buffer.from(head + dict), stream, Buffer.from(tail)]))
  await expect(host.engines.call(bomb, 'libpdf', 'inspect', [bomb.out('bomb.pdf')], {})).rejects.toMatchObject({
    code: 'MEMORY_LIMIT_EXCEEDED',
  })
})

test('has no access to other files, the network and our environment', async ({ skip }) => {
  skip(host.level !== 2, 'needs a sandbox of the second level')
  const context = await host.createContext(LIMIT_SECONDS)
  await resize(context, await writeImage(context))
  const [pid] = (await listChildPids('sharp')).toSorted((a, b) => b - a)
  const environ = (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''))
    .split('\0')
    .map(line => line.split('=')[0])
  const known = [
    '',
    'PATH',
    'HOME',
    'TMPDIR',
    'TZ',
    'PWD',
    'MALLOC_ARENA_MAX',
    'VIPS_WARNING',
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
  ]
  expect(environ.filter(name => !known.includes(name!))).toEqual([])
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  expect(status).toMatch(/CapEff:\s+0+\n/)
})

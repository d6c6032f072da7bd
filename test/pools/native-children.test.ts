import { readdir, readFile, writeFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobRoom } from '../../pools/job-room.ts'
import { ToolCrashed } from '../../pools/tool-crashed.ts'
import type { ResizeOptions } from '../../pools/tools/sharp-resize.ts'
import { openRooms } from '../support/room.ts'

let rooms: Awaited<ReturnType<typeof openRooms>>
beforeAll(async () => {
  rooms = await openRooms()
})
afterAll(() => rooms.close())

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

async function picture(room: JobRoom, width = 400, height = 300): Promise<string> {
  const path = room.out('picture')
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  await sharp({ create: { width, height, channels: 3, background: '#000', noise } })
    .jpeg()
    .toFile(path)
  return path
}

const resize = async (room: JobRoom, file: string, options: Partial<ResizeOptions> = {}) =>
  rooms.children.call<{ width: number; bytes?: Uint8Array; path?: string }>(room, 'sharp', 'resize', [file], {
    ...OPTIONS,
    ...options,
  })

/** Slow enough to be met in the middle of it. */
const SLOW = { width: 6000, enlarge: true, format: 'avif', quality: 100 } as const

async function childPids(engine: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async pid => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  )
  return lines.flatMap(([pid, line]) =>
    line.includes(rooms.folders.root) && line.includes(`native-${engine}-`) ? [Number(pid)] : [],
  )
}

test('answers many calls at once, and leaves nothing of them in its folder', async () => {
  const room = await rooms.room()
  const file = await picture(room)
  const made = await Promise.all(Array.from({ length: 12 }, (_, index) => resize(room, file, { width: 50 + index })))
  expect(made.map(({ width }) => width)).toEqual(Array.from({ length: 12 }, (_, index) => 50 + index))
  await expect
    .poll(async () => {
      const folders = (await readdir(rooms.folders.root)).filter(name => name.startsWith('native-sharp'))
      return (await Promise.all(folders.map(name => readdir(`${rooms.folders.root}/${name}`)))).flat()
    })
    .toEqual([])
})

test('hands many bytes over as a file of the job', async () => {
  const room = await rooms.room()
  const made = await resize(room, await picture(room, 2000, 1500), { width: 2000, format: 'png' })
  expect(made.bytes).toBeUndefined()
  expect(made.path!.startsWith(room.folder)).toBe(true)
  expect(await sharp(made.path).metadata()).toMatchObject({ width: 2000, height: 1500, format: 'png' })
})

test('ends a call at its deadline, and the next one works', async () => {
  const room = await rooms.room(1)
  const file = await picture(room, 3000, 2000)
  await expect(resize(room, file, SLOW)).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
    hints: { limitSeconds: 1 },
  })
  const next = await rooms.room()
  expect((await resize(next, await picture(next))).width).toBe(100)
})

test('a cancelled call ends, and those beside it are none the worse', async () => {
  const stop = new AbortController()
  const [room, other] = [await rooms.room(20, stop.signal), await rooms.room()]
  const slow = resize(room, await picture(room, 3000, 2000), SLOW)
  const beside = resize(other, await picture(other, 2000, 2000), { width: 1900, format: 'avif' })
  setTimeout(() => stop.abort(new Error('cancelled')), 300)
  await expect(slow).rejects.toThrow('cancelled')
  expect((await beside).width).toBe(1900)
})

test.runIf(process.platform === 'linux')(
  'a child that dies fails its calls as crashed, and a new one takes the next',
  async () => {
    const room = await rooms.room()
    const file = await picture(room, 3000, 2000)
    const slow = resize(room, file, SLOW)
    await expect.poll(() => childPids('sharp'), { timeout: 10_000 }).not.toEqual([])
    const killed = childPids('sharp').then(pids => pids.map(pid => process.kill(pid, 'SIGKILL')))
    await expect(Promise.all([slow, killed])).rejects.toThrow(ToolCrashed)
    expect(rooms.children.stats().crashed).toBeGreaterThan(0)
    expect((await resize(room, file)).width).toBe(100)
  },
)

test.runIf(process.platform === 'linux')('a call that fills the memory is told so, and only that one', async () => {
  const bomb = await rooms.room(15)
  const size = 1.6e9
  const stream = deflateSync(deflateSync(Buffer.alloc(size)))
  const head = '%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n'
  const dict = `5 0 obj\n<< /Type /XRef /Size 6 /W [1 2 1] /Root 1 0 R /Filter [/FlateDecode /FlateDecode] /Length ${stream.length} >>\nstream\n`
  const tail = `\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`
  await writeFile(bomb.out('bomb.pdf'), Buffer.concat([Buffer.from(head + dict), stream, Buffer.from(tail)]))
  await expect(rooms.children.call(bomb, 'libpdf', 'inspect', [bomb.out('bomb.pdf')], {})).rejects.toMatchObject({
    code: 'MEMORY_LIMIT_EXCEEDED',
  })
})

test('sees no other files, no network and none of our environment', async () => {
  const room = await rooms.room()
  await resize(room, await picture(room))
  const [pid] = (await childPids('sharp')).toSorted((a, b) => b - a)
  if (pid === undefined || rooms.level !== 2) return
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

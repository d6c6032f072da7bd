import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const folder = await freshFolder()
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const LOGO = 'tasks/samples/gradient.png'
const make = (body: Record<string, unknown>) => runJob(pools, 'generate.favicon', body)

async function unpack(bytes: Buffer, name: string): Promise<string> {
  const [zip, place] = [join(folder.path, `${name}.zip`), join(folder.path, name)]
  await writeFile(zip, bytes)
  await execa('unzip', ['-q', zip, '-d', place])
  return place
}

test('packs every icon in its size, and a head that names only files of the zip', async () => {
  const { bytes, result } = await make({ text: 'Ж', background: '#0a7', shape: 'circle' })
  const place = await unpack(bytes, 'letter')
  const entries = result.entries as { name: string; size?: number }[]
  for (const { name, size } of entries.filter(entry => entry.size)) {
    const metadata = await sharp(join(place, name)).metadata()
    expect([metadata.format, metadata.width, metadata.height]).toEqual(['png', size, size])
  }
  const { stdout } = await execa('identify', ['-format', '%w ', join(place, 'favicon.ico')])
  expect(stdout.trim()).toBe('16 32 48')
  const { stdout: head } = await execa('cat', [join(place, 'head.html'), join(place, 'site.webmanifest')])
  const named = [...head.matchAll(/"\/([\w.-]+)"/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(6)
  expect(named.filter(name => !entries.some(entry => entry.name === name))).toEqual([])
  const corner = async (name: string) => {
    const { data } = await sharp(join(place, name)).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return data.subarray(0, 4).toString('hex')
  }
  expect(await corner('icon-96.png')).toBe('00000000')
  expect([await corner('apple-touch-icon.png'), await corner('maskable-192.png')]).toEqual(['00aa77ff', '00aa77ff'])
})

test('takes an emoji in its colours, on white where nothing may be transparent', async () => {
  const { bytes, result } = await make({ emoji: '🦊', set: 'web' })
  expect((result.entries as object[]).length).toBe(6)
  const place = await unpack(bytes, 'emoji')
  const { channels, isOpaque } = await sharp(join(place, 'icon-192.png')).stats()
  expect([isOpaque, channels[0]!.mean - channels[2]!.mean > 20]).toEqual([false, true])
  expect((await sharp(join(place, 'apple-touch-icon.png')).stats()).isOpaque).toBe(true)
})

test.each([
  ['a photo', { file: LOGO, set: 'ico', fit: 'cover' }],
  [
    'a drawing',
    {
      file: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'),
      set: 'ico',
    },
  ],
  ['letters of any script', { text: 'ضا', set: 'ico' }],
])('gives the .ico alone, of %s', async (_, body) => {
  const { bytes, result } = await make(body)
  expect(bytes.subarray(0, 4).toString('hex')).toBe('00000100')
  expect(result.entries).toEqual([{ name: 'favicon.ico', sizeBytes: bytes.length }])
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ text: 'a', emoji: '🦊' }, 'CONFLICTING_OPTIONS'],
  [{ emoji: '🦊', color: '#000' }, 'CONFLICTING_OPTIONS'],
  [{ text: 'a', fit: 'cover' }, 'CONFLICTING_OPTIONS'],
  [{ emoji: 'a' }, 'INVALID_PARAM'],
  [{ text: 'abcd' }, 'INVALID_PARAM'],
  [{ text: '   ' }, 'INVALID_PARAM'],
  [{ text: 'a', background: 'nope' }, 'COLOR_INVALID'],
])('rejects %j', async (body, code) => {
  await expect(make(body)).rejects.toMatchObject({ code })
})

test('refuses an image that is too small or broken', async () => {
  const small = await sharp({ create: { width: 32, height: 90, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  await expect(make({ file: small })).rejects.toMatchObject({
    code: 'IMAGE_TOO_SMALL',
    hints: { limit: 64, actual: 32 },
  })
  await expect(make({ file: Buffer.from('GIF89a') })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

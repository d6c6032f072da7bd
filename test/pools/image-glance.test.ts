import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { glanceAtImage } from '../../pools/image-glance.ts'
import { freshFolder } from '../support/folder.ts'

async function glance(bytes: Uint8Array) {
  await using folder = await freshFolder()
  const path = join(folder.path, 'file')
  await writeFile(path, bytes)
  return await glanceAtImage(path)
}

const still = (width = 321, height = 123) => sharp({ create: { width, height, channels: 3, background: '#456' } })

test.each([
  ['a JPEG', still().jpeg()],
  ['a progressive JPEG', still().jpeg({ progressive: true })],
  [
    'a JPEG with metadata',
    still()
      .withExif({ IFD0: { Copyright: 'x'.repeat(5000) } })
      .jpeg(),
  ],
  ['a PNG', still().png()],
  ['a WebP', still().webp()],
  ['a lossless WebP', still().webp({ lossless: true })],
])('finds the size of %s', async (_, picture) => {
  expect(await glance(await picture.toBuffer())).toEqual({ width: 321, height: 123, frames: 1 })
})

test('says nothing of animations, other formats, damage and no bytes', async () => {
  const frames = await Promise.all(
    ['#f00', '#0f0'].map(background =>
      sharp({ create: { width: 9, height: 9, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const moving = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer()
  const gif = await still().gif().toBuffer()
  const jpeg = await still().jpeg().toBuffer()
  for (const bytes of [
    moving,
    gif,
    jpeg.subarray(0, 40),
    Buffer.from('RIFF....WEBPnothing to see here at all'),
    Buffer.alloc(0),
  ]) {
    expect(await glance(bytes)).toBeUndefined()
  }
})

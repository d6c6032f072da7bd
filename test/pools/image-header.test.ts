import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readImageHeader } from '../../pools/inspect/image-header.ts'
import { freshFolder } from '../support/machine/folder.ts'

async function readHeader(bytes: Uint8Array) {
  await using folder = await freshFolder()
  const path = join(folder.path, 'file')
  await writeFile(path, bytes)
  return readImageHeader(path)
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
])('finds the size of %s', async (_, image) => {
  expect(await readHeader(await image.toBuffer())).toEqual({ width: 321, height: 123, frames: 1 })
})

test('returns nothing for animations, other formats, damaged and empty files', async () => {
  const frames = await Promise.all(
    ['#f00', '#0f0'].map(background =>
      sharp({ create: { width: 9, height: 9, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const animation = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer()
  const gif = await still().gif().toBuffer()
  const jpeg = await still().jpeg().toBuffer()
  for (const bytes of [
    animation,
    gif,
    jpeg.subarray(0, 40),
    Buffer.from('RIFF....WEBPnothing to see here at all'),
    Buffer.alloc(0),
  ]) {
    expect(await readHeader(bytes)).toBeUndefined()
  }
})

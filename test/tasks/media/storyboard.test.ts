import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { readPixel } from '../../support/images/measure.ts'
import { record, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const draw = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.storyboard', { file, ...options })

test('draws tiles in order and names them for the whole duration', async () => {
  const scene = (name: string) => `color=${name}:s=64x48:r=10:d=1`
  const file = record(
    'mp4',
    `-f lavfi -i ${scene('red')}[a];${scene('lime')}[b];${scene('blue')}[c];[a][b][c]concat=n=3 -pix_fmt yuv420p -preset ultrafast`,
  )
  const options = {
    every: 1,
    columns: 2,
    tileWidth: 40,
    maxTilesPerSheet: 2,
    urlTemplate: 'https://cdn.test/{file}?v=1',
  }
  const { files, result, chargedMicros } = await draw(file, options)
  expect(result).toMatchObject({ tiles: 3, tileHeight: 30, everySec: 1 })
  expect(files.map(({ name }) => name)).toEqual(['sheet-001.jpg', 'sheet-002.jpg', 'storyboard.vtt'])
  expect(await sharp(files[0]!.bytes).metadata()).toMatchObject({ width: 80, height: 30 })
  const colors = [
    await readPixel(files[0]!.bytes, 20, 15),
    await readPixel(files[0]!.bytes, 60, 15),
    await readPixel(files[1]!.bytes, 20, 15),
  ]
  expect(colors.map(pixel => pixel.indexOf(Math.max(...pixel.slice(0, 3))))).toEqual([0, 1, 2])
  const vtt = files[2]!.bytes.toString()
  expect(vtt).toContain('00:00:01.000 --> 00:00:02.000\nhttps://cdn.test/sheet-001.jpg?v=1#xywh=40,0,40,30')
  expect(vtt).toContain('00:00:02.000 --> 00:00:03.000\nhttps://cdn.test/sheet-002.jpg?v=1#xywh=0,0,40,30')
  expect(chargedMicros).toBe(3_000n)
})

test('makes a hundred tiles if not told otherwise, and refuses too many', async () => {
  const { files, result } = await draw(sample('clip.mp4'), { tileWidth: 40, vtt: false, format: 'webp' })
  expect([files.length, result.tiles]).toEqual([1, 100])
  expect(await sharp(files[0]!.bytes).metadata()).toMatchObject({ format: 'webp', width: 400, height: 300 })
  await expect(draw(sample('clip.mp4'), { every: 1, count: 3 })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

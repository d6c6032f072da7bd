import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createNoisyPng } from '../../support/images/png.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

test('an AVIF that decodes to more than it states, as layered ones do, is not said to have too many pixels', async () => {
  await using pools = await sharedPools()
  const file = await sharp(createNoisyPng(400)).avif({ quality: 30 }).toBuffer()
  const size = file.indexOf('ispe') + 8
  file.writeUInt32BE(100, size)
  file.writeUInt32BE(100, size + 4)
  await expect(runJob(pools, 'image.resize', { file, width: 50 })).rejects.toMatchObject({
    code: 'IMAGE_DECODE_FAILED',
    hints: { detail: expect.stringContaining('400 by 400') },
  })
})

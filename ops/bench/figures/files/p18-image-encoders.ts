import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack } from '../../stack.ts'
import { compareWithSharp } from './compare-with-sharp.ts'

/** Encoding takes long, so bursts of the usual length would count too few calls. */
const DURATION_FACTOR = 3

export default {
  id: 'P18',
  title: 'image/convert and image/compress, 3 megapixels of JPEG, raw in and out, over the same sharp behind Fastify',
  async measure({ profile, ...rest }) {
    const bench = { ...rest, profile: { ...profile, seconds: profile.seconds * DURATION_FACTOR } }
    await using stack = await openStack(bench.environment)
    await using server = await startFloorServer(stack)
    return [
      await compareWithSharp(bench, stack, server, {
        path: '/v1/image/convert?to=webp',
        type: 'image/webp',
        floor: '/convert',
        clients: 2,
      }),
      await compareWithSharp(bench, stack, server, {
        path: '/v1/image/compress?quality=80',
        type: 'image/jpeg',
        floor: '/compress',
        clients: 1,
      }),
    ]
  },
} satisfies Figure

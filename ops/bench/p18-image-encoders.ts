import { besideSharp } from './beside-sharp.ts'
import type { Figure } from './figure.ts'
import { openFloor } from './floor.ts'
import { openStack } from './stack.ts'

/** An encoder takes so much longer than a small picture that turns of the usual length would count too few. */
const SLOWER = 3

export default {
  id: 'P18',
  title: 'image/convert and image/compress, 3 megapixels of JPEG, raw in and out, over the same sharp behind Fastify',
  async measure({ pace, ...rest }) {
    const bench = { ...rest, pace: { ...pace, seconds: pace.seconds * SLOWER } }
    await using stack = await openStack(bench.home)
    await using server = await openFloor(stack)
    return [
      await besideSharp(bench, stack, server, {
        path: '/v1/image/convert?to=webp',
        type: 'image/webp',
        floor: '/convert',
        clients: 2,
      }),
      await besideSharp(bench, stack, server, {
        path: '/v1/image/compress?quality=80',
        type: 'image/jpeg',
        floor: '/compress',
        clients: 1,
      }),
    ]
  },
} satisfies Figure

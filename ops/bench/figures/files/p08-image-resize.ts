import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack } from '../../stack.ts'
import { compareWithSharp } from './compare-with-sharp.ts'

export default {
  id: 'P8',
  title: 'image/resize, 3 megapixels of JPEG to 400 px of WebP, raw in and out, over the same sharp behind Fastify',
  async measure(bench) {
    await using stack = await openStack(bench.environment)
    await using server = await startFloorServer(stack)
    const path = '/v1/image/resize?width=400&format=webp'
    return [await compareWithSharp(bench, stack, server, { path, type: 'image/webp', floor: '/resize', clients: 4 })]
  },
} satisfies Figure

import { hslToHex } from '../../formats/color/hsl.ts'
import { element } from '../../formats/svg/drawing.ts'

const SIDE = 8

/**
 * The icon by which Ethereum wallets show an address: eight by eight squares, mirrored. Its generator is fixed by that
 * use: an xorshift of four words, seeded with the characters of the address in lower case.
 */
export function drawBlockie(value: string): string {
  const random = createXorshift(/^0x[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : value)
  const [front, back, spot] = [0, 0, 0].map(() => {
    const hue = Math.floor(random() * 360)
    const saturation = Math.min(100, random() * 60 + 40)
    return hslToHex(hue, saturation, Math.min(100, (random() + random() + random() + random()) * 25))
  }) as [string, string, string]
  const squares = { front: [] as string[], spot: [] as string[] }
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE / 2; x++) {
      const kind = Math.floor(random() * 2.3)
      const list = kind === 1 ? squares.front : squares.spot
      if (kind > 0) list.push(`M${x} ${y}h1v1h-1z`, `M${SIDE - 1 - x} ${y}h1v1h-1z`)
    }
  }
  const content = [
    element('rect', { width: SIDE, height: SIDE, fill: back }),
    element('path', { d: squares.front.join(''), fill: front }),
    element('path', { d: squares.spot.join(''), fill: spot }),
  ]
  return element('g', { transform: `scale(${1 / SIDE})`, 'shape-rendering': 'crispEdges' }, content.join(''))
}

/** From 0 up to 2, as the original is. */
function createXorshift(seed: string): () => number {
  const state: [number, number, number, number] = [0, 0, 0, 0]
  for (let at = 0; at < seed.length; at++) state[at % 4] = (state[at % 4]! << 5) - state[at % 4]! + seed.charCodeAt(at)
  return () => {
    const mixed = state[0] ^ (state[0] << 11)
    state[0] = state[1]
    state[1] = state[2]
    state[2] = state[3]
    state[3] = state[3] ^ (state[3] >> 19) ^ mixed ^ (mixed >> 8)
    return (state[3] >>> 0) / 2 ** 31
  }
}

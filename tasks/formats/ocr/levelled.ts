import type { Size } from '../geometry/region.ts'

type Point = readonly [x: number, y: number]

/** The size of an image once it was turned about its centre, with all its corners kept. */
function measureTurned({ width, height }: Size, skew: number): Size {
  const [sine, cosine] = sineAndCosine(skew)
  return {
    width: width * cosine + height * Math.abs(sine),
    height: height * cosine + width * Math.abs(sine),
  }
}

/** How far the content of an image lies from its place once the image was levelled. */
export function measureShift(size: Size, skew: number): Point {
  const turned = measureTurned(size, skew)
  return [(turned.width - size.width) / 2, (turned.height - size.height) / 2]
}

/** Maps a point of a levelled image back to the image whose lines fell by `skew` degrees. */
export function mapToSkewed([x, y]: Point, size: Size, skew: number): Point {
  const [sine, cosine] = sineAndCosine(skew)
  const turned = measureTurned(size, skew)
  const [fromX, fromY] = [x - turned.width / 2, y - turned.height / 2]
  return [size.width / 2 + fromX * cosine - fromY * sine, size.height / 2 + fromX * sine + fromY * cosine]
}

function sineAndCosine(degrees: number): Point {
  const angle = (degrees * Math.PI) / 180
  return [Math.sin(angle), Math.cos(angle)]
}

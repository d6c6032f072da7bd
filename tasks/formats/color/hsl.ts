/** Renderers disagree on `hsl()`, so colours are written as hex. */
export function hslToHex(hue: number, saturation: number, lightness: number): string {
  const [s, l] = [saturation / 100, lightness / 100]
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    const share = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(share * 255)
  }
  return `#${Buffer.from([channel(0), channel(8), channel(4)]).toString('hex')}`
}

import sharp from 'sharp'

interface TextStyle {
  font: string
  fontSize: number
  /** As `#rrggbb`. */
  color: string
  alphaPercent?: number
}

/** Renders a text as a PNG on a transparent background. */
export function renderText(text: string, { font, fontSize, color, alphaPercent = 100 }: TextStyle): Promise<Buffer> {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const markup = `<span foreground="${color}" alpha="${alphaPercent}%">${escaped}</span>`
  return sharp({ text: { text: markup, font: `${font} ${fontSize}`, dpi: 72, rgba: true } })
    .png()
    .toBuffer()
}

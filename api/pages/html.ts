/** Text that is markup already. Everything else that comes into a template is escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | bigint | false | null | undefined | readonly Piece[]

/** Markup with what stands in its holes made harmless: text for people, never markup, also inside quoted attributes. */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.reduce((text, part, index) => text + textOf(pieces[index - 1]) + part))
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(textOf).join('')
  if (piece === false || piece === null || piece === undefined) return ''
  return escaped(String(piece))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, letter => ENTITIES[letter]!)
}
